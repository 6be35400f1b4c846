// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

/// What ranks ask of MPI. It stands in a library of its own, mpi_engine.cpp, which is loaded by
/// processes that a launcher started: to load an MPI takes up to half a second, and most processes
/// are alone. Nothing here needs MPI to be compiled.
namespace gangway::ranks {

struct Message;

/// As an MPI_Comm is. What is said to be of all ranks has to be called by all, in the same order.
class Group {
public:
  virtual ~Group() = default;

  /// The same ranks, with messages that meet none of this one's. Of all ranks.
  [[nodiscard]] virtual std::unique_ptr<Group> duplicate() const = 0;

  struct Place {
    int rank = 0;
    int size = 1;
    int host_rank = 0; ///< among those of its host
    int host_size = 1;
  };
  /// Of all ranks.
  [[nodiscard]] virtual Place place() const = 0;

  // Of all ranks. Their results are the same on each.
  virtual void barrier() const = 0;
  /// Of each value the largest of all ranks; a NaN is larger than all.
  virtual void largest(double* values, int count) const = 0;
  [[nodiscard]] virtual long sum(long value) const = 0;
  /// Of each value the sum of all ranks.
  virtual void sum(double* values, int count) const = 0;
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& text) const = 0;

  /// Nothing of the message's data may be touched before `finish`.
  virtual void receive(const Message& message) = 0;
  virtual void send(const Message& message) = 0;
  /// Returns when all that was started is done.
  virtual void finish() = 0;
};

/// MPI in this process.
class Engine {
public:
  virtual ~Engine() = default;

  /// Begins: once, before all else. Why it cannot; empty if it has.
  [[nodiscard]] virtual std::string join() = 0;
  /// All ranks that were launched together.
  [[nodiscard]] virtual std::unique_ptr<Group> world() = 0;
  /// Ends, in order; all ranks do.
  virtual void leave() = 0;
  /// Ends all ranks at once with this status.
  virtual void end(int status) = 0;

  /// Such as "Open MPI v5.0.8".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Whether it says that it takes pointers into the memory of CUDA devices.
  [[nodiscard]] virtual bool is_cuda_aware() const = 0;
};

/// What the library gives to whom loads it, and by which name.
extern "C" Engine* gangway_ranks_engine();
inline constexpr const char* engine_function = "gangway_ranks_engine";

/// The engine of this process, null where no launcher started it. Errors: UsageError where one did,
/// and the engine is not to be had or does not begin: each rank would work alone.
[[nodiscard]] Engine* launched_engine();

} // namespace gangway::ranks
