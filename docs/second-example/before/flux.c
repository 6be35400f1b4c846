// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The flux between two cells, of depth, momentum across their border, and momentum along it.
#include "waves.h"

#include <math.h>

// [flux]
#pragma acc routine seq
static inline double speed(double g, const double q[3]) {
  return fabs(q[1] / q[0]) + sqrt(g * q[0]);
}

#pragma acc routine seq
void rusanov(double g, const double left[3], const double right[3], double flux[3]) {
  const double a = fmax(speed(g, left), speed(g, right));
  const double u = left[1] / left[0];
  const double v = right[1] / right[0];
  flux[0] = 0.5 * (left[1] + right[1]);
  flux[1] = 0.5 * (u * left[1] + 0.5 * g * left[0] * left[0] + v * right[1] +
                   0.5 * g * right[0] * right[0]);
  flux[2] = 0.5 * (u * left[2] + v * right[2]);
  for (int k = 0; k < 3; ++k)
    flux[k] -= 0.5 * a * (right[k] - left[k]);
}
// [flux]
