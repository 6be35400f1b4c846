// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/saxpy/saxpy.hpp"

extern "C" void saxpy_(const int* n, const float* alpha, const float* x, const int* x_step,
                       float* y, const int* y_step);

namespace gangway::saxpy {

/// The routine the loop is named after. Its sizes are 32-bit: longer vectors go in parts.
static void library(long n, const float* x, float* y) {
  constexpr long part = 1L << 30;
  const float two = 2;
  const int step = 1;
  for (long first = 0; first < n; first += part) {
    const int count = static_cast<int>(std::min(part, n - first));
    saxpy_(&count, &two, x + first, &step, y + first, &step);
  }
}

const harness::Yardstick<Problem> blas("blas", library);

} // namespace gangway::saxpy
