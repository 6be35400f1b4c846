/* What across_c.c calls, and across_c_functions.c defines. */
#ifndef ACROSS_C_H
#define ACROSS_C_H
struct Pair {
  int first;
  double second;
};
#pragma acc routine seq
double weight_of(const struct Pair* of, int n);
#endif
