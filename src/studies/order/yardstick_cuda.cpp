// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/order/order.hpp"

namespace gangway::order {
namespace {

/// Two elements per thread, 16 bytes; one thread takes the odd one at the end.
__global__ void update_pairs(long n, double* a) {
  const long pair = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (2 * pair + 1 < n) {
    double2* const mine = reinterpret_cast<double2*>(a) + pair;
    const double2 old = *mine;
    *mine = make_double2(2 * old.x + 1, 2 * old.y + 1);
  } else if (2 * pair < n) {
    a[2 * pair] = 2 * a[2 * pair] + 1;
  }
}

/// Native CUDA with loads of 16 bytes. Arrays on the device are aligned to far more than that.
void native(long rows, long columns, double* a) {
  const long n = rows * columns;
  if (n == 0)
    return;
  constexpr long block = 256;
  Data data;
  const auto array = data.copy(a, n);
  const auto blocks = static_cast<unsigned>(((n + 1) / 2 + block - 1) / block);
  update_pairs<<<blocks, block, 0, Kokkos::Cuda().cuda_stream()>>>(n, array.data());
}

const harness::Yardstick<Problem> cuda("cuda", native);

} // namespace
} // namespace gangway::order
