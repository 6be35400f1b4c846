// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/reductions/reductions.hpp"

#include <cub/device/device_reduce.cuh>

#include <string>

namespace gangway::reductions {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUB: ") + cudaGetErrorString(status));
}

/// The sum by cub::DeviceReduce, whose temporary storage is allocated outside the clock. The result
/// goes straight to pinned host memory.
harness::Run cub_sum(Problem& problem) {
  const Kokkos::View<double, Kokkos::SharedHostPinnedSpace> total("reductions/cub sum");
  const auto sum = [total](void* temporary, std::size_t& bytes, long n, const auto* values,
                           Result* result) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(values)>>;
    Data data;
    const T* const on_device = data.copyin(values, n).data();
    T* const out = reinterpret_cast<T*>(total.data());
    const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
    require(cub::DeviceReduce::Sum(temporary, bytes, on_device, out, n, stream));
    if (temporary == nullptr)
      return;
    require(cudaStreamSynchronize(stream));
    *result = {Operator::sum, static_cast<double>(*out)};
  };
  std::size_t bytes = 0;
  problem.call([&](Type type, long n, const void* values, Result* result) {
    return with_type(type, values,
                     [&](const auto* typed) { sum(nullptr, bytes, n, typed, result); });
  });
  Kokkos::View<char*, DeviceSpace> temporary("reductions/cub storage", bytes);
  return [&problem, sum, temporary] {
    problem.call([&](Type type, long n, const void* values, Result* result) {
      std::size_t size = temporary.size();
      return with_type(type, values,
                       [&](const auto* typed) { sum(temporary.data(), size, n, typed, result); });
    });
  };
}

const harness::Yardstick<Problem> cub_reduce("cub", cub_sum);

} // namespace
} // namespace gangway::reductions
