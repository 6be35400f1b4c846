// Kernels that call functions of another source, which is translated by the same command.
// with: across_functions.cpp
#include "across.h"

double shifted(double x, double by);
extern int place_of(int i);
void fill(double* row, int n, double value);
#pragma acc routine seq
double smallest(const double* row, int n);

// A function of this source between the kernel and the other source.
static double twice_shifted(double x) {
  return deep::twice(shifted(x, 1));
}

double across(int n, double* x) {
  double sum = 0;
#pragma acc parallel loop copy(x[0 : n]) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    x[i] = twice_shifted(x[i]) + deep::twice(i);
    sum += x[i];
  }
  return sum;
}

void across_rows(int n, double* x) {
#pragma acc parallel loop copyout(x[0 : n * n])
  for (int i = 0; i < n; ++i)
    fill(x + place_of(i) * n, n, i);
}

double across_smallest(int n, const double* x) {
  double least[1] = {0};
#pragma acc serial copyin(x[0 : n]) copyout(least)
  {
    least[0] = smallest(x, n);
  }
  return least[0];
}
