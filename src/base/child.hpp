// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

/// Programs that a program here starts: itself again, MPI's launcher, Python. All of them are
/// started by `start_child`, so that none inherits what a program does to its own process.
namespace gangway::base {

/// Open descriptors that become a child's standard input, output and error.
struct Streams {
  int input = 0;
  int output = 1;
  int error = 2;
};

/// A descriptor that is closed when this is, and that no child inherits.
class Descriptor {
public:
  explicit Descriptor(int number) : _number(number) {}
  /// Opens a file, as open(2) takes `flags`; a new one is for its owner. Errors: std::system_error.
  Descriptor(const std::string& file, int flags);
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return _number; }
  void close();

private:
  int _number;
};

/// Starts `command.front()`, found on the path, with the other words as its arguments. It may use
/// the processors that this process could use when it was started: OpenMP binds a process's first
/// thread to one core, and a child would stay there. No signal is blocked, and those that `start`
/// (apps/common) ignores are not. It has no descriptor but its standard streams, and of the
/// environment not what `start` has added to it. Errors: std::system_error where it cannot be run.
[[nodiscard]] pid_t start_child(std::vector<std::string> command, const Streams& streams = {});

/// How many processors this process could use when it was started, before OpenMP bound its first
/// thread; 0 where that is not known.
[[nodiscard]] int processors_at_start();

/// Waits for a child's end and returns its exit status, or 128 + the number of the signal that
/// ended it. A signal that asks this process to stop is handed on, and thrown once the child has
/// ended: the terminal's Ctrl-C reaches both, one to this process alone would not. Errors:
/// Interrupted.
[[nodiscard]] int status_of_child(pid_t child);

/// The variable that `start` sets where it has bound this process's threads itself, for provenance.
inline constexpr const char* bound_by_start = "GANGWAY_BINDING";

} // namespace gangway::base
