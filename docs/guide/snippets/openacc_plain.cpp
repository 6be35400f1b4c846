// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

#include <cmath>

namespace guide::openacc {
namespace {

// [normalise_rows]
double normalise_rows(long rows, long columns, double* a) {
  double largest = 0;
#pragma acc parallel loop gang vector_length(128) reduction(max : largest)                         \
    copy(a[0 : rows * columns])
  for (long i = 0; i < rows; ++i) {
    double squares = 0;
#pragma acc loop vector reduction(+ : squares)
    for (long j = 0; j < columns; ++j)
      squares += a[i * columns + j] * a[i * columns + j];
    const double norm = sqrt(squares);
#pragma acc loop vector
    for (long j = 0; j < columns; ++j)
      a[i * columns + j] /= norm;
    largest = norm > largest ? norm : largest;
  }
  return largest;
}
// [normalise_rows]

} // namespace

const Plain plain{.normalise_rows = normalise_rows};

} // namespace guide::openacc
