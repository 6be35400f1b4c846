// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/tune.hpp"

#include "base/errors.hpp"
#include "commands.hpp"
#include "harness/provenance.hpp"
#include "measuring.hpp"
#include "ranks/session.hpp"
#include "shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace gangway::apps {

using namespace harness;

/// The problem to tune on: the study's first, unless another is several times its size; there, what
/// a shape costs shows better. Or what --set asks for.
static Case tuned_case(const StudyEntry& study, const ProblemOptions& options) {
  constexpr double several = 4;
  const std::vector<Case> cases = chosen_cases(study, options, ranks::memory_of_rank());
  const Case* chosen = &cases.front();
  const auto bytes = [&](const Case& instance) {
    return study.footprint(Parameters(study, instance.settings));
  };
  for (const Case& instance : cases)
    if (bytes(instance) > several * bytes(*chosen))
      chosen = &instance;
  return *chosen;
}

CLI::App& add_tune(CLI::App& app, TuneOptions& options) {
  CLI::App& command = *app.add_subcommand("tune", "Find each study's fastest shape on this device");
  command.add_option("study", options.studies,
                     "The studies; all that have levels if none is named");
  add_shapes(command, options);
  add_problem(command, options);
  return command;
}

/// One study to tune: all that is decided before.
struct TunePlan {
  const StudyEntry* study;
  Case instance;
  std::vector<kernels::Mapping> points;
};

static std::vector<TunePlan> plan_tuning(const TuneOptions& options) {
  if (options.rounds > 0 && options.rounds < fewest_samples)
    throw base::UsageError(
        fmt::format("tune: --rounds {} is too few to tell shapes apart, from {} up", options.rounds,
                    fewest_samples));
  Studies chosen = chosen_studies(options.studies);
  if (options.studies.empty())
    std::erase_if(chosen, [](const StudyEntry* study) { return !study->sweep.run; });
  require_one_study_set(options, chosen);
  std::vector<TunePlan> plans;
  for (const StudyEntry* study : chosen) {
    if (std::count(chosen.begin(), chosen.end(), study) > 1)
      throw base::UsageError("tune: " + std::string(study->id) +
                             " is named more than once; once is enough");
    require_levels(*study);
    Case instance = tuned_case(*study, options);
    require_settings(*study, instance);
    plans.push_back({study, std::move(instance), sweep_points(*study, options)});
  }
  return plans;
}

int tune(const TuneOptions& options) {
  const std::vector<TunePlan> plans = plan_tuning(options);
  fmt::print("{}{}\n", warning_of(look(Machine(threads_of_kernels()))),
             text_of(provenance(nullptr)));
  std::fflush(stdout);
  ProgressLine line;
  bool passed = true;
  for (const auto& [study, instance, points] : plans) {
    line.show(fmt::format("{} {}: preparing", study->id, instance.name));
    const auto problem =
        sound_problem(*study, Parameters(*study, instance.settings), !options.set.empty());
    const Tuning tuning = harness::tune(*study, *problem, instance, points,
                                        referee_options(options), rounds_on(line));
    line.clear();
    fmt::print("{}\n", table_of(tuning));
    std::fflush(stdout);
    passed = passed && tuning.all_passed();
  }
  return passed ? checks_passed : check_failed;
}

} // namespace gangway::apps
