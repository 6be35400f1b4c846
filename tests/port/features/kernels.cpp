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

/// What a scalar holds at the end is that of the last iteration that set it.
void last_values(int n, const double* a, double* b) {
  double under_if = -1, by_and = -1, by_choice = -1, of_switch = -1, behind_continue = -1,
         inner = -1;
  double named = -1, always = -1, promised = -1;
#pragma acc kernels copyin(a[0 : n])
  for (int i = 0; i < n; ++i)
    if (a[i] > 4)
      under_if = i;
#pragma acc kernels loop copyin(a[0 : n])
  for (int i = 0; i < n; ++i) {
    static_cast<void>(a[i] > 4 && (by_and = i) > 0);
    a[i] > 4 ? by_choice = i : a[i];
  }
#pragma acc kernels copyin(a[0 : n])
  for (int i = 0; i < n; ++i)
    switch (static_cast<int>(a[i])) {
    case 3:
      of_switch = i;
      break;
    default:
      break;
    }
#pragma acc kernels copyin(a[0 : n])
  for (int i = 0; i < n; ++i) {
    if (a[i] < 4)
      continue;
    behind_continue = i;
  }
#pragma acc kernels copyin(a[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < a[i]; ++j)
      inner = i + j;
#pragma acc kernels copyin(a[0 : n]) copy(named)
  for (int i = 0; i < n; ++i)
    if (a[i] > 4)
      named = i;
#pragma acc kernels loop independent copyin(a[0 : n])
  for (int i = 0; i < n; ++i)
    if (a[i] == 3)
      promised = 3;
#pragma acc data copy(always) copyin(a[0 : n])
  {
#pragma acc kernels
    for (int i = 0; i < n; ++i)
      always = a[i];
  }
  const double values[] = {under_if, by_and,   by_choice, of_switch, behind_continue,
                           inner,    promised, named,     always};
  for (int i = 0; i < 9; ++i)
    b[i] = values[i];
}

/// What nobody reads behind the region is each iteration's own; what another loop of it reads is
/// not.
void own_values(int n, double* a, double* b) {
  double t = 7, u = 9, carried = 1;
  int i, j = 77;
  for (int step = 0; step < 3; ++step) {
#pragma acc kernels copy(a[0 : n], b[0 : n])
    {
      for (i = 0; i < n; ++i) {
        if (a[i] > 4)
          t = 2;
        else
          t = 3;
        a[i] *= t;
      }
      for (i = 0; i < n; ++i)
        carried += a[i];
      for (i = 0; i < n; ++i) {
        carried = a[i] / 2;
        b[i] += carried;
      }
      for (i = 0; i < n; ++i)
        u = a[i];
      for (int k = 0; k < n; ++k)
        for (j = 0; j < 3; ++j)
          b[k] += u + j;
    }
  }
  a[0] += j;
}

/// The loops inside of one that is parallel may not be.
void sums_of_rows(int n, int m, double* a, double* b) {
#pragma acc kernels copy(a[0 : n]) copyin(b[0 : m])
#pragma acc loop independent
  for (int i = 0; i < n; ++i) {
#pragma acc loop
    for (int j = 0; j < m; ++j)
      a[i] += b[j];
  }
#pragma acc kernels loop collapse(2) copy(a[0 : n]) copyin(b[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i] = a[i] / 2 + b[j];
}

/// Pointers and references into an array may lead to what other iterations write.
void through_pointers(int n, double* a, double b[6][4]) {
#pragma acc kernels copy(a[0 : n], b[0 : 6][0 : 4])
  {
    for (int i = 1; i < n; ++i) {
      double* here = &a[i];
      here[0] += here[-1];
    }
    for (int i = 1; i < n; ++i) {
      double& here = a[i];
      here += (&here)[-1] / 2;
    }
    for (int i = 1; i < 24; ++i) {
      double* row = b[i / 4];
      row[0] = row[0] / 2 + i;
    }
  }
}
