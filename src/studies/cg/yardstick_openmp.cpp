// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/cg/cg.hpp"

namespace gangway::cg {
/// Native OpenMP: the loops that go together in one, dot products by reduction.
void native(sparse::Csr matrix, const double* b, double* x, double* r, double* p, double* q,
            int most, double tolerance, double* history, int* iterations) {
  const int rows = matrix.rows;
  const int* const row_offsets = matrix.row_offsets;
  const int* const column_indices = matrix.column_indices;
  const double* const values = matrix.values;
  double rr = 0;
#pragma omp parallel for schedule(static) reduction(+ : rr)
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    r[row] = b[row] - sum;
    p[row] = r[row];
    rr += r[row] * r[row];
  }
  int k = 0;
  for (;; ++k) {
    history[k] = std::sqrt(rr);
    if (k == most || history[k] <= tolerance)
      break;
    double pq = 0;
#pragma omp parallel for schedule(static) reduction(+ : pq)
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
        sum += values[j] * p[column_indices[j]];
      q[row] = sum;
      pq += p[row] * sum;
    }
    const double alpha = rr / pq;
    const double before = rr;
    rr = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : rr)
    for (int row = 0; row < rows; ++row) {
      x[row] += alpha * p[row];
      r[row] -= alpha * q[row];
      rr += r[row] * r[row];
    }
    const double beta = rr / before;
#pragma omp parallel for simd schedule(static)
    for (int row = 0; row < rows; ++row)
      p[row] = r[row] + beta * p[row];
  }
  *iterations = k;
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::cg
