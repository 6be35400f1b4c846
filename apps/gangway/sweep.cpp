// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/contains.hpp"
#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "commands.hpp"
#include "harness/program.hpp"
#include "harness/provenance.hpp"
#include "harness/tune.hpp"
#include "measuring.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace gangway::apps {

using namespace harness;

static std::vector<kernels::Mapping> sweep_points(const StudyEntry& study, const Options& options) {
  std::vector<int> items = options.items;
  if (items.empty())
    for (int i = 1; i <= study.sweep.most_items_per_worker; i *= 2)
      items.push_back(i);
  std::vector<kernels::Mapping> points;
  for (const int workers : options.workers)
    for (const int vector : options.vector)
      for (const int each : items) {
        if (workers < 1 || vector < 1 || each < 1)
          throw base::UsageError("workers, vector and items are lists of numbers from 1 up");
        // The grid's corners that no gang can hold are left out; what was asked for by name is
        // reported.
        if (static_cast<long>(workers) * vector <= gang_thread_limit || options.workers.size() == 1)
          points.push_back({{.workers = workers, .vector = vector}, each});
      }
  if (points.empty())
    throw base::UsageError(fmt::format("a gang has at most {} threads, and each of these workers x "
                                       "vector has more",
                                       gang_thread_limit));
  return points;
}

static void require_levels(const StudyEntry& study) {
  if (study.sweep.run)
    return;
  std::vector<std::string> names;
  for (const StudyEntry* entry : studies())
    if (entry->sweep.run)
      names.emplace_back(entry->id);
  throw base::UsageError(
      fmt::format("{} has no levels to sweep; these have: {}", study.id, fmt::join(names, ", ")));
}

int sweep(const Options& options) {
  require_outputs(options);
  const StudyEntry& swept = *chosen_studies(options).front();
  require_levels(swept);
  const std::vector<kernels::Mapping> points = sweep_points(swept, options);
  const std::vector<Planned> plan = plan_of(options);
  const OpenAccSide openacc = load_openacc(options);
  ProgressLine progress;
  require_stages_of(options, plan, openacc, progress);
  Results results = begin(options, openacc, progress);
  std::vector<SweepTable> tables;
  bool passed = true;
  for (const Planned& planned : plan) {
    const Case& instance = planned.instance;
    const Parameters parameters(swept.id, swept.keys, instance.settings);
    const auto problem = make_problem(swept, parameters);
    require_sound_problem(options, swept, *problem);
    const RefereeOptions referee = referee_options(options, swept, instance, progress);
    SweepTable table;
    table.study = swept.id;
    table.name = instance.name;
    table.stages = measure(swept, *problem, openacc.libraries(), results.ceilings, referee);
    table.stages.name = instance.name;
    table.settings = table.stages.settings = parameters.all();
    if (base::contains(referee.models, Model::kokkos))
      table.points = harness::sweep(swept, *problem, points, results.ceilings, referee);
    progress.clear();
    fmt::print("{}\n", table_of(table));
    std::fflush(stdout);
    passed = passed && table.stages.all_passed() &&
             std::all_of(table.points.begin(), table.points.end(), [](const SweepResult& point) {
               return point.measurement.runs_checked == 0 || point.measurement.check.passed;
             });
    results.cases.push_back(table.stages);
    tables.push_back(std::move(table));
  }
  if (std::all_of(tables.begin(), tables.end(),
                  [](const SweepTable& table) { return table.points.empty(); }))
    require_something_ran(options, results);
  finish(options, to_json(results, tables), results);
  if (!passed)
    return check_failed;
  return openacc.missing ? bad_usage : checks_passed;
}

/// The problem to tune on: the study's first, unless another is several times its size; there, what
/// a shape costs shows better. Or what --set asks for.
static Case tuned_case(const StudyEntry& study, const Options& options) {
  constexpr double several = 4;
  const std::vector<Case> cases = chosen_cases(study, options);
  const Case* chosen = &cases.front();
  const auto bytes = [&](const Case& instance) {
    return study.footprint(Parameters(study, instance.settings));
  };
  for (const Case& instance : cases)
    if (bytes(instance) > several * bytes(*chosen))
      chosen = &instance;
  return *chosen;
}

int tune(const Options& options) {
  if (options.rounds > 0 && options.rounds < fewest_samples)
    throw base::UsageError(
        fmt::format("tune: --rounds {} is too few to tell shapes apart, from {} up", options.rounds,
                    fewest_samples));
  std::vector<const StudyEntry*> chosen = chosen_studies(options);
  if (options.studies.empty())
    std::erase_if(chosen, [](const StudyEntry* study) { return !study->sweep.run; });
  if (!options.set.empty() && chosen.size() != 1)
    throw base::UsageError("--set needs one study: keys differ from study to study");
  for (const StudyEntry* study : chosen) {
    if (std::count(chosen.begin(), chosen.end(), study) > 1)
      throw base::UsageError("tune: " + std::string(study->id) +
                             " is named more than once; once is enough");
    require_levels(*study);
    require_settings(*study, {tuned_case(*study, options)});
    static_cast<void>(sweep_points(*study, options));
  }
  fmt::print("{}{}\n", warning_of(look(Machine(threads_of_kernels()))),
             text_of(provenance(nullptr)));
  std::fflush(stdout);
  ProgressLine progress;
  bool passed = true;
  for (const StudyEntry* study : chosen) {
    const Case instance = tuned_case(*study, options);
    progress.show(fmt::format("{} {}: preparing", study->id, instance.name));
    const auto problem = make_problem(*study, Parameters(*study, instance.settings));
    require_sound_problem(options, *study, *problem);
    const Tuning tuning = harness::tune(*study, *problem, instance, sweep_points(*study, options),
                                        referee_options(options, *study, instance, progress));
    progress.clear();
    fmt::print("{}\n", table_of(tuning));
    std::fflush(stdout);
    passed = passed && tuning.all_passed();
  }
  return passed ? checks_passed : check_failed;
}

} // namespace gangway::apps
