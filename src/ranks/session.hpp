// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// A program's part in a run across ranks, from its beginning to its end.
namespace gangway::ranks {

class Watch;

/// The ranks of this run: this process alone, unless a Session lives that was launched.
[[nodiscard]] Communicator& world();

/// MPI from here to the end of the scope, if a launcher started this process (mpirun): to be made
/// before Kokkos is initialised, and to live until it is finalised. Otherwise nothing, at no cost.
class Session {
public:
  /// `name` is the program's, as messages begin. Errors: UsageError where several ranks were
  /// launched and this build has no MPI.
  explicit Session(std::string name);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Such as "gangway: rank 1 of 4 on HOST"; of a process that is alone "gangway".
  [[nodiscard]] std::string who() const;
  /// From now on only what rank 0 writes to standard output is seen.
  void speak_as_one() const;
  /// Ends all ranks with one message on standard error (none, if it is empty), and with this
  /// status. An error that all ranks meet is told by rank 0, and one that only some meet by the
  /// first of them, a moment later.
  [[noreturn]] void end_all(const std::string& message, int status) const;

private:
  std::string _name;
  std::unique_ptr<Watch> _watch;
};

/// `what` begins, which a message names if a library ends the program meanwhile. Across ranks what
/// follows may take `limit`, until the next is said to begin; a process alone may take any time.
void begins(const std::string& what);
/// For all that begins from now on. Ten minutes unless it is said.
void set_time_limit(std::chrono::milliseconds limit);

/// As the system says it.
[[nodiscard]] std::string host_name();

/// Bytes that a rank may use at most: the host's memory is of all its ranks, a device's of those
/// that share it. The least of all ranks, so that all agree. Of all ranks, while Kokkos runs.
[[nodiscard]] double memory_of_rank();

/// Of ranks that may use so many processors each, at least, and are so many on a host, at most,
/// what a result says of that: where their launcher has left processors to nobody, how to have
/// them.
[[nodiscard]] std::string processors_text(int each, int ranks_on_host, int of_host);

/// What a result says of the run, as name and value: ranks, hosts, the device of each, the
/// processors they may use, MPI, and the way that halos go. Empty for a process alone. All ranks
/// call it, while Kokkos runs.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> facts();

} // namespace gangway::ranks
