// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A wave carried by a steady wind over a periodic plane: first-order upwind with corner transport.
//
//   advection NX NY STEPS EVERY CX CY FILE [separate]
//
// NX x NY cells; CX and CY are the Courant numbers, 0 to 1. Before the first step, after every
// EVERY steps and after the last, total and maximum are printed and the cells appended to FILE as
// doubles. With `separate` a host plays a device with a memory of its own, and what was copied is
// said at the end.
#include <Kokkos_Core.hpp>
#include <gangway/gangway.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

using gangway::Data;
using Member = Kokkos::TeamPolicy<>::member_type;

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
  Data data;
  const auto cell = data.present(u, ny + 2, nx + 2);
  Kokkos::parallel_for(
      "halo left and right", Kokkos::RangePolicy(1, ny + 1), KOKKOS_LAMBDA(int j) {
        cell(j, 0) = cell(j, nx);
        cell(j, nx + 1) = cell(j, 1);
      });
  Kokkos::parallel_for(
      "halo below and above", Kokkos::RangePolicy(0, nx + 2), KOKKOS_LAMBDA(int i) {
        cell(0, i) = cell(ny, i);
        cell(ny + 1, i) = cell(1, i);
      });
}
// [halo]

// [advance]
static void advance(int nx, int ny, double cx, double cy, const double* u, double* next) {
  Data data;
  const auto from = data.present(u, ny + 2, nx + 2);
  const auto to = data.present(next, ny + 2, nx + 2);
  gangway::parallel_for(
      "advance", gangway::gang(ny).vector_length(128),
      KOKKOS_LAMBDA(const gangway::Gang<>& gang, int row) {
        const int j = row + 1;
        loop_vector(gang, 1, nx + 1, [&](int i) {
          to(j, i) = (1 - cx) * (1 - cy) * from(j, i) + cx * (1 - cy) * from(j, i - 1) +
                     (1 - cx) * cy * from(j - 1, i) + cx * cy * from(j - 1, i - 1);
        });
      });
}
// [advance]

// [totals]
static void totals(int nx, int ny, const double* u, double* mass, double* highest) {
  Data data;
  const auto cell = data.present(u, ny + 2, nx + 2);
  double sum = 0;
  double most = -HUGE_VAL;
  gangway::parallel_reduce(
      "totals", gangway::gang(ny).vector_length(128),
      KOKKOS_LAMBDA(const gangway::Gang<>& gang, int row, double& all, double& top) {
        const int j = row + 1;
        loop_vector(
            gang, 1, nx + 1,
            [&](int i, double& mine, double& mine_top) {
              mine += cell(j, i);
              mine_top = Kokkos::max(mine_top, cell(j, i));
            },
            all, gangway::reduction::max(top));
      },
      sum, gangway::reduction::max(most));
  *mass = sum / nx / ny;
  *highest = most;
}
// [totals]

// [verified]
// The loops of before, which GANGWAY_VERIFY=1 runs beside the kernels.
static void original_advance(int nx, int ny, double cx, double cy, const double* u, double* next) {
  const int pitch = nx + 2;
  for (int j = 1; j <= ny; ++j)
    for (int i = 1; i <= nx; ++i) {
      const int here = j * pitch + i;
      next[here] = (1 - cx) * (1 - cy) * u[here] + cx * (1 - cy) * u[here - 1] +
                   (1 - cx) * cy * u[here - pitch] + cx * cy * u[here - pitch - 1];
    }
}

static void verified_advance(int nx, int ny, double cx, double cy, const double* u, double* next) {
  gangway::verify(
      "advance", [&] { original_advance(nx, ny, cx, cy, u, next); },
      [&] { advance(nx, ny, cx, cy, u, next); });
}

static void original_totals(int nx, int ny, const double* u, double* mass, double* highest) {
  double sum = 0;
  double most = -HUGE_VAL;
  for (int j = 1; j <= ny; ++j)
    for (int i = 1; i <= nx; ++i) {
      sum += u[j * (nx + 2) + i];
      most = std::fmax(most, u[j * (nx + 2) + i]);
    }
  *mass = sum / nx / ny;
  *highest = most;
}

static void verified_totals(int nx, int ny, const double* u, double* mass, double* highest) {
  gangway::verify(
      "totals", [&] { original_totals(nx, ny, u, mass, highest); },
      [&] { totals(nx, ny, u, mass, highest); }, // and the host variables that it sets:
      gangway::named("mass", mass), gangway::named("highest", highest));
}
// [verified]

// [report]
static void report(int step, int nx, int ny, double* u, std::FILE* file) {
  const int pitch = nx + 2;
  double mass;
  double highest;
  verified_totals(nx, ny, u, &mass, &highest);
  std::printf("%d %.17g %.17g\n", step, mass, highest);
  gangway::update_self(u, ny + 2, nx + 2);
  for (int j = 1; j <= ny; ++j)
    std::fwrite(u + j * pitch + 1, sizeof(double), nx, file);
}
// [report]

int main(int argc, char** argv) {
  const bool separate = argc == 9 && std::strcmp(argv[8], "separate") == 0;
  if (argc != 8 && !separate) {
    std::fprintf(stderr, "usage: advection NX NY STEPS EVERY CX CY FILE [separate]\n");
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
  const Kokkos::ScopeGuard kokkos;
  if (separate)
    gangway::set_memory(gangway::Memory::separate);
  const int cells = (nx + 2) * (ny + 2);
  auto* u = static_cast<double*>(std::malloc(cells * sizeof(double)));
  auto* next = static_cast<double*>(std::malloc(cells * sizeof(double)));
  fill(nx, ny, u);
  {
    Data data;
    static_cast<void>(data.copyin(gangway::named("u", u), ny + 2, nx + 2));
    static_cast<void>(data.create(gangway::named("next", next), ny + 2, nx + 2));
    report(0, nx, ny, u, file);
    for (int step = 1; step <= steps; ++step) {
      halo(nx, ny, u);
      verified_advance(nx, ny, cx, cy, u, next);
      std::swap(u, next);
      if (step % every == 0 || step == steps)
        report(step, nx, ny, u, file);
    }
  }
  std::free(u);
  std::free(next);
  // [run]
  if (separate) {
    const gangway::Transfers moved = gangway::transfers();
    std::cerr << "to the device: " << moved.to_device << " (" << moved.bytes_to_device
              << " bytes), to the host: " << moved.to_host << " (" << moved.bytes_to_host
              << " bytes), arrays: " << moved.allocations << '\n';
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
