// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/histogram/histogram.hpp"

namespace gangway::histogram {
/// Native OpenMP with an array reduction, so that each thread has counters of its own.
static void native(long n, int bins, const int* a, int* h) {
  std::fill_n(h, bins, 0);
#pragma omp parallel for schedule(static) reduction(+ : h[ : bins])
  for (long i = 0; i < n; ++i)
    ++h[a[i]];
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::histogram
