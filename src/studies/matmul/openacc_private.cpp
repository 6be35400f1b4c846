// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/matmul/matmul.hpp"

extern "C" {

/// Multiplies in tiles of 32 x 256 of C: a worker takes eight rows of a tile, and a lane eight
/// columns. These are 32 apart, so that neighbouring lanes read and write neighbouring columns. The
/// 64 sums are the lane's own. The loops over them have constant bounds, so that the compiler keeps
/// them in registers: each element fetched serves eight multiply-adds. Lanes find shared elements
/// in the cache. A gang's private array could hold them, but a loop over the vector of its own
/// would fill it. A lane's sums do not outlive the loop that they are in.
void gangway_matmul_blocked(int rows, int inner, int columns, const float* a, const float* b,
                            float* c) {
  static constexpr int block = 8; // of C, a lane's, each way
  static constexpr int workers = 4;
  static constexpr int lanes = 32;
  static constexpr int height = workers * block; // of a tile
  static constexpr int width = lanes * block;
  const long of_a = static_cast<long>(rows) * inner;
  const long of_b = static_cast<long>(inner) * columns;
  const long of_c = static_cast<long>(rows) * columns;
#pragma acc parallel loop gang collapse(2) num_workers(workers) vector_length(lanes)               \
    copyin(a[0 : of_a], b[0 : of_b]) copyout(c[0 : of_c])
  for (int first_row = 0; first_row < rows; first_row += height)
    for (int first_column = 0; first_column < columns; first_column += width)
#pragma acc loop worker vector collapse(2)
      for (int worker = 0; worker < workers; ++worker)
        for (int lane = 0; lane < lanes; ++lane) {
          // Beyond the edge the last row or column is taken again, and not stored.
          long row[block];
          int column[block];
          float sum[block][block];
          for (int i = 0; i < block; ++i) {
            const int wanted = first_row + worker * block + i;
            row[i] = wanted < rows ? wanted : rows - 1;
          }
          for (int j = 0; j < block; ++j) {
            const int wanted = first_column + lane + j * lanes;
            column[j] = wanted < columns ? wanted : columns - 1;
          }
          for (int i = 0; i < block; ++i)
            for (int j = 0; j < block; ++j)
              sum[i][j] = 0;
#pragma acc loop seq
          for (int k = 0; k < inner; ++k) {
            float of_a_column[block];
            float of_b_row[block];
            for (int i = 0; i < block; ++i)
              of_a_column[i] = a[row[i] * inner + k];
            for (int j = 0; j < block; ++j)
              of_b_row[j] = b[static_cast<long>(k) * columns + column[j]];
            for (int i = 0; i < block; ++i)
              for (int j = 0; j < block; ++j)
                sum[i][j] += of_a_column[i] * of_b_row[j];
          }
          for (int i = 0; i < block; ++i)
            for (int j = 0; j < block; ++j)
              if (first_row + worker * block + i < rows &&
                  first_column + lane + j * lanes < columns)
                c[row[i] * columns + column[j]] = sum[i][j];
        }
}

} // extern "C"
