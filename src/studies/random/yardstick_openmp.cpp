// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/random/random.hpp"

namespace gangway::random {

/// Native OpenMP: particles over threads, the coordinates of one from its state.
static void native(long particles, int dimensions, std::uint64_t seed, const double* box,
                   double* positions) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < particles; ++i) {
    std::uint64_t state = seed + static_cast<std::uint64_t>(i * dimensions) * stride;
    for (int d = 0; d < dimensions; ++d) {
      state += stride;
      std::uint64_t z = state;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
      z ^= z >> 31;
      positions[i * dimensions + d] =
          box[d] * (static_cast<double>(static_cast<int>((z >> 32) * 10000 >> 32)) * 1e-4);
    }
  }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::random
