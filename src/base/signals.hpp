// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>

namespace gangway::base {

/// The exception of a signal that asked the program to stop; thrown between runs, with no work
/// half-done.
class Interrupted : public std::runtime_error {
public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), _signal(signal) {}
  [[nodiscard]] int signal() const { return _signal; }

private:
  int _signal;
};

/// Makes SIGINT and SIGTERM end long work at the next `stop_if_interrupted`; a second one ends the
/// process. If that takes more than a second, since a kernel cannot be stopped, a message in the
/// name of `program` on standard error says so.
void catch_signals(const std::string& program);

/// Throws Interrupted if a signal came.
void stop_if_interrupted();

/// Forgets the signal that came, so that the program can write what it has. A second signal still
/// ends the process.
void forget_signal();

} // namespace gangway::base
