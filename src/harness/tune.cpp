// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/tune.hpp"

#include "base/contains.hpp"
#include "gangway/runtime.hpp"
#include "harness/provenance.hpp"
#include "harness/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gangway::harness {
namespace {

constexpr std::size_t finalists_besides_own = 12;

std::string device() {
  return has_device ? device_properties().name
                    : fmt::format("{}, {} threads", host_properties().name,
                                  Kokkos::DefaultHostExecutionSpace().concurrency());
}

std::string problem_text(const Case& instance) {
  std::string text = instance.name;
  for (const auto& [key, value] : instance.settings)
    text += fmt::format(" {}={}", key, value);
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

double seconds_of(const SweepResult& result) {
  return median(result.measurement.seconds);
}

/// Notes the first check that failed, if there is none yet.
void note_failure(std::string& failure, const std::vector<SweepResult>& results) {
  for (const SweepResult& result : results)
    if (failure.empty() && result.measurement.runs_checked > 0 && !result.measurement.check.passed)
      failure = fmt::format("{}: {}", result.measurement.variant, result.measurement.check.detail);
}

} // namespace

Tuning tune(const StudyEntry& study, Problem& problem, const Case& instance,
            const std::vector<kernels::Mapping>& mappings, RefereeOptions options,
            const Progress& progress) {
  options.scope = Scope::kernel;
  return tune(study, instance, mappings, options,
              [&](const std::vector<kernels::Mapping>& some, const RefereeOptions& how) {
                return sweep(study, problem, some, {}, how, progress);
              });
}

Tuning tune(const StudyEntry& study, const Case& instance,
            const std::vector<kernels::Mapping>& mappings, const RefereeOptions& options,
            const MeasureMappings& measure) {
  Tuning tuning;
  tuning.study = study.id;
  tuning.problem = problem_text(instance);

  RefereeOptions once = options;
  once.rounds = once.fewest_rounds = 1;
  std::vector<SweepResult> all = measure(mappings, once);
  note_failure(tuning.failure, all);
  std::erase_if(all, [](const SweepResult& result) { return !result.measurement.timed(); });
  tuning.tried = all.size();
  std::stable_sort(all.begin(), all.end(), [](const SweepResult& a, const SweepResult& b) {
    return seconds_of(a) < seconds_of(b);
  });
  std::vector<kernels::Mapping> finalists{study.sweep.own};
  for (const SweepResult& result : all)
    if (finalists.size() <= finalists_besides_own && !base::contains(finalists, result.mapping))
      finalists.push_back(result.mapping);

  // Time them afresh: the first times chose them, and the luckiest of many is not the fastest.
  tuning.finalists = measure(finalists, options);
  note_failure(tuning.failure, tuning.finalists);
  for (std::size_t i = 0; i < tuning.finalists.size(); ++i)
    if (tuning.finalists[i].measurement.timed() &&
        (!tuning.best ||
         seconds_of(tuning.finalists[i]) < seconds_of(tuning.finalists[*tuning.best])))
      tuning.best = i;
  if (!tuning.all_passed() || !tuning.finalists.front().measurement.timed())
    return tuning;
  if (*tuning.best != 0) {
    // Time it once more against the own shape alone, for the same reason.
    const kernels::Mapping best = tuning.finalists[*tuning.best].mapping;
    const auto duel = measure({study.sweep.own, best}, options);
    note_failure(tuning.failure, duel);
    if (!tuning.all_passed())
      return tuning;
    tuning.ratio = ratio_of(duel[0].measurement, duel[1].measurement);
    if (verdict(*tuning.ratio) == Verdict::faster)
      tuning.found = best;
  }
  return tuning;
}

std::string table_of(const Tuning& tuning) {
  const auto text_of = [](const kernels::Mapping& mapping) {
    return fmt::format("{} x {}, {} each", mapping.clauses.workers, mapping.clauses.vector,
                       mapping.items_per_worker);
  };
  std::string text = fmt::format("{} · {} · {}\n  {} shapes run; the best of them again\n",
                                 tuning.study, tuning.problem, device(), tuning.tried);
  for (std::size_t i = 0; i < tuning.finalists.size(); ++i) {
    const Measurement& m = tuning.finalists[i].measurement;
    text += fmt::format("  {:<22} {:>9}  {}{}{}\n", text_of(tuning.finalists[i].mapping),
                        m.timed() ? seconds_text(median(m.seconds)) : "-",
                        m.shapes.empty() ? "" : m.shapes.front().text(),
                        i == 0 ? "  (its own)" : "", m.skipped.empty() ? "" : "  " + m.skipped);
  }
  if (!tuning.all_passed())
    return text + fmt::format("  FAILED its check: {}\n", tuning.failure);
  if (tuning.found) {
    const Clauses& clauses = tuning.found->clauses;
    const char* const type = name_of(device_type());
    return text +
           fmt::format(
               "  {} is faster than its own shape: {:.3g} [{:.3g}, {:.3g}]; a policy says it "
               "as\n  .num_workers(DeviceType::{}, {}).vector_length(DeviceType::{}, {})\n",
               text_of(*tuning.found), tuning.ratio->value, tuning.ratio->low, tuning.ratio->high,
               type, clauses.workers, type, clauses.vector);
  }
  if (!tuning.finalists.front().measurement.timed())
    return text + "  its own shape cannot run here, so there is nothing to compare with\n";
  text += tuning.ratio ? fmt::format("  {} is not shown to be faster: {:.3g} [{:.3g}, {:.3g}]; ",
                                     text_of(tuning.finalists[*tuning.best].mapping),
                                     tuning.ratio->value, tuning.ratio->low, tuning.ratio->high)
                       : std::string("  none is faster; ");
  return text + "it keeps its own\n";
}

} // namespace gangway::harness
