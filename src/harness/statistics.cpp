// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/statistics.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>

namespace gangway::harness {

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
  if (values.size() < 5) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    estimate.low = *low;
    estimate.high = *high;
    return estimate;
  }
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
  estimate.low = medians[resamples * 25 / 1000];
  estimate.high = medians[resamples * 975 / 1000 - 1];
  return estimate;
}

Verdict verdict(const Estimate& ratio) {
  if (ratio.low > 1)
    return Verdict::faster;
  if (ratio.high < 1)
    return Verdict::slower;
  return Verdict::no_difference;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::faster:
    return "faster";
  case Verdict::slower:
    return "slower";
  case Verdict::no_difference:
    return "no difference";
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

} // namespace gangway::harness
