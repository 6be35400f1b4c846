// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/pi/pi.hpp"

#include <algorithm>

namespace gangway::pi {
/// Native OpenMP, as a programmer would write it who looks at the vectorisation: a block counts in
/// `int`, because only AVX-512 converts vectors of `long` to `double`.
static void native(long points, double* pi) {
  constexpr int block = 1024;
  const double step = 1 / static_cast<double>(points);
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (long first = 0; first < points; first += block) {
    const int count = static_cast<int>(std::min<long>(block, points - first));
    const auto offset = static_cast<double>(first);
    double of_block = 0;
#pragma omp simd reduction(+ : of_block)
    for (int i = 0; i < count; ++i) {
      const double x = (offset + i + 0.5) * step;
      of_block += 4.0 / (1.0 + x * x);
    }
    sum += of_block;
  }
  *pi = sum * step;
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::pi
