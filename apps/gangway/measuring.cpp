// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measuring.hpp"

#include "base/contains.hpp"
#include "base/errors.hpp"
#include "base/exits.hpp"
#include "base/output_file.hpp"
#include "base/signals.hpp"
#include "harness/html_report.hpp"
#include "harness/program.hpp"
#include "harness/provenance.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <utility>

namespace gangway::apps {

using namespace harness;

OpenAccSide load_openacc(const OpenAccOptions& options, const std::vector<std::string>& models,
                         bool may_be_apart) {
  OpenAccSide side;
  side.choices = options.openacc_libraries.empty() ? default_openacc_choices()
                                                   : openacc_choices(options.openacc_libraries);
  if (!models.empty() && !base::contains(models, "openacc"))
    return side;
  side.loaded = harness::load_openacc(side.choices);
  if (side.loaded.runtimes_clash && may_be_apart)
    return side;
  for (const std::string& failure : side.loaded.failures) {
    if (!models.empty()) // it was asked for by name
      throw base::UsageError(failure);
    tell("{}: {}\n", program().name, failure);
    side.missing = true;
  }
  if (side.missing) {
    std::vector<std::string> left;
    for (const OpenAccLibrary* library : side.libraries())
      left.push_back(library->label());
    tell("{}: going on with {}; the exit status will be {}. Give --openacc-library FILE, or "
         "--openacc-library none to leave OpenACC out on purpose.\n",
         program().name,
         left.empty() ? "Kokkos alone"
                      : fmt::format("Kokkos and OpenACC of {} alone", fmt::join(left, ", ")),
         bad_usage);
  }
  return side;
}

RefereeOptions referee_options(const ProblemOptions& options) {
  RefereeOptions referee = RefereeOptions::of(options.effort());
  if (options.rounds > 0) {
    referee.rounds = referee.fewest_rounds = options.rounds;
    referee.patience = std::numeric_limits<double>::infinity();
  }
  referee.patience = options.patience.value_or(referee.patience);
  return referee;
}

static Wanted wanted_of(const RunningOptions& options) {
  Wanted wanted{.names = options.variants};
  if (!options.models.empty())
    std::erase_if(wanted.models,
                  [&](Model model) { return !base::contains(options.models, name_of(model)); });
  // Host yardsticks know host arrays only.
  if (options.separate_memory && !has_device)
    std::erase(wanted.models, Model::yardstick);
  return wanted;
}

static std::vector<std::string> variant_names(const StudyEntry& study) {
  std::vector<std::string> names;
  for (const auto* list : {&study.kokkos, &study.yardsticks, &study.openacc_only})
    for (const Variant& variant : *list)
      names.push_back(variant.name);
  return names;
}

/// Leaves out the studies that have none of the variants asked for; each must be some study's.
static void keep_those_with_variants(Studies& chosen, const std::vector<std::string>& variants) {
  if (variants.empty())
    return;
  const auto has = [](const StudyEntry* study, const std::string& variant) {
    return base::contains(variant_names(*study), variant);
  };
  for (const std::string& variant : variants)
    if (std::none_of(chosen.begin(), chosen.end(),
                     [&](const StudyEntry* study) { return has(study, variant); }))
      throw base::UsageError(
          chosen.size() == 1 ? fmt::format("{} has no variant '{}'; it has: {}", chosen.front()->id,
                                           variant, fmt::join(variant_names(*chosen.front()), ", "))
                             : fmt::format("no study has a variant '{}'; {} list shows them",
                                           variant, program().name));
  std::erase_if(chosen, [&](const StudyEntry* study) {
    return std::none_of(variants.begin(), variants.end(),
                        [&](const std::string& variant) { return has(study, variant); });
  });
}

Studies chosen_studies(const std::vector<std::string>& ids,
                       const std::vector<std::string>& variants) {
  Studies chosen;
  if (ids.empty())
    chosen.assign(studies().begin(), studies().end());
  else
    for (const std::string& id : ids)
      chosen.push_back(&study(id));
  for (const StudyEntry* study : chosen)
    require_described(*study);
  keep_those_with_variants(chosen, variants);
  return chosen;
}

void require_one_study_set(const ProblemOptions& options, const Studies& studies) {
  if (!options.set.empty() && studies.size() != 1)
    throw base::UsageError("--set needs one study: keys differ from study to study");
}

static std::vector<Parameters::Setting> settings_of(const std::vector<std::string>& given) {
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

std::vector<Case> chosen_cases(const StudyEntry& study, const ProblemOptions& options,
                               double memory) {
  if (!options.set.empty())
    return {{"as set", settings_of(options.set)}};
  return study.cases(options.effort(), memory);
}

void require_settings(const StudyEntry& study, const Case& instance) {
  static_cast<void>(study.footprint(Parameters(study, instance.settings)));
}

/// Ranks wait for each other in every run: each has to have the same ones before it. Errors:
/// UsageError where one has not, such as another OpenACC side.
static void require_same_on_all_ranks(const std::vector<CasePlan>& cases) {
  if (ranks::world().size() == 1)
    return;
  std::vector<std::string> runs;
  for (const CasePlan& plan : cases)
    for (const Variant& variant : plan.variants)
      runs.push_back(fmt::format("{} {} {} {}", plan.study->id, plan.name, name_of(variant.model),
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

Plan plan_of(const RunningOptions& options, const Studies& studies, const PlanLimits& limits) {
  require_one_study_set(options, studies);
  std::vector<std::pair<const StudyEntry*, Case>> chosen;
  for (const StudyEntry* study : studies) {
    // Sizes follow from the memory, and have to be the same on all ranks.
    std::vector<Case> cases = chosen_cases(*study, options, ranks::memory_of_rank());
    if (limits.first_case_only)
      cases.erase(cases.begin() + 1, cases.end());
    for (Case& instance : cases) {
      require_settings(*study, instance);
      chosen.emplace_back(study, std::move(instance));
    }
  }
  Plan plan{.effort = options.effort(),
            .as_set = !options.set.empty(),
            .wanted = wanted_of(options),
            .openacc = load_openacc(options, options.models, limits.may_be_apart),
            .apart = false,
            .cases = {}};
  plan.apart = plan.openacc.loaded.runtimes_clash && limits.may_be_apart;
  if (plan.apart)
    return plan;
  RefereeOptions referee = referee_options(options);
  for (const auto& [study, instance] : chosen) {
    require_stages(*study, plan.openacc.libraries(), plan.wanted);
    referee.scope = options.scope == "whole" || (options.scope.empty() && study->whole_by_default)
                        ? Scope::whole
                        : Scope::kernel;
    plan.cases.push_back(
        plan_case(*study, instance, plan.openacc.libraries(), referee, plan.wanted));
  }
  require_same_on_all_ranks(plan.cases);
  return plan;
}

void require_variants(const RunningOptions& options, const Plan& plan) {
  if (std::all_of(plan.cases.begin(), plan.cases.end(),
                  [](const CasePlan& one) { return one.variants.empty(); }))
    throw base::UsageError(fmt::format(
        "there was nothing to run: no variant goes with this --model, --variant, --scope and "
        "--openacc-library{}",
        options.models == std::vector<std::string>{"yardstick"}
            ? " (yardsticks take part in scope kernel only)"
            : ""));
}

std::unique_ptr<Problem> sound_problem(const StudyEntry& study, const Parameters& parameters,
                                       bool as_set) {
  std::unique_ptr<Problem> problem = make_problem(study, parameters);
  require_distinct_arrays(study, *problem);
  if (!as_set)
    require_check_that_can_fail(study, *problem);
  return problem;
}

Results begin(const OpenAccSide& openacc, Detail detail) {
  Results results;
  results.provenance = provenance(openacc.libraries());
  results.noise_before = look(Machine(threads_of_kernels()));
  fmt::print("{}{}{}\n", has_device ? "" : unused_gpu("/"), warning_of(*results.noise_before),
             detail == Detail::line ? brief_text_of(results.provenance)
                                    : text_of(results.provenance));
  std::fflush(stdout);
  return results;
}

void measure_ceilings(Effort effort, Detail detail, Results& results) {
  ProgressLine progress;
  progress.show("measuring the ceilings");
  ranks::begins("measuring the ceilings");
  const Machine machine(threads_of_kernels());
  const MachineCounts before = machine.counts();
  results.ceilings = harness::measure_ceilings(effort);
  results.noise_ceilings = machine.between(before, machine.counts());
  progress.clear();
  if (detail == Detail::line)
    return;
  fmt::print("ceilings\n{}{}\n", text_of(results.ceilings),
             was_busy(*results.noise_ceilings) ? "  the machine was busy: they are too low\n" : "");
  std::fflush(stdout);
}

static std::string round_text(int done, int all, const std::string& what) {
  return fmt::format("round {} of {}: {}", done + 1, all, what);
}

Progress rounds_on(ProgressLine& line) {
  return [&line](int done, int all, const std::string& what) {
    line.show(round_text(done, all, what));
  };
}

Measured measure_cases(const Plan& plan, Detail detail, TimeLeft left, Results& results) {
  ProgressLine progress;
  Measured measured;
  const std::size_t width = detail == Detail::line ? width_of_names(plan.cases) : 0;
  if (detail == Detail::line)
    fmt::print("{}", line_header(width));
  const auto measure_next = [&](const CasePlan& one) {
    base::stop_if_interrupted();
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [began] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    progress.show(fmt::format("{} {}: preparing", one.study->id, one.name));
    ranks::begins(fmt::format("the problem of {} {}", one.study->id, one.name));
    const auto problem = sound_problem(*one.study, one.parameters, plan.as_set);
    CaseResult result =
        measure(one, *problem, plan.openacc.libraries(), results.ceilings,
                [&](int done, int all, const std::string& what) {
                  const std::string of_cases =
                      plan.cases.size() == 1
                          ? ""
                          : fmt::format("case {} of {}, {} left · ", left.cases_done() + 1,
                                        plan.cases.size(), about(left.seconds(seconds())));
                  progress.show(of_cases + round_text(done, all, what));
                });
    result.wall_seconds = seconds();
    left.done(result.wall_seconds);
    progress.clear();
    if (result.measurements.empty())
      return;
    fmt::print("{}", detail == Detail::line ? line_of(result, width) : table_of(result) + "\n");
    std::fflush(stdout);
    measured.passed = measured.passed && result.all_passed();
    results.cases.push_back(std::move(result));
  };
  try {
    for (const CasePlan& one : plan.cases)
      measure_next(one);
    base::stop_if_interrupted();
  } catch (const base::Interrupted& interrupted) {
    if (results.cases.empty() || ranks::world().size() > 1)
      throw;
    progress.clear();
    measured.signal = interrupted.signal();
    base::forget_signal(); // the report's generator would be interrupted by it
  }
  return measured;
}

/// The directory may be there; otherwise it has to be possible to make it.
static void require_csv(const std::filesystem::path& directory) {
  const auto status = std::filesystem::status(directory);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
    throw base::UsageError(
        fmt::format("cannot write {}: it is not a directory", directory.string()));
  base::require_writable(std::filesystem::is_directory(status) ? directory / "runs.csv"
                                                               : directory);
}

static void write_csv(const std::filesystem::path& directory, const Results& results) {
  std::error_code ignored; // what is in the way, the first file meets
  std::filesystem::create_directory(directory, ignored);
  for (const CsvFile& file : to_csv(results))
    base::write_whole(directory / file.name, file.text);
}

void require_outputs(const Outputs& outputs) {
  if (ranks::world().rank() > 0)
    return; // rank 0 writes, and says what is wrong with it
  if (!outputs.json_file.empty() && !outputs.csv_directory.empty() &&
      (base::is_same_file(outputs.json_file, outputs.csv_directory) ||
       base::is_same_file(outputs.json_file,
                          std::filesystem::path(outputs.csv_directory) / "environment.json")))
    throw base::UsageError(fmt::format("--json {} --csv {}: the CSV would replace the JSON; use "
                                       "two names",
                                       outputs.json_file, outputs.csv_directory));
  if (!outputs.json_file.empty())
    base::require_writable(outputs.json_file);
  if (!outputs.csv_directory.empty())
    require_csv(outputs.csv_directory);
  if (!outputs.has_report())
    return;
  for (const auto& [option, file] :
       {std::pair{"--json", outputs.json_file}, {"--csv", outputs.csv_directory}})
    for (const char* const of_report : {"results.json", "index.html"})
      if (!file.empty() &&
          base::is_same_file(file, std::filesystem::path(*outputs.report_directory) / of_report))
        throw base::UsageError(fmt::format(
            "{} {}: the report's {} would replace it; name another file", option, file, of_report));
  require_report(*outputs.report_directory);
}

static void write_outputs(const Outputs& outputs, const nlohmann::ordered_json& json,
                          const Results& results) {
  base::at_work_on("writing the results");
  if (ranks::world().rank() > 0)
    return;
  if (!outputs.json_file.empty())
    base::write_whole(outputs.json_file, text_of(json));
  if (!outputs.csv_directory.empty())
    write_csv(outputs.csv_directory, results);
  if (outputs.has_report())
    fmt::print("report {}\n", write_report(*outputs.report_directory, json).string());
}

static double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void finish(const Outputs& outputs, nlohmann::ordered_json json, const Results& results,
            Detail detail, const std::string& closing) {
  const double peak = ranks::world().largest(peak_memory());
  if (detail == Detail::table)
    fmt::print("peak memory {:.0f} MB{}\n", peak / 1e6,
               ranks::world().size() > 1 ? ", of the rank that had most" : "");
  fmt::print("{}", closing);
  json["peak_memory_bytes"] = peak;
  write_outputs(outputs, json, results);
}

int exit_status(const OpenAccSide& openacc, bool passed) {
  if (!passed)
    return check_failed;
  return openacc.missing ? bad_usage : checks_passed;
}

int exit_status(const Plan& plan, const Measured& measured, const Results& results) {
  if (measured.signal != 0) {
    tell("{}: interrupted; of {} cases {} were measured, the last perhaps in part\n",
         program().name, plan.cases.size(), results.cases.size());
    return 128 + measured.signal;
  }
  return exit_status(plan.openacc, measured.passed);
}

} // namespace gangway::apps
