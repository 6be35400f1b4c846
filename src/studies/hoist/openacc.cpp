// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/hoist/hoist.hpp"

namespace {

/// One product. Its clauses say what it needs, and move only what no region around it holds.
void multiply(int n, const float* a, const float* b, float* c) {
  const long all = static_cast<long>(n) * n;
#pragma acc parallel loop gang vector_length(128) copyin(a[0 : all], b[0 : all]) copyout(c[0 : all])
  for (int i = 0; i < n; ++i) {
#pragma acc loop vector
    for (int j = 0; j < n; ++j) {
      float sum = 0;
#pragma acc loop seq
      for (int k = 0; k < n; ++k)
        sum += a[static_cast<long>(i) * n + k] * b[static_cast<long>(k) * n + j];
      c[static_cast<long>(i) * n + j] = sum;
    }
  }
}

} // namespace

extern "C" {

void gangway_hoist_region_per_call(int n, const float* a, const float* b, float* c) {
  const long all = static_cast<long>(n) * n;
  for (int p = 0; p < gangway::hoist::products; ++p)
    multiply(n, a, b, c + p * all);
}

void gangway_hoist_region_around(int n, const float* a, const float* b, float* c) {
  const long all = static_cast<long>(n) * n;
#pragma acc data copyin(a[0 : all], b[0 : all])
  {
    for (int p = 0; p < gangway::hoist::products; ++p)
      multiply(n, a, b, c + p * all);
  }
}

/// The region holds the results as well: nothing is copied between the products, and one copy at
/// the end brings all five.
void gangway_hoist_results_too(int n, const float* a, const float* b, float* c) {
  const long all = static_cast<long>(n) * n;
  const long results = gangway::hoist::products * all;
#pragma acc data copyin(a[0 : all], b[0 : all]) copyout(c[0 : results])
  {
    for (int p = 0; p < gangway::hoist::products; ++p)
      multiply(n, a, b, c + p * all);
  }
}

} // extern "C"
