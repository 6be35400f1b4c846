// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/report.hpp"

#include "base/contains.hpp"
#include "harness/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gangway::harness {

namespace {

/// Returns the number of characters, not of bytes, of UTF-8 text.
std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// A table with columns as wide as their widest cell; the first is left-aligned, the others
/// right-aligned.
class Table {
public:
  explicit Table(std::vector<std::string> header) { _rows.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { _rows.push_back(std::move(row)); }
  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths(_rows.front().size());
    for (const auto& row : _rows)
      for (std::size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], length(row[c]));
    std::string text;
    for (const auto& row : _rows) {
      std::string line = "  ";
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string padding(widths[c] - length(row[c]), ' ');
        line += c == 0 ? row[c] + padding : "  " + padding + row[c];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

private:
  std::vector<std::vector<std::string>> _rows;
};

std::string ratio_text(const Estimate& ratio) {
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]", ratio.value, ratio.low, ratio.high);
}

std::string share_text(const Measurement& m) {
  if (!m.timed())
    return "";
  if (m.share.value <= 0)
    return m.share.ceiling;
  return fmt::format("{:.0f} % {}", 100 * m.share.value, m.share.ceiling);
}

std::string time_text(const Measurement* m) {
  if (m == nullptr)
    return "-";
  if (!m->skipped.empty())
    return "skipped";
  if (!m->timed())
    return m->check.passed ? "-" : "FAILED";
  return seconds_text(median(m->seconds)) + (m->once ? " (once)" : "");
}

const Measurement* find(const CaseResult& result, Model model, const std::string& variant,
                        const std::string& library = "") {
  const auto found = std::find_if(
      result.measurements.begin(), result.measurements.end(), [&](const Measurement& m) {
        return m.model == model && m.variant == variant && m.library == library;
      });
  return found == result.measurements.end() ? nullptr : &*found;
}

const Comparison* find_comparison(const CaseResult& result, Comparison::Kind kind,
                                  const std::string& own, const std::string& library) {
  const auto found =
      std::find_if(result.comparisons.begin(), result.comparisons.end(), [&](const Comparison& c) {
        return c.kind == kind && c.own == own && c.library == library;
      });
  return found == result.comparisons.end() ? nullptr : &*found;
}

/// Returns the OpenACC libraries that took part in the case, in their order.
std::vector<std::string> libraries_of(const CaseResult& result) {
  std::vector<std::string> labels;
  for (const Measurement& m : result.measurements)
    if (m.model == Model::openacc && !base::contains(labels, m.library))
      labels.push_back(m.library);
  return labels;
}

/// A line of a table: one variant in both models, with one of the OpenACC libraries.
struct Line {
  std::string variant;
  bool beyond = false;
  std::string library;
  bool first = true; ///< of its variant; the others do not repeat Kokkos' cells
  const Measurement* kokkos = nullptr;
  const Measurement* openacc = nullptr;

  [[nodiscard]] std::string title() const { return beyond ? variant + " (beyond)" : variant; }
};

/// Returns all variants but the yardsticks, in the order of the measurements.
std::vector<Line> rows_of(const CaseResult& result) {
  std::vector<std::string> labels = libraries_of(result);
  if (labels.empty())
    labels.emplace_back(); // Kokkos alone
  std::vector<Line> rows;
  for (const Measurement& m : result.measurements) {
    const bool shown = std::any_of(rows.begin(), rows.end(),
                                   [&](const Line& row) { return row.variant == m.variant; });
    if (m.model == Model::yardstick || shown)
      continue;
    Line row{m.variant, m.beyond, "", true, find(result, Model::kokkos, m.variant), nullptr};
    for (const std::string& label : labels) {
      row.library = label;
      row.openacc = find(result, Model::openacc, m.variant, label);
      rows.push_back(row);
      row.first = false;
    }
  }
  return rows;
}

std::string bytes_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  for (const auto& [unit, name] : {std::pair{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}})
    if (number >= unit)
      return fmt::format("{:.4g} {}", number / unit, name);
  return fmt::format("{} B", bytes);
}

/// Writes the transfers of one run of each variant, both models side by side.
std::string transfers_text(const CaseResult& result) {
  const bool several = libraries_of(result).size() > 1;
  std::vector<std::string> header{"transfers of one run", "Kokkos in", "bytes", "out",  "bytes",
                                  "OpenACC in",           "bytes",     "out",   "bytes"};
  if (several)
    header.emplace_back("library");
  Table table(std::move(header));
  bool nothing = true;
  bool unknown = false;
  const auto cells = [&](std::vector<std::string>& row, const Measurement* m) {
    if (m == nullptr || m->runs_checked == 0) {
      row.insert(row.end(), 4, m == nullptr ? "" : "-");
      return;
    }
    if (!m->transfers) {
      row.insert(row.end(), 4, "?");
      unknown = true;
      return;
    }
    nothing = nothing && m->transfers->to_device + m->transfers->to_host == 0;
    row.insert(row.end(),
               {std::to_string(m->transfers->to_device), bytes_text(m->transfers->bytes_to_device),
                std::to_string(m->transfers->to_host), bytes_text(m->transfers->bytes_to_host)});
  };
  for (const Line& row : rows_of(result)) {
    if (!row.first && row.openacc == nullptr)
      continue;
    std::vector<std::string> line{row.title()};
    cells(line, row.first ? row.kokkos : nullptr);
    cells(line, row.openacc);
    if (several)
      line.push_back(row.openacc != nullptr ? row.library : "");
    table.add(std::move(line));
  }
  std::string text = "\n" + table.text();
  if (unknown)
    text += "  ? this OpenACC runtime does not report its transfers; libgangway-acc-time.so sees "
            "them on the device\n";
  if (nothing && memory() == Memory::shared)
    text += "  host and device memory are the same here, so nothing is moved; --separate-memory "
            "makes Kokkos' copies all the same\n";
  return text;
}

std::string verdict_text(const Comparison& c) {
  switch (verdict(c.ratio)) {
  case Verdict::faster:
    return "Kokkos faster";
  case Verdict::slower:
    return "Kokkos slower";
  case Verdict::machine_busy:
    return "machine busy";
  case Verdict::no_difference:
    break;
  }
  return "";
}

std::string comparison_text(const Comparison& c) {
  const Verdict said = verdict(c.ratio);
  if (said == Verdict::faster || said == Verdict::slower)
    return fmt::format("  {} {} than {}: {}\n", c.own, name_of(said), c.other, ratio_text(c.ratio));
  return fmt::format("  {} and {}, {}: {}\n", c.own, c.other,
                     said == Verdict::machine_busy ? "no verdict: the machine was busy"
                                                   : "no difference shown",
                     ratio_text(c.ratio));
}

/// Writes a line for each variant whose result was wrong.
std::string failures_text(const CaseResult& result) {
  const bool several = libraries_of(result).size() > 1;
  std::string text;
  for (const Measurement& m : result.measurements)
    if (m.skipped.empty() && !m.check.passed)
      text += fmt::format("  {} {} FAILED its check: {} (error {:.3g}, tolerance {:.3g})\n",
                          side_of(m, several), m.variant, m.check.detail, m.check.error,
                          m.check.tolerance);
  return text;
}

/// Writes how other programs disturbed a case; empty if they did so little.
std::string noise_text(const CaseResult& result) {
  if (!was_busy(result.noise))
    return "";
  return fmt::format("  the machine was busy: {}; up to {:.0f} % of these times is not the "
                     "variants' own\n",
                     text_of(result.noise), std::min(100.0, 100 * lost_share(result.noise)));
}

} // namespace

std::string settings_text(const std::vector<Parameters::Setting>& settings) {
  std::string text;
  for (const auto& [key, value] : settings)
    if (!value.empty())
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

std::string shape_text(const Measurement& m) {
  if (m.shapes.empty())
    return "";
  std::string text = m.shapes.front().text();
  if (m.shapes.size() > 1)
    text += fmt::format(" (+{})", m.shapes.size() - 1);
  return text;
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3)
    return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1)
    return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

static std::string name_of_case(std::string_view study, const std::string& name) {
  return fmt::format("{} {}", study, name);
}

std::size_t width_of_names(const std::vector<CasePlan>& cases) {
  std::size_t width = 0;
  for (const CasePlan& one : cases)
    width = std::max(width, length(name_of_case(one.study->id, one.name)));
  return width;
}

/// Writes left-aligned columns of fixed widths, and text of any length after them.
static std::string line_text(const std::string& name, std::size_t width, const std::string& kokkos,
                             const std::string& openacc, const std::string& ratio,
                             const std::string& verdict) {
  constexpr std::size_t width_of_best = 26;
  constexpr std::size_t width_of_ratio = 19;
  std::string text;
  for (const auto& [cell, columns] : {std::pair{name, width},
                                      {kokkos, width_of_best},
                                      {openacc, width_of_best},
                                      {ratio, width_of_ratio}})
    text += cell + std::string(std::max(columns, length(cell)) - length(cell) + 2, ' ');
  text += verdict;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::string line_header(std::size_t width) {
  return line_text("case", width, "Kokkos' fastest", "OpenACC's fastest", "OpenACC/Kokkos", "");
}

std::string line_of(const CaseResult& result, std::size_t width) {
  const auto best =
      std::find_if(result.comparisons.begin(), result.comparisons.end(),
                   [](const Comparison& c) { return c.kind == Comparison::Kind::best; });
  const Measurement* kokkos = nullptr;
  const Measurement* openacc = nullptr;
  const bool several = libraries_of(result).size() > 1;
  for (const Measurement& m : result.measurements) {
    const auto is_faster_than = [&](const Measurement* other) {
      return m.timed() && (other == nullptr || median(m.seconds) < median(other->seconds));
    };
    if (best != result.comparisons.end()) {
      if (title_of(m, several) == best->own)
        kokkos = &m;
      if (title_of(m, several) == best->other)
        openacc = &m;
    } else if (m.model == Model::kokkos && is_faster_than(kokkos)) {
      kokkos = &m;
    } else if (m.model == Model::openacc && is_faster_than(openacc)) {
      openacc = &m;
    }
  }
  const auto cell = [](const Measurement* m) {
    return m == nullptr ? "-" : fmt::format("{} {}", time_text(m), m->variant);
  };
  const bool compared = best != result.comparisons.end();
  return line_text(name_of_case(result.study, result.name), width, cell(kokkos), cell(openacc),
                   compared ? ratio_text(best->ratio) : "", compared ? verdict_text(*best) : "") +
         failures_text(result);
}

std::string table_of(const CaseResult& result) {
  std::string text = fmt::format("{} · {} · scope {}\n  {}\n", result.study, result.name,
                                 name_of(result.scope), result.description);
  const bool several = libraries_of(result).size() > 1;
  const bool openacc_shapes =
      std::any_of(result.measurements.begin(), result.measurements.end(), [](const Measurement& m) {
        return m.model == Model::openacc && !m.shapes.empty();
      });
  std::vector<std::string> header{"variant", "Kokkos", "OpenACC"};
  if (several)
    header.emplace_back("library");
  header.insert(header.end(), {"OpenACC/Kokkos [95 %]", ""});
  const std::size_t share_column = header.size();
  const bool shares =
      std::none_of(result.measurements.begin(), result.measurements.end(),
                   [](const Measurement& m) { return share_text(m) == no_ceiling_measured; });
  if (shares)
    header.insert(header.end(), {"share (Kokkos)", "share (OpenACC)"});
  header.emplace_back("launch (gangs x team x lanes)");
  if (openacc_shapes)
    header.emplace_back("OpenACC's launch");
  const std::size_t columns = header.size();
  Table table(std::move(header));
  std::string notes;
  for (const Measurement& m : result.measurements)
    if (!m.skipped.empty())
      notes += fmt::format("  {} {} skipped: {}\n", side_of(m, several), m.variant, m.skipped);
  for (const Line& row : rows_of(result)) {
    const bool against_best = row.beyond && row.openacc == nullptr;
    const Comparison* const twins =
        find_comparison(result, against_best ? Comparison::Kind::beyond : Comparison::Kind::twins,
                        "kokkos:" + row.variant, row.library);
    if (!row.first && row.openacc == nullptr && twins == nullptr)
      continue;
    const Measurement* const kokkos = row.first ? row.kokkos : nullptr;
    std::vector<std::string> line{row.title(), row.first ? time_text(kokkos) : "",
                                  against_best ? "best" : time_text(row.openacc)};
    if (several)
      line.push_back(row.library);
    line.insert(line.end(), {twins != nullptr ? ratio_text(twins->ratio) : "",
                             twins != nullptr ? verdict_text(*twins) : ""});
    if (shares)
      line.insert(line.end(), {kokkos != nullptr ? share_text(*kokkos) : "",
                               row.openacc != nullptr ? share_text(*row.openacc) : ""});
    line.push_back(kokkos != nullptr ? shape_text(*kokkos) : "");
    if (openacc_shapes)
      line.push_back(row.openacc != nullptr ? shape_text(*row.openacc) : "");
    table.add(std::move(line));
  }
  for (const Measurement& m : result.measurements)
    if (m.model == Model::yardstick) {
      std::vector<std::string> line(columns);
      line[0] = m.variant + " (yardstick)";
      line[1] = time_text(&m);
      if (shares)
        line[share_column] = share_text(m);
      table.add(std::move(line));
    }
  text += table.text() + notes + failures_text(result) + noise_text(result);
  if (result.scope == Scope::whole)
    text += transfers_text(result) + '\n';
  for (const Comparison& c : result.comparisons)
    if (c.kind == Comparison::Kind::best || c.kind == Comparison::Kind::yardstick)
      text += comparison_text(c);
  return text;
}

std::string table_of(const SweepTable& sweep) {
  std::string text = table_of(sweep.stages);
  if (sweep.points.empty())
    return text;
  double best = 0;
  for (const SweepResult& point : sweep.points)
    if (point.measurement.timed()) {
      const double seconds = median(point.measurement.seconds);
      if (best == 0 || seconds < best)
        best = seconds;
    }
  text += "\n  Kokkos, workers x vector x items per worker\n";
  Table table({"workers", "vector", "items", "time", "relative to best", "share", "launch", ""});
  for (const SweepResult& point : sweep.points) {
    const Measurement& m = point.measurement;
    const double seconds = m.timed() ? median(m.seconds) : 0;
    table.add({std::to_string(point.mapping.clauses.workers),
               std::to_string(point.mapping.clauses.vector),
               std::to_string(point.mapping.items_per_worker), time_text(&m),
               m.timed() ? fmt::format("{:.2f}", seconds / best) : "", share_text(m), shape_text(m),
               !m.skipped.empty()             ? m.skipped
               : m.timed() && seconds <= best ? "<- best"
                                              : ""});
  }
  return text + table.text();
}

std::string brief_text_of(const Provenance& provenance) {
  const auto fact = [&](const std::string& name) {
    const auto found = std::find_if(provenance.begin(), provenance.end(),
                                    [&](const auto& known) { return known.first == name; });
    return found == provenance.end() ? "" : found->second;
  };
  const std::string device = fact("device");
  const std::string threads = fact("host threads");
  const std::string openacc = openacc_of(provenance);
  return fmt::format("Kokkos   {}, by {}; {}\nOpenACC  {}\n", fact("kokkos"),
                     fact("kokkos compiler"),
                     !device.empty() ? device
                                     : fmt::format("{}, threads: {}", fact("processor"),
                                                   threads.substr(0, threads.find(','))),
                     openacc.empty() ? "is not measured" : openacc);
}

std::string text_of(const Provenance& provenance) {
  std::string text;
  for (const auto& [name, value] : provenance)
    text += fmt::format("  {:<18} {}\n", name, value);
  return text;
}

std::string text_of(const Ceilings& c) {
  std::string text = fmt::format(
      "  copy {:.1f}, triad {:.1f}, read {:.1f}, update {:.1f}, fill {:.1f} GB/s (arrays of {:.0f} "
      "MB, last-level cache {:.0f} MB); "
      "double {:.1f}, single {:.1f} GFLOP/s; empty kernel {}\n",
      c.copy / 1e9, c.triad / 1e9, c.read / 1e9, c.update / 1e9, c.fill / 1e9, c.array_bytes / 1e6,
      c.cache_bytes / 1e6, c.flops_double / 1e9, c.flops_single / 1e9, seconds_text(c.launch));
  if (c.link_in > 0)
    text += fmt::format(
        "  host to device {:.1f}, back {:.1f} GB/s pageable; {:.1f}, {:.1f} pinned\n",
        c.link_in / 1e9, c.link_out / 1e9, c.link_in_pinned / 1e9, c.link_out_pinned / 1e9);
  return text;
}

} // namespace gangway::harness
