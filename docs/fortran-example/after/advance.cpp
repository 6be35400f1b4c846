// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cells.hpp"

extern "C" void advance_kernel(const Descriptor& host_c, const Descriptor& host_next,
                               const Descriptor& host_flow, double dt, double mixing,
                               double* change) {
  const FArray<const double, 3> c("c", host_c);
  const FArray<double, 3> next("next", host_next);
  const FArray<const double, 2> flow("flow", host_flow);
  Kokkos::parallel_reduce(
      "advance", cells_of(c),
      KOKKOS_LAMBDA(int i, int j, int k, double& most) {
        const double mixed = (c(i - 1, j, k) + c(i + 1, j, k)) + (c(i, j - 1, k) + c(i, j + 1, k)) +
                             (c(i, j, k - 1) + c(i, j, k + 1)) - 6 * c(i, j, k);
        const double carried = flow(i, j) * (c(i, j, k) - c(i, j, k - 1));
        next(i, j, k) = c(i, j, k) + dt * (mixing * mixed - carried);
        most = Kokkos::max(most, Kokkos::abs(next(i, j, k) - c(i, j, k)));
      },
      Kokkos::Max<double>(*change));
  *change = Kokkos::max(*change, 0.0); // of no cells
}
