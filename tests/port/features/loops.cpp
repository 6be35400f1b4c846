// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and their bounds.
#include <cmath>
#include <cstddef>
#include <vector>

void scale(int n, double a, const double* x, double* y) {
#pragma acc parallel loop gang vector vector_length(128) copyin(x[0 : n]) copyout(y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i]; // stays
}

void bounds(long n, double* x) {
#pragma acc parallel loop copy(x[0 : n])
  for (long i = 1; i <= n - 2; ++i)
    x[i] = 1;
#pragma acc parallel loop copy(x[0 : n])
  for (long i = n - 1; i >= 0; --i)
    x[i] += 1;
  // every third
#pragma acc parallel loop copy(x[0 : n])
  for (long i = 2; i < n; i += 3) {
    if (x[i] < 0)
      continue;
    x[i] = std::sqrt(x[i]);
  }
}

void jumps(int n, double* x) {
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    switch (static_cast<int>(x[i])) {
    case 0:
      x[i] = 5;
      goto done;
    case 1:
      goto done;
    default:
      break;
    }
    x[i] *= 2;
  done:
    x[i] += 1;
  }
}

void nests(unsigned long rows, unsigned long columns, double* a) {
#pragma acc parallel loop collapse(2) copy(a[0 : rows * columns])
  for (unsigned long i = 0; i < rows; ++i)
    for (unsigned long j = 1; j < columns; ++j) {
      a[i * columns + j] *= 2;
    }
#pragma acc parallel loop gang copy(a[0 : rows * columns])
  for (unsigned long i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (unsigned long j = 0; j < columns; ++j)
      a[i * columns + j] += 1;
  }
}

void sums(int rows, const int* row, const double* a, double* y) {
#pragma acc parallel loop gang copyin(row[0 : rows + 1], a[0 : row[rows]]) copy(y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    double part[4] = {};
#pragma acc loop worker
    for (int j = 0; j < 4; ++j)
      part[j] = j;
    double sum = part[3];
#pragma acc loop vector reduction(+ : sum)
    for (int j = row[i]; j < row[i + 1]; ++j)
      sum += a[j];
    y[i] = sum;
  }
}

/// What is declared before, and of each iteration's own.
void first_values(int n, double* x) {
  double t, u, v, w;
  int j, k;
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    t = x[i] / 2;
    if (t > 1)
      u = 1;
    else
      u = 2;
    v = w = t + u;
    for (j = 0; j < 3; ++j)
      x[i] += t * j + v;
    for (j = 3; j > 0; --j)
      x[i] -= w;
    for (k = 0; x[i] > k && k < 5; ++k)
      ;
    x[i] += k;
    t = u;
    x[i] += t;
  }
}

/// Data whose block ends with it.
void in_blocks(int n, double* x) {
  for (int step = 0; step < 3; ++step) {
    x[0] += 1;
#pragma acc parallel loop copy(x[0 : n])
    for (int i = 0; i < n; ++i)
      x[i] += step;
  }
  if (n > 2) {
#pragma acc parallel copy(x[0 : n])
    {
#pragma acc loop
      for (int i = 0; i < n; ++i)
        x[i] *= 2;
    }
  }
#pragma acc data copy(x[0 : n])
  {
#pragma acc parallel
    {
#pragma acc loop
      for (int i = 0; i < n; ++i)
        x[i] -= 1;
    }
  }
}

void in_order(int rows, int columns, double* a) {
  int j;
#pragma acc parallel loop copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
    a[i * columns] = 0;
#pragma acc loop
    for (j = 1; j < columns; ++j)
      a[i * columns + j] += a[i * columns + j - 1];
  }
}

void tiles(int rows, int columns, const double* in, double* out) {
#pragma acc parallel loop tile(16, 4) copyin(in[0 : rows * columns])                               \
    copyout(out[0 : rows * columns])
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      out[j * rows + i] = in[i * columns + j];
}

#define SIDE 64

/// Of more iterations than a gang has threads.
void large_tiles(int n, int m, double* a) {
#pragma acc parallel loop tile(SIDE, 32) copy(a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += i * j;
#pragma acc parallel loop tile(2, 3, 100) copy(a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < 1; ++k)
        a[i * m + j] += i + k;
#pragma acc parallel loop tile(SIDE * 40, *) copy(a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += j;
}

void one_thread(int n, double* x) {
#pragma acc serial loop copy(x[0 : n])
  for (int i = 1; i < n; ++i)
    x[i] += x[i - 1];
}

void only_if(int n, double* x) {
#pragma acc parallel loop if (n > 1000) copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

void one_gang(int n, double* x) {
  double factor = 2;
#pragma acc parallel copy(x[0 : n])
  {
#pragma acc loop vector
    for (int i = 0; i < n; ++i)
      x[i] *= factor;
    factor += 1;
#pragma acc loop worker
    for (int i = 0; i < n; ++i)
      x[i] += factor;
  }
#pragma acc parallel copy(x[0 : n])
  x[0] = 7;
  factor = 4;
#pragma acc serial copy(x[0 : n])
  {
    x[1] = factor;
    factor = 5;
    x[2] = factor;
  }
}

/// The type and the first value of an index as C++ may write them.
void indices(const std::vector<double>& from, double* x) {
  const auto n = from.size();
  const double* f = &from[0];
#pragma acc parallel loop copyin(f[0 : n]) copy(x[0 : n])
  for (auto i = n; i > 0; --i)
    x[i - 1] += f[i - 1];
#pragma acc parallel loop copy(x[0 : n])
  for (std::size_t i{1}; i < n; i += 2)
    x[i] *= 2;
}

/// Macros that are a directive, and nothing else.
#define ACC(directive) _Pragma(#directive)
#define HERE(array, length) ACC(acc parallel loop present(array [0:length])) // NOLINT
void directives_of_macros(int n, double* x) {
  double sum = 0;
#pragma acc enter data copyin(x[0 : n])
  HERE(x, n)
  for (int i = 0; i < n; ++i)
    x[i] += 1;
  ACC(acc parallel loop reduction(+ : sum) present(x [0:n]))
  for (int i = 0; i < n; ++i)
    sum += x[i];
  ACC(acc serial present(x [0:1]))
  x[0] = sum;
#pragma acc exit data copyout(x[0 : n])
}
