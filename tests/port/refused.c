// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As refused.cpp: what means another thing in C++.
#include <math.h>
#include <stdlib.h>

void conversions(int n, double* x) {
  // refused: it calls 'abs', which in C takes whole numbers only
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = abs(x[i]);
  // refused: 'if', and 'sqrtf' is called with what C converts to double
#pragma acc parallel loop copy(x[0 : n]) if (n > 9)
  for (int i = 0; i < n; ++i)
    x[i] = sqrtf(x[i]);
}
