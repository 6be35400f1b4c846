// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions, what is in them, and what outlives them.

void region(int n, const double* x, double* y) {
  double work[16];
#pragma acc data copyin(x[0 : n]) copy(y[0 : n]) create(work)
  {
#pragma acc parallel loop present(x[0 : n], y[0 : n])
    for (int i = 0; i < n; ++i)
      y[i] += x[i];
#pragma acc update self(y[1 : n - 1])
    y[0] = 5;
#pragma acc update device(y[0 : 1]) if (n > 0)
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
      y[i] += 1;
  }
}

void step(int n, double* from, double* to) {
#pragma acc parallel loop copyin(from[0 : n]) copyout(to[0 : n])
  for (int i = 0; i < n; ++i)
    to[i] = from[i] + 1;
}

void swapped(int n, double* a, double* b) {
#pragma acc data copy(a[0 : n], b[0 : n])
  for (int k = 0; k < 4; ++k) {
    double* const other = a;
#pragma acc parallel loop present(a[0 : n], b[0 : n])
    for (int i = 0; i < n; ++i)
      b[i] = a[i] + 1;
    a = b;
    b = other;
  }
}

void outlives(int n, double* x) {
#pragma acc enter data copyin(x[0 : n])
#pragma acc parallel loop default(present)
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
#pragma acc exit data copyout(x[0 : n])
}

void device_twice(int n, double* x);

void library(int n, double* x) {
#pragma acc data copy(x[0 : n])
  {
#pragma acc host_data use_device(x)
    {
      device_twice(n, x);
    }
  }
}

void twice_there(int n, double* x, bool on_device);

void library_or_not(int n, double* x, bool staged, bool there) {
#pragma acc host_data use_device(x) if (!staged)
  twice_there(n, x, !staged);
#pragma acc host_data use_device(x) if_present
  {
    twice_there(n, x, there);
  }
}

void bare_pointers(int n, double* x) {
#pragma acc enter data copyin(x[0 : n])
#pragma acc data present(x)
  {
#pragma acc parallel loop present(x, x)
    for (int i = 0; i < n; ++i)
      x[i] *= 2;
  }
#pragma acc update self(x[0 : n])
#pragma acc exit data delete (x)
}

void unsteady(int n, volatile double* x, const volatile double* y) {
#pragma acc data copy(x[0 : n]) copyin(y[0 : n])
  {
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
      x[i] += y[i];
#pragma acc update self(x[0 : n])
  }
}

void two_dimensions(double (*m)[50]) {
#pragma acc parallel loop collapse(2) copy(m[0 : 100][0 : 50])
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 50; ++j)
      m[i][j] += 1;
}

int scalar(int n, const double* x) {
  int found = 0;
#pragma acc parallel loop copyin(x[0 : n]) copy(found)
  for (int i = 0; i < n; ++i)
    if (x[i] < 0) {
#pragma acc atomic write
      found = 1;
    }
  return found;
}

void from_zero(int n, double* x, double* y) {
  for (int i = 0; i < n; ++i)
    y[i] = 0; // in case the memory is the same
  double z[4][3] = {};
#pragma acc parallel loop copyin(x[0 : n]) copyout(zero : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
#pragma acc enter data create(zero : z[0 : 4][0 : 3])
#pragma acc data create(zero : z[0 : 4][0 : 3]) copy(x[0 : n])
  {
#pragma acc parallel loop
    for (int i = 0; i < 4; ++i)
      z[i][1] += x[i];
#pragma acc parallel loop
    for (int i = 0; i < 4; ++i)
      x[i] = z[i][0] + 2 * z[i][1];
  }
#pragma acc exit data delete (z[0 : 4][0 : 3])
}

// With a condition its kernels ask for their arrays, present or not.
void perhaps(int n, double* x) {
#pragma acc data copy(x[0 : n]) if (n > 1000)
  {
#pragma acc parallel loop copy(x[0 : n])
    for (int i = 0; i < n; ++i)
      x[i] += 1;
#pragma acc update self(x[0 : n]) if_present
    x[0] = 5;
#pragma acc update device(x[0 : 1]) if_present
#pragma acc parallel loop copy(x[0 : n])
    for (int i = 0; i < n; ++i)
      x[i] *= 2;
  }
}

/// Whatever clauses say of them, loops' indices are each thread's own.
void named_indices(int n, int m, double* a) {
  int i, j, k;
#pragma acc data create(i, j, k) copy(a[0 : n * m])
  {
#pragma acc parallel loop
    for (i = 0; i < n; ++i) {
#pragma acc loop
      for (j = 0; j < m; ++j)
        a[i * m + j] += i - 2 * j;
    }
#pragma acc parallel loop gang
    for (i = 0; i < n; ++i) {
      const double half = 0.5 * i;
#pragma acc loop vector
      for (j = 0; j < m; ++j)
        a[i * m + j] += half;
      for (k = 0; k < m; ++k)
        a[i * m + k] *= k;
    }
#pragma acc serial loop
    for (i = 1; i < n; ++i)
      a[i] += a[i - 1];
  }
#pragma acc parallel loop copy(i, j, a[0 : n * m])
  for (i = 0; i < n; ++i)
    for (j = 0; j < m; ++j)
      a[i * m + j] += i + 2 * j;
#pragma acc serial copy(j, a[0 : n * m])
  {
    for (j = 0; j < m; ++j)
      a[j] += 1;
  }
  a[0] += j;
}
