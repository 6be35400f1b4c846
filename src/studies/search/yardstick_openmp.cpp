// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/search/search.hpp"

namespace gangway::search {

/// Native OpenMP, as a programmer would write it.
static void native(long n, const float* a, int* /*found*/, long* first) {
  long smallest = n;
#pragma omp parallel for simd schedule(static) reduction(min : smallest)
  for (long i = 0; i < n; ++i)
    if (a[i] >= threshold)
      smallest = std::min(smallest, i);
  *first = smallest < n ? smallest : none;
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::search
