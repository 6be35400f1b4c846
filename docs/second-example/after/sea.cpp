// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waves.hpp"

#include "flux.hpp"

#include <cmath>
#include <cstdlib>

// The local `gravity` and `sponge` hide the global ones: kernels must not see these.
#pragma GCC diagnostic ignored "-Wshadow"

// [create]
void create_sea(Sea* sea, int nx, int ny) {
  const int cells = (ny + 2) * nx;
  const auto allocate = [&] {
    auto* const a = static_cast<double*>(std::malloc(cells * sizeof(double)));
    gangway::enter_data_create(a, cells);
    return a;
  };
  *sea = {nx, ny, allocate(), allocate(), allocate()};
}

void delete_sea(Sea* sea) {
  const int cells = (sea->ny + 2) * sea->nx;
  for (double* a : {sea->h, sea->hu, sea->hv}) {
    gangway::exit_data_delete(a, cells);
    std::free(a);
  }
}

SeaView present(gangway::Data& data, const Sea* sea) {
  const int rows = sea->ny + 2;
  return {data.present(sea->h, rows, sea->nx), data.present(sea->hu, rows, sea->nx),
          data.present(sea->hv, rows, sea->nx)};
}
// [create]

// [speeds]
static void speeds(const Sea* sea, const ClockView& clock, double courant) {
  const int nx = sea->nx, ny = sea->ny;
  gangway::Data data;
  const SeaView now = present(data, sea);
  const double gravity = ::gravity;
  const auto fastest = clock.fastest;
  const auto elapsed = clock.elapsed;
  Kokkos::parallel_reduce(
      "speeds", Range(0, ny * nx),
      KOKKOS_LAMBDA(long ji, double& most) {
        const long j = 1 + ji / nx;
        const long i = ji % nx;
        const double h = now.h(j, i);
        const double c = Kokkos::sqrt(gravity * h);
        const double u = (Kokkos::fabs(now.hu(j, i) / h) + c) * nx;
        const double v = (Kokkos::fabs(now.hv(j, i) / h) + c) * ny;
        most = Kokkos::fmax(most, Kokkos::fmax(u, v));
      },
      Kokkos::Max<double, gangway::DeviceSpace>(fastest));
  Kokkos::parallel_for(
      "speeds: elapsed", Range(0, 1), KOKKOS_LAMBDA(long) { elapsed() += courant / fastest(); });
}
// [speeds]

// [advance]
void advance(const Sea* now, Sea* next, const ClockView& clock, double courant) {
  const int nx = now->nx, ny = now->ny;
  gangway::Data data;
  const auto old = present(data, now);
  const auto made = present(data, next);
  const auto sponge = data.present(::sponge, max_rows + 2);
  const double gravity = ::gravity;
  const auto fastest = clock.fastest;

  speeds(now, clock, courant);
  gangway::parallel_for(
      "advance", gangway::tile<2>({ny, nx}, {4, 32}), KOKKOS_LAMBDA(long row, long i) {
        const long j = row + 1;
        const double dt = courant / fastest();
        const auto at = [&](long k, long l, bool across) {
          return Kokkos::Array<double, 3>{old.h(k, l), across ? old.hv(k, l) : old.hu(k, l),
                                          across ? old.hu(k, l) : old.hv(k, l)};
        };
        double west[3], east[3], south[3], north[3];
        const auto here = at(j, i, false);
        rusanov(gravity, at(j, (i + nx - 1) % nx, false).data(), here.data(), west);
        rusanov(gravity, here.data(), at(j, (i + 1) % nx, false).data(), east);

        // Across the rows the other momentum is the first.
        const auto turned = at(j, i, true);
        rusanov(gravity, at(j - 1, i, true).data(), turned.data(), south);
        rusanov(gravity, turned.data(), at(j + 1, i, true).data(), north);

        const double x = dt * nx, y = dt * ny;
        made.h(j, i) = here[0] - x * (east[0] - west[0]) - y * (north[0] - south[0]);
        made.hu(j, i) = sponge(j) * (here[1] - x * (east[1] - west[1]) - y * (north[2] - south[2]));
        made.hv(j, i) = sponge(j) * (here[2] - x * (east[2] - west[2]) - y * (north[1] - south[1]));
      });
}
// [advance]

// [totals]
void totals(const Sea* sea, double* mass, double* highest) {
  const int nx = sea->nx, ny = sea->ny;
  gangway::Data data;
  const auto h = present(data, sea).h;
  double sum = 0, most = 0;
  Kokkos::parallel_reduce(
      "totals", Range(0, ny * nx),
      KOKKOS_LAMBDA(long ji, double& part, double& high) {
        part += h(1 + ji / nx, ji % nx);
        high = Kokkos::fmax(high, h(1 + ji / nx, ji % nx));
      },
      Kokkos::Sum<double>(sum), Kokkos::Max<double>(most));
  *mass = sum / nx / ny;
  *highest = most;
}
// [totals]
