// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "inputs/parallel.hpp"

#include <fmt/format.h>

#include <atomic>

namespace gangway::harness {

/// The verdict on results that must be exact: got(i) == expected(i) for every i in [0, count). The
/// error is the number that are not, and the detail names the first of them. NaN equals nothing, so
/// that an element poisoned with it is seen. An empty result is right.
template <class Got, class Expected>
[[nodiscard]] Check check_exact(long count, const Got& got, const Expected& expected) {
  std::atomic<long> wrong{0};
  inputs::parallel_ranges(count, [&](long begin, long end) {
    long mine = 0;
    for (long i = begin; i < end; ++i)
      mine += got(i) == expected(i) ? 0 : 1;
    wrong += mine;
  });
  Check check{wrong == 0, static_cast<double>(wrong), 0, "every element exactly"};
  if (!check.passed) {
    long i = 0;
    while (got(i) == expected(i))
      ++i;
    check.detail = fmt::format("{} of {} elements are wrong, first element {}: {} instead of {}",
                               wrong.load(), count, i, got(i), expected(i));
  }
  return check;
}

} // namespace gangway::harness
