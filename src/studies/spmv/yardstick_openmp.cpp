// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/spmv/spmv.hpp"

namespace gangway::spmv {

/// Native OpenMP, as a programmer would write it.
static void native(sparse::Csr matrix, const double* x, double* y) {
  const int* const row_offsets = matrix.row_offsets;
  const int* const column_indices = matrix.column_indices;
  const double* const values = matrix.values;
#pragma omp parallel for schedule(static)
  for (int row = 0; row < matrix.rows; ++row) {
    double sum = 0;
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::spmv
