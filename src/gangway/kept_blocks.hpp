// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <cstddef>
#include <map>

namespace gangway::detail {

/// Blocks of device memory that closed data regions leave for the next ones. A program that opens a
/// region in every step would otherwise allocate and release its arrays each time, which on a GPU
/// takes longer than many a kernel. Not safe for several threads at once: the present table, to
/// which it belongs, is locked.
class KeptBlocks {
public:
  /// Keeps at most so many bytes from now on, and releases blocks that are more.
  void set_limit(std::size_t bytes);
  [[nodiscard]] std::size_t kept() const { return _kept; }

  /// A block of `bytes`, which is the caller's until `leave`. Where the device has no room,
  /// what is kept is released and asked for again. Errors: those of Kokkos::kokkos_malloc.
  [[nodiscard]] std::byte* take(std::size_t bytes);
  /// Gives back a block taken with the same `bytes`, once `queue` is done with it; without a queue
  /// everything on the device is waited for.
  void leave(std::byte* block, std::size_t bytes, Queue queue);

private:
  void release_all();

  std::multimap<std::size_t, std::byte*> _blocks; ///< by size
  std::size_t _limit = 0;
  std::size_t _kept = 0;
};

} // namespace gangway::detail
