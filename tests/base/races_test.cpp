// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The threads of the host's own loops, watched by ThreadSanitizer: how work is shared out, and the
// verdicts, whose threads meet most often when everything is wrong.
#include "base/host_array.hpp"
#include "base/parallel.hpp"
#include "harness/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace gangway {
namespace {

// Enough that threads are woken for it.
constexpr long many = 100000;

double truth(long i) {
  return static_cast<double>(i);
}

TEST(Races, RangesShareNothing) {
  std::vector<long> visited(many);
  base::parallel_ranges(many, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      ++visited[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(visited, std::vector<long>(many, 1));
}

TEST(Races, OneOfSeveralErrorsIsThrown) {
  const auto fail = [](long, long) { throw std::runtime_error("every part fails"); };
  EXPECT_THROW(base::parallel_ranges(many, fail), std::runtime_error);
}

TEST(Races, VerdictsOnWhatIsWrongEverywhere) {
  const auto array = base::filled<double>(many, truth);
  const auto none = [](long) { return -1.0; };
  const auto exact = harness::check_exact(array, none);
  EXPECT_EQ(exact.error, many);
  const auto within =
      harness::check_within(many, array, none, [](long) { return 1.0; }, "of whole numbers");
  EXPECT_FALSE(within.passed);
  EXPECT_EQ(within.error, many);
}

TEST(Races, VerdictsOnWhatIsRight) {
  const auto array = base::filled<double>(many, truth);
  EXPECT_TRUE(harness::check_exact(array, truth).passed);
  EXPECT_TRUE(harness::check_within(
                  many, array, truth, [](long) { return 1.0; }, "of whole numbers")
                  .passed);
}

} // namespace
} // namespace gangway
