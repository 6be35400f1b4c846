// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/pi/pi.hpp"

namespace gangway::pi {
/// Native OpenMP, as a programmer would write it.
static void native(long points, double* pi) {
  const double step = 1 / static_cast<double>(points);
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (long i = 0; i < points; ++i) {
    const double x = (static_cast<double>(i) + 0.5) * step;
    sum += 4.0 / (1.0 + x * x);
  }
  *pi = sum * step;
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::pi
