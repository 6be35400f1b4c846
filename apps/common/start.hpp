// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/errors.hpp"
#include "base/signals.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

/// How every program begins and ends.
namespace gangway::apps {

/// Status of a program that ended with a message.
inline constexpr int bad_usage = 2;

/// Says it on standard error, if that can be written to: where nobody reads, a program still does
/// its work. (fmt::print throws.)
template <class... Values>
void tell(fmt::format_string<Values...> text, Values&&... values) {
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

/// Runs a program: `start`, then `dispatch(argc, argv)`, which returns the exit status. Errors are
/// said on standard error and end it with status 2, as does output that could not be written;
/// `Interrupted` with 128 + the signal, after `interrupted` is said, if that is not empty.
template <class Dispatch>
int run(const char* name, const std::string& interrupted, int argc, char** argv,
        const Dispatch& dispatch) {
  start(argc, argv);
  try {
    const int status = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // a full disk, or it was closed
      throw base::UsageError("cannot write to the standard output");
    return status;
  } catch (const base::Interrupted& signal) {
    if (!interrupted.empty())
      tell("{}: {}\n", name, interrupted);
    return 128 + signal.signal();
  } catch (const std::bad_alloc&) {
    tell("{}: not enough memory\n", name);
  } catch (const std::exception& error) {
    tell("{}: {}\n", name, error.what());
  }
  return bad_usage;
}

} // namespace gangway::apps
