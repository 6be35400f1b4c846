// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/routine/routine.hpp"

namespace gangway::routine {
namespace {

#pragma omp declare simd
inline float reciprocal(long i, int j) {
  return 1.0F / (static_cast<float>(i + 1) * static_cast<float>(j + 1));
}

/// Native OpenMP; `declare simd` is OpenMP's `routine`.
void native(int rows, int columns, float* v) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < rows; ++i) {
#pragma omp simd
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = reciprocal(i, j);
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace
} // namespace gangway::routine
