// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/private/private.hpp"

namespace gangway::private_array {

/// Native OpenMP: a variable declared inside the loop is private.
static void native(int rows, int columns, int* a) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < rows; ++i) {
#pragma omp simd
    for (int j = 0; j < columns; ++j) {
      int tmp[depth];
      for (int k = 0; k < depth; ++k)
        tmp[k] = k;
      int sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += tmp[k];
      a[static_cast<long>(i) * columns + j] = sum;
    }
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::private_array
