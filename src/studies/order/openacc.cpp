// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/order/order.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::order::Kernel gangway_order_stride_1, gangway_order_strided;

/// A gang takes a row, its vector runs along it: neighbouring lanes, neighbouring elements.
void gangway_order_stride_1(long rows, long columns, double* a) {
#pragma acc parallel loop gang vector_length(128) copy(a[0 : rows * columns])
  for (long i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (long j = 0; j < columns; ++j)
      a[i * columns + j] = 2 * a[i * columns + j] + 1;
  }
}

/// A gang takes a column, its vector runs down it: neighbouring lanes lie a whole row apart.
void gangway_order_strided(long rows, long columns, double* a) {
#pragma acc parallel loop gang vector_length(128) copy(a[0 : rows * columns])
  for (long j = 0; j < columns; ++j) {
#pragma acc loop vector
    for (long i = 0; i < rows; ++i)
      a[i * columns + j] = 2 * a[i * columns + j] + 1;
  }
}

} // extern "C"
