// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of each iteration's own, rows that pointers lead to, and data as long as a function.

void reversed_rows(int rows, int n, const double* x, double* y, double* w) {
#pragma acc parallel loop private(w[0 : n]) copyin(x[0 : rows * n]) copyout(y[0 : rows * n])
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j)
      w[j] = x[i * n + j];
    for (int j = 0; j < n; ++j)
      y[i * n + j] = w[n - 1 - j];
  }
}

void from_the_same(int rows, int n, const double* start, double* x) {
  double steps[3] = {1, 2, 3};
#pragma acc parallel loop firstprivate(steps, start[0 : 2]) copy(x[0 : rows * n])
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) {
      steps[0] += steps[1] * steps[2];
      x[i * n + j] += steps[0] + start[1];
    }
}

#pragma acc routine seq
double sum_of(double** a, int row, int n) {
  double sum = 0;
  for (int j = 0; j < n; ++j)
    sum += a[row][j];
  return sum;
}

void halve(int n, double* row) {
#pragma acc parallel loop present(row[0 : n])
  for (int j = 0; j < n; ++j)
    row[j] *= 0.5;
}

void rows_of(int rows, int n, double** a, double* sums) {
#pragma acc data copy(a[0 : rows][0 : n]) copyout(sums[0 : rows])
  {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < n; ++j)
        a[i][j] += i - j;
    for (int i = 0; i < rows; i += 2)
      halve(n, a[i]); // each row is on the device by itself
#pragma acc parallel loop
    for (int i = 0; i < rows; ++i)
      sums[i] = sum_of(a, i, n);
  }
}

double as_long_as_the_call(int n, double* x, const double* y) {
  double work[4] = {1, 2, 3, 4};
#pragma acc declare copy(x[0 : n]) copyin(y[0 : n]) create(work)
#pragma acc parallel loop
  for (int k = 0; k < 4; ++k)
    work[k] = 2 * k;
#pragma acc parallel loop
  for (int i = 0; i < n; ++i)
    x[i] += y[i] * work[i % 4];
#pragma acc update self(x[0 : 1])
  return x[0];
}

double row_sum(const double (*m)[4], int row) {
  return m[row][0] + m[row][1] + m[row][2] + m[row][3];
}

// Parts of an array of two dimensions that do not begin at its first row.
void rows_behind(int first, int rows, double (*m)[4], double* sums) {
#pragma acc parallel loop copy(m[first : rows][0 : 4])
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 4; ++j)
      m[i + first][j] += m[rows % 2 ? first : i + first][(j + 1) % 4] * 0 + i - j;
#pragma acc data copyin(m[first + 1 : rows - 1]) copy(sums[first + 1 : rows - 1])
  {
    const int from = ++first;
#pragma acc parallel loop
    for (int i = from; i < from + rows - 1; ++i)
      sums[i] += row_sum(m, i);
#pragma acc parallel loop
    for (int i = from; i < from + rows - 1; ++i)
      sums[i] += m[i][3];
  }
#pragma acc parallel loop copyin(m[2 : 3][ : ]) copy(sums[0 : 3])
  for (int i = 2; i < 5; ++i)
    sums[i - 2] += m[i][1];
}
