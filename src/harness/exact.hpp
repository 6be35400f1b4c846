// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"
#include "harness/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace gangway::harness {

/// The verdict on results that must be exact: got(i, j) == expected(i, j) for every i in [0, rows)
/// and j in [0, columns). The error is the number that are not, and the detail names the first of
/// them. NaN equals nothing, so that an element poisoned with it is seen. An empty result is right.
template <class Got, class Expected>
[[nodiscard]] Check check_exact(long rows, long columns, const Got& got, const Expected& expected) {
  std::atomic<long> wrong{0};
  base::parallel_ranges(rows * columns, [&](long begin, long end) {
    long mine = 0;
    for (long i = begin / columns; i * columns < end; ++i) {
      const long last = std::min(columns, end - i * columns);
      for (long j = std::max(0L, begin - i * columns); j < last; ++j)
        mine += got(i, j) == expected(i, j) ? 0 : 1;
    }
    wrong += mine;
  });
  Check check{wrong == 0, static_cast<double>(wrong), 0, "every element exactly"};
  if (!check.passed) {
    long k = 0;
    while (got(k / columns, k % columns) == expected(k / columns, k % columns))
      ++k;
    const long i = k / columns;
    const long j = k % columns;
    const auto place = rows == 1 ? fmt::format("{}", j) : fmt::format("({}, {})", i, j);
    check.detail = fmt::format("{} of {} elements are wrong, first element {}: {} instead of {}",
                               wrong.load(), rows * columns, place, got(i, j), expected(i, j));
  }
  return check;
}

/// The same of one row.
template <class Got, class Expected>
[[nodiscard]] Check check_exact(long count, const Got& got, const Expected& expected) {
  return check_exact(
      1, count, [&](long, long j) { return got(j); }, [&](long, long j) { return expected(j); });
}

} // namespace gangway::harness
