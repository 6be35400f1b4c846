// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// gangway-bench: every study, case, model, variant and scope as a benchmark of Google Benchmark's,
/// named STUDY/CASE/MODEL/VARIANT/SCOPE. For trends and for tools that read its output; what is
/// faster than what is gangway compare's to say, which runs twins in alternation. Exit status: 0
/// every run was right, 1 a check failed, 2 bad usage or input.
#include "../apps/common/command_line.hpp"
#include "base/contains.hpp"
#include "base/errors.hpp"
#include "gangway/runtime.hpp"
#include "harness/provenance.hpp"
#include "harness/referee.hpp"
#include "harness/report.hpp"

#include <CLI/CLI.hpp>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace gangway;
using namespace gangway::harness;

constexpr int checks_passed = 0;
constexpr int check_failed = 1;

/// What all benchmarks share. One problem is held at a time: benchmarks of a case follow each
/// other.
struct Session {
  LoadedOpenAcc openacc;
  std::string without_openacc; ///< why there is none, or not all
  Ceilings ceilings;
  bool failed = false;

  const StudyEntry* study = nullptr;
  std::string name; ///< of the case
  Scope scope = Scope::kernel;
  std::unique_ptr<Problem> problem;
  std::unique_ptr<TimedRuns> runs;

  TimedRuns& runs_on(const StudyEntry& wanted, const Case& instance, Scope wanted_scope) {
    if (study != &wanted || name != instance.name || !problem) {
      runs.reset();
      problem.reset();
      problem = make_problem(wanted, Parameters(wanted.id, wanted.keys, instance.settings));
      study = &wanted;
      name = instance.name;
    }
    if (!runs || scope != wanted_scope) {
      runs.reset();
      runs = std::make_unique<TimedRuns>(*problem, openacc.all(), wanted_scope);
      scope = wanted_scope;
    }
    return *runs;
  }
};

/// One benchmark. OpenACC's kernel is looked up when it runs, so that listing loads no library.
struct Entry {
  const StudyEntry* study;
  Case instance;
  Variant variant;
  Scope scope;
  std::string library = {}; ///< of OpenACC: the label of one of several, else empty

  [[nodiscard]] std::string name() const {
    Measurement named;
    named.model = variant.model;
    named.library = library;
    std::string text = fmt::format("{}/{}/{}/{}/{}", study->id, instance.name,
                                   side_of(named, !library.empty()), variant.name, name_of(scope));
    std::replace(text.begin(), text.end(), ' ', '-');
    return text;
  }
  /// Of an OpenACC variant the library that it is from. Errors: NotAvailable if that is missing.
  [[nodiscard]] const OpenAccLibrary* find_library(const Session& session) const {
    if (variant.model != Model::openacc)
      return nullptr;
    for (const OpenAccLibrary* loaded : session.openacc.all())
      if (library.empty() || library == loaded->label())
        return loaded;
    throw NotAvailable(session.without_openacc);
  }
  [[nodiscard]] Prepare prepare(const OpenAccLibrary* from) const {
    if (from == nullptr)
      return variant.prepare;
    if (Prepare prepare = study->openacc(*from, variant.name))
      return prepare;
    throw NotAvailable("the OpenACC library lacks this variant");
  }
};

std::string label(const Share& share, const std::vector<Shape>& shapes) {
  return shapes.empty() ? share.ceiling
                        : fmt::format("{}, {}", share.ceiling, shapes.front().text());
}

void measure(benchmark::State& state, const Entry& entry, Session& session) {
  try {
    if (base::contains(entry.instance.without, entry.variant.name)) {
      state.SkipWithMessage("left out of this case, at whose size it may take hours");
      return;
    }
    const OpenAccLibrary* const library = entry.find_library(session);
    const Prepare prepare = entry.prepare(library);
    TimedRuns& runs = session.runs_on(*entry.study, entry.instance, entry.scope);
    const Run run = runs.set_up(prepare);
    const auto checked = [&] {
      TimedRuns::Result result = runs.run(run, library);
      if (!result.check.passed) {
        session.failed = true;
        state.SkipWithError(fmt::format("failed its check: {} (error {:.3g}, tolerance {:.3g})",
                                        result.check.detail, result.check.error,
                                        result.check.tolerance));
      }
      return result;
    };

    const TimedRuns::Result warm_up = checked();
    const Transfers moved = warm_up.transfers.value_or(Transfers{});
    std::vector<double> seconds;
    for (auto _ : state) {
      const TimedRuns::Result result = checked();
      if (!result.check.passed)
        break;
      state.SetIterationTime(result.seconds);
      seconds.push_back(result.seconds);
    }
    if (seconds.empty())
      return;
    const Work work = session.problem->work();
    const auto runs_done = static_cast<double>(seconds.size());
    const double typical = median(seconds);
    if (work.bytes > 0) {
      state.SetBytesProcessed(static_cast<std::int64_t>(work.bytes * runs_done));
      state.counters["GB/s"] = work.bytes / typical / 1e9;
    }
    if (work.flops > 0) // items are floating-point operations
      state.SetItemsProcessed(static_cast<std::int64_t>(work.flops * runs_done));
    const Share share =
        share_of_run(entry.variant, *session.problem, session.ceilings, entry.scope, typical);
    if (share.value > 0)
      state.counters["share"] = share.value;
    if (moved.to_device + moved.to_host > 0)
      state.counters["transferred_MB"] =
          static_cast<double>(moved.bytes_to_device + moved.bytes_to_host) / 1e6;
    state.SetLabel(label(share, warm_up.shapes));
  } catch (const NotAvailable& reason) {
    state.SkipWithMessage(reason.what());
  } catch (const ClauseError& reason) {
    state.SkipWithMessage(reason.what());
  } catch (const std::exception& error) {
    session.failed = true;
    state.SkipWithError(error.what());
  }
}

/// `labels` are of the OpenACC libraries; an empty one is of one that is alone.
std::vector<Entry> entries_of(const StudyEntry& study, const std::vector<std::string>& labels,
                              Effort effort, double memory) {
  std::vector<Entry> entries;
  for (const Case& instance : study.cases(effort, memory))
    for (const Scope scope : {Scope::kernel, Scope::whole}) {
      const auto add_openacc = [&](Variant variant) {
        variant.model = Model::openacc;
        for (const std::string& label : labels)
          entries.push_back({&study, instance, variant, scope, label});
      };
      for (const Variant& variant : study.kokkos) {
        entries.push_back({&study, instance, variant, scope});
        // A library that lacks one says so when it is to run.
        if (variant.openacc_cannot.empty())
          add_openacc(variant);
      }
      for (const Variant& variant : study.openacc_only)
        add_openacc(variant);
      if (scope == Scope::kernel)
        for (const Variant& variant : study.yardsticks)
          entries.push_back({&study, instance, variant, scope});
    }
  return entries;
}

/// What --openacc-library gives. The names of benchmarks have the labels and are listed without
/// loading anything, so that of several libraries each is given one. Errors: UsageError.
std::vector<OpenAccChoice> choices_of(const std::vector<std::string>& given) {
  if (given.empty())
    return {{"", OpenAccLibrary::default_path()}};
  std::vector<OpenAccChoice> choices = openacc_choices(given);
  for (OpenAccChoice& choice : choices)
    if (choices.size() == 1)
      choice.label.clear(); // names are then those of one library
    else if (choice.label.empty())
      throw base::UsageError(fmt::format("--openacc-library {}: of several libraries each needs a "
                                         "label here, LABEL=FILE",
                                         choice.path.string()));
  return choices;
}

void load_openacc(Session& session, const std::vector<OpenAccChoice>& choices, int& status) {
  if (choices.empty()) {
    session.without_openacc = "left out by --openacc-library none";
    return;
  }
  session.openacc = harness::load_openacc(choices);
  for (const std::string& failure : session.openacc.failures) {
    session.without_openacc += (session.without_openacc.empty() ? "" : "; ") + failure;
    status = apps::bad_usage;
    apps::tell("gangway-bench: {}\n"
               "gangway-bench: going on without {}; the exit status will be {}. Give "
               "--openacc-library FILE, or --openacc-library none to leave it out on purpose.\n",
               failure, session.openacc.libraries.empty() ? "OpenACC" : "it", apps::bad_usage);
  }
}

void add_context(const Session& session) {
  for (const auto& [name, value] : provenance(session.openacc.all()))
    if (name != "date") // Google Benchmark has its own
      benchmark::AddCustomContext(name, value);
  std::string ceilings = text_of(session.ceilings);
  ceilings.erase(ceilings.find_last_not_of('\n') + 1);
  std::replace(ceilings.begin(), ceilings.end(), '\n', ';');
  benchmark::AddCustomContext("ceilings", ceilings.substr(ceilings.find_first_not_of(' ')));
}

/// Google Benchmark reads the option but does not tell.
bool only_lists(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view argument) {
    return argument == "--benchmark_list_tests" || argument == "--benchmark_list_tests=true" ||
           argument == "--benchmark_list_tests=1";
  });
}

int run(int argc, char** argv) {
  const bool lists = only_lists(argc, argv);
  // Each run is reset and checked outside its time: half a second of runs takes many.
  std::string min_time = "--benchmark_min_time=0.1s";
  std::vector<char*> arguments{argv[0], min_time.data()};
  std::vector<char*> for_kokkos{argv[0]};
  bool help = false;
  for (char* argument : std::vector<char*>(argv + 1, argv + argc)) {
    help = help || std::string_view(argument) == "--help";
    (std::string_view(argument).starts_with("--kokkos-") ? for_kokkos : arguments)
        .push_back(argument);
  }

  bool quick = false;
  bool full = false;
  std::vector<std::string> libraries;
  CLI::App app("Every study, case, model, variant and scope as a benchmark named "
               "STUDY/CASE/MODEL/VARIANT/SCOPE.");
  app.name("gangway-bench");
  auto* quick_flag = app.add_flag("--quick", quick, "Small sizes");
  app.add_flag("--full", full, "The documents' sizes")->excludes(quick_flag);
  app.add_option("--openacc-library", libraries,
                 "The OpenACC side to load (default: beside this program), or none; given more "
                 "than once, with labels, each is a MODEL of its own, openacc[LABEL]")
      ->type_name("[LABEL=]FILE")
      ->allow_extra_args(false)
      ->check(apps::file_name());
  app.footer(
      "Options that begin with --benchmark_ go to Google Benchmark:\n"
      "  --benchmark_list_tests           names, without touching a device\n"
      "  --benchmark_filter=REGEX         such as '^spmv/guide/.*/kernel'\n"
      "  --benchmark_min_time=0.1s        of each, or 5x: so many runs\n"
      "  --benchmark_out=FILE, --benchmark_out_format=json|csv, --benchmark_repetitions=N\n"
      "Options that begin with --kokkos- go to Kokkos.\n"
      "bytes_per_second and GB/s are of the bytes a study declares, items_per_second are its\n"
      "floating-point operations, share is of the ceiling that the label names.\n"
      "Exit status: 0 every run was right, 1 a check failed, 2 bad usage or input.");
  if (!help) {
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    arguments.resize(static_cast<std::size_t>(count));
  } else {
    arguments.erase(arguments.begin() + 1);
  }
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? checks_passed : apps::bad_usage;
  }
  const Effort effort = quick ? Effort::quick : full ? Effort::full : Effort::normal;

  const std::vector<OpenAccChoice> choices = choices_of(libraries);
  std::vector<std::string> labels;
  for (const OpenAccChoice& choice : choices)
    labels.push_back(choice.label);
  if (labels.empty())
    labels.emplace_back(); // what is left out is listed, and skipped with the reason

  Session session;
  int status = checks_passed;
  // Listing shows what there would be if memory were no matter.
  const auto add_all = [&](double memory) {
    for (const StudyEntry* study : studies())
      for (Entry& entry : entries_of(*study, labels, effort, memory)) {
        const std::string name = entry.name();
        benchmark::RegisterBenchmark(name,
                                     [entry = std::move(entry), &session](benchmark::State& state) {
                                       measure(state, entry, session);
                                     })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
  };
  if (lists) {
    add_all(1e12);
    benchmark::RunSpecifiedBenchmarks();
    return checks_passed;
  }

  int kokkos_count = static_cast<int>(for_kokkos.size());
  for_kokkos.push_back(nullptr);
  const auto variable = [](const char* name) { return std::getenv(name); };
  apps::require_kokkos_settings(variable, {for_kokkos.begin(), for_kokkos.end() - 1});
  return apps::while_kokkos_runs(kokkos_count, for_kokkos.data(), [&] {
    load_openacc(session, choices, status);
    session.ceilings = measure_ceilings(Effort::quick);
    add_context(session);
    add_all(usable_memory());
    const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    session.runs.reset(); // before Kokkos goes
    session.problem.reset();
    if (ran == 0) // Google Benchmark has said so
      return apps::bad_usage;
    return session.failed ? check_failed : status;
  });
}

} // namespace

int main(int argc, char** argv) {
  return apps::run("gangway-bench", "interrupted", argc, argv, run);
}
