// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/transfer/transfer.hpp"

namespace gangway::transfer {
/// Native OpenMP, which has no data to transfer.
static void native(int n, Input a, Input b, Output c) {
  const long all = static_cast<long>(n) * n;
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < all; ++i)
    c.block[i] = a.block[i] + b.block[i];
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::transfer
