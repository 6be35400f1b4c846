// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program in C: what C++ takes for something else, or not at all. It prints what it finds, a line for each function.
#include <stdio.h>

/// Nobody asks for what it returns.
static int without_return(int n, double* x) {
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= 3;
}

#pragma acc routine seq
static int perhaps_with_return(double* x) {
  if (*x > 20)
    return 1;
  *x += 0.5;
}

static void returns(void) {
  double x[10];
  for (int i = 0; i < 10; ++i)
    x[i] = i;
  without_return(10, x);
#pragma acc parallel loop copy(x)
  for (int i = 0; i < 10; ++i)
    perhaps_with_return(&x[i]);
  printf("returns %g %g\n", x[1], x[9]);
}

int main(void) {
  returns();
  return 0;
}
