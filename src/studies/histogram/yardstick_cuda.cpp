// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/histogram/histogram.hpp"

#include <cub/device/device_histogram.cuh>

#include <stdexcept>
#include <string>

namespace gangway::histogram {
namespace {

using Storage = Kokkos::View<char*, Kokkos::CudaSpace>;

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(status));
}

cudaError_t even(void* storage, std::size_t& bytes, long n, int bins, const int* a, int* h) {
  // Bins of width 1 from 0: `bins + 1` levels.
  return cub::DeviceHistogram::HistogramEven(storage, bytes, a, h, bins + 1, 0, bins,
                                             static_cast<int>(n), Kokkos::Cuda().cuda_stream());
}

/// CUB, its storage allocated beforehand.
const harness::Yardstick<Problem> cub_histogram("cub", [](Problem& problem) -> harness::Run {
  std::size_t bytes = 0;
  problem.call([&](long n, int bins, const int* a, int* h) {
    require(even(nullptr, bytes, n, bins, a, h));
  });
  const Storage storage(Kokkos::view_alloc("histogram/cub", Kokkos::WithoutInitializing), bytes);
  return [&problem, storage, bytes] {
    problem.call([&](long n, int bins, const int* a, int* h) {
      Data data;
      const auto items = data.copyin(a, n);
      const auto counts = data.copyout(h, bins);
      std::size_t size = bytes;
      require(even(storage.data(), size, n, bins, items.data(), counts.data()));
    });
  };
});

} // namespace
} // namespace gangway::histogram
