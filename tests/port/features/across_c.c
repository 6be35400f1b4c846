// The same as across.cpp, in C.
// with: across_c_functions.c
#include "across_c.h"

extern float rounded(double x);
_Bool is_odd(int i);

double across_c(int n, double* restrict x, const struct Pair* pairs) {
  double sum = 0;
#pragma acc parallel loop copy(x[0 : n]) copyin(pairs[0 : 3]) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    x[i] = is_odd(i) ? weight_of(pairs, 3) : rounded(x[i]);
    sum += x[i];
  }
  return sum;
}
