// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/report.hpp"
#include "harness/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gangway::harness {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array ceiling_columns = {
    "copy_bytes_per_second",           "triad_bytes_per_second",
    "read_bytes_per_second",           "update_bytes_per_second",
    "fill_bytes_per_second",           "flops_double_per_second",
    "flops_single_per_second",         "launch_seconds",
    "link_in_bytes_per_second",        "link_out_bytes_per_second",
    "link_in_pinned_bytes_per_second", "link_out_pinned_bytes_per_second"};
constexpr std::array estimate_columns = {"median", "low", "high", "rounds"};
constexpr std::array moved_columns = {"to_device", "to_host", "bytes_to_device", "bytes_to_host"};
constexpr std::size_t most_shapes = 4; // of one measurement

using Row = std::vector<std::string>;

/// Returns the text as a cell, quoted where needed.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_line(const Row& row) {
  std::string line;
  for (const std::string& field : row)
    line += (line.empty() && &field == row.data() ? "" : ",") + csv_field(field);
  return line + '\n';
}

std::string number(const Json& value) {
  return value.is_number() ? fmt::format("{:.5g}", value.get<double>()) : "";
}

std::string truth(bool value) {
  return value ? "true" : "";
}

/// Adds the strings of a range.
void add(Row& row, const auto& more) {
  row.insert(row.end(), more.begin(), more.end());
}

void add_estimate(Row& row, const Json& owner, const char* name) {
  if (!owner.contains(name))
    return add(row, Row(estimate_columns.size()));
  const Json& estimate = owner[name];
  add(row, Row{number(estimate["median"]), number(estimate["low"]), number(estimate["high"]),
               estimate["rounds"].dump()});
}

/// Returns the setting's value as a shell takes it.
std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 ||
                        std::string_view("@%+=:,./-_").find(c) != std::string_view::npos);
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain))
    return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return quoted + "'";
}

std::string settings_text(const Json& settings, bool all) {
  std::string text;
  for (const auto& [key, value] : settings.items()) {
    const auto& said = value.get_ref<const std::string&>();
    if (all || !said.empty())
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, all ? shell_word(said) : said);
  }
  return text;
}

/// Names a case of the study by its name, and any other by its settings.
std::string name_of(const Json& one) {
  std::string name = one["case"];
  const std::string set = name == "as set" ? settings_text(one["settings"], false) : "";
  return set.empty() ? name : set;
}

std::string shape_text(const Json& shape) {
  if (shape.contains("range"))
    return shape["range"].dump();
  std::string text = shape.contains("tile") ? "tile:" : "";
  const Json sizes = shape.contains("tile")
                         ? shape["tile"]
                         : Json{shape["gangs"], shape["team_size"], shape["vector_length"]};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += (i > 0 ? "x" : "") + sizes[i].dump();
  return text;
}

/// Writes the shapes of the launches, each once.
std::string shapes_text(const Json& measurement) {
  Row shapes;
  for (const Json& shape : measurement.value("shapes", Json::array())) {
    std::string text = shape_text(shape);
    if (shapes.size() < most_shapes &&
        std::find(shapes.begin(), shapes.end(), text) == shapes.end())
      shapes.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(shapes, " "));
}

Row measurement_row(std::size_t place, const Json& one, const Json& m) {
  std::string outcome;
  if (m.contains("skipped"))
    outcome = "skipped: " + m["skipped"].get<std::string>();
  else if (!m["check"]["passed"])
    outcome = "failed: " + m["check"]["detail"].get<std::string>();
  Row row{std::to_string(place),  m["model"],
          m.value("library", ""), m["variant"],
          truth(m["beyond"]),     m.value("result", ""),
          m.value("flag", ""),    outcome};
  add_estimate(row, m, "time");
  const Json share = m.value("share", Json::object());
  add(row, Row{number(share.value("value", Json())), share.value("of", ""), shapes_text(m)});
  const Json moved = m.value("transfers", Json());
  for (const char* const name : moved_columns)
    row.push_back(moved.is_null() ? "" : moved[name].dump());
  const std::string variant = m["variant"];
  row.push_back(m["model"] == "kokkos" ? one["openacc_cannot"].value(variant, "") : "");
  return row;
}

Row ratio_row(std::size_t place, const Json& comparison) {
  const std::string own = comparison["own"], other = comparison["other"];
  const auto variant = [](const std::string& name) { return name.substr(name.find(':') + 1); };
  Row row{std::to_string(place),
          comparison["kind"],
          variant(own),
          other.substr(0, other.find_first_of("[:")),
          comparison.value("library", ""),
          variant(other)};
  add_estimate(row, comparison, "ratio");
  const bool too_few =
      comparison["verdict"] == "no difference" && comparison["ratio"]["rounds"] < fewest_samples;
  row.push_back(too_few ? "too few rounds" : comparison["verdict"]);
  return row;
}

/// Returns the text without the folders of the machine: `-I/home/me/include` is `-Iinclude`.
std::string without_places(const std::string& text) {
  constexpr const char* ends = " \t\r\n=/"; // of a folder's name
  const auto begins = [&](std::size_t at) {
    const std::string_view before(text.data(), at);
    const auto last = static_cast<unsigned char>(before.empty() ? ' ' : before.back());
    const bool in_word = last >= 0x80 || last == '_' || last == '.' || std::isalnum(last) != 0;
    return !in_word || before.ends_with("-I") || before.ends_with("-L");
  };
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t after = at + 1;
    if (text[at] == '/' && begins(at))
      for (std::size_t end = text.find_first_of(ends, after);
           end != std::string::npos && end > after && text[end] == '/';
           end = text.find_first_of(ends, after))
        after = end + 1;
    if (after == at + 1)
      kept += text[at];
    at = after;
  }
  return kept;
}

/// Returns the environment's numbers and texts, the only one of this process.
Json environment(const Json& provenance) {
  Json facts = Json::object();
  for (const auto& [name, value] : provenance.items())
    if (name != "date")
      facts[name] = without_places(value);
  return {{"schema", results_set_schema}, {"environments", {{"1", facts}}}};
}

Row run_row(const Json& document) {
  std::string busy;
  for (const auto& [name, noise] : document["noise"].items())
    if (noise["busy"])
      busy += (busy.empty() ? "" : " ") + name;
  Row row{"1", "usual", "1", document["provenance"].value("date", ""), busy};
  for (const char* const name : ceiling_columns) {
    const Json& rate = document["ceilings"][name];
    row.push_back(rate == 0 ? "" : number(rate));
  }
  return row;
}

Row case_row(std::size_t place, const Json& one) {
  const Json& work = one["work"];
  return {std::to_string(place),
          "1",
          one["study"],
          name_of(one),
          one["scope"],
          settings_text(one["settings"], true),
          one["description"],
          number(work["bytes"]),
          number(work["flops"]),
          truth(work["single_precision"]),
          truth(work["in_place"]),
          number(one["working_set_bytes"]),
          truth(one["noise"]["busy"]),
          truth(true)};
}

} // namespace

std::vector<CsvFile> to_csv(const Results& results) {
  const Json clean = Json::parse(text_of(to_json(results))); // names of files need not be UTF-8
  Row runs{"run", "set", "environment", "date", "busy"};
  add(runs, ceiling_columns);
  const Row cases{"case",        "run",
                  "study",       "name",
                  "scope",       "settings",
                  "description", "bytes",
                  "flops",       "single_precision",
                  "in_place",    "working_set_bytes",
                  "busy",        "flags_known"};
  Row measurements{"case", "model", "library", "variant", "beyond", "result", "flag", "outcome"};
  add(measurements, estimate_columns);
  add(measurements, Row{"share", "ceiling", "shapes"});
  add(measurements, moved_columns);
  measurements.emplace_back("openacc_cannot");
  Row ratios{"case", "kind", "kokkos", "model", "library", "other"};
  add(ratios, estimate_columns);
  ratios.emplace_back("verdict");
  std::vector<CsvFile> files{{"environment.json", text_of(environment(clean["provenance"]))},
                             {"runs.csv", csv_line(runs) + csv_line(run_row(clean))},
                             {"cases.csv", csv_line(cases)},
                             {"measurements.csv", csv_line(measurements)},
                             {"ratios.csv", csv_line(ratios)}};
  std::size_t place = 0;
  for (const Json& one : clean["cases"]) {
    ++place;
    files[2].text += csv_line(case_row(place, one));
    for (const Json& m : one["measurements"])
      files[3].text += csv_line(measurement_row(place, one, m));
    for (const Json& comparison : one["comparisons"])
      files[4].text += csv_line(ratio_row(place, comparison));
  }
  return files;
}

} // namespace gangway::harness
