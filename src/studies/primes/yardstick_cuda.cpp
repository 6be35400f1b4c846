// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/primes/primes.hpp"

namespace gangway::primes {
namespace {

/// A thread a number, in strides of the grid.
template <class Word>
__global__ void native_kernel(long numbers, unsigned long long* count) {
  const long stride = static_cast<long>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (long index = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; index < numbers;
       index += stride) {
    const Word number = static_cast<Word>(2 * index + 3);
    const Word end = static_cast<Word>(sqrt(static_cast<double>(number))) + 1;
    bool prime = true;
    for (Word divisor = 3; divisor < end && prime; divisor += 2)
      prime = number % divisor != 0;
    found += prime ? 1 : 0;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2)
    found += __shfl_down_sync(0xffffffffU, found, lanes);
  if (threadIdx.x % 32 == 0 && found > 0)
    atomicAdd(count, found);
}

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("primes, native CUDA: ") + cudaGetErrorString(status));
}

class Native {
public:
  void operator()(long n, long* count) const {
    unsigned long long* const on_device = _count.data();
    const long numbers = n < 3 ? 0 : (n - 1) / 2;
    const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
    require(cudaMemsetAsync(on_device, 0, sizeof *on_device, stream));
    constexpr int threads = 256;
    const auto blocks =
        static_cast<unsigned>(std::min((numbers + threads - 1) / threads, 1L << 30));
    if (blocks > 0 && n <= std::numeric_limits<std::uint32_t>::max())
      native_kernel<std::uint32_t><<<blocks, threads, 0, stream>>>(numbers, on_device);
    else if (blocks > 0)
      native_kernel<std::uint64_t><<<blocks, threads, 0, stream>>>(numbers, on_device);
    require(cudaGetLastError());
    unsigned long long on_host = 0;
    require(cudaMemcpyAsync(&on_host, on_device, sizeof on_host, cudaMemcpyDeviceToHost, stream));
    require(cudaStreamSynchronize(stream));
    *count = static_cast<long>(on_host) + (n >= 2 ? 1 : 0);
  }

private:
  Kokkos::View<unsigned long long, Kokkos::CudaSpace> _count{"primes/native count"};
};

const harness::Yardstick<Problem> cuda("cuda", harness::run_planned<Native>);

} // namespace
} // namespace gangway::primes
