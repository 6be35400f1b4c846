// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shallow water on a periodic plane of 1 x 1: finite volumes with Rusanov's flux.
#pragma once

#include <gangway/gangway.hpp>

using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;

constexpr int max_rows = 4096;

// [sea]
// Arrays of ny rows of nx cells, with a row of a neighbour's before the first and after the last.
struct Sea {
  int nx, ny;
  double* h;  // depth
  double* hu; // momentum along the rows
  double* hv; // and across them
};

// The same on the device: rows and cells have indices of their own.
struct SeaView {
  gangway::DeviceView<double, 2> h, hu, hv;
};

void create_sea(Sea* sea, int nx, int ny); // in both memories
void delete_sea(Sea* sea);
SeaView present(gangway::Data& data, const Sea* sea);
// [sea]

// [globals]
extern double gravity;
extern double sponge[max_rows + 2]; // how much of a row's momentum each step leaves

// On the device, as int as the waves run.
struct ClockView {
  Kokkos::View<double, gangway::DeviceSpace> fastest{"fastest"}; // wave of all, in cells per time
  Kokkos::View<double, gangway::DeviceSpace> elapsed{"elapsed"};
};
// [globals]

void exchange(Sea* sea);
void advance(const Sea* now, Sea* next, const ClockView& clock, double courant);
void totals(const Sea* sea, double* mass, double* highest);
