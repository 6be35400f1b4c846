// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/order/order.hpp"

namespace gangway::order {
/// Native OpenMP, as a programmer would write it.
static void native(long rows, long columns, double* a) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < rows; ++i) {
#pragma omp simd
    for (long j = 0; j < columns; ++j)
      a[i * columns + j] = 2 * a[i * columns + j] + 1;
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::order
