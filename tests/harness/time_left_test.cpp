// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/time_left.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gangway::harness {
namespace {

TimeRange minutes(double least, double most) {
  return {60 * least, 60 * most};
}

TEST(TimeLeft, IsToldInStepsThatGrow) {
  EXPECT_EQ(about(5.0), "less than a minute");
  EXPECT_EQ(about(59.0), "less than a minute");
  EXPECT_EQ(about(61.0), "about 1 minute");
  EXPECT_EQ(about(minutes(0.1, 1.2)), "about 1 minute");
  EXPECT_EQ(about(minutes(0.2, 3.2)), "about 1 to 3 minutes");
  EXPECT_EQ(about(minutes(6.8, 7.2)), "about 7 minutes");
  EXPECT_EQ(about(minutes(9.6, 13)), "about 10 to 15 minutes");
  EXPECT_EQ(about(minutes(21, 29)), "about 20 to 30 minutes");
  EXPECT_EQ(about(minutes(40, 130)), "about 40 to 120 minutes");
  EXPECT_EQ(about(minutes(58, 170)), "about 1 to 3 hours");
  EXPECT_EQ(about(minutes(100, 180)), "about 1.5 to 3 hours");
}

TEST(TimeLeft, GrowsWithVariantsSizeAndRounds) {
  const auto expected = [](int variants, double footprint, Effort effort) {
    const TimeRange time = expected_time(variants, footprint, RefereeOptions::of(effort));
    EXPECT_LT(time.least, time.most);
    return time;
  };
  const TimeRange one = expected(10, 1e8, Effort::quick);
  EXPECT_NEAR(expected(20, 1e8, Effort::quick).most, 2 * one.most, 1e-9);
  EXPECT_GT(expected(10, 1e9, Effort::quick).least, one.least);
  EXPECT_GT(expected(10, 1e8, Effort::normal).least, one.least);
  EXPECT_GT(expected(10, 1e8, Effort::full).least, expected(10, 1e8, Effort::normal).least);
}

/// No variant may be expected to take longer than the referee lets it, off the clock apart.
TEST(TimeLeft, ExpectsNoMoreThanTheRefereeAllows) {
  RefereeOptions options;
  options.rounds = 0;
  options.seconds_per_variant = 3;
  EXPECT_LT(expected_time(10, 0, options).most, 10 * 3 + 1);
  EXPECT_GT(expected_time(10, 0, options).most, 10 * 3 - 1);
}

TEST(TimeLeft, FollowsHowLongTheCasesSoFarTook) {
  TimeLeft left({{5, 15}, {10, 30}, {5, 15}});
  EXPECT_EQ(left.all().least, 20);
  EXPECT_EQ(left.all().most, 60);
  EXPECT_NEAR(left.seconds(0), 40, 1e-9) << "nothing is known better";
  EXPECT_NEAR(left.seconds(4), 36, 1e-9);
  left.done(30); // three times as long as the middle of what was expected
  EXPECT_EQ(left.cases_done(), 1U);
  const double after_one = left.seconds(0);
  EXPECT_GT(after_one, 60);
  EXPECT_LT(after_one, 90) << "one case is not all";
  EXPECT_NEAR(left.seconds(20), after_one - 20, 1e-9);
  EXPECT_NEAR(left.seconds(1000), after_one / 3, 1e-9) << "the case after it is still to come";
  left.done(60); // so did the second
  EXPECT_GT(left.seconds(0), after_one / 3) << "surer now";
  EXPECT_LT(left.seconds(0), 30);
  left.done(1);
  EXPECT_EQ(left.seconds(0), 0);
}

TEST(TimeLeft, JudgesLittleByATinyCase) {
  TimeLeft left({{0.1, 0.1}, {50, 50}});
  left.done(0.3);
  EXPECT_NEAR(left.seconds(0), 50, 2);
}

TEST(TimeLeft, OfNothingIsNothing) {
  EXPECT_EQ(TimeLeft({}).seconds(0), 0);
  EXPECT_EQ(TimeLeft({}).all().most, 0);
}

} // namespace
} // namespace gangway::harness
