// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gangway::harness {
namespace {

/// In the order of `Tally::lowest`.
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

/// The measurement that a comparison names as "MODEL:VARIANT".
const Measurement* find(const CaseResult& result, const std::string& name) {
  const auto found =
      std::find_if(result.measurements.begin(), result.measurements.end(), [&](const auto& m) {
        return fmt::format("{}:{}", name_of(m.model), m.variant) == name;
      });
  return found == result.measurements.end() ? nullptr : &*found;
}

/// Whether a measurement is the fastest that its model has for its result.
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

std::string line(const char* name, const std::string& text) {
  return fmt::format("  {:<10} {}\n", name, text);
}

std::string placed_text(const PlacedRatio& placed) {
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]  {}: {} over {}", placed.ratio.value,
                     placed.ratio.low, placed.ratio.high, placed.place, placed.other, placed.own);
}

std::string tally_text(const char* name, const Tally& tally, const char* meaning, bool extremes) {
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

} // namespace

Summary summarize(const std::vector<CaseResult>& cases) {
  Summary summary;
  std::set<std::string> studies;
  for (const CaseResult& result : cases) {
    studies.insert(result.study);
    ++summary.cases;
    for (const Comparison& comparison : result.comparisons) {
      const Measurement* const own = find(result, comparison.own);
      switch (comparison.kind) {
      case Comparison::Kind::twins:
        count(own != nullptr && own->beyond ? summary.beyond : summary.port, result, comparison);
        break;
      case Comparison::Kind::best:
        count(summary.tuned, result, comparison);
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
  const std::string compiler = fact(provenance, "openacc compiler");
  const std::string device = fact(provenance, "openacc device");
  return compiler.empty() ? "" : fmt::format("{}, {}", compiler, device);
}

std::string text_of(const Summary& summary, const std::string& openacc) {
  const bool several = summary.studies > 1;
  std::string text = "in short: OpenACC's time / Kokkos' time";
  if (several)
    text +=
        fmt::format(", {} of {} studies", counted(summary.cases, "case", "cases"), summary.studies);
  text += '\n';
  text += tally_text("port", summary.port, "the same stage in both models", several);
  text += tally_text("beyond", summary.beyond, "the same variant beyond them in both", several);
  text += tally_text("tuned", summary.tuned, "the best variant of each", several);
  text += tally_text("yardstick", summary.yardstick, "the best yardstick / the best Kokkos variant",
                     false);
  text += line("OpenACC", openacc.empty() ? "was not measured" : openacc);
  if (summary.failed > 0)
    text += line("FAILED", counted(summary.failed, "variant gave wrong results and has no time",
                                   "variants gave wrong results and have no time"));
  return text;
}

nlohmann::ordered_json json_of(const Summary& summary) {
  return {{"port", json_of(summary.port)},
          {"beyond", json_of(summary.beyond)},
          {"tuned", json_of(summary.tuned)},
          {"yardstick", json_of(summary.yardstick)}};
}

} // namespace gangway::harness
