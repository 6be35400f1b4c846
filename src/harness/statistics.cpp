// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>

namespace gangway::harness {
namespace {

/// The bootstrap's interval of more values ends within a rank of the order statistics, and takes
/// 4000 times their number of random draws.
constexpr int most_resampled = 1000;

/// Returns the largest k of an interval from the k-th smallest to the k-th largest of n values. It
/// holds the median of any distribution in at least 95 of 100 cases: the number of values below the
/// median is that of heads in n throws of a coin. 0: there is none.
std::size_t sure_rank(std::size_t n) {
  const auto count = static_cast<double>(n);
  double tail = 0; // probability of at most `rank` heads
  for (std::size_t rank = 0;; ++rank) {
    const auto heads = static_cast<double>(rank);
    tail += std::exp(std::lgamma(count + 1) - std::lgamma(heads + 1) -
                     std::lgamma(count - heads + 1) - count * std::log(2.0));
    if (2 * tail > 0.05)
      return rank;
  }
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    throw std::invalid_argument("median of no values");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1)
    return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

Estimate bootstrap_median(const std::vector<double>& values) {
  Estimate estimate;
  estimate.value = median(values);
  estimate.samples = static_cast<int>(values.size());
  if (estimate.samples < fewest_samples) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    estimate.low = *low;
    estimate.high = *high;
    return estimate;
  }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t rank = sure_rank(sorted.size());
  estimate.low = sorted[rank - 1];
  estimate.high = sorted[sorted.size() - rank];
  if (estimate.samples > most_resampled)
    return estimate;
  constexpr int resamples = 4000;
  std::mt19937_64 generator(20260711);
  std::vector<double> medians(resamples);
  std::vector<double> resample(values.size());
  for (double& m : medians) {
    for (double& value : resample)
      value = values[generator() % values.size()];
    m = median(resample);
  }
  std::sort(medians.begin(), medians.end());
  estimate.low = std::min(medians[resamples * 25 / 1000], estimate.low);
  estimate.high = std::max(medians[resamples * 975 / 1000 - 1], estimate.high);
  return estimate;
}

Verdict verdict(const Estimate& ratio) {
  if (ratio.samples < fewest_samples)
    return Verdict::no_difference;
  if (ratio.low > ratio.other_delay)
    return Verdict::faster;
  if (ratio.high * ratio.own_delay < 1)
    return Verdict::slower;
  return std::max(ratio.own_delay, ratio.other_delay) < busy_delay ? Verdict::no_difference
                                                                   : Verdict::machine_busy;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::faster:
    return "faster";
  case Verdict::slower:
    return "slower";
  case Verdict::no_difference:
    return "no difference";
  case Verdict::machine_busy:
    return "machine busy";
  }
  return "";
}

Estimate paired_ratio(const std::vector<double>& other, const std::vector<double>& own) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(other.size(), own.size()); ++i) {
    if (!(other[i] > 0) || !(own[i] > 0))
      throw std::invalid_argument("paired_ratio: a time is not positive");
    ratios.push_back(other[i] / own[i]);
  }
  return bootstrap_median(ratios);
}

Estimate paired_ratio(const Rounds& other, const Rounds& own) {
  Estimate ratio = paired_ratio(other.seconds, own.seconds);
  const auto quiet = [](const Rounds& rounds, std::size_t i) {
    const double lost = i < rounds.lost.size() ? rounds.lost[i] : 0;
    return std::max(rounds.seconds[i] - lost, 0.0);
  };
  std::vector<double> least; // of the ratio, had no program delayed the other
  std::vector<double> most;
  for (std::size_t i = 0; i < std::min(other.seconds.size(), own.seconds.size()); ++i) {
    least.push_back(quiet(other, i) / own.seconds[i]);
    most.push_back(other.seconds[i] / quiet(own, i)); // infinite if nothing is left
  }
  ratio.other_delay = ratio.low / bootstrap_median(least).low;
  ratio.own_delay = bootstrap_median(most).high / ratio.high;
  return ratio;
}

} // namespace gangway::harness
