// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "apart.hpp"
#include "base/errors.hpp"
#include "commands.hpp"
#include "harness/html_report.hpp"
#include "harness/program.hpp"
#include "harness/summary.hpp"
#include "measuring.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace gangway::apps {

using namespace harness;

/// Chooses the folder of a report if the user compares all studies, which takes minutes, and asked
/// for no file. It is the folder that GANGWAY_REPORT names, or one in the current folder. An
/// obstacle is reported, and the comparison goes on.
static std::optional<std::string> unasked_report(const CompareOptions& options) {
  if (ranks::world().rank() > 0)
    return std::nullopt;
  if (!options.studies.empty() || !options.json_file.empty() || !options.csv_directory.empty() ||
      options.report_directory)
    return std::nullopt;
  const char* const named = std::getenv("GANGWAY_REPORT");
  std::string directory = named != nullptr && *named != '\0' ? named : "gangway-report";
  if (directory == no_report)
    return directory;
  std::error_code ignored;
  const bool was_there = std::filesystem::exists(directory, ignored);
  try {
    require_report(directory);
    return directory;
  } catch (const base::UsageError& error) {
    tell("{}: the page of the report cannot be written: {}\n", program().name, error.what());
    if (!was_there) // it is empty, and otherwise it stays
      std::filesystem::remove(directory, ignored);
    return std::nullopt;
  }
}

/// Says what is ahead of who starts a comparison of several cases.
static void announce(const Plan& plan, const TimeLeft& left, const Outputs& outputs) {
  if (plan.cases.size() < 2)
    return;
  std::size_t variants = 0;
  for (const CasePlan& one : plan.cases)
    variants += one.variants.size();
  fmt::print("{} cases with {} variants in all: {}, more on a busy machine{}\n", plan.cases.size(),
             variants, about(left.all()),
             outputs.has_report() ? "; report in " + *outputs.report_directory : "");
  std::fflush(stdout);
}

/// The last lines of a comparison.
static std::string closing(const Outputs& outputs, const Results& results) {
  return fmt::format("\n{}{}", text_of(summarize(results.cases), openacc_of(results.provenance)),
                     outputs.report_directory ? "" : "report: --report DIR makes a page of this\n");
}

/// A library after another, where their runtimes clash. Errors: as of `run_again`.
static int compare_apart(const CompareOptions& options, const OpenAccSide& openacc) {
  const std::vector<OpenAccChoice> choices = labelled(openacc.choices);
  for (const std::string& failure : openacc.loaded.failures)
    tell("{}: {}\n", program().name, failure);
  const std::string report = unasked_report(options).value_or("");
  int worst = checks_passed;
  for (const OpenAccChoice& choice : choices) {
    fmt::print("{}OpenACC of {}, compared with Kokkos in a process of its own\n\n",
               &choice == choices.data() ? "" : "\n", choice.label);
    std::fflush(stdout);
    worst = std::max(worst, run_again(arguments_for(options.given, choice, report)));
  }
  return worst;
}

CLI::App& add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App& command =
      *app.add_subcommand("compare", "Run both models in alternation and compare them");
  command.add_option("study", options.studies,
                     "The studies; all if none is named, of small sizes unless --full is given");
  command.add_flag("--verbose", options.verbose, "Of all studies, too, a table of every variant");
  add_measuring(command, options);
  return command;
}

int compare(const CompareOptions& given) {
  CompareOptions options = given;
  options.quick = options.quick || (options.studies.empty() && !options.full);
  require_outputs(options);
  const Plan plan = plan_of(options, chosen_studies(options.studies, options.variants),
                            {.may_be_apart = ranks::world().size() == 1});
  if (plan.apart)
    return compare_apart(options, plan.openacc);
  require_variants(options, plan);
  Outputs outputs = options;
  if (const auto directory = unasked_report(options))
    outputs.report_directory = directory;
  TimeLeft left = time_left(plan.cases);
  announce(plan, left, outputs);
  const Detail detail = options.studies.empty() && !options.verbose ? Detail::line : Detail::table;
  Results results = begin(plan.openacc, detail);
  measure_ceilings(plan.effort, detail, results);
  const Measured measured = measure_cases(plan, detail, std::move(left), results);
  finish(outputs, to_json(results), results, detail, closing(outputs, results));
  return exit_status(plan, measured, results);
}

} // namespace gangway::apps
