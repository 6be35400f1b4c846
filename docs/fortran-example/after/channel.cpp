// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cells.hpp"

extern "C" void walls_kernel(const Descriptor& host_c) {
  const FArray<double, 3> c("c", host_c);
  const int nx = static_cast<int>(c.ubound(1)) - 1;
  const int ny = static_cast<int>(c.ubound(2)) - 1;
  const int nz = static_cast<int>(c.ubound(3)) - 1;
  Kokkos::parallel_for(
      "walls: x", Nest<2>({1, 1}, {ny + 1, nz + 1}), KOKKOS_LAMBDA(int j, int k) {
        c(0, j, k) = c(1, j, k);
        c(nx + 1, j, k) = c(nx, j, k);
      });
  Kokkos::parallel_for(
      "walls: y", Nest<2>({1, 1}, {nx + 1, nz + 1}), KOKKOS_LAMBDA(int i, int k) {
        c(i, 0, k) = c(i, 1, k);
        c(i, ny + 1, k) = c(i, ny, k);
      });
}

extern "C" void keep_kernel(const Descriptor& host_c, const Descriptor& host_next) {
  const FArray<double, 3> c("c", host_c);
  const FArray<const double, 3> next("next", host_next);
  Kokkos::parallel_for(
      "keep", cells_of(c), KOKKOS_LAMBDA(int i, int j, int k) { c(i, j, k) = next(i, j, k); });
}

extern "C" void census_kernel(const Descriptor& host_c, double least, int* cells, double* highest) {
  const FArray<const double, 3> c("c", host_c);
  Kokkos::parallel_reduce(
      "census", cells_of(c),
      KOKKOS_LAMBDA(int i, int j, int k, int& count, double& most) {
        if (c(i, j, k) >= least)
          ++count;
        most = Kokkos::max(most, c(i, j, k));
      },
      Kokkos::Sum<int>(*cells), Kokkos::Max<double>(*highest));
  *highest = Kokkos::max(*highest, 0.0); // of no cells
}
