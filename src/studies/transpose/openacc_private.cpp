// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transpose/transpose.hpp"

extern "C" {

/// A gang brings a tile into an array of its own, row by row, and writes it out column by column:
/// both sides of memory are stride-1, and only the array, in a GPU's shared memory, is read across.
/// Its rows are one longer than the banks are many, so that a column lies in as many banks as it
/// has elements. No lane goes beyond the end of a loop over the vector before all have come there:
/// the tile is whole before it is read, and read before the next one comes.
void gangway_transpose_cached(int rows, int columns, const float* in, float* out) {
  static constexpr int side = 32;
  const long all = static_cast<long>(rows) * columns;
  float tile[side][side + 1]; // 4.2 KB
#pragma acc parallel loop gang collapse(2) num_workers(1) vector_length(side) private(tile)        \
    copyin(in[0 : all]) copyout(out[0 : all])
  for (int first_i = 0; first_i < columns; first_i += side)
    for (int first_j = 0; first_j < rows; first_j += side) {
#pragma acc loop vector
      for (int i = 0; i < side; ++i) {
#pragma acc loop seq
        for (int j = 0; j < side; ++j)
          if (first_j + j < rows && first_i + i < columns)
            tile[j][i] = in[static_cast<long>(first_j + j) * columns + first_i + i];
      }
#pragma acc loop vector
      for (int j = 0; j < side; ++j) {
#pragma acc loop seq
        for (int i = 0; i < side; ++i)
          if (first_j + j < rows && first_i + i < columns)
            out[static_cast<long>(first_i + i) * rows + first_j + j] = tile[j][i];
      }
    }
}

} // extern "C"
