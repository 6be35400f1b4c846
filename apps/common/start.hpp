// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/errors.hpp"
#include "base/exits.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// How every program begins and ends.
namespace gangway::apps {

/// Status of a program that ended with a message.
inline constexpr int bad_usage = 2;

/// From now on `tell` says nothing: another rank does.
void be_silent();
[[nodiscard]] bool is_silent();

/// Says it on standard error, if that can be written to: where nobody reads, a program still does
/// its work. (fmt::print throws.)
template <class... Values>
void tell(fmt::format_string<Values...> text, Values&&... values) {
  if (is_silent())
    return;
  const std::string said = fmt::format(text, std::forward<Values>(values)...);
  static_cast<void>(std::fputs(said.c_str(), stderr));
}

using Variables = std::vector<std::pair<std::string, std::string>>;
/// The value of a variable of the environment, or null.
using Lookup = std::function<const char*(const char*)>;

/// What OpenMP's environment is to be completed with, so that threads stay on processors of their
/// own: binding to cores, spread over them. Nothing if the user said anything of binding. If fewer
/// threads were asked for than there are processors, they are not bound: two such programs would be
/// bound to the same cores.
[[nodiscard]] Variables binding(const Lookup& variable, int processors,
                                const std::vector<std::string>& arguments);

/// Of the ranks that a launcher started on this host and did not bind each to processors of its own
/// (so many that all of them have more than the machine's) each gets its share of the threads,
/// unless the user said how many: they would share processors, and threads that wait for each other
/// spin.
[[nodiscard]] Variables share_of_threads(const Lookup& variable, int processors, int of_machine,
                                         const std::vector<std::string>& arguments);

/// What Kokkos would end the program over, with a trace of its stack or in a hang, in its options
/// and variables. Errors: UsageError.
void require_kokkos_settings(const Lookup& variable, const std::vector<std::string>& arguments);

/// To be done before anything else. A limit on the size of files (`ulimit -f`) is like a full disk
/// from then on, where the system would kill the program. What is not open among the standard
/// input, output and error stays unusable, but no file that is opened later can take its place.
/// Threads are bound as `binding` says; OpenMP reads its environment when it is loaded, so where
/// that has to change the program is started once more, as the same process. What was set is noted
/// in GANGWAY_BINDING for provenance.
void start(int argc, char** argv);

/// How a program ends over an error.
struct Ending {
  int status;
  std::string message; ///< empty: nothing is said
};
/// Of the exception that is being handled. `Interrupted` ends a program with 128 + the signal,
/// after `interrupted` is said; everything else with status 2. Where memory ran out, the message
/// says what the program was at work on: neither the system nor Kokkos knows.
[[nodiscard]] Ending ending(const std::string& interrupted);

/// Does `work` while Kokkos runs, which takes its options from so many arguments; returns what it
/// returns. What it fails of is known to the watch over exits before Kokkos ends: with a device
/// that has no memory left at all, Kokkos cannot even end, and would end the program without a word
/// of the reason.
[[nodiscard]] int while_kokkos_runs(int& count, char** arguments, const std::function<int()>& work);

/// Runs a program: `start`, then `dispatch(argc, argv)`, which returns the exit status. Errors are
/// said on standard error and end it with status 2, as does output that could not be written;
/// `Interrupted` with 128 + the signal, after `interrupted` is said, if that is not empty; and with
/// status 2 and a message, if a library ends the program while `dispatch` is at work.
template <class Dispatch>
int run(const char* name, const std::string& interrupted, int argc, char** argv,
        const Dispatch& dispatch) {
  start(argc, argv);
  const base::ExitWatch watch(name, bad_usage);
  try {
    const int status = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // a full disk, or it was closed
      throw base::UsageError("cannot write to the standard output");
    return status;
  } catch (...) {
    const Ending end = ending(interrupted);
    if (!end.message.empty())
      tell("{}: {}\n", name, end.message);
    return end.status;
  }
}

} // namespace gangway::apps
