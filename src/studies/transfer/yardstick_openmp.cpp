// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/transfer/transfer.hpp"

namespace gangway::transfer {
/// What an OpenMP programmer writes where nothing has to be transferred.
static void native(int n, const float* a, const float* b, float* c, const float* const* /*a_rows*/,
                   const float* const* /*b_rows*/, float* const* /*c_rows*/) {
  const long all = static_cast<long>(n) * n;
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < all; ++i)
    c[i] = a[i] + b[i];
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::transfer
