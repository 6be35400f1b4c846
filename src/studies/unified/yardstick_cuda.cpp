// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/unified/unified.hpp"

#include <cuda_runtime_api.h>

namespace gangway::unified {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("unified, native CUDA: ") + cudaGetErrorString(status));
}

__global__ void saxpy(long n, float alpha, const float* x, float* y) {
  const long stride = static_cast<long>(gridDim.x) * blockDim.x;
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = alpha * x[i] + y[i];
}

void launch(long n, float alpha, const float* x, float* y) {
  if (n > 0)
    saxpy<<<2048, 256, 0, Kokkos::Cuda().cuda_stream()>>>(n, alpha, x, y);
  require(cudaGetLastError());
}

void resident(long n, float alpha, const float* x, float* y, const float* /*managed_x*/,
              float* /*managed_y*/) {
  Data data;
  launch(n, alpha, data.copyin(x, n).data(), data.copy(y, n).data());
}

/// Tells CUDA where it will need pages next. (CUDA 13 takes a location, CUDA 12 a device.)
void prefetch(const float* array, long n, int device) {
  const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
  const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
#if CUDART_VERSION >= 13000
  const cudaMemLocation place{device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                                        : cudaMemLocationTypeDevice,
                              device == cudaCpuDeviceId ? 0 : device};
  require(cudaMemPrefetchAsync(array, bytes, place, 0, stream));
#else
  require(cudaMemPrefetchAsync(array, bytes, device, stream));
#endif
}

/// Native CUDA that avoids page faults: it asks for the pages before the kernel, and back after it.
void prefetched(long n, float alpha, const float* /*x*/, float* /*y*/, const float* managed_x,
                float* managed_y) {
  if (n == 0)
    return;
  const int device = Kokkos::device_id();
  prefetch(managed_x, n, device);
  prefetch(managed_y, n, device);
  launch(n, alpha, managed_x, managed_y);
  prefetch(managed_y, n, cudaCpuDeviceId);
  require(cudaStreamSynchronize(Kokkos::Cuda().cuda_stream()));
}

const harness::Yardstick<Problem> cuda("cuda", resident);
const harness::Yardstick<Problem> cuda_prefetch("cuda-prefetch", prefetched);

} // namespace
} // namespace gangway::unified
