// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

/// The records of all threads, put together: equal things of different threads are one.
namespace gangway::acc_time {

struct Sum {
  std::uint64_t count = 0, total = 0, max = 0, min = ~std::uint64_t{0};

  void add(const Timing& timing);
  void add(const Sum& other);
  [[nodiscard]] std::uint64_t average() const { return count == 0 ? 0 : total / count; }
};

struct Node {
  Key key;
  Node* parent = nullptr; ///< null for the root alone
  Node* first = nullptr;
  Node* last = nullptr;
  Node* next = nullptr; ///< sibling
  Node* same_slot = nullptr;
  const Node* enclosing = nullptr;  ///< the region this lies in, or the root; null for the root
  std::uint32_t regions_around = 0; ///< how many regions this lies in
  std::uint64_t begun = 0;
  std::uint64_t bytes = 0;
  std::uint64_t found_present = 0;
  std::uint64_t in_place = 0;
  Sum elapsed;
  bool on_device = false; ///< whether the device said something
  Sum kernels;
  std::array<Sum, 3> copies;
  std::array<std::uint64_t, 3> copy_bytes{};
  std::array<std::int32_t, 3> grid_min{}, grid_max{}, block_min{}, block_max{};

  void add(const DeviceWork& work);
  /// Begun and not ended when the report was made.
  [[nodiscard]] std::uint64_t unfinished() const;
  /// The construct, kernel or copy this lies in; null when directly in a region.
  [[nodiscard]] const Node* within() const;
};

/// The root: what is outside of every region. A Kokkos kernel has, as an OpenACC kernel does, a
/// compute construct above it, which holds its launches of all shapes. Null when there is no
/// memory.
Node* make_tree(Arena& arena);

/// The node after this one, parents before children; null at the end. With `top`, only of those
/// that lie in it.
const Node* following(const Node* node, const Node* top = nullptr);

} // namespace gangway::acc_time
