// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/pi/pi.hpp"

#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace gangway::pi {
namespace {

harness::Parameters with_points(long points) {
  return {Problem::info, {{"points", std::to_string(points)}}};
}

/// One checked run of a Kokkos variant in which it moves its own data.
double run(const std::string& name, Problem& problem) {
  testing::run_variant("pi", name, problem);
  double result = 0;
  problem.call([&](long, double* pi) { result = *pi; });
  return result;
}

TEST(Pi, ReferenceIsThePlainLoop) {
  EXPECT_DOUBLE_EQ(midpoint_rule(1), 3.2);
  EXPECT_DOUBLE_EQ(midpoint_rule(2), 0.5 * (4 / (1 + 0.0625) + 4 / (1 + 0.5625)));
  // Where the closed form takes over from the sum, they agree to the last bit.
  long double sum = 0;
  constexpr long points = 20001;
  for (long i = 0; i < points; ++i) {
    const long double x = (static_cast<long double>(i) + 0.5L) / points;
    sum += 4 / (1 + x * x);
  }
  EXPECT_EQ(midpoint_rule(points), static_cast<double>(sum / points));
  EXPECT_NEAR(midpoint_rule(1000000000), std::numbers::pi, 1e-15);
}

/// On a device all of the document's sizes, in every variant. A host is slow at that: it takes the
/// smallest size, in `team`.
TEST(Pi, DocumentsSizes) {
  for (const long points : {1000000000L, 2000000000L, 10000000000L, 15000000000L}) {
    if (!has_device && points > 1000000000L)
      break;
    Problem problem(with_points(points));
    for (const char* variant : {"parallel", "parallel-data", "kernels", "kernels-data", "team"}) {
      if (!has_device && variant != std::string("team"))
        continue;
      EXPECT_NEAR(run(variant, problem), std::numbers::pi, 1e-9) << variant << ", " << points;
    }
    if (has_device && testing::openacc_library() != nullptr)
      testing::run_variant("pi", "team", problem, harness::Model::openacc);
  }
}

/// One point more than 32 bits count: an index that wrapped, signed or unsigned, would leave points
/// out or take them twice, and the sum would be wrong.
TEST(Pi, IndicesHave64Bits) {
#ifndef NDEBUG
  if (!has_device)
    GTEST_SKIP() << "takes a minute without optimisation";
#endif
  Problem problem(with_points((1L << 32) + 1));
  run("team", problem);
  if (has_device && testing::openacc_library() != nullptr) // GCC's takes one thread of a host
    testing::run_variant("pi", "team", problem, harness::Model::openacc);
}

TEST(Pi, EveryVariantIsRightBeyondOneBlockAGang) {
  Problem problem(with_points(1234567));
  testing::expect_all_variants_right("pi", problem);
  const testing::WithMemory separate(Memory::separate);
  testing::expect_all_variants_right("pi", problem);
}

/// The data region around the loop moves the sum, in and out. Without a region nothing moves: the
/// reduction returns its result by itself.
TEST(Pi, DataRegionMovesTheSum) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem(with_points(100));
  for (const char* variant : {"kernels", "parallel", "team"}) {
    EXPECT_EQ(testing::run_variant("pi", variant, problem), Transfers{}) << variant;
  }
  for (const char* variant : {"kernels-data", "parallel-data"}) {
    EXPECT_EQ(testing::run_variant("pi", variant, problem),
              (Transfers{.to_device = 1,
                         .to_host = 1,
                         .bytes_to_device = sizeof(double),
                         .bytes_to_host = sizeof(double),
                         .allocations = 1}))
        << variant;
  }
}

/// One point left out, or taken twice, is seen however many there are.
TEST(Pi, CheckSeesOnePointTooFewAndOneTooMany) {
  for (const long points : {1L, 7L, 1000L, 20000L, 1000000000L, 15000000000L}) {
    Problem problem(with_points(points));
    const double right = midpoint_rule(points);
    const double smallest_term = 2 / static_cast<double>(points);
    for (const double wrong : {0.0, -smallest_term, smallest_term}) {
      problem.call([&](long, double* pi) { *pi = right + wrong; });
      EXPECT_EQ(problem.check().passed, wrong == 0) << points << " points, off by " << wrong;
    }
  }
}

TEST(Pi, RefusesSizesOutOfRange) {
  for (const char* points : {"0", "-1", "1e13", "2.5", "many", ""})
    EXPECT_THROW(Problem({Problem::info, {{"points", points}}}), base::UsageError) << points;
}

} // namespace
} // namespace gangway::pi
