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

/// Beginning and end of every program.
namespace gangway::apps {

/// Status of a program that ended with a message.
inline constexpr int bad_usage = 2;

/// Silences `tell` from now on, because another rank speaks.
void be_silent();
[[nodiscard]] bool is_silent();

/// Says it on standard error, if that can be written to. Without a reader, a program still does its
/// work. (fmt::print throws.)
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

/// Completes OpenMP's environment so that threads stay on processors of their own: binding to
/// cores, spread over them. Returns nothing if the user said anything about binding. If fewer
/// threads were asked for than there are processors, they stay unbound, because two such programs
/// would be bound to the same cores.
[[nodiscard]] Variables binding(const Lookup& variable, int processors,
                                const std::vector<std::string>& arguments);

/// Gives each rank on this host its share of the threads, unless the user said how many. It does so
/// if the launcher did not bind each rank to processors of its own: all of them then have more than
/// the machine's. Without shares, ranks would share processors, and threads that wait for each
/// other spin.
[[nodiscard]] Variables share_of_threads(const Lookup& variable, int processors, int of_machine,
                                         const std::vector<std::string>& arguments);

/// Refuses options and variables over which Kokkos would end the program with a stack trace, or
/// hang. Errors: UsageError.
void require_kokkos_settings(const Lookup& variable, const std::vector<std::string>& arguments);

/// Prepares the process; to be called before anything else. A limit on the size of files (`ulimit
/// -f`) is like a full disk from then on, where the system would kill the program. A standard
/// stream that is not open stays unusable, but no file that is opened later can take its place.
/// Threads are bound as `binding` says. OpenMP reads its environment when it is loaded, so if that
/// changes it, the program is started once more, as the same process. GANGWAY_BINDING notes what
/// was set, for provenance.
void start(int argc, char** argv);

/// Status and message with which an error ends a program.
struct Ending {
  int status;
  std::string message; ///< empty: the program says nothing
};
/// Returns the ending for the exception that is being handled. `Interrupted` ends a program with
/// 128 + the signal, after it says `interrupted`; every other exception ends it with status 2. If
/// memory ran out, the message says what the program was at work on, because neither the system nor
/// Kokkos knows.
[[nodiscard]] Ending ending(const std::string& interrupted);

/// Calls `work` while Kokkos runs, which takes its options from so many arguments; returns what
/// `work` returns. The watch over exits learns of an error in `work` before Kokkos ends. With a
/// device that has no memory left at all, Kokkos cannot even end, and would end the program without
/// giving the reason.
[[nodiscard]] int while_kokkos_runs(int& count, char** arguments, const std::function<int()>& work);

/// Runs a program: `start`, then `dispatch(argc, argv)`, which returns the exit status. Errors go
/// to standard error and end it with status 2, as does output that could not be written.
/// `Interrupted` ends it with 128 + the signal, after it says `interrupted`, if that is not empty.
/// If a library ends the program while `dispatch` is at work, it ends with status 2 and a message.
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
