// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/histogram/histogram.hpp"

#include <cub/device/device_histogram.cuh>

namespace gangway::histogram {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(status));
}

cudaError_t even(void* storage, std::size_t& bytes, long n, int bins, const int* a, int* h) {
  // Bins of width 1 from 0: `bins + 1` levels. Items are numbered in 32 bits where that is enough.
  const auto of = [&](auto items) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, a, h, bins + 1, 0, bins, items,
                                               Kokkos::Cuda().cuda_stream());
  };
  return n <= std::numeric_limits<int>::max() ? of(static_cast<int>(n)) : of(n);
}

/// CUB, its storage allocated beforehand.
class Native {
public:
  explicit Native(Problem& problem) {
    std::size_t bytes = 0;
    problem.call([&](auto... arguments) { require(even(nullptr, bytes, arguments...)); });
    _storage =
        decltype(_storage)(Kokkos::view_alloc("histogram/cub", Kokkos::WithoutInitializing), bytes);
  }
  void operator()(long n, int bins, const int* a, int* h) const {
    Data data;
    const auto items = data.copyin(a, n);
    const auto counts = data.copyout(h, bins);
    std::size_t bytes = _storage.size();
    require(even(_storage.data(), bytes, n, bins, items.data(), counts.data()));
  }

private:
  Kokkos::View<char*, Kokkos::CudaSpace> _storage;
};

const harness::Yardstick<Problem> cub_histogram("cub", harness::run_planned<Native>);

} // namespace
} // namespace gangway::histogram
