// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler would have had to find out.

void two_loops(int n, double* a, double* b) {
  double factor = 2;
#pragma acc kernels copy(a[0 : n], b[0 : n])
  {
    for (int i = 0; i < n; ++i)
      a[i] *= factor;
    factor = 3;
    for (int i = 1; i < n; ++i)
      b[i] += b[i - 1] * factor;
  }
}

void promised(int n, const int* place, const double* x, double* y) {
#pragma acc kernels loop independent copyin(place[0 : n], x[0 : n]) copy(y[0 : n])
  for (int i = 0; i < n; ++i)
    y[place[i]] = x[i];
}

void not_promised(int n, const int* place, const double* x, double* y) {
#pragma acc kernels loop copyin(place[0 : n], x[0 : n]) copy(y[0 : n])
  for (int i = 0; i < n; ++i)
    y[place[i]] = x[i];
}

void beside(int n, double* a, double* b) {
  double first = 0;
#pragma acc kernels copy(a[0 : n], b[0 : n])
  {
    a[0] = 5;
    first = a[1]; // what the device has
    for (int i = 0; i < n; ++i)
      b[i] = a[i] + first;
  }
  b[0] += first;
}

void sum_in_order(int n, double* a) {
  double sum = 1;
#pragma acc kernels loop seq reduction(+ : sum) copy(a[0 : n])
  for (int i = 1; i < n; ++i) {
    a[i] += a[i - 1];
    sum += a[i];
  }
  a[0] = sum;
}
