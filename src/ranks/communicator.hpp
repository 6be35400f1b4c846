// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Several processes that work on one problem, a rank each, usually with a GPU each. The engine is
/// MPI; a program that was not launched by it, or was built without it, is one rank, for which
/// everything here is done at once.
namespace gangway::ranks {

class Group;

/// What goes to another rank or comes from it.
struct Message {
  int partner;       ///< the other rank
  int tag;           ///< the same on both sides
  std::size_t bytes; ///< at most 2^31 - 1
  void* data;        ///< of a message that is sent, only read
};

/// A group of ranks, as MPI_Comm is, with messages of its own. What is said to be of all ranks has
/// to be called by all, in the same order. Errors of the engine end all ranks.
class Communicator {
public:
  /// This process alone.
  Communicator();
  ~Communicator();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  /// What the engine has made; null: this process alone. Of all ranks.
  explicit Communicator(std::unique_ptr<Group> group);

  /// The same ranks, with messages that meet none of this one's. Of all ranks.
  [[nodiscard]] Communicator duplicate() const;

  [[nodiscard]] int rank() const { return _rank; }
  [[nodiscard]] int size() const { return _size; }
  /// The number of this rank among those of its host, and how many they are.
  [[nodiscard]] int host_rank() const { return _host_rank; }
  [[nodiscard]] int host_size() const { return _host_size; }

  /// Returns when all ranks are there.
  void barrier() const;
  /// Over all ranks, the same on each. A NaN of any rank is the largest, and the smallest.
  [[nodiscard]] double largest(double value) const;
  /// Makes of each value the largest.
  void largest(std::span<double> values) const;
  [[nodiscard]] double smallest(double value) const;
  [[nodiscard]] long sum(long value) const;
  /// Makes of each value the sum of all ranks. In which order they are added is MPI's affair.
  void sum(std::span<double> values) const;
  /// Whether it is so on all of them.
  [[nodiscard]] bool all(bool value) const;
  /// The text of every rank, in their order, on each.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) const;

  /// Starts to send and to receive; nothing of it may be touched before `finish`. Errors:
  /// std::length_error for more bytes than MPI counts.
  void start(const std::vector<Message>& receive, const std::vector<Message>& send);
  /// Returns when all that was started is done.
  void finish();

private:
  std::unique_ptr<Group> _group; ///< null for one process alone
  int _rank = 0;
  int _size = 1;
  int _host_rank = 0;
  int _host_size = 1;
};

/// The part of `count` rows that a rank has: as even as can be, the first ones one more. With more
/// ranks than rows the last ones have none.
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

/// The device of a rank: one for each, in turn, where there are enough.
[[nodiscard]] constexpr int device_of(int host_rank, int devices) {
  return devices > 0 ? host_rank % devices : 0;
}

} // namespace gangway::ranks
