// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/nested/nested.hpp"

namespace gangway::nested {
/// Native OpenMP in squares of 64 for the caches, stride-1 within.
static void native(long m, long n, double alpha, double beta, const double* b, const double* c,
                   double* a) {
  constexpr long side = 64;
#pragma omp parallel for collapse(2) schedule(static)
  for (long first_i = 0; first_i < n; first_i += side)
    for (long first_j = 0; first_j < m; first_j += side) {
      const long last_i = std::min(first_i + side, n);
      const long last_j = std::min(first_j + side, m);
      for (long i = first_i; i < last_i; ++i) {
#pragma omp simd
        for (long j = first_j; j < last_j; ++j)
          a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
      }
    }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::nested
