// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg/cg.hpp"

// Each routine says which arrays it needs, as if it were called alone; inside the solver's data
// region the clauses find everything present and move nothing.
namespace {

/// out = A in: one row per worker, four workers per gang, the non-zeros over a vector of 32.
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

/// Solves by the same algorithm in three passes per iteration: the product with its dot product,
/// the residual with its norm, solution and direction together. Scalars stay on the device, where
/// each gang reads them before its loop. The host queues iterations and looks now and then whether
/// the residual is small enough. Iterations queued after the last loop over no rows.
void gangway_cg_fused(gangway::sparse::Csr matrix, const double* b, double* x, double* r, double* p,
                      double* q, int most, double tolerance, double* history, int* iterations) {
  constexpr int look_every = 8; // waiting for the device costs more than an iteration in vain
  // Gangs of 512 lanes: as many lanes together as the largest current GPUs run at once. There are
  // no more gangs, because they add to a sum one after the other.
  constexpr int most_gangs = 512;
  const int rows = matrix.rows;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
  const int gangs_of_rows = std::min(rows / 16 + 1, most_gangs); // one row per worker
  const int gangs = std::min(rows / 512 + 1, most_gangs);        // one element per lane
  // The device's; the host asks it for the last two.
  double rr = 0;      // r . r
  double next_rr = 0; // that of the next r
  double pq = 0;      // p . q
  int goes_on = 1;    // whether the iteration is needed
  int done = 0;       // iterations that were
#pragma acc data copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros],                   \
                        values[0 : nonzeros], b[0 : rows]) copy(x[0 : rows])                       \
    create(r[0 : rows], p[0 : rows], q[0 : rows], history[0 : most + 1], rr, next_rr, pq, goes_on, \
           done)
  {
#pragma acc parallel num_gangs(1) present(next_rr, goes_on) async(1)
    {
      next_rr = 0;
      goes_on = 1;
    }
    // r = p = b - A x
#pragma acc parallel loop gang worker num_gangs(gangs_of_rows) num_workers(16) vector_length(32)   \
    reduction(+ : next_rr) present(next_rr)                                                        \
        copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],      \
               b[0 : rows], x[0 : rows]) copy(r[0 : rows], p[0 : rows]) async(1)
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
        sum += values[j] * x[column_indices[j]];
      const double rest = b[row] - sum;
      r[row] = rest;
      p[row] = rest;
      next_rr += rest * rest;
    }

    for (int k = 0;; ++k) {
#pragma acc parallel num_gangs(1) present(history[0 : most + 1], rr, next_rr, pq, goes_on, done)   \
    async(1)
      {
        if (goes_on != 0) {
          history[k] = std::sqrt(next_rr);
          goes_on = history[k] > tolerance ? 1 : 0;
          done = k;
        }
        rr = next_rr;
        next_rr = 0;
        pq = 0;
      }
      if (k == most)
        break;
      if (k % look_every == 0) {
#pragma acc update self(goes_on) async(1)
#pragma acc wait(1)
        if (goes_on == 0)
          break;
      }

      // q = A p and p . q
#pragma acc parallel num_gangs(gangs_of_rows) num_workers(16) vector_length(32)                    \
    present(pq, goes_on)                                                                           \
        copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros])      \
            copyin(p[0 : rows]) copy(q[0 : rows]) async(1)
      {
        const int end = goes_on != 0 ? rows : 0;
#pragma acc loop gang worker reduction(+ : pq)
        for (int row = 0; row < end; ++row) {
          double sum = 0;
#pragma acc loop vector reduction(+ : sum)
          for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
            sum += values[j] * p[column_indices[j]];
          q[row] = sum;
          pq += p[row] * sum;
        }
      }

      // r = r - alpha q and r . r
#pragma acc parallel num_gangs(gangs) num_workers(16) vector_length(32)                            \
    present(rr, next_rr, pq, goes_on) copyin(q[0 : rows]) copy(r[0 : rows]) async(1)
      {
        const int end = goes_on != 0 ? rows : 0;
        const double alpha = rr / pq;
#pragma acc loop gang worker vector reduction(+ : next_rr)
        for (int i = 0; i < end; ++i) {
          const double rest = r[i] - alpha * q[i];
          r[i] = rest;
          next_rr += rest * rest;
        }
      }

      // x = x + alpha p and p = r + beta p
#pragma acc parallel num_gangs(gangs) num_workers(16) vector_length(32)                            \
    present(rr, next_rr, pq, goes_on) copyin(r[0 : rows]) copy(x[0 : rows], p[0 : rows]) async(1)
      {
        const int end = goes_on != 0 ? rows : 0;
        const double alpha = rr / pq;
        const double beta = next_rr / rr;
#pragma acc loop gang worker vector
        for (int i = 0; i < end; ++i) {
          const double old = p[i];
          x[i] += alpha * old;
          p[i] = r[i] + beta * old;
        }
      }
    }
#pragma acc update self(done) async(1)
#pragma acc wait(1)
#pragma acc update self(history[0 : done + 1])
    *iterations = done;
  }
}

} // extern "C"
