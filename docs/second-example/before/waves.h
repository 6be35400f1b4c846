// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shallow water on a periodic plane of 1 x 1: finite volumes with Rusanov's flux.
#ifndef WAVES_H
#define WAVES_H

#include <stdio.h>

#define MAX_ROWS 4096

// [sea]
// Arrays of ny rows of nx cells, with a row of a neighbour's before the first and after the last.
struct sea {
  int nx, ny;
  double* h;  // depth
  double* hu; // momentum along the rows
  double* hv; // and across them
};

void create_sea(struct sea* sea, int nx, int ny); // in both memories
void delete_sea(struct sea* sea);
// [sea]

// [globals]
extern double gravity;
extern double sponge[MAX_ROWS + 2]; // how much of a row's momentum each step leaves
extern double fastest;              // wave of all, in cells per unit of time: on the device
extern double elapsed;              // time: on the device
// [globals]

#pragma acc routine seq
void rusanov(double g, const double left[3], const double right[3], double flux[3]);

void exchange(struct sea* sea);
void advance(const struct sea* now, struct sea* next, double courant);
void totals(const struct sea* sea, double* mass, double* highest);

#endif
