// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths that declarations say, structures in clauses, what stands beside loops, and macros.
#include <cmath>

/// A parameter is a pointer, of a length that its declaration says.
inline void parameters(double a[10][20], double b[200]) {
#pragma acc data copy(a) copyin(b)
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 20; ++j)
        a[i][j] += b[i * 20 + j];
  }
#pragma acc enter data copyin(a)
#pragma acc parallel loop
  for (int i = 0; i < 10; ++i)
    a[i][i] *= 2;
#pragma acc exit data copyout(a)
}

struct Coefficients {
  double gain, offset[2];
  int skip;
};
struct Nested {
  Coefficients inner;
  double scale;
};

inline double applied(Coefficients with, double x) {
  return x * with.gain;
}

/// On the device a structure of numbers is an element.
inline void structures(int n, double* a) {
  Coefficients with{2, {0.5, 1.5}, 3};
  Nested nested{{1, {1, 1}, 2}, 3};
  Coefficients* const by_pointer = &nested.inner;
#pragma acc enter data copyin(with) copyin(a[0 : n])
#pragma acc parallel loop present(with, a[0 : n])
  for (int i = 0; i < n; ++i)
    if (i % with.skip == 0)
      a[i] = a[i] * with.gain + with.offset[1];
  with.gain = 5;
#pragma acc update device(with)
#pragma acc serial present(with)
  with.offset[0] = with.gain + 1;
#pragma acc parallel loop present(with, a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += applied(with, 2) + with.offset[0];
#pragma acc exit data copyout(a[0 : n], with)
  a[0] += with.offset[0];
#pragma acc parallel loop copy(nested) copy(a[0 : n])
  for (int i = 0; i < 1; ++i) {
    nested.scale += nested.inner.skip;
    a[1] += nested.inner.offset[1];
  }
#pragma acc data copy(by_pointer[0 : 1])
  {
#pragma acc serial
    by_pointer->gain = 7;
#pragma acc parallel loop copy(a[0 : n])
    for (int i = 0; i < n; ++i)
      a[i] += by_pointer->gain;
  }
  a[2] += nested.scale + nested.inner.gain;
}

/// Each gang would do these; one does.
inline void beside_loops(int n, double* a, double* b) {
  int last;
#pragma acc parallel copy(a[0 : n]) copyin(b[0 : n])
  {
    int half = n / 2, rest = n - half;
    double first = b[0] + 1;
#pragma acc loop
    for (int i = 0; i < half; ++i)
      a[i] += first;
    a[n - 1] = 3;
    for (last = half; last < n - 1; ++last)
      a[last] -= rest;
  }
}

/// What bounds a loop is read on the host.
inline void bounds(double* a) {
  int extents[2] = {30, 40};
#pragma acc parallel loop collapse(2) copy(a[0 : 1200]) copyin(extents)
  for (int j = 0; j < extents[0]; ++j)
    for (int i = 0; i < extents[1]; ++i)
      a[j * extents[1] + i] *= j - i;
}

/// Memory for as many as are under way, whatever the loops are.
inline void slices(int width, double* a) {
  double here[2][8];
  double* own = here[0];
  double* other = here[1];
#pragma acc parallel loop collapse(2) copy(a[0 : 1200]) private(own[0 : width], other[0 : width])
  for (int i = 1; i < 30; ++i)
    for (int j = 0; j < 40; j += 2) {
      if (j == 10)
        continue;
      for (int k = 0; k < width; ++k) {
        own[k] = a[i * 40 + j] + k;
        other[k] = own[k] * 2;
      }
      a[i * 40 + j] = own[width - 1] + other[0];
    }
}

/// `default(present)` says nothing of scalars.
inline void defaults(int n, double* a) {
  double sum = 1;
#pragma acc data copy(a[0 : n])
  {
#pragma acc kernels default(present)
    for (int i = 0; i < n; ++i) {
      a[i] += sum;
      sum = a[i] * 0.5;
    }
  }
  a[0] += sum;
}

/// Reductions that no clause says.
inline void unsaid(int n, double* a, double* b) {
  double sum = 1, largest = -100, smallest = 100, last = 3;
  int count = 0, all = 1, bits = 0;
#pragma acc parallel loop copyin(a[0 : n])
  for (int i = 0; i < n; ++i) {
    sum -= a[i];
    largest = a[i] > largest ? a[i] : largest;
    if (a[i] < smallest) {
      smallest = a[i];
    }
    if (a[i] > 2)
      ++count;
    all = all && a[i] < 50;
    bits |= i & 6;
  }
#pragma acc parallel loop collapse(2) copyin(a[0 : n])
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 20; ++j)
      last = last + a[i * 20 + j];
  b[0] = sum;
  b[1] = largest;
  b[2] = smallest;
  b[3] = count + 10 * all + 100 * bits;
  b[4] = last;
}

static const double weight[4] = {0.5, 1.0, 2.0, 4.0};
static const double unit = 0.25;
static const double low_end = -1.7, high_end = 0.5;
static const double width =
    (high_end - low_end) / 7; // no constant of C++, and a number all the same
static const float third = unit / 3;

/// Tables of constants in what kernels call.
#pragma acc routine seq
inline double weighed(int i) {
  return weight[i % 4] * unit + low_end + i * width - third;
}

inline void by_table(int n, double* a) {
#pragma acc parallel loop copy(a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += weighed(i);
}

#define LENGTH(x, y) floor(sqrt((x) * (x) + (y) * (y)))
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define FOR_ALL(v, low, high) for (int v = low; v < high; ++v)

#pragma acc routine seq
inline double from_origin(double x) {
  return LENGTH(x, 1.0);
}

/// The text of macros stays.
inline void macros(double* a) {
#pragma acc parallel loop collapse(2) copy(a[0 : 1200])
  FOR_ALL(i, 1, 30)
  FOR_ALL(j, 1, 40)
  a[i * 40 + j] += LENGTH(i, LENGTH(2.0, j));
#pragma acc parallel loop gang copy(a[0 : 1200])
  FOR_ALL(i, 0, 30) {
#pragma acc loop vector
    FOR_ALL(j, 0, 40) {
      a[i * 40 + j] = from_origin(a[i * 40 + j]) + i;
    }
    a[i * 40] += 1;
  }
}

/// Lambdas and loops over ranges of the kernel's own.
inline void own_lambdas(int n, double factor, double* a) {
#pragma acc parallel loop copy(a[0 : n])
  for (int i = 0; i < n; ++i) {
    const double steps[3] = {1, 2, 0.5};
    double sum = i;
    const auto scaled = [&](double x, int at) {
      if (at > 2)
        return x;
      double result = x;
      for (int k = 0; k <= at; ++k) {
        if (k == 1)
          continue;
        result += factor * steps[k];
      }
      return result + i + sum;
    };
    for (const double step : steps) {
      if (step > 1.5)
        continue;
      sum += step * scaled(a[i], i % 5);
    }
    a[i] = sum - [](int j) { return j * 0.5; }(i);
  }
#pragma acc parallel loop gang copy(a[0 : 1200])
  for (int i = 0; i < 30; ++i) {
    const double base = a[i * 40];
    const auto blend = [base, factor](double x) { return x * factor + base; };
    double total = 0;
#pragma acc loop vector reduction(+ : total)
    for (int j = 0; j < 40; ++j)
      total += blend(a[i * 40 + j]);
#pragma acc loop vector
    for (int j = 0; j < 40; ++j)
      a[i * 40 + j] = blend(total);
  }
}
