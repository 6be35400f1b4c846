// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Efficiencies against figures computed by hand, and the model against runs made from known
/// prices.
#include "harness/scaling.hpp"

#include "base/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gangway::harness {
namespace {

// --- efficiencies -----------------------------------------------------------------------------

TEST(Efficiency, OfStrongScaling) {
  // 8 s on one rank and 2.5 s on four: 8 / (4 * 2.5) = 0.8.
  const Estimate base{.value = 8, .low = 7, .high = 9, .samples = 11};
  const Estimate time{.value = 2.5, .low = 2, .high = 3, .samples = 7};
  const Estimate found = efficiency(Growth::strong, 1, base, 4, time);
  EXPECT_DOUBLE_EQ(found.value, 0.8);
  EXPECT_DOUBLE_EQ(found.low, 7.0 / 12);
  EXPECT_DOUBLE_EQ(found.high, 9.0 / 8);
  EXPECT_EQ(found.samples, 7) << "those of the shorter series";
}

TEST(Efficiency, OfSeriesThatBeginOnMoreRanks) {
  const Estimate base{.value = 8, .low = 8, .high = 8, .samples = 6};
  const Estimate time{.value = 5, .low = 5, .high = 5, .samples = 6};
  EXPECT_DOUBLE_EQ(efficiency(Growth::strong, 2, base, 4, time).value, 0.8);
}

TEST(Efficiency, OfWeakScaling) {
  const Estimate base{.value = 8, .low = 7.5, .high = 8.5, .samples = 6};
  const Estimate time{.value = 10, .low = 9, .high = 12, .samples = 6};
  const Estimate found = efficiency(Growth::weak, 1, base, 4, time);
  EXPECT_DOUBLE_EQ(found.value, 0.8);
  EXPECT_DOUBLE_EQ(found.low, 7.5 / 12);
  EXPECT_DOUBLE_EQ(found.high, 8.5 / 9);
}

TEST(Efficiency, AboveOneByMoreThanNoiseIsSuspicious) {
  EXPECT_TRUE(is_suspicious({.value = 1.2, .low = 1.01, .high = 1.4, .samples = 6}));
  EXPECT_FALSE(is_suspicious({.value = 1.2, .low = 0.99, .high = 1.4, .samples = 6}));
  EXPECT_FALSE(is_suspicious({.value = 1.2, .low = 1.1, .high = 1.4, .samples = 5}))
      << "the range of five rounds is no interval";
}

TEST(LevelsOfSum, AreTheLogarithm) {
  for (const auto& [ranks, levels] :
       {std::pair{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {64, 6}, {1024, 10}})
    EXPECT_EQ(levels_of_sum(ranks), levels) << ranks;
}

// --- the fit ----------------------------------------------------------------------------------

const Prices known{.work = 1 / 3e12, .wait = 1.5e-5, .byte = 1 / 2e10};

/// Strong scaling of a plate's sweeps.
RankLoad load_on(int ranks, double size = 1e9) {
  return {size / ranks, 100.0 * (1 + (ranks > 1 ? 1 : 0) + levels_of_sum(ranks)),
          100.0 * std::sqrt(size) * std::min(ranks - 1, 2)};
}

std::vector<Sample> samples_of(const Prices& prices, const std::vector<int>& ranks,
                               const std::vector<double>& sizes) {
  std::vector<Sample> samples;
  for (const double size : sizes)
    for (const int count : ranks)
      samples.push_back({load_on(count, size), seconds_of(prices, load_on(count, size))});
  return samples;
}

void expect_prices(const Fit& found, const Prices& expected) {
  ASSERT_TRUE(found.prices) << found.why_not;
  EXPECT_NEAR(found.prices->work, expected.work, 1e-6 * known.work);
  EXPECT_NEAR(found.prices->wait, expected.wait, 1e-6 * known.wait);
  EXPECT_NEAR(found.prices->byte, expected.byte, 1e-6 * known.byte);
}

TEST(Fit, FindsThePricesThatRunsWereMadeFrom) {
  expect_prices(fit(samples_of(known, {1, 2, 4, 8}, {1e9})), known);
  expect_prices(fit(samples_of(known, {1, 2, 4}, {1e9})), known); // as many as there are prices
  expect_prices(fit(samples_of(known, {1, 2}, {1e7, 1e8, 1e9})), known); // two ranks, three sizes
}

TEST(Fit, FindsPricesOfZero) {
  for (const Prices& some : {Prices{known.work, 0, known.byte}, Prices{known.work, known.wait, 0},
                             Prices{0, known.wait, 0}, Prices{known.work, 0, 0}})
    expect_prices(fit(samples_of(some, {1, 2, 4, 8}, {1e8, 1e9})), some);
}

TEST(Fit, HasNoNegativePrices) {
  // More bytes take less time: without the bound their price would be negative.
  std::vector<Sample> samples;
  for (const double bytes : {0.0, 1.0, 2.0, 3.0})
    samples.push_back({{1, 1 + bytes * bytes, bytes}, 10 - bytes});
  const Fit found = fit(samples);
  ASSERT_TRUE(found.prices) << found.why_not;
  EXPECT_GE(found.prices->work, 0);
  EXPECT_EQ(found.prices->wait, 0);
  EXPECT_EQ(found.prices->byte, 0);
  // The best single price of errors 10 p - 10 …: sum(1/t) / sum(1/t^2).
  double first = 0;
  double second = 0;
  for (const double seconds : {10.0, 9.0, 8.0, 7.0}) {
    first += 1 / seconds;
    second += 1 / (seconds * seconds);
  }
  EXPECT_NEAR(found.prices->work, first / second, 1e-9);
}

TEST(Fit, SaysWhenItCannot) {
  EXPECT_NE(fit({}).why_not.find("too few"), std::string::npos);
  const Fit two = fit(samples_of(known, {1, 2}, {1e9}));
  EXPECT_FALSE(two.prices);
  EXPECT_NE(two.why_not.find("2 runs are too few"), std::string::npos) << two.why_not;
  // One rank exchanges nothing, whatever the size.
  const Fit alone = fit(samples_of(known, {1}, {1e7, 1e8, 1e9}));
  EXPECT_FALSE(alone.prices);
  EXPECT_NE(alone.why_not.find("do not tell"), std::string::npos) << alone.why_not;
  // Two sizes of the same kind: all columns grow together.
  std::vector<Sample> same;
  for (const double times : {1.0, 2.0, 3.0, 4.0})
    same.push_back({{times, 2 * times, 3 * times}, times});
  EXPECT_FALSE(fit(same).prices);
}

TEST(Bound, IsTheLargestPart) {
  EXPECT_STREQ(bound_of({1, 1, 1}, {3, 2, 1}), "compute");
  EXPECT_STREQ(bound_of({1, 1, 1}, {1, 3, 2}), "latency");
  EXPECT_STREQ(bound_of({1, 1, 9}, {3, 2, 1}), "bandwidth");
}

// --- whole runs -------------------------------------------------------------------------------

constexpr Key made_up_keys[]{{"size", "1e9", "of the problem"}};

std::vector<Parameters::Setting> grown(const Parameters& of_one, int ranks) {
  return {{"size", std::to_string(of_one.integer("size", 1, 1000000000000000) * ranks)}};
}
std::optional<RankLoad> load(const Parameters& parameters, std::string_view, int ranks) {
  return load_on(ranks, parameters.real("size", 1, 1e18));
}

StudyEntry made_up_study() {
  StudyEntry entry;
  entry.id = "made-up";
  entry.title = "made up";
  entry.keys = made_up_keys;
  entry.across_ranks = true;
  entry.scaling = {.grows = "cells", .grown = grown, .load = load};
  return entry;
}

/// Runs that take what the prices say, to within nothing.
Scaling made_of(const std::vector<int>& ranks, const std::vector<Growth>& growths,
                double factor = 1) {
  Scaling scaling;
  scaling.study = "made-up";
  scaling.title = "made up";
  scaling.grows = "cells";
  scaling.growths = growths;
  scaling.problems = {{"as set", {{"size", "1000000000"}}}};
  const StudyEntry entry = made_up_study();
  for (const Growth growth : growths)
    for (const int count : ranks) {
      ScalingRun run;
      run.growths = {growth};
      run.ranks = count;
      run.settings = growth == Growth::weak
                         ? grown(Parameters(entry, scaling.problems[0].second), count)
                         : scaling.problems[0].second;
      const double seconds = seconds_of(known, *load(Parameters(entry, run.settings), "", count)) *
                             (count == ranks.back() ? factor : 1);
      run.times.push_back({Model::kokkos, "", "auto", {seconds, seconds, seconds, 7}});
      scaling.runs.push_back(run);
    }
  return scaling;
}

TEST(Conclusions, SayWhatMoreRanksWouldGive) {
  Scaling scaling = made_of({1, 2, 4, 8}, {Growth::strong, Growth::weak});
  conclude(made_up_study(), scaling);
  ASSERT_EQ(scaling.series.size(), 2U);
  EXPECT_EQ(scaling.series[0].points.size(), 4U);
  EXPECT_EQ(scaling.series[0].points[0].efficiency.value, 1);
  const double two = seconds_of(known, load_on(1)) / (2 * seconds_of(known, load_on(2)));
  EXPECT_NEAR(scaling.series[0].points[1].efficiency.value, two, 1e-12);
  ASSERT_EQ(scaling.models.size(), 1U);
  const ScalingModel& model = scaling.models[0];
  expect_prices(model.fit, known);
  EXPECT_EQ(model.runs, 8);
  ASSERT_TRUE(model.left_out) << model.why_untested;
  EXPECT_EQ(model.left_out_ranks, 8);
  EXPECT_NEAR(model.predicted, model.left_out->time.value, 1e-6 * model.predicted);
  ASSERT_EQ(model.predictions.size(), 6U);
  EXPECT_EQ(model.predictions[2].ranks, 1024);
  EXPECT_NEAR(model.predictions[2].seconds, seconds_of(known, load_on(1024)), 1e-6);
  EXPECT_EQ(model.predictions[2].bound_by, "latency");
  EXPECT_NEAR(model.predictions[2].efficiency,
              seconds_of(known, load_on(1)) / (1024 * seconds_of(known, load_on(1024))), 1e-6);
  EXPECT_EQ(model.predictions[5].growth, Growth::weak);
  EXPECT_NEAR(model.predictions[5].seconds, seconds_of(known, load_on(1024, 1024e9)), 1e-5);
}

TEST(Conclusions, TellWhatTheModelGetsWrongOnTheRunLeftOut) {
  Scaling scaling = made_of({1, 2, 4, 8}, {Growth::strong}, 1.25);
  conclude(made_up_study(), scaling);
  const ScalingModel& model = scaling.models[0];
  ASSERT_TRUE(model.left_out);
  // The others are exact, so that it says what eight ranks should have taken: 1 / 1.25 of it.
  EXPECT_NEAR(model.predicted / model.left_out->time.value, 0.8, 1e-6);
  const auto json = to_json(scaling);
  EXPECT_NEAR(json["models"][0]["test"]["relative_error"].get<double>(), -0.2, 1e-6);
  EXPECT_NE(text_of(scaling).find("-20.0 %"), std::string::npos) << text_of(scaling);
}

/// Of three runs two are left: with latency alone beside compute, and with bandwidth alone.
TEST(Conclusions, TestAModelOfThreeRunsOnTheThird) {
  Scaling three = made_of({1, 2, 4}, {Growth::strong});
  conclude(made_up_study(), three);
  const ScalingModel& model = three.models[0];
  expect_prices(model.fit, known);
  ASSERT_TRUE(model.left_out) << model.why_untested;
  EXPECT_EQ(model.left_out_ranks, 4);
  std::vector<double> expected;
  const RankLoad one = load_on(1);
  const RankLoad two = load_on(2);
  const double t1 = seconds_of(known, one);
  const double t2 = seconds_of(known, two);
  { // work and waits, by Cramer's rule
    const double all = one.work * two.waits - two.work * one.waits;
    expected.push_back(seconds_of(
        {(t1 * two.waits - t2 * one.waits) / all, (one.work * t2 - two.work * t1) / all, 0},
        load_on(4)));
  }
  { // one rank exchanges no bytes
    const double work = t1 / one.work;
    expected.push_back(seconds_of({work, 0, (t2 - two.work * work) / two.bytes}, load_on(4)));
  }
  EXPECT_NEAR(model.predicted, *std::min_element(expected.begin(), expected.end()), 1e-9);
  EXPECT_NEAR(model.predicted_to, *std::max_element(expected.begin(), expected.end()), 1e-9);
  EXPECT_LT(model.predicted, model.left_out->time.value);
  EXPECT_GT(model.predicted_to, model.left_out->time.value);
  EXPECT_EQ(model.error(), 0) << "it lies in the range";
  EXPECT_NE(text_of(three).find("with either alone"), std::string::npos) << text_of(three);
  EXPECT_FALSE(to_json(three)["models"][0].contains("why_untested"));

  Scaling slow = made_of({1, 2, 4}, {Growth::strong}, 2);
  conclude(made_up_study(), slow);
  const ScalingModel& wrong = slow.models[0];
  ASSERT_TRUE(wrong.left_out);
  EXPECT_NEAR(wrong.error(), wrong.predicted_to / wrong.left_out->time.value - 1, 1e-12);
  EXPECT_LT(wrong.error(), -0.3);
}

TEST(Conclusions, SayThatThereAreTooFewRuns) {

  Scaling two = made_of({1, 2}, {Growth::strong});
  conclude(made_up_study(), two);
  EXPECT_FALSE(two.models[0].fit.prices);
  EXPECT_TRUE(two.models[0].predictions.empty());
  EXPECT_EQ(two.series[0].points.size(), 2U) << "efficiencies there are";
  EXPECT_NE(text_of(two).find("no model: 2 runs are too few"), std::string::npos) << text_of(two);
  EXPECT_NE(text_of(two).find("(--ranks 1,2,4)"), std::string::npos) << "and what it would need";
  EXPECT_TRUE(to_json(two)["models"][0].contains("why_not"));
  EXPECT_FALSE(to_json(two)["models"][0].contains("predictions"));
}

TEST(Conclusions, MarkTheModelWhereverItAppears) {
  Scaling scaling = made_of({1, 2, 4, 8}, {Growth::strong});
  conclude(made_up_study(), scaling);
  const auto json = to_json(scaling);
  EXPECT_EQ(json["schema"], scaling_schema);
  EXPECT_EQ(json["models"][0]["what"], model_notice);
  for (const auto& prediction : json["models"][0]["predictions"])
    EXPECT_EQ(prediction["what"], model_notice);
  const std::string text = text_of(scaling);
  const auto begin = text.find("model: what follows is a model fitted to the runs, not measured");
  ASSERT_NE(begin, std::string::npos) << text;
  for (const int ranks : {64, 1024})
    EXPECT_NE(text.find("model: " + std::string(ranks == 64 ? "   64" : " 1024") + " ranks"),
              std::string::npos)
        << text;
}

TEST(Conclusions, NoteWhatIsSuspiciousSharedAndDisturbed) {
  Scaling scaling = made_of({1, 2, 4}, {Growth::strong});
  ScalingRun& last = scaling.runs.back();
  last.times[0].time = {1e-9, 1e-9, 1e-9, 7};
  last.busy = true;
  last.provenance = {{"rank devices",
                      "0 on node: NVIDIA, number 0 of 2; 1 on node: NVIDIA, number 1 of "
                      "2; 2 on other: NVIDIA, number 0 of 2; 3 on other: NVIDIA, "
                      "number 0 of 2"}};
  scaling.runs[1].provenance = {{"rank devices", "0 on a: CPU; 1 on b: CPU"}};
  conclude(made_up_study(), scaling);
  EXPECT_TRUE(scaling.series[0].points[2].suspicious);
  std::string all;
  for (const std::string& notice : scaling.notices)
    all += notice + "\n";
  EXPECT_NE(all.find("suspicious: kokkos:auto on 4 ranks"), std::string::npos) << all;
  EXPECT_NE(all.find("on 4 ranks several share a device"), std::string::npos) << all;
  EXPECT_NE(all.find("disturbed runs on 4 ranks"), std::string::npos) << all;
}

/// The notice of the only suspicious point, of runs on one and two ranks that `change` has changed.
template <class Change>
std::string suspicion(const Change& change) {
  Scaling scaling = made_of({1, 2}, {Growth::strong});
  for (ScalingRun& run : scaling.runs)
    run.times[0].time = {1, 1, 1, 7}; // as long on one rank as on two
  scaling.runs[0].times[0].time = {3, 3, 3, 7};
  change(scaling);
  conclude(made_up_study(), scaling);
  EXPECT_TRUE(scaling.series[0].points[1].suspicious);
  for (const std::string& notice : scaling.notices)
    if (notice.starts_with("suspicious"))
      return notice;
  return "";
}

TEST(Conclusions, NameTheCauseOfAnEfficiencyAboveOneWhereItIsKnown) {
  EXPECT_NE(suspicion([](Scaling&) {}).find("the runs do not tell why"), std::string::npos);
  EXPECT_NE(suspicion([](Scaling& scaling) {
              scaling.runs[0].busy = true;
            }).find("other programs disturbed the run on 1 rank"),
            std::string::npos);
  const auto threads = [](Scaling& scaling) {
    scaling.runs[0].provenance = {{"host threads", "1, OMP_PROC_BIND=false"}};
    scaling.runs[1].provenance = {{"host threads", "16, OMP_PROC_BIND=false"}};
  };
  EXPECT_NE(suspicion(threads).find("a rank has 16 threads here, and 1 on 1 rank"),
            std::string::npos);
  EXPECT_NE(suspicion([&](Scaling& scaling) {
              threads(scaling);
              scaling.runs[1].provenance.emplace_back("device", "NVIDIA");
            }).find("the runs do not tell why"),
            std::string::npos)
      << "kernels run on the device";
  // Another variant takes 2 s on one rank and 1.05 s on two.
  const std::string slow = suspicion([](Scaling& scaling) {
    scaling.runs[0].times.push_back({Model::kokkos, "", "other", {2, 2, 2, 7}});
    scaling.runs[1].times.push_back({Model::kokkos, "", "other", {1.05, 1.05, 1.05, 7}});
  });
  EXPECT_NE(slow.find("on 1 rank it takes 1.5 times as long as kokkos:other, and here 0.952 times"),
            std::string::npos)
      << slow;
}

TEST(Conclusions, OfAProblemWhoseExchangeIsNotKnownAreEfficienciesOnly) {
  StudyEntry entry = made_up_study();
  entry.scaling.load = [](const Parameters&, std::string_view, int) {
    return std::optional<RankLoad>();
  };
  Scaling scaling = made_of({1, 2, 4, 8}, {Growth::strong});
  conclude(entry, scaling);
  EXPECT_EQ(scaling.series[0].points.size(), 4U);
  EXPECT_FALSE(scaling.models[0].fit.prices);
  EXPECT_NE(scaling.models[0].fit.why_not.find("not known"), std::string::npos);
}

// --- what runs have written -------------------------------------------------------------------

nlohmann::json results_of(const std::string& ranks) {
  const nlohmann::json time{{"median", 2.0}, {"low", 1.5}, {"high", 2.5}, {"rounds", 7}};
  const nlohmann::json check{{"passed", true}, {"detail", "all"}};
  return {{"provenance", {{"date", "today"}, {"ranks", ranks}}},
          {"cases",
           {{{"description", "a plate"},
             {"noise", {{"busy", true}}},
             {"measurements",
              {{{"model", "kokkos"}, {"variant", "staged"}, {"check", check}, {"time", time}},
               {{"model", "openacc"},
                {"library", "gcc"},
                {"variant", "staged"},
                {"check", check},
                {"time", time}},
               {{"model", "yardstick"}, {"variant", "blas"}, {"check", check}, {"time", time}},
               {{"model", "kokkos"}, {"variant", "graph"}, {"skipped", "no graphs here"}}}}}}}};
}

TEST(Results, AreReadAsTheyAreWritten) {
  ScalingRun run;
  run.ranks = 2;
  read_results(results_of("2 on 1 host"), run);
  EXPECT_EQ(run.description, "a plate");
  EXPECT_TRUE(run.busy);
  ASSERT_EQ(run.times.size(), 2U) << "neither yardsticks nor what was skipped";
  EXPECT_EQ(run.times[1].library, "gcc");
  EXPECT_EQ(run.times[1].time.low, 1.5);
  EXPECT_TRUE(run.failures.empty());
}

TEST(Results, OfAFailedCheckAreNamed) {
  auto results = results_of("2 on 1 host");
  auto& failed = results["cases"][0]["measurements"][0];
  failed.erase("time");
  failed["check"] = {{"passed", false}, {"detail", "cell 7 is wrong"}};
  ScalingRun run;
  run.ranks = 2;
  read_results(results, run);
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.failures[0], "kokkos:staged on 2 ranks: cell 7 is wrong");
}

TEST(Results, OfOtherRanksOrDamagedAreRefused) {
  ScalingRun run;
  run.ranks = 3;
  EXPECT_THROW(read_results(results_of("2 on 1 host"), run), base::UsageError);
  auto without = results_of("");
  without["provenance"].erase("ranks"); // as each of several that do not know of each other
  EXPECT_THROW(read_results(without, run), base::UsageError);
  EXPECT_THROW(read_results(nlohmann::json::object(), run), base::UsageError);
}

} // namespace
} // namespace gangway::harness
