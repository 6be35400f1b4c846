// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// gangway: lists, runs, compares, scales, sweeps and tunes the studies. Exit status: 0 every run
/// was checked and right, 1 a check failed, 2 bad usage or input, 130 or 143 ended by a signal.

#include "../common/across_ranks.hpp"
#include "../common/command_line.hpp"
#include "base/errors.hpp"
#include "base/places.hpp"
#include "base/signals.hpp"
#include "commands.hpp"
#include "gangway/device.hpp"
#include "harness/program.hpp"
#include "harness/provenance.hpp"
#include "harness/registry.hpp"
#include "new_study.hpp"
#include "options.hpp"
#include "ranks/session.hpp"

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace gangway;
using namespace gangway::apps;
using namespace gangway::harness;

constexpr const char* interrupted = "interrupted; nothing was written";

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
  add_shapes(*sweep_command, options);
  add_measuring(*sweep_command, options);

  auto* tune_command = app.add_subcommand("tune", "Find each study's fastest shape on this device");
  tune_command->add_option("study", options.studies,
                           "The studies; all that have levels if none is named");
  add_shapes(*tune_command, options);
  add_problem(*tune_command, options);

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
  return apps::while_kokkos_runs(arguments.kokkos_count, arguments.for_kokkos.data(), [&] {
    base::catch_signals(harness::program().name);
    if (options.separate_memory)
      set_memory(Memory::separate);
    if (info_command->parsed())
      return info(options);
    if (run_command->parsed())
      options.one_case = true;
    if (tune_command->parsed())
      return tune(options);
    return sweep_command->parsed() ? sweep(options) : compare(options);
  });
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
