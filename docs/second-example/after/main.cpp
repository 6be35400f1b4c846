// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//   waves NX NY STEPS EVERY COURANT SPONGE SHIFT_X SHIFT_Y FILE [separate]
//
// NX x NY cells. The waves begin SHIFT_X cells further along the rows and SHIFT_Y across them; in
// the first tenth of the rows each step leaves SPONGE of the momentum. Before the first step, after
// every EVERY steps and after the last, step, time, mass and highest wave are printed, and depth
// and momentum appended to FILE as doubles. With `separate` a host plays a device with a memory of
// its own.
#include "waves.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

double gravity = 9.81;
double sponge[max_rows + 2];

static const double pi = 3.14159265358979323846;

// [fill]
static void fill(Sea* sea, int shift_x, int shift_y) {
  const int nx = sea->nx, ny = sea->ny, cells = (ny + 2) * nx;
  double *h = sea->h, *hu = sea->hu, *hv = sea->hv;
  for (int j = 0; j < ny + 2; ++j)
    for (int i = 0; i < nx; ++i) {
      const double x = ((i + nx - shift_x % nx) % nx + 0.5) / nx;
      const double y = ((j - 1 + 2 * ny - shift_y % ny) % ny + 0.5) / ny;
      const int at = j * nx + i;
      h[at] = 1 + 0.2 * std::sin(2 * pi * x) + 0.1 * std::cos(4 * pi * y);
      hu[at] = 0.5 * h[at] * std::cos(2 * pi * y);
      hv[at] = 0.1 * h[at];
    }
  for (double* a : {h, hu, hv})
    gangway::update_device(a, cells);
}
// [fill]

// [report]
static void write_rows(int nx, int ny, double* a, std::FILE* file) {
  double* first = a + nx;
  gangway::update_self(first, nx * ny);
  std::fwrite(first, sizeof(double), nx * ny, file);
}

static void report(int step, const Sea* sea, const ClockView& clock, std::FILE* file) {
  double mass, highest, elapsed;
  Kokkos::deep_copy(elapsed, clock.elapsed); // which waits for the kernels
  totals(sea, &mass, &highest);
  std::printf("%d %.17g %.17g %.17g\n", step, elapsed, mass, highest);
  write_rows(sea->nx, sea->ny, sea->h, file);
  write_rows(sea->nx, sea->ny, sea->hu, file);
  write_rows(sea->nx, sea->ny, sea->hv, file);
}
// [report]

// [run]
static void run(int nx, int ny, int steps, int every, double courant, int shift_x, int shift_y,
                std::FILE* file) {
  Sea one, other, *now = &one, *next = &other;
  create_sea(now, nx, ny);
  create_sea(next, nx, ny);
  const ClockView clock;
  gangway::enter_data_copyin(sponge, max_rows + 2);
  fill(now, shift_x, shift_y);
  report(0, now, clock, file);
  for (int step = 1; step <= steps; ++step) {
    exchange(now);
    advance(now, next, clock, courant);
    std::swap(now, next);
    if (step % every == 0 || step == steps)
      report(step, now, clock, file);
  }
  gangway::exit_data_delete(sponge, max_rows + 2);
  delete_sea(now);
  delete_sea(next);
}
// [run]

// [main]
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos;
  const bool separate = argc == 11 && std::strcmp(argv[10], "separate") == 0;
  if (argc != 10 && !separate) {
    std::fprintf(stderr,
                 "usage: waves NX NY STEPS EVERY COURANT SPONGE SHIFT_X SHIFT_Y FILE [separate]\n");
    return 2;
  }
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), steps = std::atoi(argv[3]),
            every = std::atoi(argv[4]);
  const double courant = std::atof(argv[5]), left = std::atof(argv[6]);
  const int shift_x = std::atoi(argv[7]), shift_y = std::atoi(argv[8]);
  std::FILE* file = std::fopen(argv[9], "wb");
  if (nx < 1 || ny < 1 || ny > max_rows || steps < 0 || every < 1 || shift_x < 0 || shift_y < 0 ||
      !(courant > 0 && courant <= 0.25) || file == nullptr) {
    std::fprintf(stderr,
                 "waves: bad sizes or a Courant number above 0.25, or %s cannot be written\n",
                 argv[9]);
    return 2;
  }
  for (int j = 0; j < ny + 2; ++j)
    sponge[j] = j <= ny / 10 ? left : 1;

  if (separate)
    gangway::set_memory(gangway::Memory::separate);
  run(nx, ny, steps, every, courant, shift_x, shift_y, file);
  return std::fclose(file) == 0 ? 0 : 1;
}
// [main]
