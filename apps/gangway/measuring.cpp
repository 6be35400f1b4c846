// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measuring.hpp"

#include "base/contains.hpp"
#include "base/errors.hpp"
#include "base/exits.hpp"
#include "base/output_file.hpp"
#include "harness/html_report.hpp"
#include "harness/program.hpp"
#include "harness/provenance.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace gangway::apps {

using namespace harness;

OpenAccSide load_openacc(const Options& options) {
  OpenAccSide side;
  side.choices = options.openacc_libraries.empty() ? default_openacc_choices()
                                                   : openacc_choices(options.openacc_libraries);
  if (!options.models.empty() && !base::contains(options.models, "openacc"))
    return side;
  side.loaded = harness::load_openacc(side.choices);
  if (side.loaded.runtimes_clash && options.may_be_apart)
    return side;
  for (const std::string& failure : side.loaded.failures) {
    if (!options.models.empty()) // it was asked for by name
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

RefereeOptions referee_options(const Options& options, const StudyEntry& study,
                               const Case& instance, ProgressLine& progress) {
  RefereeOptions referee = RefereeOptions::of(options.effort());
  if (options.rounds > 0) {
    referee.rounds = options.rounds;
    referee.fewest_rounds = options.rounds;
  }
  referee.scope = options.scope == "whole" || (options.scope.empty() && study.whole_by_default)
                      ? Scope::whole
                      : Scope::kernel;
  referee.variants = options.variants;
  referee.without = instance.without;
  if (!options.models.empty())
    std::erase_if(referee.models,
                  [&](Model model) { return !base::contains(options.models, name_of(model)); });
  // Host yardsticks know host arrays only.
  if (options.separate_memory && !has_device)
    std::erase(referee.models, Model::yardstick);
  referee.progress = [&progress](int done, int all, const std::string& what) {
    progress.show(fmt::format("round {} of {}: {}", done + 1, all, what));
  };
  return referee;
}

static std::vector<std::string> variant_names(const StudyEntry& study) {
  std::vector<std::string> names;
  for (const auto* list : {&study.kokkos, &study.yardsticks, &study.openacc_only})
    for (const Variant& variant : *list)
      names.push_back(variant.name);
  return names;
}

/// Leaves out the studies that have none of the variants asked for; each must be some study's.
static void keep_those_with_variants(std::vector<const StudyEntry*>& chosen,
                                     const std::vector<std::string>& variants) {
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

std::vector<const StudyEntry*> chosen_studies(const Options& options) {
  std::vector<const StudyEntry*> chosen;
  if (options.studies.empty())
    chosen.assign(studies().begin(), studies().end());
  else
    for (const std::string& id : options.studies)
      chosen.push_back(&study(id));
  for (const StudyEntry* study : chosen)
    require_described(*study);
  keep_those_with_variants(chosen, options.variants);
  return chosen;
}

std::vector<Case> chosen_cases(const StudyEntry& study, const Options& options) {
  if (!options.set.empty())
    return {{"as set", settings_of(options.set)}};
  // Sizes follow from the memory, and have to be the same on all ranks.
  std::vector<Case> cases = study.cases(options.effort(), ranks::memory_of_rank());
  if (options.one_case)
    cases.erase(cases.begin() + 1, cases.end());
  return cases;
}

void require_settings(const StudyEntry& study, const std::vector<Case>& cases) {
  for (const Case& instance : cases)
    static_cast<void>(study.footprint(Parameters(study, instance.settings)));
}

std::vector<Planned> plan_of(const Options& options) {
  const auto chosen = chosen_studies(options);
  if (!options.set.empty() && chosen.size() != 1)
    throw base::UsageError("--set needs one study: keys differ from study to study");
  std::vector<Planned> plan;
  for (const StudyEntry* study : chosen) {
    const std::vector<Case> cases = chosen_cases(*study, options);
    require_settings(*study, cases);
    for (const Case& instance : cases)
      plan.push_back({study, instance});
  }
  return plan;
}

void require_stages_of(const Options& options, const std::vector<Planned>& plan,
                       const OpenAccSide& openacc, ProgressLine& progress) {
  for (const auto& [study, instance] : plan)
    require_stages(*study, openacc.libraries(),
                   referee_options(options, *study, instance, progress));
}

void require_sound_problem(const Options& options, const StudyEntry& study, Problem& problem) {
  require_distinct_arrays(study, problem);
  if (options.set.empty()) // what is set may leave kernels nothing to do
    require_check_that_can_fail(study, problem);
}

Results begin(const Options& options, const OpenAccSide& openacc, ProgressLine& progress) {
  Results results;
  results.provenance = provenance(openacc.libraries());
  const Machine machine(threads_of_kernels());
  results.noise_before = look(machine);
  fmt::print("{}{}\n", warning_of(*results.noise_before), text_of(results.provenance));
  std::fflush(stdout);
  if (options.one_case)
    return results;
  progress.show("measuring the ceilings");
  ranks::begins("measuring the ceilings");
  const MachineCounts before = machine.counts();
  results.ceilings = measure_ceilings(options.effort());
  results.noise_ceilings = machine.between(before, machine.counts());
  progress.clear();
  fmt::print("ceilings\n{}{}\n", text_of(results.ceilings),
             was_busy(*results.noise_ceilings) ? "  the machine was busy: they are too low\n" : "");
  std::fflush(stdout);
  return results;
}

void require_something_ran(const Options& options, const Results& results) {
  if (std::all_of(results.cases.begin(), results.cases.end(),
                  [](const CaseResult& result) { return result.measurements.empty(); }))
    throw base::UsageError(fmt::format(
        "there was nothing to run: no variant goes with this --model, --variant, --scope and "
        "--openacc-library{}",
        options.models == std::vector<std::string>{"yardstick"}
            ? " (yardsticks take part in scope kernel only)"
            : ""));
}

void require_outputs(const Options& options) {
  if (ranks::world().rank() > 0)
    return; // rank 0 writes, and says what is wrong with it
  if (!options.json_file.empty() && !options.csv_file.empty() &&
      base::is_same_file(options.json_file, options.csv_file))
    throw base::UsageError(fmt::format("--json {} --csv {}: the CSV would replace the JSON; name "
                                       "two files",
                                       options.json_file, options.csv_file));
  if (!options.json_file.empty())
    base::require_writable(options.json_file);
  if (!options.csv_file.empty())
    base::require_writable(options.csv_file);
  if (!options.report_directory || *options.report_directory == no_report)
    return;
  for (const auto& [option, file] :
       {std::pair{"--json", options.json_file}, {"--csv", options.csv_file}})
    for (const char* const of_report : {"results.json", "index.html"})
      if (!file.empty() &&
          base::is_same_file(file, std::filesystem::path(*options.report_directory) / of_report))
        throw base::UsageError(fmt::format(
            "{} {}: the report's {} would replace it; name another file", option, file, of_report));
  require_report(*options.report_directory);
}

static void write_outputs(const Options& options, const nlohmann::ordered_json& json,
                          const Results& results) {
  base::at_work_on("writing the results");
  if (ranks::world().rank() > 0)
    return;
  if (!options.json_file.empty())
    base::write_whole(options.json_file, text_of(json));
  if (!options.csv_file.empty())
    base::write_whole(options.csv_file, to_csv(results));
  if (options.report_directory && *options.report_directory != no_report)
    fmt::print("report {}\n", write_report(*options.report_directory, json).string());
}

static double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void finish(const Options& options, nlohmann::ordered_json json, const Results& results,
            const std::string& closing) {
  const double peak = ranks::world().largest(peak_memory());
  fmt::print("peak memory {:.0f} MB{}\n{}", peak / 1e6,
             ranks::world().size() > 1 ? ", of the rank that had most" : "", closing);
  json["peak_memory_bytes"] = peak;
  write_outputs(options, json, results);
}

} // namespace gangway::apps
