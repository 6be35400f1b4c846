// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Several processes that work on one problem, a rank each, usually with a GPU each. The engine is
/// MPI. A program that was not launched by it, or was built without it, is one rank, for which
/// every function here returns at once.
namespace gangway::ranks {

class Group;

/// A message to another rank, or from it.
struct Message {
  int partner;       ///< the other rank
  int tag;           ///< the same on both sides
  std::size_t bytes; ///< at most 2^31 - 1
  void* data;        ///< of a message that is sent, only read
};

/// A group of ranks, as MPI_Comm is, with messages of its own. All ranks call a collective
/// function, in the same order. Errors of the engine end all ranks.
class Communicator {
public:
  /// The communicator of this process alone.
  Communicator();
  ~Communicator();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  /// The communicator of a group that the engine has made; null: this process alone. Collective.
  explicit Communicator(std::unique_ptr<Group> group);

  /// Makes a communicator of the same ranks, whose messages meet none of this one's. Collective.
  [[nodiscard]] Communicator duplicate() const;

  [[nodiscard]] int rank() const { return _rank; }
  [[nodiscard]] int size() const { return _size; }
  /// The number of this rank among those of its host, and the number of those.
  [[nodiscard]] int host_rank() const { return _host_rank; }
  [[nodiscard]] int host_size() const { return _host_size; }

  /// Waits until all ranks have called it. Collective, as all functions up to `gather` are.
  void barrier() const;
  /// Returns the largest value of all ranks, the same on each. A NaN of any rank is the largest,
  /// and the smallest.
  [[nodiscard]] double largest(double value) const;
  /// Replaces each value by the largest of all ranks.
  void largest(std::span<double> values) const;
  [[nodiscard]] double smallest(double value) const;
  [[nodiscard]] long sum(long value) const;
  /// Replaces each value by the sum over all ranks; MPI chooses the order of the additions.
  void sum(std::span<double> values) const;
  /// Returns whether `value` is true on all ranks.
  [[nodiscard]] bool all(bool value) const;
  /// Returns the text of every rank, in their order, on each.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) const;

  /// Starts to send and to receive; no data of a message may be touched before `finish`. Errors:
  /// std::length_error for more bytes than MPI counts.
  void start(const std::vector<Message>& receive, const std::vector<Message>& send);
  /// Waits until all that was started is done.
  void finish();

private:
  std::unique_ptr<Group> _group; ///< null for one process alone
  int _rank = 0;
  int _size = 1;
  int _host_rank = 0;
  int _host_size = 1;
};

/// One rank's part of `count` rows: parts are as even as can be, the first ones one row longer.
/// With more ranks than rows the last parts are empty.
struct Part {
  long begin = 0;
  long end = 0;
  [[nodiscard]] long count() const { return end - begin; }
};
[[nodiscard]] constexpr Part part_of(long count, int ranks, int rank) {
  const long each = count / ranks;
  const long more = count % ranks;
  const long begin = rank * each + (rank < more ? rank : more);
  return {begin, begin + each + (rank < more ? 1 : 0)};
}

/// Returns the device of a rank: ranks of a host take the devices in turn, each its own if there
/// are enough.
[[nodiscard]] constexpr int device_of(int host_rank, int devices) {
  return devices > 0 ? host_rank % devices : 0;
}

} // namespace gangway::ranks
