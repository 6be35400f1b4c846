// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "../common/command_line.hpp"
#include "base/errors.hpp"

#include <fmt/format.h>

namespace gangway::apps {

using harness::fewest_samples;
using harness::Parameters;

std::vector<Parameters::Setting> settings_of(const std::vector<std::string>& given) {
  std::vector<Parameters::Setting> settings;
  for (const std::string& text : given) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::UsageError(fmt::format("--set {}: write key=value, such as --set n=100", text));
    const std::string key = text.substr(0, equals);
    for (const Parameters::Setting& before : settings)
      if (before.key == key)
        throw base::UsageError(fmt::format("--set {}: the key was given before, as {}={}; give it "
                                           "once",
                                           text, key, before.value));
    settings.push_back({key, text.substr(equals + 1)});
  }
  return settings;
}

void add_common(CLI::App& command, Options& options) {
  command
      .add_option(
          "--openacc-library", options.openacc_libraries,
          "An OpenACC side to load, or none; may be given more than once, and each is then "
          "compared as a model of its own, called LABEL (default: by its compiler). Without "
          "it: the library beside this program, and decompose, GCC's with its mode for "
          "kernels, if that is there, too")
      ->type_name("[LABEL=]FILE")
      ->allow_extra_args(false)
      ->check(file_name());
}

void add_problem(CLI::App& command, Options& options) {
  command.add_option("--set", options.set, "A key of the study, key=value; see gangway list")
      ->type_name("KEY=VALUE");
  command
      .add_option(
          "--rounds", options.rounds,
          fmt::format("Rounds, instead of what the effort gives; fewer than {} give no verdict",
                      fewest_samples))
      ->check(number())
      ->check(CLI::Range(1, 100000));
  auto* quick = command.add_flag("--quick", options.quick, "Small sizes, few rounds");
  command.add_flag("--full", options.full, "The documents' sizes, many rounds")->excludes(quick);
}

/// What is run, and how.
static void add_running(CLI::App& command, Options& options) {
  add_common(command, options);
  command
      .add_option("--scope", options.scope,
                  "On the clock: kernel (data resident) or whole (with the data regions); default: "
                  "what the study is about")
      ->check(CLI::IsMember({"kernel", "whole"}));
  add_problem(command, options);
  command
      .add_option(
          "--time-limit", options.time_limit,
          "Across ranks: seconds that one run may take, before the rank that hangs is named "
          "and all are ended")
      ->type_name("SECONDS")
      ->check(number("give one such as 600"))
      ->check(CLI::Range(0.1, 1e6));
  command.add_option("--model", options.models, "Only these models")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"kokkos", "openacc", "yardstick"}));
  command.add_option("--variant", options.variants, "Only these variants");
  command.add_option("--json", options.json_file, "Write the results as JSON")
      ->type_name("FILE")
      ->check(file_name());
  command.add_flag(
      "--separate-memory", options.separate_memory,
      "On a host: play a device with memory of its own, so that Kokkos' copies are made "
      "and counted; its times are then not the host's");
}

void add_measuring(CLI::App& command, Options& options) {
  add_running(command, options);
  command.add_option("--csv", options.csv_file, "Write the results as CSV")
      ->type_name("FILE")
      ->check(file_name());
  command
      .add_option("--report", options.report_directory,
                  "Write the results as a page with plots, index.html; compare without a study, "
                  "a --json or a --csv writes one into gangway-report (or what GANGWAY_REPORT "
                  "names) unless this is none")
      ->type_name("DIR")
      ->check(file_name());
}

void add_scaling(CLI::App& command, Options& options) {
  ScaleOptions& runs = options.scale;
  command.add_option("study", options.studies, "The study, one that runs across ranks")
      ->required()
      ->expected(1);
  command.add_option("--ranks", runs.ranks, "Numbers of ranks, such as 1,2,4")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number("give numbers such as 1,2,4"));
  command.add_flag("--strong", runs.strong,
                   "The same problem on all numbers of ranks; the default, and with --weak both");
  command.add_flag("--weak", runs.weak, "A problem that grows with them, as the study says how");
  command
      .add_option("--vary", runs.vary,
                  "More problems, with these values of one key: the model is fitted to all runs")
      ->type_name("KEY=VALUE,VALUE")
      ->allow_extra_args(false);
  runs.launcher = "mpirun";
  command
      .add_option("--launcher", runs.launcher,
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
      "What it says of 8, 64 and 1024 ranks is a model of compute, latency and bandwidth, fitted "
      "to the runs;\ndocs/scaling.md says how, and what it cannot know.");
}

void add_shapes(CLI::App& command, Options& options) {
  options.workers = {1, 2, 4, 8, 16, 32};
  options.vector = {1, 2, 4, 8, 16, 32};
  command.add_option("--workers", options.workers, "Workers of a gang")
      ->delimiter(',')
      ->check(number());
  command.add_option("--vector", options.vector, "Vector lengths")->delimiter(',')->check(number());
  command.add_option("--items", options.items, "Items (such as rows) a worker")
      ->delimiter(',')
      ->check(number());
}

} // namespace gangway::apps
