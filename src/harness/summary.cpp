// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/summary.hpp"

#include "base/contains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace gangway::harness {
namespace {

/// Compares by the order of `Tally::lowest`.
std::pair<int, double> rank(const Estimate& ratio) {
  switch (verdict(ratio)) {
  case Verdict::slower:
    return {-1, ratio.value};
  case Verdict::faster:
    return {1, ratio.value};
  case Verdict::no_difference:
  case Verdict::machine_busy:
    break;
  }
  return {0, ratio.value};
}

void count(Tally& tally, const CaseResult& result, const Comparison& comparison) {
  const Estimate& ratio = comparison.ratio;
  switch (verdict(ratio)) {
  case Verdict::slower:
    ++tally.below;
    break;
  case Verdict::faster:
    ++tally.above;
    break;
  case Verdict::no_difference:
    ++(ratio.samples < fewest_samples ? tally.undecided : tally.even);
    break;
  case Verdict::machine_busy:
    ++tally.busy;
    break;
  }
  const PlacedRatio placed{fmt::format("{} {}{}", result.study, result.name,
                                       result.scope == Scope::whole ? " (whole)" : ""),
                           comparison.own, comparison.other, ratio};
  if (!tally.lowest || rank(ratio) < rank(tally.lowest->ratio))
    tally.lowest = placed;
  if (!tally.highest || rank(tally.highest->ratio) < rank(ratio))
    tally.highest = placed;
}

/// Returns the measurement that a comparison names as "MODEL:VARIANT".
const Measurement* find(const CaseResult& result, const std::string& name) {
  const auto found =
      std::find_if(result.measurements.begin(), result.measurements.end(), [&](const auto& m) {
        return fmt::format("{}:{}", name_of(m.model), m.variant) == name;
      });
  return found == result.measurements.end() ? nullptr : &*found;
}

/// Returns whether a measurement is the fastest that its model has for its result.
bool is_fastest(const CaseResult& result, const Measurement* measurement) {
  return measurement != nullptr &&
         std::none_of(result.measurements.begin(), result.measurements.end(), [&](const auto& m) {
           return m.model == measurement->model && m.result == measurement->result && m.timed() &&
                  median(m.seconds) < median(measurement->seconds);
         });
}

std::string counts_text(const Tally& tally) {
  std::string text = fmt::format("below 1 in {} of {}, above 1 in {}, no difference shown in {}",
                                 tally.below, tally.all(), tally.above, tally.even);
  if (tally.undecided > 0)
    text += fmt::format(", too few rounds to tell in {}", tally.undecided);
  if (tally.busy > 0)
    text += fmt::format(", the machine too busy to tell in {}", tally.busy);
  return text;
}

std::string line(const std::string& name, const std::string& text) {
  return fmt::format("  {:<10} {}\n", name, text);
}

std::string placed_text(const PlacedRatio& placed) {
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]  {}: {} over {}", placed.ratio.value,
                     placed.ratio.low, placed.ratio.high, placed.place, placed.other, placed.own);
}

std::string tally_text(const std::string& name, const Tally& tally, const std::string& meaning,
                       bool extremes) {
  if (tally.all() == 0)
    return "";
  std::string text = line(name, fmt::format("{}; {}", counts_text(tally), meaning));
  if (extremes && tally.all() > 1)
    text += line("", "lowest  " + placed_text(*tally.lowest)) +
            line("", "highest " + placed_text(*tally.highest));
  return text;
}

nlohmann::ordered_json json_of(const Tally& tally) {
  return {{"below", tally.below},
          {"no_difference", tally.even},
          {"above", tally.above},
          {"too_few_rounds", tally.undecided},
          {"machine_busy", tally.busy}};
}

std::string fact(const Provenance& provenance, const std::string& name) {
  const auto found = std::find_if(provenance.begin(), provenance.end(),
                                  [&](const auto& known) { return known.first == name; });
  return found == provenance.end() ? "" : found->second;
}

std::string counted(int number, const char* one, const char* several) {
  return fmt::format("{} {}", number, number == 1 ? one : several);
}

nlohmann::ordered_json json_of(const LibraryTally& tally) {
  return {{"port", json_of(tally.port)},
          {"beyond", json_of(tally.beyond)},
          {"tuned", json_of(tally.tuned)}};
}

/// Writes the counts. With the extremes of many studies there is no line left for `beyond`.
std::string tallies_text(const LibraryTally& tally, bool extremes) {
  std::string text = tally_text("port", tally.port, "the same stage in both models", extremes);
  if (!extremes)
    text += tally_text("beyond", tally.beyond, "the same variant beyond them in both", false);
  return text + tally_text("tuned", tally.tuned, "the best variant of each", extremes);
}

/// Writes only the counts of another library, named by its label.
std::string other_text(const LibraryTally& other) {
  return tally_text(fmt::format("port[{}]", other.library), other.port, "with that library",
                    false) +
         tally_text(fmt::format("tuned[{}]", other.library), other.tuned, "with that library",
                    false);
}

/// Makes a place for each OpenACC library that something was compared with, in their order.
Summary empty_summary(const std::vector<CaseResult>& cases) {
  std::vector<std::string> labels;
  for (const CaseResult& result : cases)
    for (const Comparison& comparison : result.comparisons)
      if (comparison.kind != Comparison::Kind::yardstick &&
          !base::contains(labels, comparison.library))
        labels.push_back(comparison.library);
  Summary summary;
  if (!labels.empty())
    summary.library = labels.front();
  for (std::size_t i = 1; i < labels.size(); ++i)
    summary.others.emplace_back().library = labels[i];
  return summary;
}

LibraryTally& tally_of(Summary& summary, const std::string& library) {
  const auto other =
      std::find_if(summary.others.begin(), summary.others.end(),
                   [&](const LibraryTally& tally) { return tally.library == library; });
  return other != summary.others.end() ? *other : summary;
}

} // namespace

Summary summarize(const std::vector<CaseResult>& cases) {
  Summary summary = empty_summary(cases);
  std::set<std::string> studies;
  for (const CaseResult& result : cases) {
    studies.insert(result.study);
    ++summary.cases;
    for (const Comparison& comparison : result.comparisons) {
      const Measurement* const own = find(result, comparison.own);
      LibraryTally& tally = tally_of(summary, comparison.library);
      switch (comparison.kind) {
      case Comparison::Kind::twins:
        count(own != nullptr && own->beyond ? tally.beyond : tally.port, result, comparison);
        break;
      case Comparison::Kind::best:
        count(tally.tuned, result, comparison);
        break;
      case Comparison::Kind::yardstick:
        if (is_fastest(result, own) && is_fastest(result, find(result, comparison.other)))
          count(summary.yardstick, result, comparison);
        break;
      case Comparison::Kind::beyond: // against the same variant as in `best`
        break;
      }
    }
    for (const Measurement& m : result.measurements)
      summary.failed += m.runs_checked > 0 && !m.check.passed ? 1 : 0;
  }
  summary.studies = static_cast<int>(studies.size());
  return summary;
}

std::string openacc_of(const Provenance& provenance) {
  const auto facts_of = [&](const std::string& openacc) {
    const std::string compiler = fact(provenance, openacc + " compiler");
    return compiler.empty()
               ? ""
               : fmt::format("{}, {}", compiler, fact(provenance, openacc + " device"));
  };
  const std::string labels = fact(provenance, "openacc libraries");
  if (labels.find(", ") == std::string::npos)
    return facts_of("openacc");
  std::string text;
  for (std::string_view rest = labels; !rest.empty();) {
    const std::string label(rest.substr(0, rest.find(", ")));
    rest.remove_prefix(std::min(rest.size(), label.size() + 2));
    text += text.empty() ? fmt::format("{} is {}", label, facts_of("openacc"))
                         : fmt::format("; {} is {}", label, facts_of("openacc[" + label + "]"));
  }
  return text;
}

std::string text_of(const Summary& summary, const std::string& openacc) {
  const bool several = summary.studies > 1;
  std::string text = "in short: OpenACC's time / Kokkos' time";
  if (several)
    text +=
        fmt::format(", {} of {} studies", counted(summary.cases, "case", "cases"), summary.studies);
  text += '\n';
  text += tallies_text(summary, several);
  for (const LibraryTally& other : summary.others)
    text += other_text(other);
  text += tally_text("yardstick", summary.yardstick, "the best yardstick / the best Kokkos variant",
                     false);
  text += line("OpenACC", openacc.empty() ? "was not measured" : openacc);
  if (summary.failed > 0)
    text += line("FAILED", counted(summary.failed, "variant gave wrong results and has no time",
                                   "variants gave wrong results and have no time"));
  return text;
}

nlohmann::ordered_json json_of(const Summary& summary) {
  const LibraryTally& first = summary;
  nlohmann::ordered_json json = json_of(first);
  json["yardstick"] = json_of(summary.yardstick);
  if (!summary.others.empty()) {
    json["libraries"][summary.library] = json_of(first);
    for (const LibraryTally& other : summary.others)
      json["libraries"][other.library] = json_of(other);
  }
  return json;
}

} // namespace gangway::harness
