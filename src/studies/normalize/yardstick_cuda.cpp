// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/normalize/normalize.hpp"

#include <cub/device/device_reduce.cuh>

#include <memory>
#include <stdexcept>
#include <string>

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

/// Device memory: the sum first, CUB's working space behind it.
struct Space {
  explicit Space(std::size_t of_cub) : bytes(of_cub) { require(cudaMalloc(&memory, 256 + of_cub)); }
  ~Space() { cudaFree(memory); }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  [[nodiscard]] double* sum() const { return static_cast<double*>(memory); }
  [[nodiscard]] void* of_cub() const { return static_cast<char*>(memory) + 256; }

  void* memory = nullptr;
  std::size_t bytes;
};

void native(const Space& space, long n, double* v, double* sum) {
  Data data;
  double* const value = data.copy(v, n).data();
  const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
  std::size_t bytes = space.bytes;
  require(cub::DeviceReduce::Sum(space.of_cub(), bytes, value, space.sum(), n, stream));
  if (n > 0)
    divide<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream>>>(n, value,
                                                                                       space.sum());
  require(cudaGetLastError());
  require(cudaMemcpyAsync(sum, space.sum(), sizeof(double), cudaMemcpyDeviceToHost, stream));
  require(cudaStreamSynchronize(stream));
}

const harness::Yardstick<Problem> cub("cub", [](Problem& problem) -> harness::Run {
  std::size_t bytes = 0;
  problem.call([&](long n, double* v, double* sum) {
    require(cub::DeviceReduce::Sum(nullptr, bytes, v, sum, n));
  });
  return [&problem, space = std::make_shared<const Space>(bytes)] {
    problem.call([&](auto... arguments) { native(*space, arguments...); });
  };
});

} // namespace
} // namespace gangway::normalize
