// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/adjacent/adjacent.hpp"

namespace gangway::adjacent {
namespace {

constexpr int threads = 256;

/// One entry a thread; the neighbours' inputs come from the cache.
__global__ void products_and_means(long n, const double* __restrict__ mob,
                                   const double* __restrict__ charge, double* __restrict__ a,
                                   double* __restrict__ c) {
  const long i = static_cast<long>(blockIdx.x) * threads + threadIdx.x;
  if (i >= n)
    return;
  a[i] = mob[i] * charge[i];
  if (i > 0 && i < n - 1)
    c[i] = 0.5 * (mob[i - 1] * charge[i - 1] + mob[i + 1] * charge[i + 1]);
}

void native(long n, const double* mob, const double* charge, double* a, double* c) {
  if (n == 0)
    return;
  Data data;
  const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
  products_and_means<<<blocks, threads, 0, Kokkos::Cuda().cuda_stream()>>>(
      n, data.copyin(mob, n).data(), data.copyin(charge, n).data(), data.copyout(a, n).data(),
      data.copyout(c, n).data());
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    throw std::runtime_error(std::string("adjacent, native CUDA: ") + cudaGetErrorString(status));
  Kokkos::Cuda().fence("adjacent/cuda");
}

const harness::Yardstick<Problem> cuda("cuda", native);

} // namespace
} // namespace gangway::adjacent
