// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/nested/nested.hpp"

extern "C" {

/// Brings a tile of c to a gang's own memory the way c lies, and reads it there the other way: all
/// accesses to memory are stride-1. No lane goes on beyond the first loop before all of the tile is
/// there. Half a square is enough, because 16 numbers are a line; the pad puts the elements of a
/// column in different banks.
void gangway_nested_cached(long m, long n, double alpha, double beta, const double* b,
                           const double* c, double* a) {
  static constexpr int height = 32; // of j
  static constexpr int width = 16;  // of i
  double tile[height][width + 1];   // 4352 bytes
#pragma acc parallel loop gang collapse(2) num_workers(8) vector_length(32) private(tile)          \
    copyin(b[0 : n * m], c[0 : m * n]) copyout(a[0 : n * m])
  for (long first_i = 0; first_i < n; first_i += width)
    for (long first_j = 0; first_j < m; first_j += height) {
#pragma acc loop worker vector collapse(2)
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i)
          if (first_j + j < m && first_i + i < n)
            tile[j][i] = c[(first_j + j) * n + first_i + i];
#pragma acc loop worker
      for (int i = 0; i < width; ++i) {
#pragma acc loop vector
        for (int j = 0; j < height; ++j)
          if (first_j + j < m && first_i + i < n) {
            const long place = (first_i + i) * m + first_j + j;
            a[place] = b[place] * alpha + tile[j][i] * beta;
          }
      }
    }
}

} // extern "C"
