// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "apart.hpp"
#include "base/errors.hpp"
#include "base/signals.hpp"
#include "commands.hpp"
#include "harness/html_report.hpp"
#include "harness/program.hpp"
#include "harness/summary.hpp"
#include "harness/time_left.hpp"
#include "measuring.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
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

/// A comparison of all studies takes minutes. If nothing is to be written of it, a report is: into
/// the folder that GANGWAY_REPORT names, or one beside the user. What stands in its way is said,
/// and the comparison goes on.
static std::optional<std::string> unasked_report(const Options& options) {
  if (ranks::world().rank() > 0)
    return std::nullopt;
  if (!options.studies.empty() || !options.json_file.empty() || !options.csv_file.empty() ||
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
    tell("{}: there will be no report, for which nobody asked: {}\n", program().name, error.what());
    if (!was_there) // it is empty, and otherwise it stays
      std::filesystem::remove(directory, ignored);
    return std::nullopt;
  }
}

/// Ranks wait for each other in every run: each has to have the same ones before it. Errors:
/// UsageError where one has not, such as another OpenACC side.
static void require_same_plan(const Options& options, const std::vector<Planned>& plan,
                              const OpenAccSide& openacc, ProgressLine& progress) {
  if (ranks::world().size() == 1)
    return;
  std::vector<std::string> runs;
  for (const auto& [study, instance] : plan)
    for (const Variant& variant : variants_of(*study, openacc.libraries(),
                                              referee_options(options, *study, instance, progress)))
      runs.push_back(fmt::format("{} {} {} {}", study->id, instance.name, name_of(variant.model),
                                 variant.name));
  const std::vector<std::string> of_ranks =
      ranks::world().gather(fmt::format("{}", fmt::join(runs, ", ")));
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank)
    if (of_ranks[rank] != of_ranks[0])
      throw base::UsageError(fmt::format(
          "rank {} would run other variants than rank 0; give all the same programs and "
          "OpenACC libraries. Rank 0: {}. Rank {}: {}",
          rank, of_ranks[0], rank, of_ranks[rank]));
}

/// Says what is ahead of who starts a comparison of several cases.
static TimeLeft announce(const Options& options, const std::vector<Planned>& plan,
                         const OpenAccSide& openacc, ProgressLine& progress) {
  std::vector<TimeRange> times;
  std::size_t variants = 0;
  for (const auto& [study, instance] : plan) {
    const RefereeOptions referee = referee_options(options, *study, instance, progress);
    const std::size_t count = variants_of(*study, openacc.libraries(), referee).size();
    const double footprint = study->footprint(Parameters(*study, instance.settings));
    times.push_back(expected_time(static_cast<int>(count), footprint, referee));
    variants += count;
  }
  TimeLeft left(std::move(times));
  if (plan.size() > 1) {
    fmt::print("{} cases with {} variants in all: {}, to judge by their sizes and rounds, longer "
               "on a busy machine\n",
               plan.size(), variants, about(left.all()));
    if (options.report_directory && *options.report_directory != no_report)
      fmt::print("the report will be in {}\n", *options.report_directory);
    fmt::print("\n");
    std::fflush(stdout);
  }
  return left;
}

/// The last lines of a comparison.
static std::string closing(const Options& options, const Results& results) {
  if (options.one_case)
    return "";
  return fmt::format("\n{}{}", text_of(summarize(results.cases), openacc_of(results.provenance)),
                     options.report_directory ? "" : "report: --report DIR makes a page of this\n");
}

/// A library after another, where their runtimes clash. Errors: as of `run_again`.
static int compare_apart(const Options& options, const OpenAccSide& openacc) {
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

int compare(Options options) {
  require_outputs(options);
  const std::vector<Planned> plan = plan_of(options);
  options.may_be_apart = !options.one_case && ranks::world().size() == 1;
  const OpenAccSide openacc = load_openacc(options);
  if (openacc.loaded.runtimes_clash && options.may_be_apart)
    return compare_apart(options, openacc);
  ProgressLine progress;
  require_stages_of(options, plan, openacc, progress);
  if (const auto directory = unasked_report(options))
    options.report_directory = directory;
  require_same_plan(options, plan, openacc, progress);
  TimeLeft left = announce(options, plan, openacc, progress);
  Results results = begin(options, openacc, progress);
  bool passed = true;
  for (const auto& [study, instance] : plan) {
    base::stop_if_interrupted();
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [began] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    RefereeOptions referee = referee_options(options, *study, instance, progress);
    progress.show(fmt::format("{} {}: preparing", study->id, instance.name));
    ranks::begins(fmt::format("the problem of {} {}", study->id, instance.name));
    if (plan.size() > 1)
      referee.progress = [&](int done, int all, const std::string& what) {
        progress.show(fmt::format("case {} of {}, {} left · round {} of {}: {}",
                                  left.cases_done() + 1, plan.size(),
                                  about(left.seconds(seconds())), done + 1, all, what));
      };
    const Parameters parameters(*study, instance.settings);
    const auto problem = make_problem(*study, parameters);
    require_sound_problem(options, *study, *problem);
    CaseResult result = measure(*study, *problem, openacc.libraries(), results.ceilings, referee);
    result.wall_seconds = seconds();
    left.done(result.wall_seconds);
    result.name = instance.name;
    result.settings = parameters.all();
    progress.clear();
    if (result.measurements.empty())
      continue;
    fmt::print("{}\n", table_of(result));
    std::fflush(stdout);
    passed = passed && result.all_passed();
    results.cases.push_back(std::move(result));
  }
  require_something_ran(options, results);
  finish(options, to_json(results), results, closing(options, results));
  if (!passed)
    return check_failed;
  return openacc.missing ? bad_usage : checks_passed;
}

} // namespace gangway::apps
