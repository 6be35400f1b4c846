// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg_ranks/cg_ranks.hpp"
#include "studies/spmv/openacc_private.hpp"

using gangway::cg_ranks::LocalSystem;
using namespace gangway::spmv;
namespace ranks = gangway::ranks;

namespace {

/// Computes out = A in in the rows order[begin] to order[end]: one row per worker, four workers per
/// gang, the non-zeros over a vector of 32.
void matvec(const LocalSystem& system, int begin, int end, const double* in, double* out) {
  if (begin == end)
    return;
  const int rows = system.matrix.rows;
  const int columns = system.matrix.columns;
  const int nonzeros = system.matrix.nonzeros();
  const int* row_offsets = system.matrix.row_offsets;
  const int* column_indices = system.matrix.column_indices;
  const double* values = system.matrix.values;
  const int* order = system.order;
#pragma acc parallel loop gang worker num_workers(4) vector_length(32)                             \
    present(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],         \
            order[0 : rows], in[0 : columns], out[0 : rows]) async(1)
  for (int place = begin; place < end; ++place) {
    const int row = order[place];
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * in[column_indices[j]];
    out[row] = sum;
  }
}

/// Packs the elements that other ranks want, one after the other.
void pack(const LocalSystem& system, const double* from, double* packed) {
  const int columns = system.matrix.columns;
  const int count = system.sent_count;
  const int* sent = system.sent;
  if (count == 0)
    return;
#pragma acc parallel loop gang vector present(sent[0 : count], from[0 : columns],                  \
                                              packed[0 : count]) async(1)
  for (int i = 0; i < count; ++i)
    packed[i] = from[sent[i]];
}

/// Starts to exchange the halo of `in`, by the device's addresses.
void start(const LocalSystem& system, ranks::Exchange* ranks, double* in, double* packed) {
  if (system.matrix.columns == 0) // without rows: nothing is on the device, nobody is waited for
    return;
  pack(system, in, packed);
#pragma acc wait(1)
#pragma acc host_data use_device(in, packed)
  {
    ranks->start(packed, in + system.matrix.rows);
  }
}

/// Returns x . y of all ranks.
double dot(const ranks::Exchange* ranks, int n, const double* x, const double* y) {
  double sum = 0;
#pragma acc parallel loop gang vector reduction(+ : sum) present(x[0 : n], y[0 : n])
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  ranks->sum(&sum, 1);
  return sum;
}

/// w = alpha x + beta y; w may be x or y.
void waxpby(int n, double alpha, const double* x, double beta, const double* y, double* w) {
#pragma acc parallel loop gang vector present(x[0 : n], y[0 : n], w[0 : n])
  for (int i = 0; i < n; ++i)
    w[i] = alpha * x[i] + beta * y[i];
}

/// Product out = A in, with the exchange of its halo.
using Multiply = void(const LocalSystem& system, ranks::Exchange* ranks, double* in, double* packed,
                      double* out);

/// Multiplies after the sent elements went to the host and to other ranks, and the halo came back.
void multiply_staged(const LocalSystem& system, ranks::Exchange* ranks, double* in, double* packed,
                     double* out) {
  const int rows = system.matrix.rows;
  const int halo = system.halo();
  const int count = system.sent_count;
  pack(system, in, packed);
#pragma acc wait(1)
#pragma acc update self(packed[0 : count]) if (count > 0)
  ranks->on_host(packed, in + rows);
#pragma acc update device(in[rows : halo]) if (halo > 0)
  matvec(system, 0, rows, in, out);
#pragma acc wait(1)
}

/// The ranks are given the device's addresses.
void multiply_device_pointers(const LocalSystem& system, ranks::Exchange* ranks, double* in,
                              double* packed, double* out) {
  start(system, ranks, in, packed);
  ranks->finish();
  matvec(system, 0, system.matrix.rows, in, out);
#pragma acc wait(1)
}

/// Rows that need no halo are multiplied while it travels.
void multiply_overlapped(const LocalSystem& system, ranks::Exchange* ranks, double* in,
                         double* packed, double* out) {
  start(system, ranks, in, packed);
  matvec(system, 0, system.inner, in, out);
  ranks->finish();
  matvec(system, system.inner, system.matrix.rows, in, out);
#pragma acc wait(1)
}

/// The loop at the head of cg_ranks.hpp. Matrix and vectors stay on the device.
void solve(Multiply* multiply, const LocalSystem& system, ranks::Exchange* ranks, const double* b,
           double* x, double* r, double* p, double* q, double* packed, int most, double tolerance,
           double* history, int* iterations) {
  const int rows = system.matrix.rows;
  const int columns = system.matrix.columns;
  const int nonzeros = system.matrix.nonzeros();
  const int count = system.sent_count;
  const int room = count > 0 ? count : 1;
  // Only clauses use these variables; a compiler for hosts may leave the clauses out.
  [[maybe_unused]] const int* row_offsets = system.matrix.row_offsets;
  [[maybe_unused]] const int* column_indices = system.matrix.column_indices;
  [[maybe_unused]] const double* values = system.matrix.values;
  [[maybe_unused]] const int* sent = system.sent;
  [[maybe_unused]] const int* order = system.order;
#pragma acc data copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros],                   \
                        values[0 : nonzeros], sent[0 : count], order[0 : rows], b[0 : rows])       \
    copy(x[0 : columns]) create(r[0 : columns], p[0 : columns], q[0 : rows], packed[0 : room])
  {
    multiply(system, ranks, x, packed, q);
    waxpby(rows, 1, b, -1, q, r);
    waxpby(rows, 1, r, 0, r, p);
    double rr = dot(ranks, rows, r, r);
    int k = 0;
    for (;; ++k) {
      history[k] = std::sqrt(rr);
      if (k == most || history[k] <= tolerance)
        break;
      multiply(system, ranks, p, packed, q);
      const double alpha = rr / dot(ranks, rows, p, q);
      waxpby(rows, 1, x, alpha, p, x);
      waxpby(rows, 1, r, -alpha, q, r);
      const double before = rr;
      rr = dot(ranks, rows, r, r);
      waxpby(rows, 1, r, rr / before, p, p);
    }
    *iterations = k;
  }
}

/// w = A r by spmv's `auto`, if there is a plan of it.
void multiply_planned(void* plan, const LocalSystem& system, ranks::Exchange* ranks, double* r,
                      double* packed, double* w) {
  if (plan == nullptr)
    return multiply_device_pointers(system, ranks, r, packed, w);
  start(system, ranks, r, packed);
  ranks->finish();
  if (system.matrix.rows > 0)
    gangway_spmv_auto(plan, system.matrix, r, w);
}

/// w = A r, and both sums of an iteration, of all ranks: r . r and r . w.
void multiply_and_sum(void* plan, const LocalSystem& system, ranks::Exchange* ranks, double* r,
                      double* packed, double* w, double* sums) {
  multiply_planned(plan, system, ranks, r, packed, w);
  const int rows = system.matrix.rows;
  double rr = 0;
  double rw = 0;
#pragma acc parallel loop gang vector reduction(+ : rr, rw) present(r[0 : rows], w[0 : rows])
  for (int i = 0; i < rows; ++i) {
    rr += r[i] * r[i];
    rw += r[i] * w[i];
  }
  sums[0] = rr;
  sums[1] = rw;
  ranks->sum(sums, 2);
}

/// Solves for the same numbers, but for rounding, with both sums of an iteration in one
/// (Chronopoulos and Gear). It does not multiply s = A p: s follows from A r as p from r, and p . A
/// p from the sums. The product is spmv's `auto` by its plan, if there is one.
void solve_with_one_sum(void* plan, const LocalSystem& system, ranks::Exchange* ranks,
                        const double* b, double* x, double* r, double* p, double* q, double* s,
                        double* packed, int most, double tolerance, double* history,
                        int* iterations) {
  const int rows = system.matrix.rows;
  const int columns = system.matrix.columns;
  const int nonzeros = system.matrix.nonzeros();
  const int count = system.sent_count;
  const int room = count > 0 ? count : 1;
  // Only clauses use these variables; a compiler for hosts may leave the clauses out.
  [[maybe_unused]] const int* row_offsets = system.matrix.row_offsets;
  [[maybe_unused]] const int* column_indices = system.matrix.column_indices;
  [[maybe_unused]] const double* values = system.matrix.values;
  [[maybe_unused]] const int* sent = system.sent;
  [[maybe_unused]] const int* order = system.order;
#pragma acc data copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros],                   \
                        values[0 : nonzeros], sent[0 : count], order[0 : rows], b[0 : rows])       \
    copy(x[0 : columns])                                                                           \
        create(r[0 : columns], p[0 : columns], q[0 : rows], s[0 : rows], packed[0 : room])
  {
    multiply_planned(plan, system, ranks, x, packed, q);
    waxpby(rows, 1, b, -1, q, r);
    double sums[2];
    multiply_and_sum(plan, system, ranks, r, packed, q, sums);
    double rr = sums[0];
    double alpha = rr / sums[1];
    double beta = 0;
    int k = 0;
    for (;; ++k) {
      history[k] = std::sqrt(rr);
      if (k == most || history[k] <= tolerance)
        break;
#pragma acc parallel loop gang vector present(r[0 : columns], p[0 : columns], q[0 : rows],         \
                                              s[0 : rows], x[0 : columns])
      for (int i = 0; i < rows; ++i) {
        // Before the first iteration there is no direction.
        const double along = r[i] + (k == 0 ? 0 : beta * p[i]);
        const double across = q[i] + (k == 0 ? 0 : beta * s[i]);
        p[i] = along;
        s[i] = across;
        x[i] += alpha * along;
        r[i] -= alpha * across;
      }
      const double before = rr;
      multiply_and_sum(plan, system, ranks, r, packed, q, sums);
      rr = sums[0];
      beta = rr / before;
      alpha = rr / (sums[1] - beta * rr / alpha);
    }
    *iterations = k;
  }
}

} // namespace

extern "C" {

void gangway_cg_ranks_staged(LocalSystem system, ranks::Exchange* ranks, const double* b, double* x,
                             double* r, double* p, double* q, double*, double* packed, int most,
                             double tolerance, double* history, int* iterations) {
  solve(multiply_staged, system, ranks, b, x, r, p, q, packed, most, tolerance, history,
        iterations);
}

void gangway_cg_ranks_device_pointers(LocalSystem system, ranks::Exchange* ranks, const double* b,
                                      double* x, double* r, double* p, double* q, double*,
                                      double* packed, int most, double tolerance, double* history,
                                      int* iterations) {
  solve(multiply_device_pointers, system, ranks, b, x, r, p, q, packed, most, tolerance, history,
        iterations);
}

void gangway_cg_ranks_overlapped(LocalSystem system, ranks::Exchange* ranks, const double* b,
                                 double* x, double* r, double* p, double* q, double*,
                                 double* packed, int most, double tolerance, double* history,
                                 int* iterations) {
  solve(multiply_overlapped, system, ranks, b, x, r, p, q, packed, most, tolerance, history,
        iterations);
}

void gangway_cg_ranks_one_sum(LocalSystem system, ranks::Exchange* ranks, const double* b,
                              double* x, double* r, double* p, double* q, double* s, double* packed,
                              int most, double tolerance, double* history, int* iterations) {
  solve_with_one_sum(nullptr, system, ranks, b, x, r, p, q, s, packed, most, tolerance, history,
                     iterations);
}

void* gangway_cg_ranks_auto_plan(LocalSystem system, ranks::Exchange*, const double*, double*,
                                 double*, double*, double*, double*, double*, int, double, double*,
                                 int*) {
  return gangway_spmv_auto_plan(system.matrix, nullptr, nullptr);
}

void gangway_cg_ranks_auto_unplan(void* plan) {
  gangway_spmv_auto_unplan(plan);
}

void gangway_cg_ranks_auto(void* plan, LocalSystem system, ranks::Exchange* ranks, const double* b,
                           double* x, double* r, double* p, double* q, double* s, double* packed,
                           int most, double tolerance, double* history, int* iterations) {
  solve_with_one_sum(plan, system, ranks, b, x, r, p, q, s, packed, most, tolerance, history,
                     iterations);
}

} // extern "C"
