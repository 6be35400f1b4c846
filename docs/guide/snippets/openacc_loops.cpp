// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

namespace guide::openacc {
namespace {

// [parallel_loop]
void parallel_loop(long n, double a, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = a * x[i];
}
// [parallel_loop]

// [kernels]
void kernels(long n, const double* x, double* square, double* mean) {
#pragma acc kernels copyin(x[0 : n]) copyout(square[0 : n], mean[0 : n])
  {
#pragma acc loop independent
    for (long i = 0; i < n; ++i)
      square[i] = x[i] * x[i];
#pragma acc loop independent
    for (long i = 0; i < n; ++i)
      mean[i] = 0.5 * (square[(i + n - 1) % n] + square[(i + 1) % n]);
  }
}
// [kernels]

// [independent]
void independent(long n, const int* place, const double* x, double* y) {
#pragma acc kernels loop independent copyin(place[0 : n], x[0 : n]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[place[i]] = x[i];
}
// [independent]

// [seq]
void seq(long rows, long columns, double* a) {
#pragma acc parallel loop gang vector copy(a[0 : rows * columns])
  for (long i = 0; i < rows; ++i) {
#pragma acc loop seq
    for (long j = 1; j < columns; ++j)
      a[i * columns + j] += a[i * columns + j - 1];
  }
}
// [seq]

// [serial]
void serial(long n, double* x) {
#pragma acc serial copy(x[0 : n])
  for (long i = 1; i < n; ++i)
    x[i] += x[i - 1];
}
// [serial]

// [collapse]
void collapse(long rows, long columns, const double* a, const double* b, double* c) {
#pragma acc parallel loop collapse(2) copyin(a[0 : rows], b[0 : columns])                          \
    copyout(c[0 : rows * columns])
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      c[i * columns + j] = a[i] * b[j];
}
// [collapse]

// [collapse_three]
void collapse_three(long planes, long rows, long columns, const double* weight, const double* x,
                    double* y) {
  const long size = planes * rows * columns;
#pragma acc parallel loop collapse(3) copyin(weight[0 : planes], x[0 : size]) copyout(y[0 : size])
  for (long k = 0; k < planes; ++k)
    for (long j = 0; j < rows; ++j)
      for (long i = 0; i < columns; ++i)
        y[(k * rows + j) * columns + i] = weight[k] * x[(k * rows + j) * columns + i];
}
// [collapse_three]

// [collapse_reduction]
double collapse_reduction(long rows, long columns, const double* a, const double* b) {
  double sum = 0;
#pragma acc parallel loop collapse(2) reduction(+ : sum) copyin(a[0 : rows], b[0 : columns])
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      sum += a[i] * b[j];
  return sum;
}
// [collapse_reduction]

// [interior]
double interior(long rows, long columns, const double* a, double* b) {
  double sum = 0;
#pragma acc parallel loop collapse(2) reduction(+ : sum) copyin(a[0 : rows * columns])             \
    copy(b[0 : rows * columns])
  for (long i = 1; i < rows - 1; ++i)
    for (long j = 1; j < columns - 1; ++j) {
      const long ij = i * columns + j;
      b[ij] = 0.25 * (a[ij - columns] + a[ij + columns] + a[ij - 1] + a[ij + 1]);
      sum += a[ij] * b[ij];
    }
  return sum;
}
// [interior]

// [interior_by_rows]
double interior_by_rows(long rows, long columns, const double* a, double* b) {
  double sum = 0;
#pragma acc parallel loop gang vector_length(128) reduction(+ : sum) copyin(a[0 : rows * columns]) \
    copy(b[0 : rows * columns])
  for (long i = 1; i < rows - 1; ++i)
#pragma acc loop vector reduction(+ : sum)
    for (long j = 1; j < columns - 1; ++j) {
      const long ij = i * columns + j;
      b[ij] = 0.25 * (a[ij - columns] + a[ij + columns] + a[ij - 1] + a[ij + 1]);
      sum += a[ij] * b[ij];
    }
  return sum;
}
// [interior_by_rows]

// [tile]
void tile(long rows, long columns, const double* in, double* out) {
#pragma acc parallel loop tile(32, 8) copyin(in[0 : rows * columns])                               \
    copyout(out[0 : rows * columns])
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      out[j * rows + i] = in[i * columns + j];
}
// [tile]

// [private_array]
void private_array(long n, const double* x, double* y) {
  double w[3];
#pragma acc parallel loop private(w) copyin(x[0 : n + 2]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i) {
#pragma acc loop seq
    for (int k = 0; k < 3; ++k)
      w[k] = x[i + k];
    const double low = w[0] < w[1] ? w[0] : w[1];
    const double high = w[0] < w[1] ? w[1] : w[0];
    y[i] = w[2] < low ? low : w[2] > high ? high : w[2];
  }
}
// [private_array]

// [if_large]
void if_large(long n, double a, const double* x, double* y) {
#pragma acc parallel loop if (n > 10000) copyin(x[0 : n]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = a * x[i];
}
// [if_large]

// [device_type]
#if defined(__NVCOMPILER) || defined(__clang__)
#define VECTOR_LENGTH vector_length(64) device_type(nvidia) vector_length(256)
#else // GCC refuses device_type on compute constructs
#define VECTOR_LENGTH vector_length(256)
#endif

void device_type(long n, double a, const double* x, double* y) {
#pragma acc parallel loop gang vector copyin(x[0 : n]) copy(y[0 : n]) VECTOR_LENGTH
  for (long i = 0; i < n; ++i)
    y[i] += a * x[i];
}
// [device_type]

// [linearised]
void linearised(long rows, long columns, const double* a, double* y) {
#pragma acc parallel loop copyin(a[0 : rows * columns]) copyout(y[0 : columns])
  for (long j = 0; j < columns; ++j) {
    double sum = 0;
#pragma acc loop seq
    for (long i = 0; i < rows; ++i)
      sum += a[i * columns + j];
    y[j] = sum;
  }
}
// [linearised]

// [column_major]
void column_major(long rows, long columns, const double* factor, double* a) {
#pragma acc parallel loop collapse(2) copyin(factor[0 : columns]) copy(a[0 : rows * columns])
  for (long j = 0; j < columns; ++j)
    for (long i = 0; i < rows; ++i)
      a[j * rows + i] *= factor[j];
}
// [column_major]

// [restrict_const]
void restrict_const(long n, long m, const int* __restrict index, const double* __restrict table,
                    double* __restrict y) {
#pragma acc parallel loop copyin(index[0 : n], table[0 : m]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = table[index[i]];
}
// [restrict_const]

} // namespace

const Loops loops{.parallel_loop = parallel_loop,
                  .kernels = kernels,
                  .independent = independent,
                  .serial = serial,
                  .seq = seq,
                  .collapse = collapse,
                  .collapse_three = collapse_three,
                  .collapse_reduction = collapse_reduction,
                  .interior = interior,
                  .interior_by_rows = interior_by_rows,
                  .tile = tile,
                  .private_array = private_array,
                  .if_large = if_large,
                  .device_type = device_type,
                  .linearised = linearised,
                  .column_major = column_major,
                  .restrict_const = restrict_const};

} // namespace guide::openacc
