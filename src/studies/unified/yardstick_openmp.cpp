// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/unified/unified.hpp"

namespace gangway::unified {
/// Native OpenMP, where all memory is the host's.
static void native(long n, float alpha, const float* x, float* y, const float* /*managed_x*/,
                   float* /*managed_y*/) {
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < n; ++i)
    y[i] = alpha * x[i] + y[i];
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::unified
