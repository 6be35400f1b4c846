// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/adjacent/adjacent.hpp"

namespace gangway::adjacent {

/// Native OpenMP of a programmer who knows that memory traffic sets the time.
static void native(long n, const double* mob, const double* charge, double* a, double* c) {
  if (n == 0)
    return;
  a[0] = mob[0] * charge[0];
  a[n - 1] = mob[n - 1] * charge[n - 1];
#pragma omp parallel for simd schedule(static)
  for (long i = 1; i < n - 1; ++i) {
    a[i] = mob[i] * charge[i];
    c[i] = 0.5 * (mob[i - 1] * charge[i - 1] + mob[i + 1] * charge[i + 1]);
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::adjacent
