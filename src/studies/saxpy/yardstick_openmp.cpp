// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/registry.hpp"
#include "studies/saxpy/saxpy.hpp"

namespace gangway::saxpy {
namespace {

/// What an OpenMP programmer writes.
void native(long n, const float* x, float* y) {
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < n; ++i)
    y[i] = 2.0F * x[i] + y[i];
}

const harness::Yardstick<Problem> openmp("openmp", [](Problem& problem) -> harness::Run {
  return [&problem] { problem.call(native); };
});

} // namespace
} // namespace gangway::saxpy
