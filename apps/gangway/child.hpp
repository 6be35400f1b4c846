// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

/// Programs that the command starts: itself again, or MPI's launcher.
namespace gangway::apps {

/// The words' addresses and a null behind them, as posix_spawn takes arguments; the words have to
/// live as long.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& words);

/// Waits for a child's end and returns its exit status, or 128 + the number of the signal that
/// ended it. A signal that asks this process to stop is handed on, and thrown once the child has
/// ended: the terminal's Ctrl-C reaches both, one to this process alone would not. Errors:
/// base::Interrupted.
[[nodiscard]] int status_of_child(pid_t child);

} // namespace gangway::apps
