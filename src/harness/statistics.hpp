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
};

/// The median of values and its 95 % interval: the percentile bootstrap's (4000 resamples, fixed
/// seed: the same values give the same interval), widened where need be to the order statistics
/// that hold the median of any distribution in 95 of 100 cases. The bootstrap alone would in 88
/// with 7 values, and in 92 with 21. With fewer than `fewest_samples` values there is no such
/// interval: it is their whole range, and gives no verdict. Errors: std::invalid_argument if empty.
[[nodiscard]] Estimate bootstrap_median(const std::vector<double>& values);

enum class Verdict { faster, slower, no_difference };

/// What may be said of a ratio: faster or slower only if there are `fewest_samples` and the
/// interval excludes 1.
[[nodiscard]] Verdict verdict(const Estimate& ratio);
[[nodiscard]] const char* name_of(Verdict verdict);

/// Estimates of other/own, round by round: above 1 means `own` is faster. Extra rounds of the
/// longer series are left out. Errors: std::invalid_argument if either is empty or a time is not
/// positive.
[[nodiscard]] Estimate paired_ratio(const std::vector<double>& other,
                                    const std::vector<double>& own);

} // namespace gangway::harness
