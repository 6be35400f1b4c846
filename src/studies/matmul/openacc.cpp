// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/matmul/matmul.hpp"

extern "C" {

/// Multiplies as the first listing: the sum is kept in c[i][j], in memory. (A static float a[N][N]
/// is this block under another index; C++ has no two-dimensional array of a size known at run
/// time.)
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

/// Multiplies without a word about the pointers. For all the compiler knows, c overlaps a and b,
/// and it must leave the loops over i and j in order.
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

} // extern "C"
