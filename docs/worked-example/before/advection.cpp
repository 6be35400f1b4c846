// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A wave carried by a steady wind over a periodic plane: first-order upwind with corner transport.
//
//   advection NX NY STEPS EVERY CX CY FILE
//
// NX x NY cells; CX and CY are the Courant numbers, 0 to 1. Before the first step, after every
// EVERY steps and after the last, total and maximum are printed and the cells appended to FILE as
// doubles.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

static const double pi = 3.14159265358979323846;

static void fill(int nx, int ny, double* u) {
  const int pitch = nx + 2; // a rim of one cell all around
  for (int j = 1; j <= ny; ++j)
    for (int i = 1; i <= nx; ++i) {
      const double x = (i - 0.5) / nx;
      const double y = (j - 0.5) / ny;
      u[j * pitch + i] = 2 + std::sin(2 * pi * x) + 0.5 * std::cos(4 * pi * y);
    }
}

// [halo]
static void halo(int nx, int ny, double* u) {
  const int pitch = nx + 2;
  const int cells = pitch * (ny + 2);
#pragma acc parallel loop gang vector present(u[0 : cells]) async(1)
  for (int j = 1; j <= ny; ++j) {
    u[j * pitch] = u[j * pitch + nx];
    u[j * pitch + nx + 1] = u[j * pitch + 1];
  }
#pragma acc parallel loop gang vector present(u[0 : cells]) async(1)
  for (int i = 0; i < pitch; ++i) {
    u[i] = u[ny * pitch + i];
    u[(ny + 1) * pitch + i] = u[pitch + i];
  }
}
// [halo]

// [advance]
static void advance(int nx, int ny, double cx, double cy, const double* u, double* next) {
  const int pitch = nx + 2;
  const int cells = pitch * (ny + 2);
#pragma acc parallel loop gang vector_length(128) present(u[0 : cells], next[0 : cells]) async(1)
  for (int j = 1; j <= ny; ++j) {
#pragma acc loop vector
    for (int i = 1; i <= nx; ++i) {
      const int here = j * pitch + i;
      next[here] = (1 - cx) * (1 - cy) * u[here] + cx * (1 - cy) * u[here - 1] +
                   (1 - cx) * cy * u[here - pitch] + cx * cy * u[here - pitch - 1];
    }
  }
}
// [advance]

// [totals]
static void totals(int nx, int ny, const double* u, double* mass, double* highest) {
  const int pitch = nx + 2;
  const int cells = pitch * (ny + 2);
  double sum = 0;
  double most = -HUGE_VAL;
#pragma acc parallel loop gang vector_length(128) reduction(+ : sum) reduction(max : most)         \
    present(u[0 : cells])
  for (int j = 1; j <= ny; ++j) {
#pragma acc loop vector reduction(+ : sum) reduction(max : most)
    for (int i = 1; i <= nx; ++i) {
      sum += u[j * pitch + i];
      most = u[j * pitch + i] > most ? u[j * pitch + i] : most;
    }
  }
  *mass = sum / nx / ny;
  *highest = most;
}
// [totals]

// [report]
static void report(int step, int nx, int ny, double* u, std::FILE* file) {
  const int pitch = nx + 2;
  const int cells = pitch * (ny + 2);
#pragma acc wait(1)
  double mass;
  double highest;
  totals(nx, ny, u, &mass, &highest);
  std::printf("%d %.17g %.17g\n", step, mass, highest);
#pragma acc update self(u[0 : cells])
  for (int j = 1; j <= ny; ++j)
    std::fwrite(u + j * pitch + 1, sizeof(double), nx, file);
}
// [report]

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "usage: advection NX NY STEPS EVERY CX CY FILE\n");
    return 2;
  }
  const int nx = std::atoi(argv[1]);
  const int ny = std::atoi(argv[2]);
  const int steps = std::atoi(argv[3]);
  const int every = std::atoi(argv[4]);
  const double cx = std::atof(argv[5]);
  const double cy = std::atof(argv[6]);
  std::FILE* const file = std::fopen(argv[7], "wb");
  if (nx < 1 || ny < 1 || steps < 0 || every < 1 || file == nullptr) {
    std::fprintf(stderr, "advection: bad sizes, or %s cannot be written\n", argv[7]);
    return 2;
  }

  // [run]
  const int cells = (nx + 2) * (ny + 2);
  auto* u = static_cast<double*>(std::malloc(cells * sizeof(double)));
  auto* next = static_cast<double*>(std::malloc(cells * sizeof(double)));
  fill(nx, ny, u);
#pragma acc data copyin(u[0 : cells]) create(next[0 : cells])
  {
    report(0, nx, ny, u, file);
    for (int step = 1; step <= steps; ++step) {
      halo(nx, ny, u);
      advance(nx, ny, cx, cy, u, next);
      std::swap(u, next);
      if (step % every == 0 || step == steps)
        report(step, nx, ny, u, file);
    }
  }
  std::free(u);
  std::free(next);
  // [run]
  return std::fclose(file) == 0 ? 0 : 1;
}
