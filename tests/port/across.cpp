// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `gangway port` makes of kernels that call functions of another source, and the program that
// runs them.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wunused"

// NOLINTBEGIN
#include "features/across.cpp.expected"
// NOLINTEND

#include "features/across_c.h"

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdio>

double across_c(int n, double* x, const struct Pair* pairs);

int main() {
  const Kokkos::ScopeGuard kokkos;
  std::array<double, 5> x{-3, 0, 1, 2, 5};
  std::array<double, 5> y = x;
  const double sum = across(5, x.data());
  std::printf("%g %g\n", sum, x[1] + x[2] - 2);
  std::array<double, 9> rows{};
  across_rows(3, rows.data());
  std::printf("rows %g %g %g\n", rows[2], rows[3], rows[8]);
  std::printf("smallest %g\n", across_smallest(5, y.data()));
  const std::array<struct Pair, 3> pairs{{{1, 2}, {2, 0.5}, {3, 2}}};
  std::array<double, 4> z{1.75, 0, 9.5, 0};
  const double in_c = across_c(4, z.data(), pairs.data());
  std::printf("in C %g %g\n", in_c, z[2]);
}
