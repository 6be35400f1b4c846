// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/unified/unified.hpp"

namespace gangway::unified {
namespace {

/// y = alpha x + y. A gang takes a block of elements, because a device that brings managed memory
/// page by page is faster the more of a page one gang reads.
void saxpy(const char* label, long n, float alpha, const DeviceView<const float>& x,
           const DeviceView<float>& y) {
  constexpr long block = 4096;
  gangway::parallel_for(
      label, gang((n + block - 1) / block).vector_length(256),
      KOKKOS_LAMBDA(const Gang<>& gang, long k) {
        loop_vector(gang, k * block, Kokkos::min((k + 1) * block, n),
                    [&](long i) { y(i) = alpha * x(i) + y(i); });
      });
}

/// The clauses move what the loop needs.
void explicit_copies(long n, float alpha, const float* x, float* y, const float* /*managed_x*/,
                     float* /*managed_y*/) {
  Data data;
  saxpy("unified/explicit", n, alpha, data.copyin(x, n), data.copy(y, n));
}

/// Uses the same addresses on host and device; the pages follow the accesses. The fence is the
/// caller's part of the bargain: the host must not touch the arrays before the device is done.
void managed(long n, float alpha, const float* /*x*/, float* /*y*/, const float* managed_x,
             float* managed_y) {
  saxpy("unified/managed", n, alpha, deviceptr(managed_x, n), deviceptr(managed_y, n));
  Kokkos::fence("unified/managed");
}

const harness::Study<Problem> study({
    .stages = {{"explicit", explicit_copies}, {"managed", managed}},
});

} // namespace
} // namespace gangway::unified
