// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/pi/pi.hpp"

namespace gangway::pi {
namespace {

constexpr int threads = 256;

/// In strides of the grid, with one atomic addition a warp.
__global__ void native_kernel(long points, double step, double* sum) {
  const long stride = static_cast<long>(gridDim.x) * blockDim.x;
  double partial = 0;
  for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < points; i += stride) {
    const double x = (static_cast<double>(i) + 0.5) * step;
    partial += 4.0 / (1.0 + x * x);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2)
    partial += __shfl_down_sync(0xffffffffU, partial, lanes);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, partial);
}

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("pi, native CUDA: ") + cudaGetErrorString(status));
}

/// Counts the blocks that the device holds at once.
int blocks() {
  int per_multiprocessor = 0;
  require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, native_kernel, threads,
                                                        0));
  return per_multiprocessor * Kokkos::Cuda().cuda_device_prop().multiProcessorCount;
}

class Native {
public:
  void operator()(long points, double* pi) const {
    const double step = 1 / static_cast<double>(points);
    const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
    double* const sum = _sum.data();
    require(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
    native_kernel<<<_blocks, threads, 0, stream>>>(points, step, sum);
    require(cudaGetLastError());
    double on_host = 0;
    require(cudaMemcpyAsync(&on_host, sum, sizeof on_host, cudaMemcpyDeviceToHost, stream));
    require(cudaStreamSynchronize(stream));
    *pi = on_host * step;
  }

private:
  Kokkos::View<double, Kokkos::CudaSpace> _sum{"pi/native sum"};
  int _blocks = blocks();
};

const harness::Yardstick<Problem> cuda("cuda", harness::run_planned<Native>);

} // namespace
} // namespace gangway::pi
