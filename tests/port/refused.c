// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As refused.cpp: what means another thing in C++.
#include <math.h>
#include <stdlib.h>

#define LENGTH(x) (sizeof(x) / sizeof((x)[0]) + n)

void sizes(int n, double* x) {
  double v[n], w[4] = {1, 2, 3, 4};
  // refused: the size of an array of variable length in a kernel (line 14)
#pragma acc parallel loop copy(x[0 : n]) copyin(v)
  for (int i = 0; i < n; ++i)
    x[i] = sizeof(v) + v[i];
  // refused: a macro takes the size of an array in a kernel (line 18)
#pragma acc parallel loop copy(x[0 : n]) copyin(w)
  for (int i = 0; i < n; ++i)
    x[i] = LENGTH(w) + w[1];
}

void conversions(int n, double* x) {
  // refused: it calls 'abs', which in C takes whole numbers only
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = abs(x[i]);
  // refused: 'if', and 'sqrtf' is called with what C converts to double
#pragma acc parallel loop copy(x[0 : n]) if (n > 9)
  for (int i = 0; i < n; ++i)
    x[i] = sqrtf(x[i]);
}

void threads(int n, double* x) {
#pragma omp parallel
  {
    // refused: several threads execute it, because of '#pragma omp parallel' in line 33
#pragma acc parallel loop copy(x[0 : n])
    for (int i = 0; i < n; ++i)
      x[i] = 1;
  }
}

// refused: 'element_of' has 'a', which leads to arrays of variable length, in a kernel
#pragma acc routine seq
static double element_of(int m, double (*a)[m], int i) {
  return a[i][0];
}

void rows(int n, int m, double* x, double (*a)[m]) {
  double v[n];
  // refused: 'b', which leads to arrays of variable length, in a kernel (line 53)
#pragma acc parallel loop copy(x[0 : n * m])
  for (int i = 0; i < n; ++i) {
    double (*b)[m] = (double (*)[m])x;
    b[i][0] = 1;
  }
  // refused: a cast to arrays of variable length in a kernel (line 59)
#pragma acc parallel loop copy(x[0 : n * m])
  for (int i = 0; i < n; ++i)
    ((double (*)[m])x)[i][0] = 1;
  // refused: 'element_of' has 'a', which leads to arrays of variable length, in a kernel
#pragma acc parallel loop copyin(a[0 : n][0 : m]) copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = element_of(m, a, i);
  // refused: 'a' has no length
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = a[i][0];
  n = 2;
  // refused: the extents of 'v' are not known
#pragma acc parallel loop copyout(v)
  for (int i = 0; i < 2; ++i)
    v[i] = 1;
}

int columns = 4;
static int width = 4;
void declared_elsewhere(void);
void add_column(void) {
  ++columns;
}
void set_columns(int to) {
  if (to > columns)
    add_column();
}
void lengths_that_calls_change(int n, double* x) {
  double (*a)[columns] = (double (*)[columns])x;
  set_columns(n);
  // refused: the extents of 'a[0 : n]' are not known
#pragma acc parallel loop copy(a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i][0] = 1;
  double (*b)[columns] = (double (*)[columns])x;
  declared_elsewhere();
  // refused: the extents of 'b[0 : n]' are not known
#pragma acc parallel loop copy(b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i][0] = 1;
  // Only functions of this file write a static variable.
  double (*c)[width] = (double (*)[width])x;
  declared_elsewhere();
#pragma acc parallel loop copy(c[0 : n])
  for (int i = 0; i < n; ++i)
    c[i][0] = 1;
}
