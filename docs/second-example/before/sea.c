// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waves.h"

#include <math.h>
#include <stdlib.h>

// [create]
void create_sea(struct sea* sea, int nx, int ny) {
  const int cells = (ny + 2) * nx;
  double* h = malloc(cells * sizeof(double));
  double* hu = malloc(cells * sizeof(double));
  double* hv = malloc(cells * sizeof(double));
#pragma acc enter data create(h[0 : cells], hu[0 : cells], hv[0 : cells])
  sea->nx = nx;
  sea->ny = ny;
  sea->h = h;
  sea->hu = hu;
  sea->hv = hv;
}

void delete_sea(struct sea* sea) {
  const int cells = (sea->ny + 2) * sea->nx;
  double *h = sea->h, *hu = sea->hu, *hv = sea->hv;
#pragma acc exit data delete(h[0 : cells], hu[0 : cells], hv[0 : cells])
  free(h);
  free(hu);
  free(hv);
}
// [create]

// [speeds]
static void speeds(const struct sea* sea, double courant) {
  const int nx = sea->nx, ny = sea->ny, cells = (ny + 2) * nx;
  const double *h = sea->h, *hu = sea->hu, *hv = sea->hv;
#pragma acc serial present(fastest) async(1)
  fastest = 0;
#pragma acc parallel loop collapse(2) reduction(max : fastest)                                     \
    present(h[0 : cells], hu[0 : cells], hv[0 : cells], fastest) async(1)
  for (int j = 1; j <= ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int at = j * nx + i;
      const double c = sqrt(gravity * h[at]);
      const double u = (fabs(hu[at] / h[at]) + c) * nx;
      const double v = (fabs(hv[at] / h[at]) + c) * ny;
      fastest = fmax(fastest, fmax(u, v));
    }
#pragma acc serial present(fastest, elapsed) async(1)
  elapsed += courant / fastest;
}
// [speeds]

// [advance]
void advance(const struct sea* now, struct sea* next, double courant) {
  const int nx = now->nx, ny = now->ny, cells = (ny + 2) * nx;
  const double *h = now->h, *hu = now->hu, *hv = now->hv;
  double *h_new = next->h, *hu_new = next->hu, *hv_new = next->hv;
  double here[3], there[3], west[3], east[3], south[3], north[3];

  speeds(now, courant);
#pragma acc parallel loop collapse(2) private(here, there, west, east, south, north)               \
    present(h[0 : cells], hu[0 : cells], hv[0 : cells], h_new[0 : cells], hu_new[0 : cells],       \
            hv_new[0 : cells], fastest, sponge) async(1)
  for (int j = 1; j <= ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const double dt = courant / fastest;
      const int at = j * nx + i;
      int to = j * nx + (i + nx - 1) % nx;
      here[0] = h[at], here[1] = hu[at], here[2] = hv[at];
      there[0] = h[to], there[1] = hu[to], there[2] = hv[to];
      rusanov(gravity, there, here, west);
      to = j * nx + (i + 1) % nx;
      there[0] = h[to], there[1] = hu[to], there[2] = hv[to];
      rusanov(gravity, here, there, east);

      // Across the rows the other momentum is the first.
      here[1] = hv[at], here[2] = hu[at];
      to = at - nx;
      there[0] = h[to], there[1] = hv[to], there[2] = hu[to];
      rusanov(gravity, there, here, south);
      to = at + nx;
      there[0] = h[to], there[1] = hv[to], there[2] = hu[to];
      rusanov(gravity, here, there, north);

      const double x = dt * nx, y = dt * ny;
      h_new[at] = h[at] - x * (east[0] - west[0]) - y * (north[0] - south[0]);
      hu_new[at] = sponge[j] * (hu[at] - x * (east[1] - west[1]) - y * (north[2] - south[2]));
      hv_new[at] = sponge[j] * (hv[at] - x * (east[2] - west[2]) - y * (north[1] - south[1]));
    }
}
// [advance]

// [totals]
void totals(const struct sea* sea, double* mass, double* highest) {
  const int nx = sea->nx, ny = sea->ny, cells = (ny + 2) * nx;
  const double* h = sea->h;
  double sum = 0, most = 0;
#pragma acc parallel loop collapse(2) reduction(+ : sum) reduction(max : most) present(h[0 : cells])
  for (int j = 1; j <= ny; ++j)
    for (int i = 0; i < nx; ++i) {
      sum += h[j * nx + i];
      most = fmax(most, h[j * nx + i]);
    }
  *mass = sum / nx / ny;
  *highest = most;
}
// [totals]
