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

/// What `gangway run` is given on each number of ranks, beside the problem and the output.
static std::vector<std::string> arguments_of_runs(const Options& options) {
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
  for (const std::string& argument : options.given)
    if (argument.starts_with("--kokkos-"))
      arguments.push_back(argument);
  return arguments;
}

int scale(Options options) {
  const StudyEntry& study = *chosen_studies(options).front();
  if (!options.json_file.empty())
    base::require_writable(options.json_file);
  const bool with_report = options.report_directory && *options.report_directory != no_report;
  // The cases of the least memory, for it is not known how much a rank will have.
  const Case instance = options.set.empty() ? study.cases(options.effort(), 0).front()
                                            : Case{"as set", settings_of(options.set)};
  require_settings(study, {instance});
  options.scale.run = arguments_of_runs(options);
  Scaling scaling = plan_scaling(study, instance, options.scale);
  if (with_report)
    require_report(*options.report_directory, report_of_scaling);
  ProgressLine line;
  const bool passed =
      run_scaling(options.scale, scaling, [&](const std::string& text) { line.show(text); });
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
  if (with_report)
    fmt::print("\nreport {}\n",
               write_report(*options.report_directory, json, report_of_scaling).string());
  return checks_passed;
}

} // namespace gangway::apps
