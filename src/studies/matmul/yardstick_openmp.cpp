// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/matmul/matmul.hpp"

namespace gangway::matmul {
/// Native OpenMP without a library: the loop over k outside that over j, so that the innermost one
/// is stride-1 and a vector.
static void native(int rows, int inner, int columns, const float* a, const float* b, float* c) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < rows; ++i) {
    float* const row = c + static_cast<long>(i) * columns;
    for (int j = 0; j < columns; ++j)
      row[j] = 0;
    for (int k = 0; k < inner; ++k) {
      const float factor = a[static_cast<long>(i) * inner + k];
      const float* const other = b + static_cast<long>(k) * columns;
#pragma omp simd
      for (int j = 0; j < columns; ++j)
        row[j] += factor * other[j];
    }
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::matmul
