// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

/// A plate cut both ways: a block for each rank, the ranks numbered along the rows of blocks.
namespace gangway::ranks {

/// The number of blocks above one another, and side by side.
struct Grid {
  int down = 1;
  int across = 1;
};

/// Returns a grid as square as the number of ranks allows, rather higher than wide: rows are
/// contiguous.
[[nodiscard]] constexpr Grid grid_of(int ranks) {
  int across = 1;
  for (int divisor = 1; divisor * divisor <= ranks; ++divisor)
    if (ranks % divisor == 0)
      across = divisor;
  return {ranks / across, across};
}

struct Block {
  Part rows;
  Part columns;
  [[nodiscard]] long cells() const { return rows.count() * columns.count(); }
};

/// Returns the block of a rank; blocks are as even as can be. With more blocks than rows, or than
/// columns, the last ones have no cells.
[[nodiscard]] constexpr Block block_of(long rows, long columns, int ranks, int rank) {
  const Grid grid = grid_of(ranks);
  return {part_of(rows, grid.down, rank / grid.across),
          part_of(columns, grid.across, rank % grid.across)};
}

} // namespace gangway::ranks
