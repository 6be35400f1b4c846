// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/vadd/vadd.hpp"

namespace gangway::vadd {

/// Native OpenMP, as a programmer would write it.
static void native(long n, const double* a, const double* b, double* c) {
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::vadd
