// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"
#include "measuring.hpp"

namespace gangway::apps {

CLI::App& add_run(CLI::App& app, RunOptions& options) {
  CLI::App& command = *app.add_subcommand("run", "Run one study on one problem");
  command.add_option("study", options.study, "The study")->required();
  add_measuring(command, options);
  return command;
}

int run(const RunOptions& options) {
  require_outputs(options);
  const Plan plan = plan_of(options, chosen_studies({options.study}, options.variants),
                            {.first_case_only = true});
  require_variants(options, plan);
  harness::Results results = begin(plan.openacc);
  const Measured measured =
      measure_cases(plan, Detail::table, harness::time_left(plan.cases), results);
  finish(options, to_json(results), results);
  return exit_status(plan, measured, results);
}

} // namespace gangway::apps
