// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

namespace guide::openacc {
namespace {

// [gang_worker_vector]
void gang_worker_vector(long planes, long rows, long columns, const double* a, double* sums) {
#pragma acc parallel loop gang num_workers(4) vector_length(32)                                    \
    copyin(a[0 : planes * rows * columns]) copyout(sums[0 : planes * rows])
  for (long p = 0; p < planes; ++p) {
#pragma acc loop worker
    for (long i = 0; i < rows; ++i) {
      double sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (long j = 0; j < columns; ++j)
        sum += a[(p * rows + i) * columns + j];
      sums[p * rows + i] = sum;
    }
  }
}
// [gang_worker_vector]

// [vector_length]
void vector_length(long rows, long columns, const double* a, double* sums) {
#pragma acc parallel loop gang vector_length(128) copyin(a[0 : rows * columns])                    \
    copyout(sums[0 : rows])
  for (long i = 0; i < rows; ++i) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (long j = 0; j < columns; ++j)
      sum += a[i * columns + j];
    sums[i] = sum;
  }
}
// [vector_length]

// [num_gangs]
void num_gangs(long n, double a, const double* x, double* y) {
#pragma acc parallel loop gang vector num_gangs(64) vector_length(128) copyin(x[0 : n])            \
    copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = a * x[i];
}
// [num_gangs]

// [one_gang]
void one_gang(long n, double* x) {
#pragma acc parallel num_gangs(1) vector_length(128) copy(x[0 : n])
  {
    double highest = x[0];
#pragma acc loop vector reduction(max : highest)
    for (long i = 1; i < n; ++i)
      highest = x[i] > highest ? x[i] : highest;
#pragma acc loop vector
    for (long i = 0; i < n; ++i)
      x[i] /= highest;
  }
}
// [one_gang]

// [levels_in_kernels]
void levels_in_kernels(long n, double a, const double* x, double* y) {
#pragma acc kernels copyin(x[0 : n]) copyout(y[0 : n])
  {
#pragma acc loop independent gang(40) vector(128)
    for (long i = 0; i < n; ++i)
      y[i] = a * x[i];
  }
}
// [levels_in_kernels]

// [cache]
void cache(long n, const double* x, double* y) {
#pragma acc parallel loop gang vector vector_length(128) copyin(x[0 : n + 2]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i) {
#pragma acc cache(x[i : 3])
    y[i] = 0.25 * (x[i] + x[i + 1] + x[i + 2]);
  }
}
// [cache]

// [private_to_gang]
void private_to_gang(long n, double* x) {
  static constexpr int block = 128;
  double held[block];
#pragma acc parallel loop gang vector_length(128) private(held) copy(x[0 : n])
  for (long first = 0; first < n; first += block) {
    const long count = n - first < block ? n - first : block;
#pragma acc loop vector
    for (long k = 0; k < count; ++k)
      held[k] = x[first + k];
#pragma acc loop vector
    for (long k = 0; k < count; ++k)
      x[first + k] = held[count - 1 - k];
  }
}
// [private_to_gang]

// [routine_seq]
#pragma acc routine seq
double cube(double x) {
  return x * x * x;
}

void routine_seq(long n, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = cube(x[i]);
}
// [routine_seq]

// [routine_rows]
#pragma acc routine seq
void difference(const double* lower, const double* upper, double* flow) {
  for (int k = 0; k < 3; ++k)
    flow[k] = upper[k] - lower[k];
}

void routine_rows(long n, const double* state, double* flow) {
#pragma acc parallel loop copyin(state[0 : 3 * (n + 1)]) copyout(flow[0 : 3 * n])
  for (long i = 0; i < n; ++i)
    difference(&state[3 * i], &state[3 * (i + 1)], &flow[3 * i]);
}
// [routine_rows]

// [routine_vector]
#pragma acc routine vector
void scale_row(long columns, double factor, double* row) {
#pragma acc loop vector
  for (long j = 0; j < columns; ++j)
    row[j] *= factor;
}

void routine_vector(long rows, long columns, const double* factor, double* a) {
#pragma acc parallel loop gang vector_length(128) copyin(factor[0 : rows])                         \
    copy(a[0 : rows * columns])
  for (long i = 0; i < rows; ++i)
    scale_row(columns, factor[i], a + i * columns);
}
// [routine_vector]

// [routine_worker]
#pragma acc routine worker
void scale_rows(long first, long last, long columns, const double* factor, double* a) {
#pragma acc loop worker
  for (long i = first; i < last; ++i) {
#pragma acc loop vector
    for (long j = 0; j < columns; ++j)
      a[i * columns + j] *= factor[i];
  }
}

void routine_worker(long rows, long columns, const double* factor, double* a) {
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(factor[0 : rows])           \
    copy(a[0 : rows * columns])
  for (long first = 0; first < rows; first += 16)
    scale_rows(first, first + 16 < rows ? first + 16 : rows, columns, factor, a);
}
// [routine_worker]

// [routine_gang]
#pragma acc routine gang
void scale_matrix(long rows, long columns, const double* factor, double* a) {
#pragma acc loop gang
  for (long i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (long j = 0; j < columns; ++j)
      a[i * columns + j] *= factor[i];
  }
}

void routine_gang(long rows, long columns, const double* factor, double* a) {
#pragma acc parallel num_gangs(64) vector_length(128) copyin(factor[0 : rows])                     \
    copy(a[0 : rows * columns])
  scale_matrix(rows, columns, factor, a);
}
// [routine_gang]

} // namespace

const Levels levels{.gang_worker_vector = gang_worker_vector,
                    .vector_length = vector_length,
                    .num_gangs = num_gangs,
                    .levels_in_kernels = levels_in_kernels,
                    .one_gang = one_gang,
                    .cache = cache,
                    .private_to_gang = private_to_gang,
                    .routine_seq = routine_seq,
                    .routine_rows = routine_rows,
                    .routine_vector = routine_vector,
                    .routine_worker = routine_worker,
                    .routine_gang = routine_gang};

} // namespace guide::openacc
