// What kernels of across_c.c call.
// with: across_c.c
#include "across_c.h"

#include <math.h>

static double part_of(const struct Pair* one) {
  return one->first * one->second;
}

float rounded(double x) {
  return floor(x);
}
_Bool is_odd(int i) {
  return i % 2;
}
double weight_of(const struct Pair* of, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += part_of(&of[i]);
  return sum;
}
