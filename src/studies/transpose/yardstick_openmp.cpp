// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/transpose/transpose.hpp"

namespace gangway::transpose {
/// Native OpenMP in tiles that fit the cache.
static void native(int rows, int columns, const float* in, float* out) {
  constexpr int height = 128;
  constexpr int width = 512;
#pragma omp parallel for collapse(2) schedule(static)
  for (int first_i = 0; first_i < columns; first_i += width)
    for (int first_j = 0; first_j < rows; first_j += height) {
      const long last_i = std::min(first_i + width, columns);
      const long last_j = std::min(first_j + height, rows);
      for (long i = first_i; i < last_i; ++i)
#pragma omp simd
        for (long j = first_j; j < last_j; ++j)
          out[i * rows + j] = in[j * columns + i];
    }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::transpose
