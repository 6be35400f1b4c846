// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/saxpy/saxpy.hpp"

namespace gangway::saxpy {

/// Native OpenMP, as a programmer would write it.
static void native(long n, const float* x, float* y) {
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < n; ++i)
    y[i] = 2.0F * x[i] + y[i];
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::saxpy
