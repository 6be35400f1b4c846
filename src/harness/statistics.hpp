// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace gangway::harness {

/// Returns the median; of an even number of values the mean of the middle two. Errors:
/// std::invalid_argument if empty.
[[nodiscard]] double median(std::vector<double> values);

/// The fewest values for a 95 % interval. In 1 - 2^(1 - n) of all cases the range of n values
/// covers their median: 94 % with 5 values, 97 % with 6.
inline constexpr int fewest_samples = 6;

/// A median with a 95 % confidence interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  int samples = 0;
  /// In a ratio other/own, the factors by which other programs may have lengthened each time, at
  /// most. On a quiet machine the interval would lie between low / other_delay and high *
  /// own_delay. Infinite if those times are unknown.
  double own_delay = 1;
  double other_delay = 1;
};

/// Returns the median of values and its 95 % interval, by the percentile bootstrap (4000 resamples,
/// fixed seed: the same values give the same interval). Where needed, the interval is widened to
/// the order statistics that hold the median of any distribution in 95 of 100 cases. The bootstrap
/// alone would in 88 with 7 values, and in 92 with 21. Of more than 1000 values the interval is
/// those order statistics, which the bootstrap's then are, too, but for a rank. With fewer than
/// `fewest_samples` values there is no such interval: it is their whole range, and gives no
/// verdict. Errors: std::invalid_argument if empty.
[[nodiscard]] Estimate bootstrap_median(const std::vector<double>& values);

enum class Verdict { faster, slower, no_difference, machine_busy };

/// The factor from which on a delay is reported; below it, times scatter as much by themselves.
inline constexpr double busy_delay = 1.05;

/// Returns the verdict on a ratio: faster or slower only if there are `fewest_samples` and the
/// interval excludes 1 by more than other programs can have caused. They only lengthen times:
/// delays of `own` cannot make it seem faster, nor delays of the other make it seem slower. If
/// delays may hide or make the difference, the machine was too busy for a verdict.
[[nodiscard]] Verdict verdict(const Estimate& ratio);
[[nodiscard]] const char* name_of(Verdict verdict);

/// Estimates other/own, round by round: above 1 means `own` is faster. Extra rounds of the longer
/// series are left out. Errors: std::invalid_argument if either is empty or a time is not positive.
[[nodiscard]] Estimate paired_ratio(const std::vector<double>& other,
                                    const std::vector<double>& own);

/// The seconds of rounds, and how many of them other programs may have taken, in the same order; a
/// missing number is 0.
struct Rounds {
  const std::vector<double>& seconds;
  const std::vector<double>& lost;
};
/// Estimates other/own with the delays, also from round to round: where other programs came and
/// went, most rounds may have been quiet.
[[nodiscard]] Estimate paired_ratio(const Rounds& other, const Rounds& own);

} // namespace gangway::harness
