// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"
#include "harness/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

/// Verdicts on the results of a run, by the threads of `parallel_ranges`. Results and truths are
/// functions of the index, or containers.
namespace gangway::harness {

namespace detail {

/// Names an element: "7", or "(3, 7)" where there are several rows.
inline std::string place(long rows, long i, long j) {
  return rows == 1 ? fmt::format("{}", j) : fmt::format("({}, {})", i, j);
}

/// Calls body(i, j) for the elements [begin, end) of rows of so many columns.
template <class Body>
void for_elements(long begin, long end, long columns, const Body& body) {
  for (long i = begin / columns; i * columns < end; ++i) {
    const long last = std::min(columns, end - i * columns);
    for (long j = std::max(0L, begin - i * columns); j < last; ++j)
      body(i, j);
  }
}

/// Returns the element at i of a container, or a function's value at i.
template <class Values>
decltype(auto) at(const Values& values, long i) {
  if constexpr (std::is_invocable_v<const Values&, long>)
    return values(i);
  else
    return values[static_cast<std::size_t>(i)];
}

} // namespace detail

/// Checks results that must be exact: got(i, j) == expected(i, j) for every i in [0, rows) and j in
/// [0, columns). The error is the number of elements that are not, and the detail names the first.
/// NaN equals no value, so that an element poisoned with it is seen. An empty result is right.
template <class Got, class Expected>
[[nodiscard]] Check check_exact(long rows, long columns, const Got& got, const Expected& expected) {
  std::atomic<long> wrong{0};
  base::parallel_ranges(rows * columns, [&](long begin, long end) {
    long mine = 0;
    detail::for_elements(begin, end, columns,
                         [&](long i, long j) { mine += got(i, j) == expected(i, j) ? 0 : 1; });
    wrong += mine;
  });
  Check check{wrong == 0, static_cast<double>(wrong), 0, "every element exactly"};
  if (!check.passed) {
    long k = 0;
    while (got(k / columns, k % columns) == expected(k / columns, k % columns))
      ++k;
    const long i = k / columns;
    const long j = k % columns;
    check.detail =
        fmt::format("{} of {} elements are wrong, first element {}: {} instead of {}", wrong.load(),
                    rows * columns, detail::place(rows, i, j), got(i, j), expected(i, j));
  }
  return check;
}

/// Checks one row of exact results.
template <class Got, class Expected>
[[nodiscard]] Check check_exact(long count, const Got& got, const Expected& expected) {
  return check_exact(
      1, count, [&](long, long j) { return detail::at(got, j); },
      [&](long, long j) { return detail::at(expected, j); });
}
/// Checks a whole container against its truth.
template <class Got, class Expected>
[[nodiscard]] Check check_exact(const Got& got, const Expected& expected) {
  return check_exact(std::ssize(got), got, expected);
}

/// Checks results that rounding may change: |got(i, j) - expected(i, j)| at most bound(i, j), which
/// is positive, for every element. The error is the largest difference in units of its bound, so
/// that the tolerance is 1. The detail names that element, the first if several are as wrong.
/// Infinity and NaN are right only where the same is expected, and else infinitely wrong. `what` is
/// the detail of a result that passes: what was compared, and what the bound is.
template <class Got, class Expected, class Bound>
[[nodiscard]] Check check_within(long rows, long columns, const Got& got, const Expected& expected,
                                 const Bound& bound, std::string what) {
  struct Worst {
    double error = 0;
    long place = -1;
  };
  Worst worst;
  std::mutex join;
  base::parallel_ranges(rows * columns, [&](long begin, long end) {
    Worst mine;
    detail::for_elements(begin, end, columns, [&](long i, long j) {
      const double result = got(i, j);
      const double truth = expected(i, j);
      if (result == truth || (std::isnan(result) && std::isnan(truth)))
        return;
      double error = std::abs(result - truth) / bound(i, j);
      if (std::isnan(error))
        error = std::numeric_limits<double>::infinity();
      if (error > mine.error)
        mine = {error, i * columns + j};
    });
    // Update error and place in one step: between two, another thread's place could meet this
    // error.
    const std::lock_guard lock(join);
    if (mine.error > worst.error || (mine.error == worst.error && mine.place < worst.place))
      worst = mine;
  });
  Check check{worst.error <= 1, worst.error, 1, std::move(what)};
  if (!check.passed) {
    const long i = worst.place / columns;
    const long j = worst.place % columns;
    check.detail = fmt::format("element {}: {} instead of {}, {:.3g} times what rounding explains",
                               detail::place(rows, i, j), got(i, j), expected(i, j), worst.error);
  }
  return check;
}

/// Checks one row of results that rounding may change.
template <class Got, class Expected, class Bound>
[[nodiscard]] Check check_within(long count, const Got& got, const Expected& expected,
                                 const Bound& bound, std::string what) {
  return check_within(
      1, count, [&](long, long j) { return detail::at(got, j); },
      [&](long, long j) { return detail::at(expected, j); }, [&](long, long j) { return bound(j); },
      std::move(what));
}

} // namespace gangway::harness
