// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <type_traits>

/// Which device an execution space runs on, and what follows from it: said here once for each
/// space, and asked here by everything else.
namespace gangway {

/// device_type: whose device a space runs on. `other` is every device but NVIDIA's and AMD's, such
/// as Intel's by SYCL.
enum class DeviceType { host, nvidia, radeon, other };

namespace detail {
template <DeviceType device>
struct TraitsOf {
  /// Whose device it is.
  static constexpr DeviceType type = device;
  /// A device, whose teams have threads and lanes of their own; a host's team is one thread of one
  /// lane.
  static constexpr bool is_device = device != DeviceType::host;
  /// Kernels find their data in a memory that is not the host's, so that host arrays are copied.
  static constexpr bool has_own_memory = is_device;
};
} // namespace detail

/// What `Space`, an execution space of Kokkos, runs on. A space without a line of its own below is
/// a host if its kernels use the host's memory, and otherwise a device of which nothing more is
/// known.
template <class Space>
struct DeviceTraits
    : detail::TraitsOf<std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>
                           ? DeviceType::host
                           : DeviceType::other> {};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct DeviceTraits<Kokkos::Cuda> : detail::TraitsOf<DeviceType::nvidia> {};
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
struct DeviceTraits<Kokkos::HIP> : detail::TraitsOf<DeviceType::radeon> {};
#endif
#ifdef KOKKOS_ENABLE_SYCL
template <>
struct DeviceTraits<Kokkos::SYCL> : detail::TraitsOf<DeviceType::other> {};
#endif

/// Of the default execution space, where kernels run unless another is named.
using DefaultDevice = DeviceTraits<Kokkos::DefaultExecutionSpace>;

/// Whether kernels run on a device, rather than on the host: what a kernel asks to be shaped for
/// either, `constexpr int depth = has_device ? 4 : 1`.
inline constexpr bool has_device = DefaultDevice::is_device;

/// Where kernels of the default execution space find their data.
using DeviceSpace = Kokkos::DefaultExecutionSpace::memory_space;

/// acc_get_device_type: whose device a space runs on; known when compiling.
template <class Space = Kokkos::DefaultExecutionSpace>
[[nodiscard]] constexpr DeviceType device_type() {
  return DeviceTraits<Space>::type;
}

} // namespace gangway
