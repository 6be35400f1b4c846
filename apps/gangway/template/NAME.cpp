// The study NAME: one kernel in OpenACC and in Kokkos, compared. Three places say what it is: each
// is yours to change.
#include "harness/one_kernel.hpp"

/// 1. The kernel in OpenACC. Compiled without it, it is the plain loop, whose results are the
/// truth.
extern "C" void gangway_NAME_kernel(long n, double a, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copy(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}

#ifndef _OPENACC // the OpenACC compiler reads no further

namespace NAME_study {

using namespace gangway;

/// 2. The same in Kokkos.
static void kernel(long n, double a, const double* x, double* y) {
  Data data;
  const auto from = data.copyin(x, n);
  const auto to = data.copy(y, n);
  Kokkos::parallel_for(
      "NAME/kernel", range(0, n), KOKKOS_LAMBDA(long i) { to(i) = a * from(i) + to(i); });
}

/// 3. The arguments of both, in their order, for a size n: values and arrays.
static const harness::OneKernel
    study({.id = "NAME", .title = "y = a x + y, double", .n = "1e6", .flops = 2},
          gangway_NAME_kernel, kernel, [](long n) {
            return std::tuple(n, 2.0,
                              harness::in("x", n, [](long i) { return 0.5 * double(i % 100); }),
                              harness::inout("y", n, [](long i) { return double(i % 10); }));
          });

} // namespace NAME_study

#endif
