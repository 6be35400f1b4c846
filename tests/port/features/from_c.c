// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program in C: what C++ takes for something else, or not at all. It prints what it finds, a line
// for each function.
// NOLINTBEGIN(modernize-use-using,readability-identifier-naming)
#define SIZE 12
#define max(a, b) ((a) > (b) ? (a) : (b))
#include "from_c.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define range(a, b) ((b) - (a))

/// Nobody asks for what it returns.
static int without_return(int n, double* x) {
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= 3;
}

#pragma acc routine seq
static int perhaps_with_return(double* x) {
  if (*x > 20)
    return 1;
  *x += 0.5;
}

static void returns(void) {
  double x[10];
  for (int i = 0; i < 10; ++i)
    x[i] = i;
  without_return(10, x);
#pragma acc parallel loop copy(x)
  for (int i = 0; i < 10; ++i)
    perhaps_with_return(&x[i]);
  printf("returns %g %g\n", x[1], x[9]);
}

/// Names that the translation writes, too.
#define ROOT(x) sqrt(x)
#define THIRD_POWER(x) pow((x), 3)
static float fourth(float x) {
  return (float)(1e9 * (ROOT(ROOT(x)) - 1.1892071f));
}
/* A macro that calls C's function of double with a float. */
static void roots(void) {
  float x[4] = {2, 3, 5, 7};
  double sum = 0, fourths = 0;
#pragma acc parallel loop copyin(x) reduction(+ : sum, fourths)
  for (int i = 0; i < 4; ++i) {
    sum += ROOT(x[i]) + THIRD_POWER(x[i] / 3);
    fourths += fourth(x[i]);
  }
  printf("roots %.12g %.6g\n", sum, fourths);
}

static void macros(void) {
  double x[SIZE], top = 0;
  for (int i = 0; i < SIZE; ++i)
    x[i] = i * 7 % 11;
#pragma acc parallel loop reduction(max : top) copyin(x)
  for (int i = 0; i < range(0, SIZE); ++i)
    top = max(top, x[i]);
  printf("macros %g\n", top);
}

/// What other compilers are told of the loops.
static void beside(void) {
  double x[SIZE], c[4][3], sum = 0;
#ifdef _OPENMP
#pragma omp parallel for
#endif
  // of the device
#pragma acc parallel loop copyout(x) reduction(+ : sum)
#pragma GCC ivdep
  for (int i = 0; i < SIZE; ++i) {
    x[i] = 0;
#pragma omp simd
    for (int k = 0; k < 3; ++k)
      x[i] += i * k;
    sum += x[i];
  }
#pragma acc parallel loop gang copyout(c) copyin(x)
#pragma omp parallel for
  for (int i = 0; i < 4; ++i) {
    double half = 0.5 * i;
#pragma omp simd
#pragma acc loop vector
    for (int j = 0; j < 3; ++j)
      c[i][j] = half + x[i + j];
  }
#pragma omp parallel for
  for (int i = 0; i < SIZE; ++i)
    x[i] += 1;
  printf("beside %g %g %g\n", x[5], sum, c[3][2]);
}

typedef struct {
  int nx, ny;
  double* u;
  const double* v;
} field;
#define U(f, i, j) (f)->u[(i) * (f)->ny + (j)]
#define V(f, i) (f).v[i]
static double weight = 3;
#define WEIGHT weight

/* Members, globals and what the device has, in macros. */
static void macros_of_members(field* f, field g) {
  double last = 0;
#pragma acc parallel loop collapse(2) present(f->u[0 : f->nx * f->ny]) copyin(g.v[0 : f->nx])
  for (int i = 0; i < f->nx; ++i)
    for (int j = 0; j < f->ny; ++j)
      U(f, i, j) += V(g, i) * WEIGHT + f->u[i * f->ny + j] + g.nx;
#define LAST last
#pragma acc serial copy(last) present(f -> u[0 : f->nx * f->ny])
  for (int i = 0; i < f->nx; ++i)
    LAST += U(f, i, i) - last / 2;
#pragma acc exit data copyout(f->u[0 : f->nx * f->ny])
  printf("members %g %g\n", last, f->u[5]);
}

/* Names that are keywords of C++. */
static double keywords(const double* new, int or, int class) {
  double this = 0;
#pragma acc parallel loop reduction(+ : this) copyin(new[0 : or]) private(class)
  for (int not = 0; not < or; ++not) {
    class = 2;
    this += class * new[not];
  }
  return this + class;
}

/* What is an `int` in C, and smaller in C++. */
static void sizes(void) {
  int a[2];
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 2; ++i)
    a[i] = (int)(sizeof 'a' + sizeof(i == 1) + sizeof !i);
  printf("sizes %d %d\n", a[1], (int)(sizeof('a') + sizeof(a[0] && a[1])));
}

/* Arrays of variable length, and pointers to them. */
static double total_of(int n, int m, const double a[*][*]);
static double total_of(int n, int m, const double a[n][m]) {
  double sum = 0;
#pragma acc parallel loop collapse(2) copyin(a) reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sum += a[i][j] * (i + 2 * j);
  return sum;
}
#pragma acc routine seq
static double last_of(int m, const double row[m]) {
  return row[m - 1];
}
static void scale(int n, int m, double (*restrict a)[m], double by[static n]) {
#pragma acc data copy(a[0 : n][0 : m]) copy(by[0 : n])
  {
#pragma acc parallel loop
    for (int i = 0; i < n; ++i) {
      double* row = a[i];
      for (int j = 0; j < m; ++j)
        row[j] *= by[i];
      by[i] = last_of(m, a[i]);
    }
  }
}
/* Functions that a device has under another name, or its own. */
static void functions(void) {
  double x[8], sum = 0;
  float y[8];
#pragma acc parallel loop copyout(x, y)
  for (int i = 0; i < 8; ++i) {
    double v[4], w[4];
    memset(v, 0, sizeof v);
    v[i % 4] = copysign(i, -1) + nearbyint(0.4 * i);
    memcpy(w, v, sizeof(w));
    x[i] = w[0] + w[1] + 2 * w[2] + 3 * w[3];
    y[i] = copysignf(logbf(1 + i), nextafter(-1, 0));
  }
  for (int i = 0; i < 8; ++i)
    sum += x[i] + y[i];
  printf("functions %g\n", sum);
}

static void lengths(int n, int m) {
  double flat[n * m], by[n];
  double (*a)[m] = (double (*)[m])flat;
  double (*b)[m];
  b = malloc(n * sizeof *b);
  for (int i = 0; i < n; ++i) {
    by[i] = i + 1;
    for (int j = 0; j < m; ++j)
      a[i][j] = b[i][j] = i - 3 * j;
  }
  scale(n, m, a, by);
#pragma acc parallel loop copyin(a[0 : n][0 : m]) copy(b[0 : n][0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i][j] += a[i][j];
  printf("lengths %g %g %g\n", total_of(n, m, (const double (*)[m])a),
         total_of(n, m, (const double (*)[m])b), by[n - 1]);
  free(b);
}

int main(void) {
  sizes();
  lengths(4, 5);
  functions();
  returns();
  roots();
  macros();
  beside();
  double u[6] = {1, 2, 3, 4, 5, 6}, v[2] = {7, 8};
  field f = {2, 3, u, v};
#pragma acc enter data copyin(f.u[0 : 6])
  macros_of_members(&f, f);
  printf("keywords %g\n", keywords(u, 6, 1));
  const double header[1] = {3.5};
  printf("header %g\n", first_of(header));
  return 0;
}
// NOLINTEND(modernize-use-using,readability-identifier-naming)
