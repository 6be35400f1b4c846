// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/tune.hpp"

#include "base/errors.hpp"
#include "doubling.hpp"
#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gangway::harness {
namespace {

using testing::expect_words;

/// Measurements whose times are made up, so that a busy machine does not decide what a test sees:
/// `seconds` of a point, spread a little from round to round; a failed check where it is negative.
Tuning tune_with(const std::function<double(const kernels::Mapping&)>& seconds, int rounds_each,
                 const kernels::Mapping& own = {{4, 32}, 1}) {
  StudyEntry entry;
  entry.id = "made-up";
  entry.sweep.own = own;
  const std::vector<kernels::Mapping> points{
      {{1, 1}, 1}, {{2, 8}, 1}, {{2, 8}, 4}, {{4, 32}, 1}, {{64, 32}, 1}};
  return tune(entry, {"usual", {{"n", "10"}, {"colour", "re\nd"}}}, points, rounds(rounds_each),
              [&](const std::vector<kernels::Mapping>& some, const RefereeOptions& options) {
                std::vector<SweepResult> results;
                for (const kernels::Mapping& point : some) {
                  SweepResult result{point, {}};
                  Measurement& m = result.measurement;
                  m.variant = std::to_string(point.items_per_worker) + " each";
                  try {
                    gangway::detail::validate(point.clauses, 1);
                    m.runs_checked = options.rounds + 1;
                    m.check = {seconds(point) > 0, 0, 0, "element 7"};
                    for (int i = 0; i < options.rounds && m.check.passed; ++i)
                      m.seconds.push_back(seconds(point) * (1 + 0.01 * (i % 3)));
                  } catch (const ClauseError& refused) {
                    m.skipped = refused.what();
                  }
                  results.push_back(std::move(result));
                }
                return results;
              });
}

TEST(Tune, FindsTheFastestShape) {
  const Tuning tuning = tune_with(
      [](const kernels::Mapping& point) { return point.items_per_worker == 4 ? 1. : 3.; }, 9);
  EXPECT_TRUE(tuning.all_passed()) << tuning.failure;
  EXPECT_EQ(tuning.tried, 4U) << "64 x 32 are more than a gang has";
  ASSERT_EQ(tuning.finalists.size(), 4U);
  EXPECT_EQ(tuning.finalists[0].mapping, (kernels::Mapping{{4, 32}, 1})) << "its own";
  EXPECT_EQ(tuning.finalists[0].measurement.seconds.size(), 9U);
  EXPECT_EQ(tuning.found, (kernels::Mapping{{2, 8}, 4}));
  ASSERT_TRUE(tuning.ratio);
  EXPECT_NEAR(tuning.ratio->value, 3, 1e-9);
  expect_words(table_of(tuning),
               {"made-up · usual n=10 colour=re d", "4 shapes run", "4 x 32, 1 each", "(its own)",
                "2 x 8, 4 each is faster", "num_workers(DeviceType::", ", 2).vector_length("});
}

TEST(Tune, LooksCloserAtADozen) {
  StudyEntry entry;
  entry.sweep.own = {{4, 32}, 1};
  std::vector<kernels::Mapping> points;
  for (int items = 1; items <= 40; ++items)
    points.push_back({{1, 1}, items});
  const Tuning tuning =
      tune(entry, {"usual", {}}, points, rounds(6),
           [](const std::vector<kernels::Mapping>& some, const RefereeOptions& options) {
             std::vector<SweepResult> results;
             for (const kernels::Mapping& point : some) {
               SweepResult result{point, {}};
               result.measurement.check.passed = true;
               result.measurement.seconds.assign(static_cast<std::size_t>(options.rounds),
                                                 50. - point.items_per_worker);
               results.push_back(std::move(result));
             }
             return results;
           });
  ASSERT_EQ(tuning.finalists.size(), 13U) << "and its own";
  for (std::size_t i = 1; i < 13; ++i)
    EXPECT_EQ(tuning.finalists[i].mapping.items_per_worker, 41 - static_cast<int>(i));
}

TEST(Tune, KeepsTheOwnShapeIfItIsTheFastest) {
  const Tuning tuning = tune_with(
      [](const kernels::Mapping& point) { return point.clauses.workers == 4 ? 1. : 3.; }, 9);
  EXPECT_EQ(tuning.best, 0U);
  EXPECT_FALSE(tuning.found);
  expect_words(table_of(tuning), {"none is faster; it keeps its own"});
}

TEST(Tune, KeepsTheOwnShapeUnlessTheIntervalSaysOtherwise) {
  // Faster by far, but three rounds give no verdict.
  const Tuning tuning = tune_with(
      [](const kernels::Mapping& point) { return point.items_per_worker == 4 ? 1. : 3.; }, 3);
  EXPECT_TRUE(tuning.ratio);
  EXPECT_FALSE(tuning.found);
  expect_words(table_of(tuning), {"2 x 8, 4 each is not shown to be faster", "it keeps its own"});
}

/// The fastest of many shapes was lucky, too. So it is timed again, and only that decides.
TEST(Tune, MeasuresTheFastestOnceMore) {
  int times = 0;
  const Tuning tuning = tune_with(
      [&](const kernels::Mapping& point) {
        if (point.items_per_worker == 4)
          return ++times <= 13 ? 1. : 3.; // a quick first look, and ten rounds of the second
        return 3.;
      },
      9);
  EXPECT_EQ(tuning.finalists.at(*tuning.best).mapping, (kernels::Mapping{{2, 8}, 4}));
  EXPECT_FALSE(tuning.found);
}

TEST(Tune, TakesNothingFromARunThatFails) {
  const Tuning tuning = tune_with(
      [](const kernels::Mapping& point) {
        return point.items_per_worker == 4 ? -1. : point.clauses.workers == 1 ? 1. : 3.;
      },
      9);
  EXPECT_FALSE(tuning.all_passed());
  EXPECT_FALSE(tuning.found);
  expect_words(tuning.failure, {"4 each", "element 7"});
  expect_words(table_of(tuning), {"FAILED its check", "element 7"});
}

TEST(Tune, HasNothingToCompareWithWhereTheOwnShapeCannotRun) {
  const Tuning tuning = tune_with([](const kernels::Mapping&) { return 1.; }, 9, {{64, 64}, 1});
  EXPECT_TRUE(tuning.best);
  EXPECT_FALSE(tuning.found);
  expect_words(table_of(tuning), {"its own shape cannot run here", "num_workers(64)"});
}

TEST(Tune, RunsAStudysLevels) {
  Doubling problem(10);
  const Tuning tuning = tune(study("doubling"), problem, {"usual", {}},
                             {{{1, 1}, 1}, {{2, 8}, 4}, {{64, 32}, 1}}, rounds(2));
  EXPECT_TRUE(tuning.all_passed()) << tuning.failure;
  EXPECT_EQ(tuning.tried, 2U);
  EXPECT_EQ(tuning.finalists.size(), 3U);
  EXPECT_TRUE(tuning.best);
  EXPECT_EQ(present_arrays(), 0U);
  EXPECT_THROW(
      static_cast<void>(tune(study("another"), problem, {"usual", {}}, {{{1, 1}, 1}}, rounds(1))),
      base::UsageError);
}

} // namespace
} // namespace gangway::harness
