// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Refused: the OpenACC function has another name than the study's.
#include "harness/one_kernel.hpp"

extern "C" void gangway_laking_kernel(long n, double* x) {
#pragma acc parallel loop copyout(x[0 : n])
  for (long i = 0; i < n; ++i)
    x[i] = 1;
}

#ifndef _OPENACC

static void kernel(long n, double* x) {
  gangway::Data data;
  const auto to = data.copyout(x, n);
  Kokkos::parallel_for("lacking/kernel", n, KOKKOS_LAMBDA(long i) { to(i) = 1; });
}

static const gangway::harness::OneKernel
    study({.id = "lacking", .title = "ones", .n = "10"}, gangway_laking_kernel, kernel,
          [](long n) { return std::tuple(n, gangway::harness::out<double>("x", n)); });

#endif
