// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/transfer/transfer.hpp"

#include <cuda_runtime_api.h>

namespace gangway::transfer {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("transfer, native CUDA: ") + cudaGetErrorString(status));
}

__global__ void sum(long all, const float* a, const float* b, float* c) {
  const long stride = static_cast<long>(gridDim.x) * blockDim.x;
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < all; i += stride)
    c[i] = a[i] + b[i];
}

/// Native CUDA with data on the host: it copies from and to pinned memory, into device memory
/// allocated once. Yardsticks are timed in scope `kernel`; this one copies there too.
void pinned_copies(int n, Input inputs_a, Input inputs_b, Output sums) {
  const float* const a = inputs_a.pinned;
  const float* const b = inputs_b.pinned;
  float* const c = sums.pinned;
  const long all = static_cast<long>(n) * n;
  if (all == 0)
    return;
  Data data; // finds the arrays on the device, and moves nothing
  float* const a_device = data.create(const_cast<float*>(a), all).data();
  float* const b_device = data.create(const_cast<float*>(b), all).data();
  float* const c_device = data.create(c, all).data();
  const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
  const auto bytes = static_cast<std::size_t>(all) * sizeof(float);
  require(cudaMemcpyAsync(a_device, a, bytes, cudaMemcpyHostToDevice, stream));
  require(cudaMemcpyAsync(b_device, b, bytes, cudaMemcpyHostToDevice, stream));
  sum<<<1024, 256, 0, stream>>>(all, a_device, b_device, c_device);
  require(cudaGetLastError());
  require(cudaMemcpyAsync(c, c_device, bytes, cudaMemcpyDeviceToHost, stream));
  require(cudaStreamSynchronize(stream));
}

const harness::Yardstick<Problem> cuda("cuda-pinned", pinned_copies);

} // namespace
} // namespace gangway::transfer
