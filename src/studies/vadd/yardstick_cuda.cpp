// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/vadd/vadd.hpp"

namespace gangway::vadd {

/// Two elements per thread, 16 bytes of each vector; one thread takes the odd one at the end.
static __global__ void add_pairs(long n, const double* __restrict__ a, const double* __restrict__ b,
                                 double* __restrict__ c) {
  const long pair = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (2 * pair + 1 < n) {
    const double2 left = reinterpret_cast<const double2*>(a)[pair];
    const double2 right = reinterpret_cast<const double2*>(b)[pair];
    reinterpret_cast<double2*>(c)[pair] = make_double2(left.x + right.x, left.y + right.y);
  } else if (2 * pair < n) {
    c[2 * pair] = a[2 * pair] + b[2 * pair];
  }
}

/// Native CUDA with loads of 16 bytes. Arrays on the device are aligned to far more than that.
static void native(long n, const double* a, const double* b, double* c) {
  if (n == 0)
    return;
  constexpr long block = 256;
  Data data;
  const auto left = data.copyin(a, n);
  const auto right = data.copyin(b, n);
  const auto sum = data.copyout(c, n);
  const auto blocks = static_cast<unsigned>(((n + 1) / 2 + block - 1) / block);
  add_pairs<<<blocks, block, 0, Kokkos::Cuda().cuda_stream()>>>(n, left.data(), right.data(),
                                                                sum.data());
}

const harness::Yardstick<Problem> cuda("cuda", native);

} // namespace gangway::vadd
