// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/report.hpp"

#include "doubling.hpp"
#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace gangway::harness {
namespace {

using testing::expect_words;
using testing::WithMemory;

/// One of each kind: timed, with everything; failed; skipped; an OpenACC twin; a yardstick.
Results made_up_results() {
  CaseResult result;
  result.study = "doubling";
  result.name = "a \"quoted\", name";
  result.settings = {{"n", "100"}, {"file", "a,b.mtx"}, {"empty", ""}};
  result.description = "100 elements";
  result.work = {.bytes = 1600, .flops = 100, .reasoning = "x once, y once"};
  result.working_set = 1600;
  Measurement timed;
  timed.variant = "plain";
  timed.seconds = {2e-3, 1e-3, 3e-3};
  timed.shapes = {{{4, 32}, 25, 1, 1, {}}, {{}, 0, 0, 0, {8, 100}}};
  timed.check = {true, 0.25, 0.5, "every element"};
  timed.runs_checked = 4;
  timed.share = {0.75, "bandwidth"};
  timed.transfers = {.to_device = 1, .to_host = 2, .bytes_to_device = 800, .bytes_to_host = 1600};
  Measurement twin = timed;
  twin.model = Model::openacc;
  twin.shapes.clear();
  twin.seconds = {4e-3, 2e-3, 6e-3};
  twin.share = {0, "fits in cache"};
  Measurement failed;
  failed.variant = "half-done";
  failed.check = {false, std::nan(""), 0.5, "element 7"};
  failed.runs_checked = 2;
  Measurement skipped;
  skipped.variant = "teams";
  skipped.beyond = true;
  skipped.skipped = "no teams\nhere, \"yet\"";
  Measurement yardstick = timed;
  yardstick.variant = "library";
  yardstick.model = Model::yardstick;
  yardstick.beyond = true;
  result.measurements = {timed, twin, failed, skipped, yardstick};
  result.comparisons = {
      {Comparison::Kind::twins, "kokkos:plain", "openacc:plain", {2, 1.5, 2.5, 21}},
      {Comparison::Kind::best, "kokkos:plain", "openacc:plain", {2, 1.5, 2.5, 21}},
      {Comparison::Kind::yardstick, "kokkos:plain", "yardstick:library", {1, 0.9, 1.1, 21}}};
  Results results;
  results.provenance = {{"date", "today"}, {"flags", "-O3 \"x\""}};
  results.ceilings.copy = 1e9;
  results.cases = {result};
  return results;
}

TEST(Json, HasEverything) {
  const auto json = nlohmann::json::parse(text_of(to_json(made_up_results())));
  EXPECT_EQ(json["schema"], "gangway-results/1");
  EXPECT_EQ(json["provenance"]["flags"], "-O3 \"x\"");
  EXPECT_EQ(json["ceilings"]["copy_bytes_per_second"], 1e9);
  const auto& one = json["cases"][0];
  EXPECT_EQ(one["study"], "doubling");
  EXPECT_EQ(one["case"], "a \"quoted\", name");
  EXPECT_EQ(one["scope"], "kernel");
  EXPECT_EQ(one["settings"]["file"], "a,b.mtx");
  EXPECT_EQ(one["work"]["bytes"], 1600);
  EXPECT_EQ(one["working_set_bytes"], 1600);
  ASSERT_EQ(one["measurements"].size(), 5U);
  const auto& timed = one["measurements"][0];
  EXPECT_EQ(timed["model"], "kokkos");
  EXPECT_EQ(timed["seconds"].size(), 3U);
  EXPECT_EQ(timed["time"]["median"], 2e-3);
  EXPECT_EQ(timed["time"]["rounds"], 3);
  EXPECT_EQ(timed["check"]["runs"], 4);
  EXPECT_EQ(timed["share"]["value"], 0.75);
  EXPECT_EQ(timed["share"]["of"], "bandwidth");
  EXPECT_EQ(timed["shapes"][0]["requested"]["workers"], 4);
  EXPECT_EQ(timed["shapes"][0]["gangs"], 25);
  EXPECT_EQ(timed["shapes"][1]["tile"], (std::vector<int>{8, 100}));
  EXPECT_EQ(timed["transfers"]["bytes_to_host"], 1600);
  EXPECT_TRUE(one["measurements"][1]["share"]["value"].is_null()) << "and why is in `of`";
  EXPECT_TRUE(one["measurements"][2]["transfers"].is_null()) << "nobody counted";
  const auto& failed = one["measurements"][2];
  EXPECT_FALSE(failed.contains("seconds")) << "what failed has no time";
  EXPECT_FALSE(failed["check"]["passed"]);
  EXPECT_TRUE(failed["check"]["error"].is_null()) << "JSON has no NaN";
  const auto& skipped = one["measurements"][3];
  EXPECT_EQ(skipped["skipped"], "no teams\nhere, \"yet\"");
  EXPECT_FALSE(skipped.contains("check")) << "what was not run was not checked";
  ASSERT_EQ(one["comparisons"].size(), 3U);
  EXPECT_EQ(one["comparisons"][0]["kind"], "twins");
  EXPECT_EQ(one["comparisons"][0]["verdict"], "faster");
  EXPECT_EQ(one["comparisons"][2]["verdict"], "no difference");
}

TEST(Json, HasSweeps) {
  const Results results = made_up_results();
  SweepTable table;
  table.stages = results.cases[0];
  SweepResult point;
  point.mapping = {{4, 32}, 2};
  point.measurement = results.cases[0].measurements[0];
  table.points = {point};
  const auto json = nlohmann::json::parse(text_of(to_json(results, {table})));
  ASSERT_EQ(json["sweeps"].size(), 1U);
  EXPECT_EQ(json["sweeps"][0]["study"], "doubling");
  EXPECT_EQ(json["sweeps"][0]["points"][0]["workers"], 4);
  EXPECT_EQ(json["sweeps"][0]["points"][0]["vector"], 32);
  EXPECT_EQ(json["sweeps"][0]["points"][0]["items_per_worker"], 2);
  EXPECT_EQ(json["sweeps"][0]["points"][0]["measurement"]["time"]["median"], 2e-3);
}

TEST(Json, TakesNamesThatAreNotUtf8) {
  Results results = made_up_results();
  results.cases[0].settings[1].value = "caf\xe9.mtx";
  const auto json = nlohmann::json::parse(text_of(to_json(results)));
  EXPECT_EQ(json["cases"][0]["settings"]["file"], "caf\uFFFD.mtx");
}

/// Rows and fields of CSV as RFC 4180 has it.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      rows.back().back() += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      rows.back().emplace_back();
    else if (!quoted && text[i] == '\n')
      rows.push_back({""});
    else
      rows.back().back() += text[i];
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(rows.back(), std::vector<std::string>{""}) << "it ends with a line end";
  rows.pop_back();
  return rows;
}

/// Fields of a file of the folder, by row and column's name; row 0 has the names.
struct CsvTable {
  CsvTable(const Results& results, const std::string& name) {
    for (const CsvFile& file : to_csv(results))
      if (file.name == name)
        rows = parse_csv(file.text);
    for (const auto& row : rows)
      EXPECT_EQ(row.size(), rows.front().size());
  }
  std::string operator()(std::size_t row, const std::string& name) const {
    const auto column = std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin();
    return rows.at(row).at(static_cast<std::size_t>(column));
  }
  std::vector<std::vector<std::string>> rows;
};

TEST(Csv, HasALinePerCaseAndRatio) {
  const CsvTable cases(made_up_results(), "cases.csv");
  ASSERT_EQ(cases.rows.size(), 2U);
  EXPECT_EQ(cases(1, "study"), "doubling");
  EXPECT_EQ(cases(1, "name"), "a \"quoted\", name");
  EXPECT_EQ(cases(1, "settings"), "n=100 file=a,b.mtx empty=''");
  EXPECT_EQ(cases(1, "bytes"), "1600");
  EXPECT_EQ(cases(1, "flags_known"), "true");
  const CsvTable ratios(made_up_results(), "ratios.csv");
  ASSERT_EQ(ratios.rows.size(), 4U);
  EXPECT_EQ(ratios(1, "kokkos"), "plain");
  EXPECT_EQ(ratios(1, "model"), "openacc");
  EXPECT_EQ(ratios(1, "median"), "2");
  EXPECT_EQ(ratios(3, "other"), "library");
  EXPECT_EQ(ratios(3, "verdict"), "no difference");
  Results once = made_up_results();
  once.cases[0].comparisons[2].ratio.samples = 1;
  EXPECT_EQ(CsvTable(once, "ratios.csv")(3, "verdict"), "too few rounds");
}

TEST(Csv, HasTheEnvironmentWithoutTheMachinesFolders) {
  Results results = made_up_results();
  results.provenance.emplace_back("more flags", "-include /home/me/a.hpp -I/opt/x/include -DA=b/c");
  const CsvTable runs(results, "runs.csv");
  EXPECT_EQ(runs(1, "date"), "today");
  EXPECT_EQ(runs(1, "copy_bytes_per_second"), "1e+09");
  EXPECT_EQ(runs(1, "launch_seconds"), "") << "it was not measured";
  const auto json = nlohmann::json::parse(to_csv(results).front().text);
  EXPECT_EQ(
      json["environments"]["1"],
      nlohmann::json({{"flags", "-O3 \"x\""}, {"more flags", "-include a.hpp -Iinclude -DA=b/c"}}));
}

TEST(Csv, HasALineAMeasurement) {
  const CsvTable field(made_up_results(), "measurements.csv");
  ASSERT_EQ(field.rows.size(), 6U);
  EXPECT_EQ(field(1, "case"), "1");
  EXPECT_EQ(field(1, "model"), "kokkos");
  EXPECT_EQ(field(1, "outcome"), "");
  EXPECT_EQ(field(1, "rounds"), "3");
  EXPECT_EQ(std::stod(field(1, "median")), 2e-3);
  EXPECT_EQ(std::stod(field(1, "low")), 1e-3);
  EXPECT_EQ(std::stod(field(1, "high")), 3e-3);
  EXPECT_EQ(field(1, "share"), "0.75");
  EXPECT_EQ(field(1, "ceiling"), "bandwidth");
  EXPECT_EQ(field(1, "shapes"), "25x1x1 tile:8x100");
  EXPECT_EQ(field(1, "to_device"), "1");
  EXPECT_EQ(field(1, "to_host"), "2");
  EXPECT_EQ(field(1, "bytes_to_device"), "800");
  EXPECT_EQ(field(1, "bytes_to_host"), "1600");
  EXPECT_EQ(field(3, "to_device"), "") << "nobody counted";
  EXPECT_EQ(field(2, "model"), "openacc");
  EXPECT_EQ(field(3, "outcome"), "failed: element 7");
  EXPECT_EQ(field(3, "rounds"), "");
  EXPECT_EQ(field(4, "outcome"), "skipped: no teams\nhere, \"yet\"");
  EXPECT_EQ(field(5, "variant"), "library");
}

TEST(Table, SaysItAll) {
  const std::string table = table_of(made_up_results().cases[0]);
  expect_words(table,
               {"doubling · a \"quoted\", name · scope kernel", "100 elements", "2 ms", "4 ms",
                "2 [1.5, 2.5]", "Kokkos faster", "75 % bandwidth", "fits in cache", "FAILED",
                "teams (beyond)", "skipped", "library (yardstick)",
                "kokkos teams skipped: no teams", "kokkos half-done FAILED its check: element 7",
                "25 x 1 x 1 (+1)", "kokkos:plain faster than openacc:plain: 2 [1.5, 2.5]",
                "kokkos:plain and yardstick:library, no difference shown: 1 [0.9, 1.1]"});
}

/// Counts and bytes of both models, in the scope where data moves.
TEST(Table, ShowsTransfersSideBySide) {
  CaseResult result = made_up_results().cases[0];
  EXPECT_EQ(table_of(result).find("transfers of one run"), std::string::npos);
  result.scope = Scope::whole;
  result.measurements[1].transfers = {.to_device = 2000,
                                      .to_host = 1000,
                                      .bytes_to_device = 8'000'000,
                                      .bytes_to_host = 4'096'000'000};
  std::istringstream text(table_of(result));
  const auto words_of = [&](const std::string& first) {
    for (std::string line; std::getline(text, line);) {
      std::istringstream stream(line);
      std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
      if (!words.empty() && words[0] == first)
        return words;
    }
    return std::vector<std::string>{};
  };
  static_cast<void>(words_of("transfers"));
  EXPECT_EQ(words_of("plain"),
            (std::vector<std::string>{"plain", "1", "800", "B", "2", "1.6", "kB", "2000", "8", "MB",
                                      "1000", "4.096", "GB"}));
  EXPECT_EQ(words_of("half-done"), (std::vector<std::string>{"half-done", "?", "?", "?", "?"}));
  EXPECT_EQ(words_of("teams"), (std::vector<std::string>{"teams", "(beyond)", "-", "-", "-", "-"}));
}

TEST(Table, SaysThatNothingMovesInSharedMemory) {
  if (memory() != Memory::shared)
    GTEST_SKIP() << "this device has a memory of its own";
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, nullptr, {}, rounds(1, Scope::whole));
  expect_words(table_of(result), {"nothing is moved", "--separate-memory"});
  const WithMemory separate(Memory::separate);
  const CaseResult moved =
      measure(study("doubling"), problem, nullptr, {}, rounds(1, Scope::whole));
  EXPECT_EQ(table_of(moved).find("nothing is moved"), std::string::npos);
}

/// Two OpenACC libraries beside Kokkos: a line each.
Results results_of_two_libraries() {
  Results results = made_up_results();
  CaseResult& result = results.cases[0];
  Measurement& one = result.measurements[1];
  one.library = "gcc";
  one.shapes = {{{}, 132, 16, 32, {}}};
  Measurement other = one;
  other.library = "decompose";
  other.seconds = {8e-3, 8e-3, 8e-3};
  result.measurements.insert(result.measurements.begin() + 2, other);
  Measurement wrong = other;
  wrong.variant = "half-done";
  wrong.seconds.clear();
  wrong.check = {false, 1, 0.5, "element 9"};
  result.measurements.push_back(wrong);
  result.comparisons = {
      {Comparison::Kind::twins, "kokkos:plain", "openacc[gcc]:plain", {2, 1.5, 2.5, 21}, "gcc"},
      {Comparison::Kind::twins,
       "kokkos:plain",
       "openacc[decompose]:plain",
       {4, 3.5, 4.5, 21},
       "decompose"}};
  return results;
}

TEST(SeveralLibraries, HaveALineEach) {
  const std::string table = table_of(results_of_two_libraries().cases[0]);
  expect_words(table, {"library", "OpenACC's launch", "132 x 16 x 32",
                       "openacc[decompose] half-done FAILED its check: element 9"});
  std::istringstream text(table);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (line.find("  plain ") == 0)
      lines.push_back(line);
  ASSERT_EQ(lines.size(), 2U);
  expect_words(lines[0], {"2 ms", "4 ms  ", "gcc", "2 [1.5, 2.5]", "25 x 1 x 1 (+1)"});
  expect_words(lines[1], {"8 ms  decompose", "4 [3.5, 4.5]"});
  EXPECT_EQ(lines[1].find("2 ms"), std::string::npos) << "Kokkos' time is said once";
  CaseResult whole = results_of_two_libraries().cases[0];
  whole.scope = Scope::whole;
  expect_words(table_of(whole), {"transfers of one run", "decompose"});
}

TEST(SeveralLibraries, AreToldInJsonAndCsv) {
  const Results results = results_of_two_libraries();
  const auto json = to_json(results).at("cases").at(0);
  EXPECT_FALSE(json.at("measurements").at(0).contains("library")) << "Kokkos has none";
  EXPECT_EQ(json.at("measurements").at(2).at("library"), "decompose");
  EXPECT_EQ(json.at("measurements").at(2).at("shapes").at(0).at("gangs"), 132);
  EXPECT_EQ(json.at("comparisons").at(1).at("library"), "decompose");
  EXPECT_EQ(json.at("comparisons").at(1).at("other"), "openacc[decompose]:plain");
  const CsvTable field(results, "measurements.csv");
  EXPECT_EQ(field(1, "library"), "");
  EXPECT_EQ(field(3, "library"), "decompose");
  EXPECT_EQ(CsvTable(results, "ratios.csv")(2, "library"), "decompose");
}

TEST(Line, HasTheFastestOfEachAndWhatFailed) {
  const CaseResult result = made_up_results().cases[0];
  const std::string line = line_of(result, 20);
  expect_words(line, {"doubling a \"quoted\", name", "2 ms plain", "4 ms plain",
                      "\n  kokkos half-done FAILED its check: element 7"});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 2);
  CaseResult once = result;
  once.measurements[0].once = true;
  expect_words(line_of(once, 20), {"2 ms (once) plain"});
  CaseResult alone = result;
  alone.measurements.resize(1);
  alone.comparisons.clear();
  EXPECT_EQ(line_of(alone, 27), "doubling a \"quoted\", name    2 ms plain                  -\n");
}

TEST(Table, LinesUpUtf8) {
  CaseResult result = made_up_results().cases[0];
  result.measurements.resize(2);
  result.measurements[0].seconds = {2e-6}; // µ is two bytes
  std::vector<std::string> lines;
  std::istringstream text(table_of(result));
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  const auto column = [](const std::string& line, const std::string& word) {
    const auto at = line.find(word);
    return std::count_if(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }) +
           static_cast<std::ptrdiff_t>(word.size());
  };
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(column(lines[2], "OpenACC"), column(lines[3], "4 ms")) << lines[2] << "\n" << lines[3];
}

TEST(Table, OfASweepMarksTheBest) {
  SweepTable table;
  table.stages = made_up_results().cases[0];
  for (const double seconds : {2e-3, 1e-3}) {
    SweepResult point;
    point.mapping = {{seconds > 1e-3 ? 1 : 4, 32}, 2};
    point.measurement.seconds = {seconds};
    point.measurement.check.passed = true;
    table.points.push_back(point);
  }
  std::istringstream text(table_of(table));
  std::vector<std::string> marked;
  for (std::string line; std::getline(text, line);)
    if (line.find("<- best") != std::string::npos)
      marked.push_back(line);
  ASSERT_EQ(marked.size(), 1U);
  expect_words(marked[0], {"4", "32", "1 ms", "1.00"});
}

TEST(Times, AreReadable) {
  EXPECT_EQ(seconds_text(12.34e-6), "12.3 µs");
  EXPECT_EQ(seconds_text(4.56e-3), "4.56 ms");
  EXPECT_EQ(seconds_text(1.234), "1.23 s");
  EXPECT_EQ(seconds_text(0), "0 µs");
}

} // namespace
} // namespace gangway::harness
