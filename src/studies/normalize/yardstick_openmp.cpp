// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/normalize/normalize.hpp"

namespace gangway::normalize {
/// Native OpenMP, as a programmer would write it.
static void native(long n, double* v, double* sum) {
  double s = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : s)
  for (long i = 0; i < n; ++i)
    s += v[i];
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < n; ++i)
    v[i] /= s;
  *sum = s;
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::normalize
