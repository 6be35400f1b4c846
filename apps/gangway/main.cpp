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
#include "ranks/session.hpp"

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <string>
#include <string_view>

namespace {

using namespace gangway;
using namespace gangway::apps;
using namespace gangway::harness;

constexpr const char* interrupted = "interrupted; nothing was written";

/// Becomes the translator, a program of its own beside this one: it needs Clang's libraries.
/// Without it becomes the reader of Fortran, which needs Flang's. Returns only by UsageError, where
/// there is neither.
[[noreturn]] void become_port(char** arguments) {
  const std::string translator = (base::program_file().parent_path() / "gangway-port").string();
  execv(translator.c_str(), arguments);
  execv((translator + "-fortran").c_str(), arguments);
  throw base::UsageError(fmt::format("port: there is no {}. It is built where the libraries and "
                                     "headers of Clang 22 are (libclang-22-dev and llvm-22-dev "
                                     "in Debian); docs/port.md says more",
                                     translator));
}

/// Refuses to run across ranks a command that each of them would do side by side.
void require_one_rank(const std::string& command) {
  if (const int ranks = ranks::world().size(); ranks > 1)
    throw base::UsageError(fmt::format(
        "{} is for one process, and {} ranks were launched; run and compare work across "
        "ranks",
        command, ranks));
}

int command(int argc, char** argv) {
  CLI::App app("Case studies in Kokkos and OpenACC, run in one process on the same memory, checked "
               "and compared.");
  app.name(program().name);
  app.set_version_flag("--version", std::string("gangway ") + version());
  app.require_subcommand(0, 1);
  app.footer("Exit status: 0 every run was right, 1 a check failed, 2 bad usage or input,\n"
             "130 or 143 ended by a signal.\n"
             "Options that begin with --kokkos- go to Kokkos, such as --kokkos-num-threads=2.");
  ListOptions list_options;
  InfoOptions info_options;
  RunOptions run_options;
  CompareOptions compare_options;
  ScaleOptions scale_options;
  SweepOptions sweep_options;
  TuneOptions tune_options;
  NewOptions new_options;
  const CLI::App& list_command = add_list(app, list_options);
  const CLI::App& info_command = add_info(app, info_options);
  const CLI::App& run_command = add_run(app, run_options);
  const CLI::App& compare_command = add_compare(app, compare_options);
  const CLI::App& scale_command = add_scale(app, scale_options);
  const CLI::App& sweep_command = add_sweep(app, sweep_options);
  const CLI::App& tune_command = add_tune(app, tune_options);
  app.add_subcommand("port", "Translate OpenACC sources into Kokkos; port --help says more");
  const CLI::App& new_command = add_new(app, new_options);

  compare_options.given.assign(argv + 1, argv + argc);
  Arguments arguments(argc, argv);
  if (const auto status = parse(app, arguments))
    return *status;
  for (const CLI::App* one : {&scale_command, &sweep_command, &tune_command, &new_command})
    if (one->parsed())
      require_one_rank(one->get_name());
  if (app.get_subcommands().empty())
    throw base::UsageError(
        fmt::format("a command is needed: list, info, run, compare, scale, sweep, tune, "
                    "new or port; {} --help says more",
                    program().name));
  if (list_command.parsed())
    return list(list_options);
  if (new_command.parsed())
    return new_study(new_options);

  require_kokkos_settings(arguments);
  if (scale_command.parsed()) {
    const auto end = arguments.for_kokkos.begin() + arguments.kokkos_count;
    scale_options.kokkos.assign(arguments.for_kokkos.begin() + 1, end);
    base::catch_signals(harness::program().name);
    return scale(scale_options);
  }
  const auto with_kokkos = [&](double time_limit, bool separate_memory, const auto& work) {
    ranks::set_time_limit(std::chrono::milliseconds(std::llround(1000 * time_limit)));
    choose_device(arguments);
    return apps::while_kokkos_runs(arguments.kokkos_count, arguments.for_kokkos.data(), [&] {
      base::catch_signals(harness::program().name);
      if (separate_memory)
        set_memory(Memory::separate);
      return work();
    });
  };
  const auto measured = [&](const RunningOptions& options, const auto& work) {
    return with_kokkos(options.time_limit, options.separate_memory, work);
  };
  if (run_command.parsed())
    return measured(run_options, [&] { return run(run_options); });
  if (compare_command.parsed())
    return measured(compare_options, [&] { return compare(compare_options); });
  if (sweep_command.parsed())
    return measured(sweep_options, [&] { return sweep(sweep_options); });
  const double time_limit = RunningOptions().time_limit;
  if (info_command.parsed())
    return with_kokkos(time_limit, false, [&] { return info(info_options); });
  return with_kokkos(time_limit, false, [&] { return tune(tune_options); });
}

/// The command, on all ranks that were launched.
int dispatch(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "port")
    become_port(argv + 1); // the arguments after it are the translator's, and the compiler's
  return across_ranks(program().name, interrupted, [&] { return command(argc, argv); });
}

} // namespace

int main(int argc, char** argv) {
  return apps::run(harness::program().name.c_str(), interrupted, argc, argv, dispatch);
}
