// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/normalize/normalize.hpp"

#include <cub/device/device_reduce.cuh>

// The sum by CUB, and a kernel that reads it where CUB left it.
namespace gangway::normalize {
namespace {

constexpr int threads = 256;

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("normalize, native CUDA: ") + cudaGetErrorString(status));
}

__global__ void divide(long n, double* v, const double* sum) {
  const long i = static_cast<long>(blockIdx.x) * threads + threadIdx.x;
  if (i < n)
    v[i] /= *sum;
}

class Native {
public:
  /// Asks CUB how much working space it wants.
  explicit Native(Problem& problem) {
    problem.call([&](long n, double* v, double* sum) {
      require(cub::DeviceReduce::Sum(nullptr, _bytes, v, sum, n));
    });
    _of_cub = Kokkos::View<char*, Kokkos::CudaSpace>("normalize/native space of CUB", _bytes);
  }

  void operator()(long n, double* v, double* sum) const {
    Data data;
    double* const value = data.copy(v, n).data();
    const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
    std::size_t bytes = _bytes;
    require(cub::DeviceReduce::Sum(_of_cub.data(), bytes, value, _sum.data(), n, stream));
    if (n > 0)
      divide<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream>>>(
          n, value, _sum.data());
    require(cudaGetLastError());
    require(cudaMemcpyAsync(sum, _sum.data(), sizeof(double), cudaMemcpyDeviceToHost, stream));
    require(cudaStreamSynchronize(stream));
  }

private:
  std::size_t _bytes = 0;
  Kokkos::View<double, Kokkos::CudaSpace> _sum{"normalize/native sum"};
  Kokkos::View<char*, Kokkos::CudaSpace> _of_cub;
};

const harness::Yardstick<Problem> cub("cub", harness::run_planned<Native>);

} // namespace
} // namespace gangway::normalize
