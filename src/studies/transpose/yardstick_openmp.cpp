// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/registry.hpp"
#include "studies/transpose/transpose.hpp"

#include <algorithm>

namespace gangway::transpose {
namespace {

/// What an OpenMP programmer writes: in squares that fit the first-level cache.
void native(int rows, int columns, const float* in, float* out) {
  constexpr int side = 64;
#pragma omp parallel for collapse(2) schedule(static)
  for (int first_i = 0; first_i < columns; first_i += side)
    for (int first_j = 0; first_j < rows; first_j += side)
      for (int i = first_i; i < std::min(first_i + side, columns); ++i)
        for (int j = first_j; j < std::min(first_j + side, rows); ++j)
          out[static_cast<long>(i) * rows + j] = in[static_cast<long>(j) * columns + i];
}

const harness::Yardstick<Problem> openmp("openmp", [](Problem& problem) -> harness::Run {
  return [&problem] { problem.call(native); };
});

} // namespace
} // namespace gangway::transpose
