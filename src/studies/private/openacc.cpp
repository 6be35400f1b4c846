// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/private/private.hpp"

using gangway::private_array::depth;

extern "C" {

/// One tmp a gang, so its columns go one after the other.
void gangway_private_sequential_inner(int rows, int columns, int* a) {
  const long n = static_cast<long>(rows) * columns;
  int tmp[depth];
#pragma acc parallel loop gang vector_length(32) private(tmp) copyout(a[0 : n])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop seq
    for (int j = 0; j < columns; ++j) {
#pragma acc loop seq
      for (int k = 0; k < depth; ++k)
        tmp[k] = k;
      int sum = 0;
#pragma acc loop seq
      for (int k = 0; k < depth; ++k)
        sum += tmp[k];
      a[static_cast<long>(i) * columns + j] = sum;
    }
  }
}

/// private(tmp) on the vector loop: each lane has its own.
void gangway_private_private(int rows, int columns, int* a) {
  const long n = static_cast<long>(rows) * columns;
  int tmp[depth];
#pragma acc parallel loop gang vector_length(128) copyout(a[0 : n])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop vector private(tmp)
    for (int j = 0; j < columns; ++j) {
#pragma acc loop seq
      for (int k = 0; k < depth; ++k)
        tmp[k] = k;
      int sum = 0;
#pragma acc loop seq
      for (int k = 0; k < depth; ++k)
        sum += tmp[k];
      a[static_cast<long>(i) * columns + j] = sum;
    }
  }
}

/// The private arrays of all lanes as one array that is private to the gang, a row for each lane:
/// for one too large for registers, which would be spilled to the device's memory, where the gang's
/// own is near.
void gangway_private_scratch(int rows, int columns, int* a) {
  static constexpr int lanes = 64;
  const long n = static_cast<long>(rows) * columns;
  int tmp[lanes][depth]; // 2560 bytes
#pragma acc parallel loop gang vector_length(lanes) private(tmp) copyout(a[0 : n])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (int lane = 0; lane < lanes; ++lane) {
#pragma acc loop seq
      for (long j = lane; j < columns; j += lanes) {
#pragma acc loop seq
        for (int k = 0; k < depth; ++k)
          tmp[lane][k] = k;
        int sum = 0;
#pragma acc loop seq
        for (int k = 0; k < depth; ++k)
          sum += tmp[lane][k];
        a[static_cast<long>(i) * columns + j] = sum;
      }
    }
  }
}

} // extern "C"
