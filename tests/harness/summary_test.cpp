// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The lines at the end of a comparison, over made-up results.
#include "harness/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gangway::harness {
namespace {

Comparison comparison(Comparison::Kind kind, const Estimate& ratio,
                      const std::string& own = "kokkos:plain",
                      const std::string& other = "openacc:plain") {
  return {kind, own, other, ratio};
}

CaseResult case_of(const std::string& study, const std::string& name,
                   const std::vector<Comparison>& comparisons) {
  CaseResult result;
  result.study = study;
  result.name = name;
  result.comparisons = comparisons;
  return result;
}

Measurement measured(Model model, const std::string& variant, double seconds) {
  Measurement m;
  m.model = model;
  m.variant = variant;
  m.seconds.assign(7, seconds);
  m.runs_checked = 8;
  m.check.passed = true;
  return m;
}

constexpr auto twins = Comparison::Kind::twins;
constexpr auto best = Comparison::Kind::best;
constexpr Estimate slower{0.5, 0.4, 0.6, 7};
constexpr Estimate even{1.1, 0.9, 1.3, 7};
constexpr Estimate faster{2, 1.5, 2.5, 7};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n');
    EXPECT_NE(end, std::string_view::npos) << "the last line does not end: " << text;
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end) + 1);
  }
  return lines;
}

TEST(Summary, OfNothingIsEmpty) {
  const Summary summary = summarize({});
  EXPECT_EQ(summary.cases, 0);
  EXPECT_EQ(summary.port.all() + summary.tuned.all() + summary.yardstick.all(), 0);
  EXPECT_FALSE(summary.port.lowest);
  EXPECT_FALSE(summary.port.highest);
}

TEST(Summary, CountsEachKindByWhatMayBeSaidOfIt) {
  const Summary summary = summarize(
      {case_of("spmv", "a",
               {comparison(twins, slower), comparison(twins, even), comparison(twins, faster),
                comparison(best, faster), comparison(Comparison::Kind::beyond, slower)}),
       case_of(
           "spmv", "b",
           {comparison(twins, faster), comparison(twins, {3, 2, 4, 5}), comparison(best, even)}),
       case_of("vadd", "c", {})});
  EXPECT_EQ(summary.studies, 2);
  EXPECT_EQ(summary.cases, 3);
  EXPECT_EQ(summary.port.below, 1);
  EXPECT_EQ(summary.port.even, 1);
  EXPECT_EQ(summary.port.above, 2);
  EXPECT_EQ(summary.port.undecided, 1) << "five rounds give no verdict";
  EXPECT_EQ(summary.port.all(), 5);
  EXPECT_EQ(summary.tuned.below, 0);
  EXPECT_EQ(summary.tuned.even, 1);
  EXPECT_EQ(summary.tuned.above, 1);
  EXPECT_EQ(summary.yardstick.all(), 0);
  EXPECT_EQ(summary.failed, 0);
}

TEST(Summary, TheLowestAndTheHighestAreThoseThatAreShown) {
  // Medians alone would name the two wide intervals.
  const Estimate wide_low{0.1, 0.05, 1.2, 7};
  const Estimate wide_high{50, 0.9, 90, 7};
  const Summary summary =
      summarize({case_of("spmv", "a",
                         {comparison(twins, faster, "kokkos:x", "openacc:x"),
                          comparison(twins, wide_low), comparison(twins, wide_high)}),
                 case_of("jacobi", "b",
                         {comparison(twins, {0.7, 0.6, 0.8, 7}),
                          comparison(twins, slower, "kokkos:y", "openacc:y")})});
  ASSERT_TRUE(summary.port.lowest);
  EXPECT_EQ(summary.port.lowest->place, "jacobi b");
  EXPECT_EQ(summary.port.lowest->own, "kokkos:y");
  EXPECT_EQ(summary.port.lowest->ratio.value, 0.5);
  ASSERT_TRUE(summary.port.highest);
  EXPECT_EQ(summary.port.highest->place, "spmv a");
  EXPECT_EQ(summary.port.highest->other, "openacc:x");
  EXPECT_EQ(summary.port.highest->ratio.value, 2);
}

TEST(Summary, WhereNothingIsShownTheMediansDecide) {
  const Summary summary =
      summarize({case_of("spmv", "a",
                         {comparison(twins, even), comparison(twins, {0.9, 0.5, 2, 7}),
                          comparison(twins, {1.2, 0.5, 2, 7})})});
  EXPECT_EQ(summary.port.lowest->ratio.value, 0.9);
  EXPECT_EQ(summary.port.highest->ratio.value, 1.2);
}

TEST(Summary, SaysWhichScopeIfItIsTheWhole) {
  CaseResult result = case_of("transfer", "1000", {comparison(best, faster)});
  result.scope = Scope::whole;
  EXPECT_EQ(summarize({result}).tuned.lowest->place, "transfer 1000 (whole)");
}

/// A case has a comparison of each Kokkos variant beyond the stages with each yardstick.
TEST(Summary, OneYardstickACaseTheFastestAgainstTheFastest) {
  constexpr auto yardstick = Comparison::Kind::yardstick;
  CaseResult result = case_of("spmv", "a",
                              {comparison(yardstick, slower, "kokkos:slow", "yardstick:quick"),
                               comparison(yardstick, slower, "kokkos:slow", "yardstick:slow"),
                               comparison(yardstick, even, "kokkos:quick", "yardstick:quick"),
                               comparison(yardstick, faster, "kokkos:quick", "yardstick:slow")});
  result.measurements = {measured(Model::kokkos, "slow", 2), measured(Model::kokkos, "quick", 1),
                         measured(Model::yardstick, "slow", 3),
                         measured(Model::yardstick, "quick", 1.1),
                         measured(Model::openacc, "quick", 0.1)};
  const Summary summary = summarize({result});
  EXPECT_EQ(summary.yardstick.all(), 1);
  EXPECT_EQ(summary.yardstick.even, 1);
}

TEST(Summary, CountsWrongResultsAndNotWhatWasSkipped) {
  CaseResult result = case_of("spmv", "a", {});
  Measurement wrong = measured(Model::openacc, "plain", 1);
  wrong.check.passed = false;
  wrong.seconds.clear();
  Measurement skipped;
  skipped.skipped = "not here";
  result.measurements = {wrong, skipped, measured(Model::kokkos, "plain", 1)};
  const Summary summary = summarize({result});
  EXPECT_EQ(summary.failed, 1);
  EXPECT_NE(text_of(summary, "GCC").find("FAILED     1 variant gave wrong results"),
            std::string::npos);
  EXPECT_EQ(text_of(summarize({}), "GCC").find("FAILED"), std::string::npos);
}

TEST(Summary, OfManyStudiesIsTenLinesWithTheReport) {
  CaseResult spmv = case_of(
      "spmv", "a", {comparison(twins, slower), comparison(twins, even), comparison(best, faster)});
  const CaseResult vadd = case_of("vadd", "b", {comparison(twins, faster), comparison(best, even)});
  spmv.comparisons.push_back(
      comparison(Comparison::Kind::yardstick, even, "kokkos:plain", "yardstick:mkl"));
  spmv.measurements = {measured(Model::kokkos, "plain", 1), measured(Model::yardstick, "mkl", 1)};
  const std::vector<std::string> lines =
      lines_of(text_of(summarize({spmv, vadd}), "GCC 16.2.0, a card"));
  ASSERT_EQ(lines.size(), 9U) << "and the line that says where the report is";
  EXPECT_EQ(lines[0], "in short: OpenACC's time / Kokkos' time, 2 cases of 2 studies");
  EXPECT_EQ(lines[1], "  port       below 1 in 1 of 3, above 1 in 1, no difference shown in 1; the "
                      "same stage in both models");
  EXPECT_EQ(lines[2],
            "             lowest  0.5 [0.4, 0.6]  spmv a: openacc:plain over kokkos:plain");
  EXPECT_EQ(lines[3], "             highest 2 [1.5, 2.5]  vadd b: openacc:plain over kokkos:plain");
  EXPECT_EQ(lines[4], "  tuned      below 1 in 0 of 2, above 1 in 1, no difference shown in 1; the "
                      "best variant of each");
  EXPECT_EQ(lines[7], "  yardstick  below 1 in 0 of 1, above 1 in 0, no difference shown in 1; the "
                      "best yardstick / the best Kokkos variant");
  EXPECT_EQ(lines[8], "  OpenACC    GCC 16.2.0, a card");
}

TEST(Summary, OfOneStudyIsItsCounts) {
  const std::vector<std::string> lines = lines_of(text_of(
      summarize(
          {case_of("spmv", "a", {comparison(twins, slower), comparison(twins, {2, 1.5, 2.5, 3})})}),
      "GCC"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "in short: OpenACC's time / Kokkos' time");
  EXPECT_NE(lines[1].find("below 1 in 1 of 2"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("too few rounds to tell in 1"), std::string::npos) << lines[1];
}

TEST(Summary, CountsEachOpenAccLibrary) {
  CaseResult result = case_of("spmv", "a",
                              {comparison(twins, slower), comparison(twins, faster),
                               comparison(best, even), comparison(best, faster)});
  for (const std::size_t i : {0U, 2U})
    result.comparisons[i].library = "gcc";
  for (const std::size_t i : {1U, 3U})
    result.comparisons[i].library = "decompose";
  const Summary summary = summarize({result});
  EXPECT_EQ(summary.library, "gcc");
  EXPECT_EQ(summary.port.all(), 1);
  EXPECT_EQ(summary.port.below, 1);
  EXPECT_EQ(summary.tuned.even, 1);
  ASSERT_EQ(summary.others.size(), 1U);
  EXPECT_EQ(summary.others[0].library, "decompose");
  EXPECT_EQ(summary.others[0].port.above, 1);
  EXPECT_EQ(summary.others[0].tuned.above, 1);
  const std::vector<std::string> lines = lines_of(text_of(summary, "both"));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[1].starts_with("  port       below 1 in 1 of 1")) << lines[1];
  EXPECT_TRUE(lines[3].starts_with("  port[decompose] below 1 in 0 of 1")) << lines[3];
  EXPECT_TRUE(lines[4].starts_with("  tuned[decompose] below 1 in 0 of 1")) << lines[4];
  const auto json = json_of(summary);
  EXPECT_EQ(json.at("port").at("below"), 1) << "of the first, as where it is alone";
  EXPECT_EQ(json.at("libraries").at("gcc").at("port").at("below"), 1);
  EXPECT_EQ(json.at("libraries").at("decompose").at("tuned").at("above"), 1);
}

TEST(Summary, SaysThatThereWasNoOpenAcc) {
  EXPECT_NE(text_of(summarize({}), openacc_of({{"openacc", "none"}})).find("was not measured"),
            std::string::npos);
  EXPECT_EQ(openacc_of({{"openacc compiler", "GCC 16.2.0"}, {"openacc device", "nvidia H100"}}),
            "GCC 16.2.0, nvidia H100");
  EXPECT_EQ(openacc_of({{"openacc libraries", "gcc, decompose"},
                        {"openacc compiler", "GCC 16.2.0"},
                        {"openacc device", "H100"},
                        {"openacc[decompose] compiler", "GCC 16.3.0"},
                        {"openacc[decompose] device", "H100"}}),
            "gcc is GCC 16.2.0, H100; decompose is GCC 16.3.0, H100");
}

TEST(Summary, IsInTheJson) {
  Results results;
  results.cases = {case_of(
      "spmv", "a", {comparison(twins, slower), comparison(twins, faster), comparison(best, even)})};
  const auto json = to_json(results).at("summary");
  EXPECT_EQ(json.at("port"), (nlohmann::ordered_json{{"below", 1},
                                                     {"no_difference", 0},
                                                     {"above", 1},
                                                     {"too_few_rounds", 0},
                                                     {"machine_busy", 0}}));
  EXPECT_EQ(json.at("tuned").at("no_difference"), 1);
  EXPECT_EQ(json.at("yardstick").at("above"), 0);
}

} // namespace
} // namespace gangway::harness
