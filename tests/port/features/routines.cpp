// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that kernels call.
#include <cmath>

#pragma acc routine seq
static inline double norm(double x, double y) {
  return std::sqrt(x * x + y * y);
}

#pragma acc routine vector
void fill(int n, double* row, int* filled) {
#pragma acc loop vector
  for (int j = 0; j < n; ++j)
    row[j] += j;
#pragma acc atomic update
  ++*filled;
}

void filled_rows(int rows, int n, double* a, int* filled) {
#pragma acc parallel loop gang copy(a[0 : rows * n], filled[0 : 1])
  for (int i = 0; i < rows; ++i)
    fill(n, a + i * n, filled);
}

#pragma acc routine seq nohost
double plus_one(double x) {
  return x + 1;
}

void by_device_only(int n, double* a) {
#pragma acc parallel loop copy(a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] = plus_one(a[i]);
}

#pragma acc routine gang
void scale_rows(int first, int rows, int n, double factor, double* a) {
  double kept;
#pragma acc loop gang
  for (int i = first; i < rows; ++i) {
    kept = factor;
#pragma acc loop vector
    for (int j = 0; j < n; ++j)
      a[i * n + j] *= kept;
  }
#pragma acc loop gang vector
  for (int i = 0; i < first; ++i)
    a[i * n] = 1;
}

void scaled(int rows, int n, double* a) {
#pragma acc parallel num_gangs(8) vector_length(32) copy(a[0 : rows * n])
  scale_rows(2, rows, n, 3, a);
}

double twice(double x);

double callee_of_a_callee(double x) {
  return fabs(x);
}

double twice(double x) {
  return 2 * callee_of_a_callee(x);
}

void norms(int n, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copy(y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = norm(x[i], twice(y[i]));
}
