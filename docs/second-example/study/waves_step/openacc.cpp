// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waves_step.hpp"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The program before the port.
#define malloc(bytes) static_cast<double*>(malloc(bytes)) // it is C
#include "../../before/flux.c"
#include "../../before/sea.c"
#undef malloc

double gravity = waves_step::gravity;
double sponge[MAX_ROWS + 2];
double fastest;
double elapsed;

extern "C" void gangway_waves_step_advance(int nx, int ny, double courant, const double* h,
                                           const double* hu, const double* hv, double* h_new,
                                           double* hu_new, double* hv_new) {
  for (int row = 0; row < ny + 2; ++row)
    sponge[row] = waves_step::sponge_at(row);
  const int cells = (ny + 2) * nx;
#pragma acc data copyin(h[0 : cells], hu[0 : cells], hv[0 : cells])                                \
    copyout(h_new[0 : cells], hu_new[0 : cells], hv_new[0 : cells]) create(fastest)                \
        copyin(elapsed, sponge)
  {
    const sea now{nx, ny, const_cast<double*>(h), const_cast<double*>(hu), const_cast<double*>(hv)};
    sea next{nx, ny, h_new, hu_new, hv_new};
    advance(&now, &next, courant);
#pragma acc wait(1)
  }
}
