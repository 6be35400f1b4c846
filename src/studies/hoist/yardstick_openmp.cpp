// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/hoist/hoist.hpp"

namespace gangway::hoist {
/// Native OpenMP, which has no data to transfer; the innermost loop is stride-1.
static void native(int n, const float* a, const float* b, float* c) {
  const long all = static_cast<long>(n) * n;
  for (int p = 0; p < products; ++p) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) {
      float* const row = c + p * all + static_cast<long>(i) * n;
      for (int j = 0; j < n; ++j)
        row[j] = 0;
      for (int k = 0; k < n; ++k) {
        const float factor = a[static_cast<long>(i) * n + k];
        const float* const other = b + static_cast<long>(k) * n;
#pragma omp simd
        for (int j = 0; j < n; ++j)
          row[j] += factor * other[j];
      }
    }
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::hoist
