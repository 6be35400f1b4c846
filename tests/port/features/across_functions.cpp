// Functions that kernels of another source call.
// with: across.cpp
#include "across.h"

#include <cmath>

static double half = 0.5; // of the host's

namespace {
double least_of(double a, double b) {
  return std::fmin(a, b);
}
} // namespace

namespace deep {
double twice(double x) {
#pragma acc loop seq
  for (int i = 0; i < 1; ++i)
    x += x;
  return x;
}
double twice(int x) {
  return two * std::fabs(x);
}
} // namespace deep

double shifted(double x, double by) {
  return x + by;
}
int place_of(int i) {
  return i;
}
#pragma acc routine seq
void fill(double* row, int n, double value) {
  for (int i = 0; i < n; ++i)
    row[i] = value;
}
double smallest(const double* row, int n) {
  double found = row[0];
  for (int i = 1; i < n; ++i)
    found = least_of(found, row[i]);
  return found;
}

double on_host_only(double x) {
  return half * x;
}
