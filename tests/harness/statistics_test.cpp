// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gangway::harness {
namespace {

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({1, 1, 1, 100}), 1);
  EXPECT_EQ(median({5, 5}), 5);
  EXPECT_EQ(median({-1, 0, 1e300, -1e300, 2}), 0);
  EXPECT_THROW(static_cast<void>(median({})), std::invalid_argument);
}

TEST(Bootstrap, IsTheSameEveryTime) {
  const std::vector<double> values{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  const Estimate first = bootstrap_median(values);
  const Estimate second = bootstrap_median(values);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_EQ(first.value, 4);
  EXPECT_EQ(first.samples, 11);
  EXPECT_LE(first.low, first.value);
  EXPECT_GE(first.high, first.value);
  EXPECT_GE(first.low, 1);
  EXPECT_LE(first.high, 9);
}

TEST(Bootstrap, OfFewValuesIsTheirRange) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U}) {
    std::vector<double> values{7, 3, 11, 5, 1};
    values.resize(n);
    const Estimate estimate = bootstrap_median(values);
    EXPECT_EQ(estimate.low, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(estimate.high, *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(estimate.samples, static_cast<int>(n));
  }
  EXPECT_THROW(static_cast<void>(bootstrap_median({})), std::invalid_argument);
}

TEST(Bootstrap, OfEqualValuesIsAPoint) {
  const Estimate estimate = bootstrap_median(std::vector<double>(20, 2.5));
  EXPECT_EQ(estimate.value, 2.5);
  EXPECT_EQ(estimate.low, 2.5);
  EXPECT_EQ(estimate.high, 2.5);
}

/// How often the interval holds the true median, 1, of times that scatter to one side as real ones.
double coverage(int samples) {
  std::mt19937_64 generator(7);
  std::lognormal_distribution<double> times(0, 0.3);
  constexpr int trials = 300;
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(static_cast<std::size_t>(samples));
    for (double& value : values)
      value = times(generator);
    const Estimate estimate = bootstrap_median(values);
    covered += estimate.low <= 1 && estimate.high >= 1;
  }
  return static_cast<double>(covered) / trials;
}

TEST(Bootstrap, CoversTheMedianIn95Of100Cases) {
  for (const int samples : {6, 7, 21}) {
    const double covered = coverage(samples);
    EXPECT_GE(covered, 0.94) << samples;
    EXPECT_LE(covered, 0.999) << samples << ": wider than it need be";
  }
}

TEST(Bootstrap, HoldsTheOrderStatisticsThatAreSure) {
  // Ranks from tables of the sign test: with 21 values the 6th from either end, with 100 the 40th.
  const auto interval = [](int n) {
    std::vector<double> values;
    for (int i = 1; i <= n; ++i)
      values.push_back(i);
    return bootstrap_median(values);
  };
  for (const auto& [n, rank] : {std::pair{6, 1}, {7, 1}, {9, 2}, {21, 6}, {41, 14}, {100, 40}}) {
    EXPECT_LE(interval(n).low, rank) << n;
    EXPECT_GE(interval(n).high, n + 1 - rank) << n;
    EXPECT_NEAR(interval(n).low, rank, 1 + 0.02 * n) << n;
  }
}

TEST(Bootstrap, OfManyValuesIsSoon) {
  // Ranks by the normal approximation of the sign test, n/2 - 1.96 sqrt(n)/2.
  std::mt19937_64 generator(5);
  for (const auto& [n, rank] : {std::pair{1000, 469}, {1001, 469}, {200000, 99562}}) {
    std::vector<double> values;
    for (int i = 1; i <= n; ++i)
      values.push_back(i);
    std::shuffle(values.begin(), values.end(), generator);
    const auto began = std::chrono::steady_clock::now();
    const Estimate estimate = bootstrap_median(values);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    EXPECT_LT(took.count(), 5) << n;
    EXPECT_NEAR(estimate.low, rank, 4) << n;
    EXPECT_NEAR(estimate.high, n + 1 - rank, 4) << n;
  }
}

TEST(Bootstrap, NarrowsWithMoreValues) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal(10, 1);
  const auto width = [&](std::size_t n) {
    std::vector<double> values(n);
    for (double& value : values)
      value = normal(generator);
    const Estimate estimate = bootstrap_median(values);
    return estimate.high - estimate.low;
  };
  EXPECT_LT(width(1001), 0.5 * width(21));
}

TEST(Verdict, NeedsAnIntervalWithout1) {
  const auto of = [](double low, double high, int samples = 21) {
    return verdict(Estimate{0.5 * (low + high), low, high, samples});
  };
  EXPECT_EQ(of(1.01, 1.2), Verdict::faster);
  EXPECT_EQ(of(0.8, 0.99), Verdict::slower);
  EXPECT_EQ(of(0.99, 1.01), Verdict::no_difference);
  EXPECT_EQ(of(1, 1.5), Verdict::no_difference) << "1 is in it";
  EXPECT_EQ(of(0.5, 1), Verdict::no_difference) << "1 is in it";
  EXPECT_STREQ(name_of(Verdict::faster), "faster");
  EXPECT_STREQ(name_of(Verdict::slower), "slower");
  EXPECT_STREQ(name_of(Verdict::no_difference), "no difference");
}

TEST(Verdict, NeedsEnoughRounds) {
  // The range of 5 values covers the median in 93.75 % of all cases, that of 6 in 96.9 %.
  EXPECT_EQ(verdict(paired_ratio({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1})), Verdict::no_difference);
  EXPECT_EQ(verdict(paired_ratio({2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1})), Verdict::faster);
  EXPECT_EQ(verdict(paired_ratio({1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2})), Verdict::slower);
}

TEST(PairedRatio, IsTheMedianOfTheRounds) {
  const Estimate ratio = paired_ratio({2, 4, 6}, {1, 2, 2});
  EXPECT_EQ(ratio.value, 2);
  EXPECT_EQ(ratio.low, 2);
  EXPECT_EQ(ratio.high, 3);
  EXPECT_EQ(ratio.samples, 3);
  // A machine that slows down from round to round: the ratio of the medians would be 1 as well, but
  // the rounds tell 0.5, 1 and 2.
  const Estimate drifting = paired_ratio({1, 10, 100}, {2, 10, 50});
  EXPECT_EQ(drifting.value, 1);
  EXPECT_EQ(drifting.low, 0.5);
  EXPECT_EQ(drifting.high, 2);
}

TEST(PairedRatio, LeavesOutRoundsWithoutAPartner) {
  const Estimate ratio = paired_ratio({3, 6, 100, 100, 100}, {1, 2});
  EXPECT_EQ(ratio.value, 3);
  EXPECT_EQ(ratio.samples, 2);
}

TEST(PairedRatio, WantsTimes) {
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(paired_ratio({1, bad}, {1, 1})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(paired_ratio({1, 1}, {1, bad})), std::invalid_argument);
  }
  EXPECT_THROW(static_cast<void>(paired_ratio({}, {1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(paired_ratio({1}, {})), std::invalid_argument);
}

} // namespace
} // namespace gangway::harness
