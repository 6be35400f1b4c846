// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/jacobi/openacc_private.hpp"

namespace gangway::jacobi {

/// A gang brings its tile, with a rim of one cell, to memory of its own, and computes from there.
/// `cache` asks a compiler for the same; this does not depend on the answer.
void cached_sweep(long rows, long columns, const double* from, double* to, double tolerance, int s,
                  int* goes_on, long blocks, double* changes) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
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

} // namespace gangway::jacobi
