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

/// Returns the ranks of this run: this process alone, unless a Session lives that was launched.
[[nodiscard]] Communicator& world();

/// MPI from here to the end of the scope, if a launcher (mpirun) started this process. Make it
/// before Kokkos is initialised, and end it after Kokkos is finalised. Without a launcher it does
/// nothing, at no cost.
class Session {
public:
  /// Begins MPI for the program `name`, with which messages begin. Errors: UsageError where several
  /// ranks were launched and this build has no MPI.
  explicit Session(std::string name);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Names this process, such as "gangway: rank 1 of 4 on HOST"; if it is alone, "gangway".
  [[nodiscard]] std::string who() const;
  /// Shows from now on only what rank 0 writes to standard output.
  void speak_as_one() const;
  /// Ends all ranks with one message on standard error (none, if it is empty), and with this
  /// status. Rank 0 reports an error that all ranks meet. The first of the ranks that meet it
  /// reports any other error, a moment later.
  [[noreturn]] void end_all(const std::string& message, int status) const;

private:
  std::string _name;
  std::unique_ptr<Watch> _watch;
};

/// Notes that `what` begins: a message names it if a library ends the program meanwhile. Across
/// ranks it may take `limit`, until the next call; a process alone may take any time.
void begins(const std::string& what);
/// Sets the limit of all that begins from now on; the default is ten minutes.
void set_time_limit(std::chrono::milliseconds limit);

/// Returns the name of this host, as the system has it.
[[nodiscard]] std::string host_name();

/// Returns how many bytes a rank may use at most: all ranks of a host share its memory, and those
/// of a device the device's. It is the least of all ranks, so that all agree. Collective, while
/// Kokkos runs.
[[nodiscard]] double memory_of_rank();

/// Says for a result how many processors `each` rank may use at least, with at most `ranks_on_host`
/// ranks on a host. If the launcher left processors idle, the text says how to use them.
[[nodiscard]] std::string processors_text(int each, int ranks_on_host, int of_host);

/// Returns the facts of the run, as name and value: ranks, hosts, the device of each, the
/// processors they may use, MPI, and the way that halos go. Empty for a process alone. Collective,
/// while Kokkos runs.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> facts();

} // namespace gangway::ranks
