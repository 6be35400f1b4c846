// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

/// A plate cut both ways: a block for each rank, the ranks numbered along the rows of blocks.
namespace gangway::ranks {

/// How many blocks lie above one another, and how many side by side.
struct Grid {
  int down = 1;
  int across = 1;
};

/// As square as the number of ranks allows, and rather higher than wide: rows are contiguous.
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

/// The block of a rank, as even as can be. With more blocks than rows, or than columns, the last
/// ones have no cells.
[[nodiscard]] constexpr Block block_of(long rows, long columns, int ranks, int rank) {
  const Grid grid = grid_of(ranks);
  return {part_of(rows, grid.down, rank / grid.across),
          part_of(columns, grid.across, rank % grid.across)};
}

} // namespace gangway::ranks
