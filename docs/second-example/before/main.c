// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//   waves NX NY STEPS EVERY COURANT SPONGE SHIFT_X SHIFT_Y FILE
//
// NX x NY cells. The waves begin SHIFT_X cells further along the rows and SHIFT_Y across them; in
// the first tenth of the rows each step leaves SPONGE of the momentum. Before the first step, after
// every EVERY steps and after the last, step, time, mass and highest wave are printed, and depth
// and momentum appended to FILE as doubles.
#include "waves.h"

#include <math.h>
#include <stdlib.h>

double gravity = 9.81;
double sponge[MAX_ROWS + 2];
double fastest;
double elapsed;

static const double pi = 3.14159265358979323846;

// [fill]
static void fill(struct sea* sea, int shift_x, int shift_y) {
  const int nx = sea->nx, ny = sea->ny, cells = (ny + 2) * nx;
  double *h = sea->h, *hu = sea->hu, *hv = sea->hv;
  for (int j = 0; j < ny + 2; ++j)
    for (int i = 0; i < nx; ++i) {
      const double x = ((i + nx - shift_x % nx) % nx + 0.5) / nx;
      const double y = ((j - 1 + 2 * ny - shift_y % ny) % ny + 0.5) / ny;
      const int at = j * nx + i;
      h[at] = 1 + 0.2 * sin(2 * pi * x) + 0.1 * cos(4 * pi * y);
      hu[at] = 0.5 * h[at] * cos(2 * pi * y);
      hv[at] = 0.1 * h[at];
    }
#pragma acc update device(h[0 : cells], hu[0 : cells], hv[0 : cells])
}
// [fill]

// [report]
static void write_rows(int nx, int ny, double* a, FILE* file) {
  double* first = a + nx;
#pragma acc update self(first[0 : nx * ny])
  fwrite(first, sizeof(double), nx * ny, file);
}

static void report(int step, const struct sea* sea, FILE* file) {
  double mass, highest;
#pragma acc wait(1)
#pragma acc update self(elapsed)
  totals(sea, &mass, &highest);
  printf("%d %.17g %.17g %.17g\n", step, elapsed, mass, highest);
  write_rows(sea->nx, sea->ny, sea->h, file);
  write_rows(sea->nx, sea->ny, sea->hu, file);
  write_rows(sea->nx, sea->ny, sea->hv, file);
}
// [report]

// [run]
static void run(int nx, int ny, int steps, int every, double courant, int shift_x, int shift_y,
                FILE* file) {
  struct sea one, other, *now = &one, *next = &other;
  create_sea(now, nx, ny);
  create_sea(next, nx, ny);
#pragma acc enter data create(fastest) copyin(elapsed, sponge)
  fill(now, shift_x, shift_y);
  report(0, now, file);
  for (int step = 1; step <= steps; ++step) {
    exchange(now);
    advance(now, next, courant);
    struct sea* old = now;
    now = next;
    next = old;
    if (step % every == 0 || step == steps)
      report(step, now, file);
  }
#pragma acc exit data delete(fastest, elapsed, sponge)
  delete_sea(now);
  delete_sea(next);
}
// [run]

// [main]
int main(int argc, char** argv) {
  if (argc != 10) {
    fprintf(stderr, "usage: waves NX NY STEPS EVERY COURANT SPONGE SHIFT_X SHIFT_Y FILE\n");
    return 2;
  }
  const int nx = atoi(argv[1]), ny = atoi(argv[2]), steps = atoi(argv[3]), every = atoi(argv[4]);
  const double courant = atof(argv[5]), left = atof(argv[6]);
  const int shift_x = atoi(argv[7]), shift_y = atoi(argv[8]);
  FILE* file = fopen(argv[9], "wb");
  if (nx < 1 || ny < 1 || ny > MAX_ROWS || steps < 0 || every < 1 || shift_x < 0 || shift_y < 0 ||
      !(courant > 0 && courant <= 0.25) || file == NULL) {
    fprintf(stderr, "waves: bad sizes or a Courant number above 0.25, or %s cannot be written\n",
            argv[9]);
    return 2;
  }
  for (int j = 0; j < ny + 2; ++j)
    sponge[j] = j <= ny / 10 ? left : 1;

  run(nx, ny, steps, every, courant, shift_x, shift_y, file);
  return fclose(file) == 0 ? 0 : 1;
}
// [main]
