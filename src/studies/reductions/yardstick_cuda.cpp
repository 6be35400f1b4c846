// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/reductions/reductions.hpp"

#include <cub/device/device_reduce.cuh>

namespace gangway::reductions {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(status));
}

/// The sum by cub::DeviceReduce, whose temporary storage is allocated outside the clock. The result
/// goes straight to pinned host memory.
class Native {
public:
  /// Asks CUB how much temporary storage it wants.
  explicit Native(Problem& problem) {
    std::size_t bytes = 0;
    problem.call([&](Type type, long n, const void* values, Result*) {
      return with_type(type, values, [&](const auto* typed) {
        require(cub::DeviceReduce::Sum(nullptr, bytes, typed, place_of(typed), n));
      });
    });
    _temporary = Kokkos::View<char*, DeviceSpace>("reductions/cub storage", bytes);
  }

  bool operator()(Type type, long n, const void* values, Result* result) const {
    return with_type(type, values, [&](const auto* typed) {
      Data data;
      const auto* const on_device = data.copyin(typed, n).data();
      auto* const total = place_of(typed);
      const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
      std::size_t bytes = _temporary.size();
      require(cub::DeviceReduce::Sum(_temporary.data(), bytes, on_device, total, n, stream));
      require(cudaStreamSynchronize(stream));
      *result = {Operator::sum, static_cast<double>(*total)};
    });
  }

private:
  /// Place for the sum of such values.
  template <class T>
  [[nodiscard]] T* place_of(const T* /*values*/) const {
    return reinterpret_cast<T*>(_total.data());
  }

  Kokkos::View<double, Kokkos::SharedHostPinnedSpace> _total{"reductions/cub sum"};
  Kokkos::View<char*, DeviceSpace> _temporary;
};

const harness::Yardstick<Problem> cub_reduce("cub", harness::run_planned<Native>);

} // namespace
} // namespace gangway::reductions
