// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/registry.hpp"
#include "studies/private/private.hpp"

namespace gangway::private_array {
namespace {

/// What an OpenMP programmer writes: what is declared inside the loop is private.
void native(int rows, int columns, int* a) {
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

const harness::Yardstick<Problem> openmp("openmp", [](Problem& problem) -> harness::Run {
  return [&problem] { problem.call(native); };
});

} // namespace
} // namespace gangway::private_array
