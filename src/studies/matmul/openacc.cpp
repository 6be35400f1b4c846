// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/matmul/matmul.hpp"

extern "C" {

/// As the first listing: the sum is kept in c[i][j], in memory. (A static float a[N][N] is this
/// block under another index; C++ has no two-dimensional array of a size known at run time.)
void gangway_matmul_naive(int rows, int inner, int columns, const float* a, const float* b,
                          float* c) {
  const long of_a = static_cast<long>(rows) * inner;
  const long of_b = static_cast<long>(inner) * columns;
  const long of_c = static_cast<long>(rows) * columns;
#pragma acc parallel loop copyin(a[0 : of_a], b[0 : of_b]) copyout(c[0 : of_c])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop
    for (int j = 0; j < columns; ++j) {
      c[static_cast<long>(i) * columns + j] = 0;
#pragma acc loop seq
      for (int k = 0; k < inner; ++k)
        c[static_cast<long>(i) * columns + j] +=
            a[static_cast<long>(i) * inner + k] * b[static_cast<long>(k) * columns + j];
    }
  }
}

/// Nothing is said about the pointers: for all the compiler knows, c overlaps a and b, and it must
/// leave the loops over i and j in order.
void gangway_matmul_kernels(int rows, int inner, int columns, const float* a, const float* b,
                            float* c) {
  const long of_a = static_cast<long>(rows) * inner;
  const long of_b = static_cast<long>(inner) * columns;
  const long of_c = static_cast<long>(rows) * columns;
#pragma acc kernels copyin(a[0 : of_a], b[0 : of_b]) copyout(c[0 : of_c])
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
      for (int k = 0; k < inner; ++k)
        sum += a[static_cast<long>(i) * inner + k] * b[static_cast<long>(k) * columns + j];
      c[static_cast<long>(i) * columns + j] = sum;
    }
  }
}

/// `independent` says what the compiler could not prove. (It would be wrong on the loop over k:
/// that is a reduction.) GCC leaves `kernels` sequential all the same.
void gangway_matmul_linear(int rows, int inner, int columns, const float* __restrict a,
                           const float* __restrict b, float* __restrict c) {
  const long of_a = static_cast<long>(rows) * inner;
  const long of_b = static_cast<long>(inner) * columns;
  const long of_c = static_cast<long>(rows) * columns;
#pragma acc kernels copyin(a[0 : of_a], b[0 : of_b]) copyout(c[0 : of_c])
#pragma acc loop independent
  for (int i = 0; i < rows; ++i) {
#pragma acc loop independent
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
      for (int k = 0; k < inner; ++k)
        sum += a[static_cast<long>(i) * inner + k] * b[static_cast<long>(k) * columns + j];
      c[static_cast<long>(i) * columns + j] = sum;
    }
  }
}

/// One loop over all of C.
void gangway_matmul_collapse(int rows, int inner, int columns, const float* a, const float* b,
                             float* c) {
  const long of_a = static_cast<long>(rows) * inner;
  const long of_b = static_cast<long>(inner) * columns;
  const long of_c = static_cast<long>(rows) * columns;
#pragma acc parallel loop gang vector collapse(2) vector_length(128)                               \
    copyin(a[0 : of_a], b[0 : of_b]) copyout(c[0 : of_c])
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
#pragma acc loop seq
      for (int k = 0; k < inner; ++k)
        sum += a[static_cast<long>(i) * inner + k] * b[static_cast<long>(k) * columns + j];
      c[static_cast<long>(i) * columns + j] = sum;
    }
  }
}

/// C in tiles of 32 x 32, as many threads as a gang may have. GCC 16 makes of `tile` what leaves
/// iterations out on a GPU; it gets the tiles as loops over tiles and loops over what is in one.
void gangway_matmul_tile(int rows, int inner, int columns, const float* a, const float* b,
                         float* c) {
  const long of_a = static_cast<long>(rows) * inner;
  const long of_b = static_cast<long>(inner) * columns;
  const long of_c = static_cast<long>(rows) * columns;
#ifdef __NVCOMPILER
#pragma acc parallel loop tile(32, 32) copyin(a[0 : of_a], b[0 : of_b]) copyout(c[0 : of_c])
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
#pragma acc loop seq
      for (int k = 0; k < inner; ++k)
        sum += a[static_cast<long>(i) * inner + k] * b[static_cast<long>(k) * columns + j];
      c[static_cast<long>(i) * columns + j] = sum;
    }
#else
#pragma acc parallel loop gang collapse(2) copyin(a[0 : of_a], b[0 : of_b]) copyout(c[0 : of_c])
  for (int first_i = 0; first_i < rows; first_i += 32)
    for (int first_j = 0; first_j < columns; first_j += 32)
#pragma acc loop worker vector collapse(2)
      for (int i = first_i; i < first_i + 32; ++i)
        for (int j = first_j; j < first_j + 32; ++j)
          if (i < rows && j < columns) {
            float sum = 0;
#pragma acc loop seq
            for (int k = 0; k < inner; ++k)
              sum += a[static_cast<long>(i) * inner + k] * b[static_cast<long>(k) * columns + j];
            c[static_cast<long>(i) * columns + j] = sum;
          }
#endif
}

/// Rows to gangs, columns to workers, the terms of a sum to the vector.
void gangway_matmul_three_level(int rows, int inner, int columns, const float* a, const float* b,
                                float* c) {
  const long of_a = static_cast<long>(rows) * inner;
  const long of_b = static_cast<long>(inner) * columns;
  const long of_c = static_cast<long>(rows) * columns;
#pragma acc parallel loop gang num_workers(8) vector_length(32) copyin(a[0 : of_a], b[0 : of_b])   \
    copyout(c[0 : of_c])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop worker
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (int k = 0; k < inner; ++k)
        sum += a[static_cast<long>(i) * inner + k] * b[static_cast<long>(k) * columns + j];
      c[static_cast<long>(i) * columns + j] = sum;
    }
  }
}

/// C in tiles of 32 x 256: a worker takes eight rows of a tile, and a lane eight columns, 32 apart,
/// so that neighbouring lanes read and write neighbouring columns. The 64 sums are the lane's own
/// and its loops over them have constant bounds, for the compiler to keep them in registers: what
/// is fetched once serves eight multiply-adds. What lanes share they find in the cache. A gang's
/// private array could hold it, but would be filled in a loop over the vector of its own, and a
/// lane's sums do not outlive the loop that they are in.
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
