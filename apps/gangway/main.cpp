// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// gangway: lists, runs, compares, scales, sweeps and tunes the studies. Exit status: 0 every run
/// was checked and right, 1 a check failed, 2 bad usage or input, 130 or 143 ended by a signal.

#include "../common/across_ranks.hpp"
#include "../common/command_line.hpp"
#include "apart.hpp"
#include "base/contains.hpp"
#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/places.hpp"
#include "base/signals.hpp"
#include "gangway/runtime.hpp"
#include "harness/html_report.hpp"
#include "harness/program.hpp"
#include "harness/provenance.hpp"
#include "harness/referee.hpp"
#include "harness/report.hpp"
#include "harness/summary.hpp"
#include "harness/time_left.hpp"
#include "harness/tune.hpp"
#include "new_study.hpp"
#include "ranks/session.hpp"
#include "scale.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using namespace gangway;
using namespace gangway::apps;
using namespace gangway::harness;

constexpr int checks_passed = 0;
constexpr int check_failed = 1;
constexpr const char* no_report = "none";
constexpr const char* interrupted = "interrupted; nothing was written";

struct Options {
  std::vector<std::string> studies;
  bool one_case = false;     ///< the first case only, and no ceilings
  bool may_be_apart = false; ///< libraries that clash may be compared in processes of their own
  std::vector<std::string> models; ///< all if empty
  std::vector<std::string> variants;
  std::string scope; ///< empty: the natural one of each study
  std::vector<std::string> set;
  bool quick = false;
  bool full = false;
  int rounds = 0;
  std::string json_file;
  std::string csv_file;
  std::optional<std::string> report_directory;
  std::string table_file; ///< where the tuning table is written; empty: printed only
  std::vector<std::string> openacc_libraries; ///< each FILE or LABEL=FILE, or only "none"
  bool json = false;
  bool separate_memory = false;
  double time_limit = 600; ///< of one run across ranks, in seconds
  std::vector<int> workers;
  std::vector<int> vector;
  std::vector<int> items;
  std::vector<std::string> given; ///< all arguments, as they were
  ScaleOptions scale;

  [[nodiscard]] Effort effort() const {
    return quick ? Effort::quick : full ? Effort::full : Effort::normal;
  }
};

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

/// The OpenACC side of this run: what was loaded, and whether all that was wanted is.
struct OpenAccSide {
  std::vector<OpenAccChoice> choices;
  LoadedOpenAcc loaded;
  bool missing = false;

  [[nodiscard]] OpenAccLibraries libraries() const { return loaded.all(); }
};

/// Errors: UsageError for what cannot be meant, and for a library that cannot be loaded if OpenACC
/// was asked for by name.
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

std::vector<std::string> variant_names(const StudyEntry& study) {
  std::vector<std::string> names;
  for (const auto* list : {&study.kokkos, &study.yardsticks})
    for (const Variant& variant : *list)
      names.push_back(variant.name);
  const auto& only_in_openacc = study.openacc_variants.only;
  names.insert(names.end(), only_in_openacc.begin(), only_in_openacc.end());
  return names;
}

/// Leaves out the studies that have none of the variants asked for; each must be some study's.
void keep_those_with_variants(std::vector<const StudyEntry*>& chosen,
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

/// Says what is wrong with the keys before anything is measured or allocated.
void require_settings(const StudyEntry& study, const std::vector<Case>& cases) {
  for (const Case& instance : cases)
    static_cast<void>(study.footprint(Parameters(study, instance.settings)));
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

void write_outputs(const Options& options, const nlohmann::ordered_json& json,
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

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// The last lines, `closing` among them, and the files.
void finish(const Options& options, nlohmann::ordered_json json, const Results& results,
            const std::string& closing = "") {
  const double peak = ranks::world().largest(peak_memory());
  fmt::print("peak memory {:.0f} MB{}\n{}", peak / 1e6,
             ranks::world().size() > 1 ? ", of the rank that had most" : "", closing);
  json["peak_memory_bytes"] = peak;
  write_outputs(options, json, results);
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

/// The names of what goes beyond the documents: Kokkos', then what only OpenACC has.
std::vector<std::string> beyond_the_documents(const StudyEntry& study) {
  std::vector<std::string> names;
  for (const Variant& variant : study.kokkos)
    if (variant.beyond)
      names.push_back(variant.name);
  names.insert(names.end(), study.openacc_variants.only.begin(), study.openacc_variants.only.end());
  return names;
}

int list(const Options& options) {
  if (options.json) {
    auto json = nlohmann::ordered_json::array();
    for (const StudyEntry* study : studies()) {
      nlohmann::ordered_json entry{{"id", study->id},
                                   {"title", study->title},
                                   {"source", study->source},
                                   {"stages", study->stages}};
      for (const char* kind : {"beyond", "yardsticks"})
        entry[kind] = nlohmann::ordered_json::array();
      for (const std::string& variant : beyond_the_documents(*study))
        entry["beyond"].push_back(variant);
      entry["openacc_only"] = study->openacc_variants.only;
      entry["openacc_cannot"] = nlohmann::ordered_json::object();
      for (const auto& [variant, why] : study->openacc_variants.cannot)
        entry["openacc_cannot"][variant] = why;
      for (const Variant& variant : study->yardsticks)
        entry["yardsticks"].push_back(variant.name);
      entry["sweep"] = static_cast<bool>(study->sweep.run);
      entry["keys"] = nlohmann::ordered_json::array();
      for (const Key& key : study->keys)
        entry["keys"].push_back(
            {{"name", key.name}, {"default", key.fallback}, {"help", key.help}});
      json.push_back(entry);
    }
    fmt::print("{}\n", json.dump(1));
    return checks_passed;
  }
  for (const StudyEntry* study : studies()) {
    fmt::print("{}: {}\n  stages:     {}\n", study->id, study->title,
               fmt::join(study->stages, ", "));
    if (const auto beyond = beyond_the_documents(*study); !beyond.empty())
      fmt::print("  beyond:     {}\n", fmt::join(beyond, ", "));
    for (const auto& [variant, why] : study->openacc_variants.cannot)
      fmt::print("  OpenACC cannot {}: {}\n", variant, why);
    std::vector<std::string> yardsticks;
    for (const Variant& variant : study->yardsticks)
      yardsticks.push_back(variant.name);
    if (!yardsticks.empty())
      fmt::print("  yardsticks: {}\n", fmt::join(yardsticks, ", "));
    for (const Key& key : study->keys)
      fmt::print("  --set {}={}  {}\n", key.name, key.fallback.empty() ? "…" : key.fallback,
                 key.help);
  }
  return checks_passed;
}

int info(const Options& options) {
  const OpenAccSide openacc = load_openacc(options);
  const Provenance facts = environment(openacc.libraries());
  if (options.json) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : facts)
      json[name] = value;
    fmt::print("{}\n", json.dump(1));
  } else {
    fmt::print("{}", text_of(facts));
  }
  return openacc.missing ? bad_usage : checks_passed;
}

/// Prints and notes what every table depends on. Flushed, so that a log shows what is being run.
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

/// One case of a comparison.
struct Planned {
  const StudyEntry* study;
  Case instance;
};

/// Errors: UsageError, before anything is measured or allocated.
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

/// A comparison of all studies takes minutes. If nothing is to be written of it, a report is: into
/// the folder that GANGWAY_REPORT names, or one beside the user. What stands in its way is said,
/// and the comparison goes on.
std::optional<std::string> unasked_report(const Options& options) {
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

/// Errors: UsageError, before anything is measured, where a library lacks what a study declares.
void require_stages_of(const Options& options, const std::vector<Planned>& plan,
                       const OpenAccSide& openacc, ProgressLine& progress) {
  for (const auto& [study, instance] : plan)
    require_stages(*study, openacc.libraries(),
                   referee_options(options, *study, instance, progress));
}

/// Errors: UsageError where a verdict on the problem would mean nothing.
void require_sound_problem(const Options& options, const StudyEntry& study, Problem& problem) {
  require_distinct_arrays(study, problem);
  if (options.set.empty()) // what is set may leave kernels nothing to do
    require_check_that_can_fail(study, problem);
}

/// Ranks wait for each other in every run: each has to have the same ones before it. Errors:
/// UsageError where one has not, such as another OpenACC side.
void require_same_plan(const Options& options, const std::vector<Planned>& plan,
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
TimeLeft announce(const Options& options, const std::vector<Planned>& plan,
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
std::string closing(const Options& options, const Results& results) {
  if (options.one_case)
    return "";
  return fmt::format("\n{}{}", text_of(summarize(results.cases), openacc_of(results.provenance)),
                     options.report_directory ? "" : "report: --report DIR makes a page of this\n");
}

/// A library after another, where their runtimes clash. Errors: as of `run_again`.
int compare_apart(const Options& options, const OpenAccSide& openacc) {
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

std::vector<Mapping> sweep_points(const StudyEntry& study, const Options& options) {
  std::vector<int> items = options.items;
  if (items.empty())
    for (int i = 1; i <= study.sweep.most_items_per_worker; i *= 2)
      items.push_back(i);
  std::vector<Mapping> points;
  for (const int workers : options.workers)
    for (const int vector : options.vector)
      for (const int each : items) {
        if (workers < 1 || vector < 1 || each < 1)
          throw base::UsageError("workers, vector and items are lists of numbers from 1 up");
        // The grid's corners that no gang can hold are left out; what was asked for by name is
        // reported.
        if (static_cast<long>(workers) * vector <= gang_thread_limit || options.workers.size() == 1)
          points.push_back({{.workers = workers, .vector = vector}, each});
      }
  if (points.empty())
    throw base::UsageError(fmt::format("a gang has at most {} threads, and each of these workers x "
                                       "vector has more",
                                       gang_thread_limit));
  return points;
}

void require_levels(const StudyEntry& study) {
  if (study.sweep.run)
    return;
  std::vector<std::string> names;
  for (const StudyEntry* entry : studies())
    if (entry->sweep.run)
      names.emplace_back(entry->id);
  throw base::UsageError(
      fmt::format("{} has no levels to sweep; these have: {}", study.id, fmt::join(names, ", ")));
}

int sweep(const Options& options) {
  require_outputs(options);
  const StudyEntry& swept = *chosen_studies(options).front();
  require_levels(swept);
  const std::vector<Mapping> points = sweep_points(swept, options);
  const std::vector<Planned> plan = plan_of(options);
  const OpenAccSide openacc = load_openacc(options);
  ProgressLine progress;
  require_stages_of(options, plan, openacc, progress);
  Results results = begin(options, openacc, progress);
  std::vector<SweepTable> tables;
  bool passed = true;
  for (const Planned& planned : plan) {
    const Case& instance = planned.instance;
    const Parameters parameters(swept.id, swept.keys, instance.settings);
    const auto problem = make_problem(swept, parameters);
    require_sound_problem(options, swept, *problem);
    const RefereeOptions referee = referee_options(options, swept, instance, progress);
    SweepTable table;
    table.study = swept.id;
    table.name = instance.name;
    table.stages = measure(swept, *problem, openacc.libraries(), results.ceilings, referee);
    table.stages.name = instance.name;
    table.settings = table.stages.settings = parameters.all();
    if (base::contains(referee.models, Model::kokkos))
      table.points = harness::sweep(swept, *problem, points, results.ceilings, referee);
    progress.clear();
    fmt::print("{}\n", table_of(table));
    std::fflush(stdout);
    passed = passed && table.stages.all_passed() &&
             std::all_of(table.points.begin(), table.points.end(), [](const SweepResult& point) {
               return point.measurement.runs_checked == 0 || point.measurement.check.passed;
             });
    results.cases.push_back(table.stages);
    tables.push_back(std::move(table));
  }
  if (std::all_of(tables.begin(), tables.end(),
                  [](const SweepTable& table) { return table.points.empty(); }))
    require_something_ran(options, results);
  finish(options, to_json(results, tables), results);
  if (!passed)
    return check_failed;
  return openacc.missing ? bad_usage : checks_passed;
}

/// The table that is to be added to: the file's, if there is one, or else the one in force.
std::vector<TuningEntry> table_before(const std::string& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::is_regular_file(file, error))
    return tuning_table();
  return read_tuning_table(file);
}

/// The problem to tune on: the study's first, unless another is several times its size; there, what
/// a shape costs shows better. Or what --set asks for.
Case tuned_case(const StudyEntry& study, const Options& options) {
  constexpr double several = 4;
  const std::vector<Case> cases = chosen_cases(study, options);
  const Case* chosen = &cases.front();
  const auto bytes = [&](const Case& instance) {
    return study.footprint(Parameters(study, instance.settings));
  };
  for (const Case& instance : cases)
    if (bytes(instance) > several * bytes(*chosen))
      chosen = &instance;
  return *chosen;
}

int tune(const Options& options) {
  if (options.rounds > 0 && options.rounds < fewest_samples)
    throw base::UsageError(
        fmt::format("tune: --rounds {} is too few to tell shapes apart, from {} up", options.rounds,
                    fewest_samples));
  if (!options.table_file.empty())
    base::require_writable(options.table_file);
  const std::vector<TuningEntry> before = table_before(options.table_file);
  std::vector<const StudyEntry*> chosen = chosen_studies(options);
  if (options.studies.empty())
    std::erase_if(chosen, [](const StudyEntry* study) { return !study->sweep.run; });
  if (!options.set.empty() && chosen.size() != 1)
    throw base::UsageError("--set needs one study: keys differ from study to study");
  for (const StudyEntry* study : chosen) {
    if (std::count(chosen.begin(), chosen.end(), study) > 1)
      throw base::UsageError("tune: " + std::string(study->id) +
                             " is named more than once; once is enough");
    require_levels(*study);
    require_settings(*study, {tuned_case(*study, options)});
    static_cast<void>(sweep_points(*study, options));
  }
  fmt::print("{}{}\n", warning_of(look(Machine(threads_of_kernels()))),
             text_of(provenance(nullptr)));
  std::fflush(stdout);
  ProgressLine progress;
  std::vector<std::string> kernels;
  std::vector<TuningEntry> measured;
  bool passed = true;
  for (const StudyEntry* study : chosen) {
    const Case instance = tuned_case(*study, options);
    progress.show(fmt::format("{} {}: preparing", study->id, instance.name));
    const auto problem = make_problem(*study, Parameters(*study, instance.settings));
    require_sound_problem(options, *study, *problem);
    const Tuning tuning = harness::tune(*study, *problem, instance, sweep_points(*study, options),
                                        referee_options(options, *study, instance, progress));
    progress.clear();
    fmt::print("{}\n", table_of(tuning));
    std::fflush(stdout);
    passed = passed && tuning.all_passed();
    if (tuning.entry) {
      kernels.emplace_back(study->id);
      measured.push_back(*tuning.entry);
    }
  }
  if (!passed) {
    tell("{}: a check failed; no table was written\n", program().name);
    return check_failed;
  }
  const std::vector<TuningEntry> after = merge_tuning(before, kernels, architecture(), measured);
  const std::string text = tuning_table_text(after);
  if (options.table_file.empty()) {
    fmt::print(
        "{}\nto keep it: --output FILE, and {}=FILE in the environment of every program that "
        "is to use it;\nfor the studies of every build: --output "
        "src/studies/tuning_table.inc, and build again\n",
        text, tuning_table_variable);
    return checks_passed;
  }
  base::write_whole(options.table_file, text);
  fmt::print("{}: {} {}, {} of them measured now on {}\n", options.table_file, after.size(),
             after.size() == 1 ? "entry" : "entries", measured.size(), architecture());
  return checks_passed;
}

/// What `gangway run` is given on each number of ranks, beside the problem and the output.
std::vector<std::string> arguments_of_runs(const Options& options) {
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

/// Launches runs on several numbers of ranks. This process itself has no part in them, and no
/// Kokkos.
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

/// Which problem, and how much time it may take.
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
void add_running(CLI::App& command, Options& options) {
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

/// Becomes the translator, a program of its own beside this one: it needs Clang's libraries.
/// Returns only by UsageError, where there is none.
[[noreturn]] void become_port(char** arguments) {
  const std::string translator = (base::program_file().parent_path() / "gangway-port").string();
  execv(translator.c_str(), arguments);
  throw base::UsageError(fmt::format("port: there is no {}. It is built where the libraries and "
                                     "headers of Clang 22 are (libclang-22-dev and llvm-22-dev "
                                     "in Debian); docs/port.md says more",
                                     translator));
}

/// What only one process can do, for which several would do it side by side.
void require_one_rank(const std::string& command) {
  if (const int ranks = ranks::world().size(); ranks > 1)
    throw base::UsageError(fmt::format(
        "{} is for one process, and {} ranks were launched; run and compare work across "
        "ranks",
        command, ranks));
}

int command(int argc, char** argv) {
  Options options;
  CLI::App app("Case studies in Kokkos and OpenACC, run in one process on the same memory, checked "
               "and compared.");
  app.name(program().name);
  app.set_version_flag("--version", std::string("gangway ") + version());
  app.require_subcommand(0, 1);
  app.footer("Exit status: 0 every run was right, 1 a check failed, 2 bad usage or input,\n"
             "130 or 143 ended by a signal.\n"
             "GANGWAY_TUNING_TABLE names a table of shapes, as gangway tune --output writes it.\n"
             "Options that begin with --kokkos- go to Kokkos, such as --kokkos-num-threads=2.");

  auto* list_command = app.add_subcommand("list", "The studies, their variants and keys");
  list_command->add_flag("--json", options.json, "As JSON");

  auto* info_command =
      app.add_subcommand("info", "Devices, compilers and run-time libraries of both models");
  info_command->add_flag("--json", options.json, "As JSON");
  add_common(*info_command, options);

  auto* run_command = app.add_subcommand("run", "Run one study on one problem");
  run_command->add_option("study", options.studies, "The study")->required()->expected(1);
  add_measuring(*run_command, options);

  auto* compare_command =
      app.add_subcommand("compare", "Run both models in alternation and compare them");
  compare_command->add_option("study", options.studies, "The studies; all if none is named");
  add_measuring(*compare_command, options);

  auto* scale_command = app.add_subcommand(
      "scale", "Launch a study on several numbers of ranks: efficiencies, and a model of more");
  add_scaling(*scale_command, options);

  auto* sweep_command =
      app.add_subcommand("sweep", "Sweep workers, vector length and items per worker");
  sweep_command->add_option("study", options.studies, "The study")->required()->expected(1);
  options.workers = {1, 2, 4, 8, 16, 32};
  options.vector = {1, 2, 4, 8, 16, 32};
  sweep_command->add_option("--workers", options.workers, "Workers of a gang")
      ->delimiter(',')
      ->check(number());
  sweep_command->add_option("--vector", options.vector, "Vector lengths")
      ->delimiter(',')
      ->check(number());
  sweep_command->add_option("--items", options.items, "Items (such as rows) a worker")
      ->delimiter(',')
      ->check(number());
  add_measuring(*sweep_command, options);

  auto* tune_command = app.add_subcommand(
      "tune", "Find each study's fastest shape on this device, for the table of gangway::tuned");
  tune_command->add_option("study", options.studies,
                           "The studies; all that have levels if none is named");
  tune_command->add_option("--workers", options.workers, "Workers of a gang")
      ->delimiter(',')
      ->check(number());
  tune_command->add_option("--vector", options.vector, "Vector lengths")
      ->delimiter(',')
      ->check(number());
  tune_command->add_option("--items", options.items, "Items (such as rows) a worker")
      ->delimiter(',')
      ->check(number());
  add_problem(*tune_command, options);
  tune_command
      ->add_option("--output", options.table_file,
                   "Write the table, with the lines of other devices that it has")
      ->type_name("FILE")
      ->check(file_name());
  tune_command->footer(fmt::format(
      "A file that does not exist yet begins as the table in force. Programs use it with {}=FILE "
      "in "
      "their environment, before their own table, or compile it in; docs/tuning.md says how.\n"
      "A line is: kernel architecture workers vector items ratio low high date commit problem, "
      "device",
      tuning_table_variable));

  app.add_subcommand("port", "Translate OpenACC sources into Kokkos; port --help says more");

  std::string new_name;
  std::string new_directory = ".";
  auto* new_command = app.add_subcommand(
      "new", "Write a study of one kernel of your own, from a template that runs and passes");
  new_command->add_option("name", new_name, "The study's name, an identifier")->required();
  new_command
      ->add_option("--directory", new_directory,
                   "Where its folder is made; in src/studies of Gangway's sources it is built with "
                   "them, elsewhere it is a project of its own")
      ->type_name("DIR")
      ->check(file_name());

  options.given.assign(argv + 1, argv + argc);
  Arguments arguments(argc, argv);
  if (const auto status = parse(app, arguments))
    return *status;
  for (const CLI::App* one : {scale_command, sweep_command, tune_command, new_command})
    if (one->parsed())
      require_one_rank(one->get_name());
  if (app.get_subcommands().empty())
    throw base::UsageError(
        fmt::format("a command is needed: list, info, run, compare, scale, sweep, tune, "
                    "new or port; {} --help says more",
                    program().name));
  if (list_command->parsed())
    return list(options);
  if (new_command->parsed()) {
    std::vector<std::string> taken;
    for (const StudyEntry* study : studies())
      taken.emplace_back(study->id);
    const NewStudy made = new_study(new_name, new_directory, taken);
    for (const auto& file : made.files)
      fmt::print("{}\n", file.string());
    fmt::print("\nto build it and compare:\n\n{}", made.next);
    return checks_passed;
  }

  require_kokkos_settings(arguments);
  if (scale_command->parsed()) {
    base::catch_signals(harness::program().name);
    return scale(options);
  }
  ranks::set_time_limit(std::chrono::milliseconds(std::llround(1000 * options.time_limit)));
  choose_device(arguments);
  const Kokkos::ScopeGuard kokkos(arguments.kokkos_count, arguments.for_kokkos.data());
  base::catch_signals(harness::program().name);
  if (options.separate_memory)
    set_memory(Memory::separate);
  static_cast<void>(tuning_table()); // what is wrong with it is said before anything is measured
  if (info_command->parsed())
    return info(options);
  if (run_command->parsed())
    options.one_case = true;
  if (tune_command->parsed())
    return tune(options);
  return sweep_command->parsed() ? sweep(options) : compare(options);
}

/// The command, on all ranks that were launched.
int dispatch(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "port")
    become_port(argv + 1); // what is behind it is the translator's, and the compiler's
  return across_ranks(program().name, interrupted, [&] { return command(argc, argv); });
}

} // namespace

int main(int argc, char** argv) {
  return apps::run(harness::program().name.c_str(), interrupted, argc, argv, dispatch);
}
