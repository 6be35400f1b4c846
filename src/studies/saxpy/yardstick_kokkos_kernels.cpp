// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/saxpy/saxpy.hpp"

#include <KokkosBlas1_axpby.hpp>

namespace gangway::saxpy {

static void library(long n, const float* x, float* y) {
  Data data;
  KokkosBlas::axpy(2.0F, data.copyin(x, n), data.copy(y, n));
}

const harness::Yardstick<Problem> kokkos_kernels("kokkos-kernels", library);

} // namespace gangway::saxpy
