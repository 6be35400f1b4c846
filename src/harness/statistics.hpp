// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace gangway::harness {

/// The median; of an even number of values the mean of the middle two. Errors:
/// std::invalid_argument if empty.
[[nodiscard]] double median(std::vector<double> values);

/// The range of n values covers their median in 1 - 2^(1 - n) of all cases: 94 % with 5 values, 97
/// % with 6.
inline constexpr int fewest_samples = 6;

/// A median with a 95 % confidence interval.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  int samples = 0;
  /// Of a ratio other/own: by what factors other programs may have lengthened the times of each, at
  /// most, so that on a quiet machine the interval would lie between low / other_delay and high *
  /// own_delay. Infinite where nothing is known of those times.
  double own_delay = 1;
  double other_delay = 1;
};

/// The median of values and its 95 % interval: the percentile bootstrap's (4000 resamples, fixed
/// seed: the same values give the same interval), widened where need be to the order statistics
/// that hold the median of any distribution in 95 of 100 cases. The bootstrap alone would in 88
/// with 7 values, and in 92 with 21. With fewer than `fewest_samples` values there is no such
/// interval: it is their whole range, and gives no verdict. Errors: std::invalid_argument if empty.
[[nodiscard]] Estimate bootstrap_median(const std::vector<double>& values);

enum class Verdict { faster, slower, no_difference, machine_busy };

/// From this factor on a delay is worth a word; below it, times scatter as much by themselves.
inline constexpr double busy_delay = 1.05;

/// What may be said of a ratio: faster or slower only if there are `fewest_samples` and the
/// interval excludes 1, by more than the delays by other programs can be the reason for. They only
/// lengthen: those of `own` cannot make it seem faster, nor those of the other slower. Where they
/// may hide or make the difference, the machine was too busy to tell.
[[nodiscard]] Verdict verdict(const Estimate& ratio);
[[nodiscard]] const char* name_of(Verdict verdict);

/// Estimates of other/own, round by round: above 1 means `own` is faster. Extra rounds of the
/// longer series are left out. Errors: std::invalid_argument if either is empty or a time is not
/// positive.
[[nodiscard]] Estimate paired_ratio(const std::vector<double>& other,
                                    const std::vector<double>& own);

/// The times of rounds, and how much of each other programs may have taken, in the same order; what
/// is missing there is nothing. Seconds.
struct Rounds {
  const std::vector<double>& seconds;
  const std::vector<double>& lost;
};
/// The same with the delays, also from round to round: where others came and went, most rounds may
/// have been quiet.
[[nodiscard]] Estimate paired_ratio(const Rounds& other, const Rounds& own);

} // namespace gangway::harness
