// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The output of results, for people as tables and for machines as JSON and CSV.
namespace gangway::harness {

/// The name and version of the JSON documents; docs/results.schema.json describes them. The number
/// grows when a reader of the old form would fail.
inline constexpr const char* results_schema = "gangway-results/1";
/// The name and version of a folder of CSV files; tools/pages/sets.py describes and reads it.
inline constexpr const char* results_set_schema = "gangway-set/1";

using Provenance = std::vector<std::pair<std::string, std::string>>;

struct Results {
  Provenance provenance;
  Ceilings ceilings;
  std::optional<Noise> noise_before;   ///< a look before anything was measured
  std::optional<Noise> noise_ceilings; ///< while the ceilings were
  std::vector<CaseResult> cases;
};

struct SweepTable {
  std::string study;
  std::string name; ///< of the case
  std::vector<Parameters::Setting> settings;
  CaseResult stages;               ///< the documents' variants of both models
  std::vector<SweepResult> points; ///< the Kokkos grid
};

[[nodiscard]] nlohmann::ordered_json to_json(const Results& results);
[[nodiscard]] nlohmann::ordered_json to_json(const Results& results,
                                             const std::vector<SweepTable>& sweeps);
/// Returns the document's text as files have it.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& json);

struct CsvFile {
  std::string name;
  std::string text;
};
/// Returns the files of a folder of results: environment.json, and runs, cases, measurements and
/// ratios as CSV, each with a line of column names. tools/pages/add_results.py makes the same files
/// of a JSON document as the set `usual`.
[[nodiscard]] std::vector<CsvFile> to_csv(const Results& results);

[[nodiscard]] std::string table_of(const CaseResult& result);
/// Functions for one table of several cases, a line each: the fastest variant of each model and
/// their ratio, and below it each check that failed. `width` is that of the cases' names.
[[nodiscard]] std::size_t width_of_names(const std::vector<CasePlan>& cases);
[[nodiscard]] std::string line_header(std::size_t width);
[[nodiscard]] std::string line_of(const CaseResult& result, std::size_t width);
[[nodiscard]] std::string table_of(const SweepTable& sweep);
[[nodiscard]] std::string text_of(const Provenance& provenance);
/// Writes both sides in a line each.
[[nodiscard]] std::string brief_text_of(const Provenance& provenance);
[[nodiscard]] std::string text_of(const Ceilings& ceilings);
/// Return settings and estimate as JSON documents have them.
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<Parameters::Setting>& settings);
[[nodiscard]] nlohmann::ordered_json json_of(const Estimate& estimate);
/// Writes settings as "n=100 type=float", without those that the study chooses.
[[nodiscard]] std::string settings_text(const std::vector<Parameters::Setting>& settings);
/// Writes the first launch, and how many more there are; empty where none is known.
[[nodiscard]] std::string shape_text(const Measurement& measurement);
/// Writes a time as "12.3 µs", "4.56 ms", "1.23 s".
[[nodiscard]] std::string seconds_text(double seconds);

} // namespace gangway::harness
