// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/matmul/matmul.hpp"

#include <KokkosBlas3_gemm.hpp>

namespace gangway::matmul {
namespace {

void kokkos_kernels(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  Data data;
  const auto left = data.copyin(a, rows, inner);
  const auto right = data.copyin(b, inner, columns);
  const auto out = data.copyout(c, rows, columns);
  KokkosBlas::gemm("N", "N", 1.0F, left, right, 0.0F, out);
}

const harness::Yardstick<Problem> gemm("kokkos-kernels", kokkos_kernels);

} // namespace
} // namespace gangway::matmul
