// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/unified/unified.hpp"

extern "C" {

/// The clauses move what the loop needs.
void gangway_unified_explicit(long n, float alpha, const float* x, float* y,
                              const float* /*managed_x*/, float* /*managed_y*/) {
#pragma acc parallel loop gang vector vector_length(256) copyin(x[0 : n]) copy(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = alpha * x[i] + y[i];
}

/// Uses the same addresses on host and device. With nvc++ -gpu=mem:managed, the clause could be
/// left out, because its allocations would be managed. GCC has no such mode, and a program that
/// allocates managed memory says deviceptr. That is right for both.
void gangway_unified_managed(long n, float alpha, const float* /*x*/, float* /*y*/,
                             const float* managed_x, float* managed_y) {
#pragma acc parallel loop gang vector vector_length(256) deviceptr(managed_x, managed_y)
  for (long i = 0; i < n; ++i)
    managed_y[i] = alpha * managed_x[i] + managed_y[i];
}

} // extern "C"
