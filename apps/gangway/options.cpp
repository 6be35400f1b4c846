// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "../common/command_line.hpp"
#include "harness/statistics.hpp"

#include <fmt/format.h>

namespace gangway::apps {

using harness::fewest_samples;

void add_openacc(CLI::App& command, OpenAccOptions& options) {
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

void add_problem(CLI::App& command, ProblemOptions& options) {
  command.add_option("--set", options.set, "A key of the study, key=value; see gangway list")
      ->type_name("KEY=VALUE");
  command
      .add_option(
          "--rounds", options.rounds,
          fmt::format("Rounds, instead of what the effort gives; fewer than {} give no verdict",
                      fewest_samples))
      ->check(number())
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--patience", options.patience,
                  "Seconds that the rounds of one variant may take; a slower one is timed once")
      ->type_name("SECONDS")
      ->check(number("give one such as 60"))
      ->check(CLI::Range(0.0, 1e9));
  auto* quick = command.add_flag("--quick", options.quick, "Small sizes, few rounds");
  command.add_flag("--full", options.full, "The documents' sizes, many rounds")->excludes(quick);
}

void add_running(CLI::App& command, RunningOptions& options) {
  add_openacc(command, options);
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

void add_measuring(CLI::App& command, RunningOptions& options) {
  add_running(command, options);
  command.add_option("--csv", options.csv_directory, "Write the results as CSV files")
      ->type_name("DIR")
      ->check(file_name());
  command
      .add_option("--report", options.report_directory,
                  "Write the results as a page with plots, index.html; compare without a study, "
                  "a --json or a --csv writes one into gangway-report (or what GANGWAY_REPORT "
                  "names) unless this is none")
      ->type_name("DIR")
      ->check(file_name());
}

void add_shapes(CLI::App& command, ShapeOptions& options) {
  command.add_option("--workers", options.workers, "Workers of a gang")
      ->delimiter(',')
      ->check(number());
  command.add_option("--vector", options.vector, "Vector lengths")->delimiter(',')->check(number());
  command.add_option("--items", options.items, "Items (such as rows) a worker")
      ->delimiter(',')
      ->check(number());
}

} // namespace gangway::apps
