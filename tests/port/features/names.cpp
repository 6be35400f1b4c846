// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that kernels cannot simply go on using.

#define A(i, j) a[(i) * n + (j)]

double scale;
constexpr double top = 2.5;
double background[8];

double at(const double* p, int i) {
  return p[i] + top;
}

void globals(int n, double* x) {
#pragma acc parallel loop copy(x[0 : n]) copyin(background)
  for (int i = 0; i < n; ++i)
    x[i] += scale * background[i % 8] + top;
}

void pointers(int n, double* a) {
#pragma acc parallel loop copy(a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] = at(a, i) + *(a + i);
}

void macros(int n, double* a) {
#pragma acc parallel loop collapse(2) copy(a[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      A(i, j) += 1;
}

void parts(int n, int low, double* a) {
#pragma acc parallel loop copy(a[low : n])
  for (int i = low; i < low + n; ++i)
    a[i] *= 2;
}

void locals(int n, double* a) {
  double t, last = 3;
  double w[2];
  int j;
#pragma acc parallel loop private(w, j) firstprivate(last) copy(a[0 : n])
  for (int i = 0; i < n; ++i) {
    t = a[i];
    for (j = 0; j < 2; ++j)
      w[j] = t * last;
    a[i] = w[0] + w[1];
    last = t;
  }
}

void own_elements(int n, double* a, double* w) {
#pragma acc parallel loop private(w[0 : 2]) copy(a[0 : n])
  for (int i = 0; i < n; ++i) {
    w[0] = a[i];
    w[1] = 2;
    a[i] = w[0] * w[1];
  }
}

struct Grid {
  int n;
  double* u;
  void fill() {
#pragma acc parallel loop copyout(u[0 : n])
    for (int i = 0; i < n; ++i)
      u[i] = i * n;
  }
};

void step(const Grid* from, Grid* to) {
#pragma acc parallel loop copyin(from->u[0 : from->n]) copyout(to -> u[0 : to->n])
  for (int i = 0; i < to->n; ++i)
    to->u[i] = from->u[i] + from->n;
}

template <class T>
void templated(long n, T* x) {
#pragma acc parallel loop copy(x[0 : n])
  for (long i = 0; i < n; ++i)
    x[i] = x[i] * x[i];
}
template void templated(long n, float* x);

// A team's bounds that are constants of the file, or static: a device has their values only.
constexpr int width = 6;
void rows_of_constant_width(int rows, double* a) {
  static const int first = 1;
#pragma acc parallel loop gang copy(a[0 : rows * width])
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = first; j < width; ++j)
      sum += a[i * width + j];
#pragma acc loop vector
    for (int j = 0; j < width; ++j)
      a[i * width + j] += sum;
  }
}

// The source has the name that a team would have.
#pragma acc routine gang
void add_everywhere(double* a, int n, double by) {
#pragma acc loop gang
  for (int i = 0; i < n; ++i)
    a[i] += by;
}
void named_gang(int n, double* gang) {
#pragma acc parallel copy(gang[0 : n])
  add_everywhere(gang, n, 2);
}
