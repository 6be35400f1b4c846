// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "studies/jacobi/jacobi.hpp"

/// Declarations that `fused` and `cached` share: one kernel per sweep, to and fro between two
/// plates, many launched ahead.
namespace gangway::jacobi {

/// Sweeps launched before the host looks how far they came; even, so that the first of each lot
/// goes out from `plate`.
constexpr int ahead = 256;

/// The arguments that all sweeps of a solution share. The device has copies of the arrays.
struct Solution {
  long rows;
  long columns;
  double tolerance;
  int* goes_on; ///< ahead + 1
  long blocks;
  double* changes; ///< one for each block

  [[nodiscard]] long stride() const { return columns + 2; }
  [[nodiscard]] long cells() const { return (rows + 2) * stride(); }
};

/// One sweep: means and changes of all blocks of a plate in one pass. Does nothing unless
/// goes_on[s - 1]; sets goes_on[s] if a cell changed by more than the tolerance, so that once none
/// did all sweeps launched after it do nothing. A block's change is the largest of its cells.
using Sweep = void(const Solution& of, const double* from, double* to, int s);

inline long blocks_of(long cells, long each) {
  return (cells + each - 1) / each;
}

/// Returns a number of gangs for blocks of which each gang takes some at a time. More than 4096
/// would only wait for one another on any current GPU.
inline int gangs_of(long blocks, long at_a_time) {
  return static_cast<int>(std::clamp(blocks_of(blocks, at_a_time), 1L, 4096L));
}

// Sizes of the tiles of `cached`; with its rim a tile takes 5280 bytes of a gang's memory.
constexpr int tile_rows = 8;
constexpr int tile_columns = 64;

/// Sweep of `cached`; a block is a tile.
Sweep cached_sweep;

/// Sweeps of a pass of `temporal`.
constexpr int sweeps_each = 4;

/// Pass of `temporal`, which does the sweeps s to s + 3. It does nothing unless the four before s
/// all went on. It sets goes_on of each of the four if a cell changed by more than the tolerance.
/// `changes` are those of the last of them. A block is a tile of `cached`, with a rim as wide as
/// there are sweeps. The tile before and after a sweep take 16 KiB of a gang's memory.
Sweep temporal_pass;

} // namespace gangway::jacobi
