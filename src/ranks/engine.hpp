// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

/// The functions of MPI that ranks call, in a library of their own, mpi_engine.cpp. Only processes
/// that a launcher started load it: loading an MPI takes up to half a second, and most processes
/// are alone. This header compiles without MPI.
namespace gangway::ranks {

struct Message;

/// A group of ranks, as an MPI_Comm is. All ranks call a collective function, in the same order.
class Group {
public:
  virtual ~Group() = default;

  /// Makes a group of the same ranks, whose messages meet none of this one's. Collective.
  [[nodiscard]] virtual std::unique_ptr<Group> duplicate() const = 0;

  struct Place {
    int rank = 0;
    int size = 1;
    int host_rank = 0; ///< among those of its host
    int host_size = 1;
  };
  /// Returns this rank's number, and the number of ranks, in all and on its host. Collective.
  [[nodiscard]] virtual Place place() const = 0;

  // Collective functions, whose results are the same on each rank.
  virtual void barrier() const = 0;
  /// Replaces each value by the largest of all ranks; a NaN is larger than all numbers.
  virtual void largest(double* values, int count) const = 0;
  [[nodiscard]] virtual long sum(long value) const = 0;
  /// Replaces each value by the sum over all ranks.
  virtual void sum(double* values, int count) const = 0;
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text) const = 0;

  /// Starts to receive, and to send; a message's data may not be touched before `finish`.
  virtual void receive(const Message& message) = 0;
  virtual void send(const Message& message) = 0;
  /// Waits until all that was started is done.
  virtual void finish() = 0;
};

/// MPI in this process.
class Engine {
public:
  virtual ~Engine() = default;

  /// Begins, once, before all other calls; returns why it cannot, or an empty text.
  [[nodiscard]] virtual std::string join() = 0;
  /// Makes the group of all ranks that were launched together.
  [[nodiscard]] virtual std::unique_ptr<Group> world() = 0;
  /// Ends MPI, in order. Collective.
  virtual void leave() = 0;
  /// Ends all ranks at once with this status.
  virtual void end(int status) = 0;

  /// Returns name and version, such as "Open MPI v5.0.8".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Returns whether MPI says that it takes pointers into the memory of CUDA devices.
  [[nodiscard]] virtual bool is_cuda_aware() const = 0;
};

/// The function by which the library gives its engine to a process that loads it, and its name.
extern "C" Engine* gangway_ranks_engine();
inline constexpr const char* engine_function = "gangway_ranks_engine";

/// Returns the engine of this process, null where no launcher started it. Errors: UsageError where
/// one did, and the engine is not found or does not begin: each rank would work alone.
[[nodiscard]] Engine* launched_engine();

} // namespace gangway::ranks
