// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/registry.hpp"
#include "studies/spmv/spmv.hpp"

namespace gangway::spmv {
namespace {

/// What an OpenMP programmer writes.
void native(int rows, int /*columns*/, const int* row_offsets, const int* column_indices,
            const double* values, const double* x, double* y) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

const harness::Yardstick<Problem> openmp("openmp", [](Problem& problem) -> harness::Run {
  return [&problem] { problem.call(native); };
});

} // namespace
} // namespace gangway::spmv
