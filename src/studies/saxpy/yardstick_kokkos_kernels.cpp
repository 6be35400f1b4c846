// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/saxpy/saxpy.hpp"

#include <KokkosBlas1_axpby.hpp>

namespace gangway::saxpy {
namespace {

void library(long n, const float* x, float* y) {
  Data data;
  KokkosBlas::axpy(2.0F, data.copyin(x, n), data.copy(y, n));
}

const harness::Yardstick<Problem> kokkos_kernels("kokkos-kernels",
                                                 [](Problem& problem) -> harness::Run {
                                                   return [&problem] { problem.call(library); };
                                                 });

} // namespace
} // namespace gangway::saxpy
