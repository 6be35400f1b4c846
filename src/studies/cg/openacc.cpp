// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg/cg.hpp"

#include <cmath>

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::cg::Kernel gangway_cg_data;
}

// Each routine says which arrays it needs, as if it were called alone; inside the solver's data
// region the clauses find everything present and move nothing.
namespace {

/// out = A in: a row a worker, four workers a gang, the non-zeros over a vector of 32.
void matvec(int rows, const int* row_offsets, const int* column_indices, const double* values,
            const double* in, double* out) {
  const int nonzeros = row_offsets[rows];
#pragma acc parallel loop gang worker num_workers(4) vector_length(32)                             \
    copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],          \
           in[0 : rows]) copyout(out[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * in[column_indices[j]];
    out[row] = sum;
  }
}

double dot(int n, const double* x, const double* y) {
  double sum = 0;
#pragma acc parallel loop gang vector reduction(+ : sum) copyin(x[0 : n], y[0 : n])
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

/// w = alpha x + beta y; w may be x or y, which is why it is `copy`.
void waxpby(int n, double alpha, const double* x, double beta, const double* y, double* w) {
#pragma acc parallel loop gang vector copyin(x[0 : n], y[0 : n]) copy(w[0 : n])
  for (int i = 0; i < n; ++i)
    w[i] = alpha * x[i] + beta * y[i];
}

} // namespace

extern "C" {

/// Matrix and vectors stay on the device for the whole solution.
void gangway_cg_data(gangway::sparse::Csr matrix, const double* b, double* x, double* r, double* p,
                     double* q, int most, double tolerance, double* history, int* iterations) {
  const int rows = matrix.rows;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc data copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros],                   \
                        values[0 : nonzeros], b[0 : rows]) copy(x[0 : rows])                       \
    create(r[0 : rows], p[0 : rows], q[0 : rows])
  {
    matvec(rows, row_offsets, column_indices, values, x, q);
    waxpby(rows, 1, b, -1, q, r);
    waxpby(rows, 1, r, 0, r, p);
    double rr = dot(rows, r, r);
    int k = 0;
    for (;; ++k) {
      history[k] = std::sqrt(rr);
      if (k == most || history[k] <= tolerance)
        break;
      matvec(rows, row_offsets, column_indices, values, p, q);
      const double alpha = rr / dot(rows, p, q);
      waxpby(rows, 1, x, alpha, p, x);
      waxpby(rows, 1, r, -alpha, q, r);
      const double before = rr;
      rr = dot(rows, r, r);
      waxpby(rows, 1, r, rr / before, p, p);
    }
    *iterations = k;
  }
}

} // extern "C"
