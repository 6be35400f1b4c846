// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/contains.hpp"
#include "base/signals.hpp"
#include "commands.hpp"
#include "measuring.hpp"
#include "shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace gangway::apps {

using namespace harness;

CLI::App& add_sweep(CLI::App& app, SweepOptions& options) {
  CLI::App& command =
      *app.add_subcommand("sweep", "Sweep workers, vector length and items per worker");
  command.add_option("study", options.study, "The study")->required();
  add_shapes(command, options);
  add_measuring(command, options);
  return command;
}

int sweep(const SweepOptions& options) {
  require_outputs(options);
  const Studies chosen = chosen_studies({options.study}, options.variants);
  const StudyEntry& study = *chosen.front();
  require_levels(study);
  const std::vector<kernels::Mapping> points = sweep_points(study, options);
  const Plan plan = plan_of(options, chosen);
  const bool with_points = base::contains(plan.wanted.models, Model::kokkos);
  if (!with_points)
    require_variants(options, plan);
  Results results = begin(plan.openacc);
  measure_ceilings(plan.effort, Detail::table, results);
  ProgressLine line;
  const Progress progress = rounds_on(line);
  std::vector<SweepTable> tables;
  Measured measured;
  for (const CasePlan& one : plan.cases) {
    const auto problem = sound_problem(study, one.parameters, plan.as_set);
    SweepTable table;
    table.study = study.id;
    table.name = one.name;
    table.stages = measure(one, *problem, plan.openacc.libraries(), results.ceilings, progress);
    table.settings = table.stages.settings;
    base::stop_if_interrupted();
    if (with_points)
      table.points =
          harness::sweep(study, *problem, points, results.ceilings, one.options, progress);
    line.clear();
    fmt::print("{}\n", table_of(table));
    std::fflush(stdout);
    measured.passed =
        measured.passed && table.stages.all_passed() &&
        std::all_of(table.points.begin(), table.points.end(), [](const SweepResult& point) {
          return point.measurement.runs_checked == 0 || point.measurement.check.passed;
        });
    results.cases.push_back(table.stages);
    tables.push_back(std::move(table));
  }
  finish(options, to_json(results, tables), results);
  return exit_status(plan, measured, results);
}

} // namespace gangway::apps
