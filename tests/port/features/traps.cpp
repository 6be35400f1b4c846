// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a translation by the letter would get wrong.
#include <cmath>
#include <cstddef>

#define LOW 1 + 2  // NOLINT(bugprone-macro-parentheses)
#define STEP 1 + 1 // NOLINT(bugprone-macro-parentheses)

void precedence(int n, double* x) {
#pragma acc parallel loop copy(x[0 : n << 1])
  for (int i = 1; i < n << 1; i += 3)
    x[i] = 1;
#pragma acc parallel loop collapse(2) copy(x[0 : 2 * n])
  for (int i = 0; i < 2; ++i)
    for (int j = LOW; j < n; j += STEP)
      x[i * n + j] += 1;
}

void one_of_two(int n, double* x, double* y) {
  double t = 3;
#pragma acc parallel copy(x[0 : n], y[0 : n])
  {
#pragma acc loop private(t)
    for (int i = 0; i < n; ++i) {
      t = x[i];
      x[i] = t * t;
    }
#pragma acc loop
    for (int i = 0; i < n; ++i)
      y[i] = t;
  }
}

static double max(double a, double b) {
  return a * b;
}
namespace own {
double exp(double x) {
  return x + 1;
}
} // namespace own

void own_functions(int n, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copy(y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = max(own::exp(x[i]), y[i]);
}

void less_exact(int n, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copy(y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = sqrtf(x[i] + 5) + powf(y[i], 3);
}

struct Grid {
  long rows, columns;
  double* u;
  double sum() const {
    double total = 0;
#pragma acc parallel loop collapse(2) reduction(+ : total) copyin(u[0 : rows * columns])
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j)
        total += u[i * columns + j];
    return total;
  }
};

int offset = 2;

void bounds_of_others(const Grid* grid, const int* first, double* x) {
#pragma acc parallel loop copy(x[0 : grid->columns])
  for (long i = *first; i < grid->columns; i += 2)
    x[i] = 1;
#pragma acc parallel loop collapse(2) copy(x[0 : grid->rows * grid->columns])
  for (long i = 0; i < grid->rows; ++i)
    for (long j = offset; j < grid->columns; ++j)
      x[i * grid->columns + j] += 1;
#pragma acc parallel loop copy(x[offset : grid->rows])
  for (long i = offset; i < offset + grid->rows; ++i)
    x[i] += 1;
}

void unsigned_bounds(std::size_t low, std::size_t high, std::size_t step, double* x) {
#pragma acc parallel loop copy(x[0 : 1200])
  for (std::size_t i = low; i < high; i += step)
    x[i] = 1;
#pragma acc parallel loop collapse(2) copy(x[0 : 1200])
  for (std::size_t i = low; i < high; ++i)
    for (std::size_t j = low; j < high; ++j)
      x[i * 30 + j] += 1;
}

void in_parentheses(int n, double* a, double* b) {
#pragma acc data copy(a[0 : n], b[0 : n])
  {
    (a) = b;
#pragma acc parallel loop present(a[0 : n])
    for (int i = 0; i < n; ++i)
      a[i] += 1;
  }
}

void by_reference(int n, double* a, double* b) {
  double*& other = a;
#pragma acc data copy(a[0 : n], b[0 : n])
  {
    other = b;
#pragma acc parallel loop present(a[0 : n])
    for (int i = 0; i < n; ++i)
      a[i] += 1;
  }
}

void low_moves(int n, int low, double* a) {
#pragma acc data copy(a[low : n])
  {
    ++low;
#pragma acc parallel loop
    for (int i = low; i < n; ++i)
      a[i] += 1;
  }
}
