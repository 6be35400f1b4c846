// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "commands.hpp"
#include "harness/html_report.hpp"
#include "harness/program.hpp"
#include "measuring.hpp"
#include "scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gangway::apps {

using namespace harness;

CLI::App& add_scale(CLI::App& app, ScaleOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "scale", "Launch a study on several numbers of ranks: efficiencies, and a model of more");
  command.add_option("study", options.study, "The study, one that runs across ranks")->required();
  command.add_option("--ranks", options.ranks, "Numbers of ranks, such as 1,2,4")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number("give numbers such as 1,2,4"));
  command.add_flag("--strong", options.strong,
                   "The same problem on all numbers of ranks; the default, and with --weak both");
  command.add_flag("--weak", options.weak, "A problem that grows with them, as the study says how");
  command
      .add_option("--vary", options.vary,
                  "More problems, with these values of one key: the model is fitted to all runs")
      ->type_name("KEY=VALUE,VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--launcher", options.launcher,
                  "MPI's launcher and its options, with spaces between them; -n RANKS and the "
                  "program follow (default: mpirun)")
      ->type_name("COMMAND");
  add_running(command, options);
  command
      .add_option("--report", options.report_directory,
                  "Write a page with the curves and the model, index.html")
      ->type_name("DIR")
      ->check(file_name());
  command.footer(
      "For 8, 64 and 1024 ranks it prints a model of compute, latency and bandwidth, fitted to the "
      "runs;\ndocs/scaling.md says how the model works, and what it leaves out.");
  return command;
}

/// What `gangway run` is given on each number of ranks, beside the problem and the output.
static std::vector<std::string> arguments_of_runs(const ScaleOptions& options) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty())
      arguments.insert(arguments.end(), {option, value});
  };
  const auto add_all = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values)
      add(option, value);
  };
  if (options.quick)
    arguments.emplace_back("--quick");
  if (options.full)
    arguments.emplace_back("--full");
  if (options.separate_memory)
    arguments.emplace_back("--separate-memory");
  add("--rounds", options.rounds > 0 ? std::to_string(options.rounds) : "");
  add("--scope", options.scope);
  add("--time-limit", fmt::format("{}", options.time_limit));
  add_all("--model", options.models);
  add_all("--variant", options.variants);
  add_all("--openacc-library", options.openacc_libraries);
  arguments.insert(arguments.end(), options.kokkos.begin(), options.kokkos.end());
  return arguments;
}

int scale(const ScaleOptions& options) {
  const StudyEntry& study = *chosen_studies({options.study}, options.variants).front();
  if (!options.json_file.empty())
    base::require_writable(options.json_file);
  // The cases of the least memory, because the memory of a rank is not known.
  const Case instance = chosen_cases(study, options, 0).front();
  require_settings(study, instance);
  Scaling scaling = plan_scaling(study, instance, options);
  if (options.has_report())
    require_report(*options.report_directory, report_of_scaling);
  ProgressLine line;
  const bool passed = run_scaling(options.launcher, arguments_of_runs(options), scaling,
                                  [&](const std::string& text) { line.show(text); });
  line.clear();
  if (!passed) {
    for (const ScalingRun& run : scaling.runs)
      for (const std::string& failure : run.failures)
        tell("{}: a check failed: {}\n", program().name, failure);
    return check_failed;
  }
  if (std::all_of(scaling.runs.begin(), scaling.runs.end(),
                  [](const ScalingRun& run) { return run.times.empty(); }))
    throw base::UsageError("scale: no variant of either model ran");
  conclude(study, scaling);
  fmt::print("{}", text_of(scaling));
  const auto json = to_json(scaling);
  if (!options.json_file.empty())
    base::write_whole(options.json_file, text_of(json));
  if (options.has_report())
    fmt::print("\nreport {}\n",
               write_report(*options.report_directory, json, report_of_scaling).string());
  return checks_passed;
}

} // namespace gangway::apps
