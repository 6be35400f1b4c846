// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/jacobi/openacc_private.hpp"

namespace gangway::jacobi {

/// A gang brings its tile, with a rim of one cell, to memory of its own, and computes from there.
/// `cache` asks a compiler for the same; this does not depend on the answer.
void cached_sweep(const Solution& of, const double* from, double* to, int s) {
  const long rows = of.rows;
  const long columns = of.columns;
  const long stride = of.stride();
  const long cells = of.cells();
  const double tolerance = of.tolerance;
  int* const goes_on = of.goes_on;
  const long blocks = of.blocks;
  double* const changes = of.changes;
  const long across = blocks_of(columns, tile_columns);
  const int gangs = gangs_of(blocks, 1);
  double tile[tile_rows + 2][tile_columns + 2];
#pragma acc parallel num_gangs(gangs) num_workers(4) vector_length(32)                             \
    present(from[0 : cells], to[0 : cells], goes_on[0 : ahead + 1], changes[0 : blocks]) async(1)
  {
    const long end = goes_on[s - 1] != 0 ? blocks : 0;
#pragma acc loop gang private(tile)
    for (long block = 0; block < end; ++block) {
      const long row = block / across * tile_rows; // of the rim
      const long column = block % across * tile_columns;
      const int height = static_cast<int>(rows - row < tile_rows ? rows - row : tile_rows);
      const int width =
          static_cast<int>(columns - column < tile_columns ? columns - column : tile_columns);
      // At the end of the loop all workers wait for one another.
#pragma acc loop worker
      for (int i = 0; i < height + 2; ++i) {
#pragma acc loop vector
        for (int j = 0; j < width + 2; ++j)
          tile[i][j] = from[(row + i) * stride + column + j];
      }
      double change = 0;
#pragma acc loop worker reduction(max : change)
      for (int i = 1; i <= height; ++i) {
#pragma acc loop vector reduction(max : change)
        for (int j = 1; j <= width; ++j) {
          const double mean =
              0.25 * (tile[i + 1][j] + tile[i - 1][j] + tile[i][j + 1] + tile[i][j - 1]);
          to[(row + i) * stride + column + j] = mean;
          const double difference = std::fabs(mean - tile[i][j]);
          change = difference > change ? difference : change;
        }
      }
      changes[block] = change;
      if (change > tolerance) {
#pragma acc atomic write
        goes_on[s] = 1;
      }
    }
  }
}

/// A gang brings its tile with a rim of four cells to memory of its own and sweeps there, to and
/// fro between two tiles; the rim is right for one cell less with each sweep. The plate's edges,
/// where the rim has them, keep what they have, and beyond them it repeats them.
void temporal_pass(const Solution& of, const double* from, double* to, int s) {
  const long rows = of.rows;
  const long columns = of.columns;
  const long stride = of.stride();
  const long cells = of.cells();
  const double tolerance = of.tolerance;
  int* const goes_on = of.goes_on;
  const long blocks = of.blocks;
  double* const changes = of.changes;
  const long across = blocks_of(columns, tile_columns);
  const int gangs = gangs_of(blocks, 1);
  constexpr int rim = sweeps_each;
  static_assert(sweeps_each == 4); // the sweeps that `end` asks for
  double tile[2][tile_rows + 2 * rim][tile_columns + 2 * rim];
#pragma acc parallel num_gangs(gangs) num_workers(4) vector_length(32)                             \
    present(from[0 : cells], to[0 : cells], goes_on[0 : ahead + 1], changes[0 : blocks]) async(1)
  {
    const long end = goes_on[s - 1] != 0 && (s < 2 || goes_on[s - 2] != 0) &&
                             (s < 3 || goes_on[s - 3] != 0) && (s < 4 || goes_on[s - 4] != 0)
                         ? blocks
                         : 0;
#pragma acc loop gang private(tile)
    for (long block = 0; block < end; ++block) {
      const long row = block / across * tile_rows + 1; // of the tile without its rim
      const long column = block % across * tile_columns + 1;
      const int height = static_cast<int>(rows + 1 - row < tile_rows ? rows + 1 - row : tile_rows);
      const int width = static_cast<int>(columns + 1 - column < tile_columns ? columns + 1 - column
                                                                             : tile_columns);
#pragma acc loop worker
      for (int i = 0; i < height + 2 * rim; ++i) {
        const long y = row - rim + i;
        const long from_row = y < 0 ? 0 : y > rows + 1 ? rows + 1 : y;
#pragma acc loop vector
        for (int j = 0; j < width + 2 * rim; ++j) {
          const long x = column - rim + j;
          tile[0][i][j] = from[from_row * stride + (x < 0 ? 0 : x > columns + 1 ? columns + 1 : x)];
        }
      }
      double change = 0;
      for (int sweep = 0; sweep < sweeps_each; ++sweep) {
        const int old = sweep % 2;
        const int first = sweep + 1; // row and column of the rim that are right after this sweep
        change = 0;
#pragma acc loop worker reduction(max : change)
        for (int i = first; i < height + 2 * rim - first; ++i) {
          const long y = row - rim + i;
          const bool edge_row = y < 1 || y > rows;
#pragma acc loop vector reduction(max : change)
          for (int j = first; j < width + 2 * rim - first; ++j) {
            const long x = column - rim + j;
            double mean = tile[old][i][j];
            if (!edge_row && x >= 1 && x <= columns)
              mean = 0.25 * (tile[old][i + 1][j] + tile[old][i - 1][j] + tile[old][i][j + 1] +
                             tile[old][i][j - 1]);
            tile[1 - old][i][j] = mean;
            const double difference = std::fabs(mean - tile[old][i][j]);
            change = difference > change ? difference : change;
          }
        }
        if (change > tolerance) {
#pragma acc atomic write
          goes_on[s + sweep] = 1;
        }
      }
#pragma acc loop worker
      for (int i = 0; i < height; ++i) {
#pragma acc loop vector
        for (int j = 0; j < width; ++j)
          to[(row + i) * stride + column + j] = tile[sweeps_each % 2][rim + i][rim + j];
      }
      changes[block] = change;
    }
  }
}

} // namespace gangway::jacobi
