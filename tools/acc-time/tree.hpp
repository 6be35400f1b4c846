// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

/// The records of all threads, merged: equal records of different threads become one.
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
  const Node* enclosing = nullptr;  ///< the region around it, or the root; null for the root
  std::uint32_t regions_around = 0; ///< how many regions are around it
  std::uint64_t begun = 0;
  std::uint64_t bytes = 0;
  std::uint64_t found_present = 0;
  std::uint64_t in_place = 0;
  Sum elapsed;
  bool on_device = false; ///< whether the device reported work
  Sum kernels;
  std::array<Sum, 3> copies;
  std::array<std::uint64_t, 3> copy_bytes{};
  std::array<std::int32_t, 3> grid_min{}, grid_max{}, block_min{}, block_max{};

  void add(const DeviceWork& work);
  /// Returns how many had begun and not ended when the report was made.
  [[nodiscard]] std::uint64_t unfinished() const;
  /// Returns the construct, kernel or copy around it; null if it is directly in a region.
  [[nodiscard]] const Node* within() const;
};

/// Makes the tree, and returns its root: all that is outside of every region. A Kokkos kernel has,
/// as an OpenACC kernel does, a compute construct above it, which holds its launches of all shapes.
/// Null if there is no memory.
Node* make_tree(Arena& arena);

/// Returns the node after this one, parents before children; null at the end. With `top`, visits
/// only the nodes in it.
const Node* following(const Node* node, const Node* top = nullptr);

} // namespace gangway::acc_time
