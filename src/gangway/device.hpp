// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

/// Says for each execution space which device it runs on, and asks the device's runtime about it.
/// To port Gangway to another backend, begin with this header and device.cpp.
namespace gangway {

/// device_type: whose device a space runs on. `other` is every device but NVIDIA's and AMD's, such
/// as Intel's by SYCL. `none` is no space's, for ports that ask whether a device was chosen: Kokkos
/// has always chosen one.
enum class DeviceType { host, nvidia, radeon, other, none };

namespace detail {
/// The type of device that `Space`, an execution space of Kokkos, runs on. A space that has no
/// specialization below is a host if its kernels use the host's memory. Otherwise it is a device
/// for which OpenACC has no name, such as SYCL's.
template <class Space>
inline constexpr DeviceType device_of =
    std::is_same_v<typename Space::memory_space, Kokkos::HostSpace> ? DeviceType::host
                                                                    : DeviceType::other;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr DeviceType device_of<Kokkos::Cuda> = DeviceType::nvidia;
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr DeviceType device_of<Kokkos::HIP> = DeviceType::radeon;
#endif

/// A device has a memory of its own, and its teams have threads and lanes of their own. A host's
/// team is one thread of one lane.
template <class Space>
inline constexpr bool is_device = device_of<Space> != DeviceType::host;
} // namespace detail

/// True if kernels of the default execution space run on a device, which has a memory of its own. A
/// kernel can have a shape for either: `constexpr int depth = has_device ? 4 : 1`.
inline constexpr bool has_device = detail::is_device<Kokkos::DefaultExecutionSpace>;

/// Where kernels of the default execution space find their data.
using DeviceSpace = Kokkos::DefaultExecutionSpace::memory_space;

/// acc_get_device_type: whose device a space runs on; known when compiling.
template <class Space = Kokkos::DefaultExecutionSpace>
[[nodiscard]] constexpr DeviceType device_type() {
  return detail::device_of<Space>;
}

/// "host", "nvidia", "radeon", "other": as OpenACC's device_type clause names them.
[[nodiscard]] const char* name_of(DeviceType type);

/// A request to the runtime that cannot be honoured; `what()` says why, and what to do.
class RuntimeError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// acc_get_property, acc_get_property_string, and what tuning and judging a kernel take besides.
/// A member is empty or 0 if the platform does not say it.
struct DeviceProperties {
  DeviceType type = DeviceType::host; ///< acc_get_device_type
  std::string name;                   ///< acc_property_name, such as "NVIDIA H100 80GB HBM3"
  std::string vendor;                 ///< acc_property_vendor
  /// acc_property_driver: the version that the driver speaks (CUDA, HIP, SYCL); of a host, its
  /// kernel.
  std::string driver;
  std::string runtime; ///< version of the runtime library that the program uses; of a host, none
  /// The target of compiled code, one word without underscores: "Hopper90", "gfx942", "x86-64".
  /// SYCL has no such word, and the device's name stands for it.
  std::string architecture;
  std::size_t memory = 0;      ///< acc_property_memory: bytes
  std::size_t free_memory = 0; ///< acc_property_free_memory: bytes that can be had now
  /// Bytes of the last cache before the memory. HIP tells of the second level, and nothing of an
  /// Infinity Cache behind it.
  std::size_t cache = 0;
  int compute_units = 0;    ///< NVIDIA's multiprocessors; of a host, its logical processors
  int resident_threads = 0; ///< that one compute unit holds at a time; SYCL does not say
  /// Threads that execute together: NVIDIA's warp, AMD's wavefront, SYCL's largest sub-group; of a
  /// host 1.
  int lanes = 0;
};
/// Returns the properties of the default execution space's device. Errors: RuntimeError when Kokkos
/// is not running, and when the device's runtime reports one.
[[nodiscard]] DeviceProperties device_properties();
/// acc_device_host.
[[nodiscard]] DeviceProperties host_properties();

namespace detail {
/// Returns the bytes that the program can have without swapping: what the machine, its own limit
/// (RLIMIT_AS) and its control groups leave.
[[nodiscard]] std::size_t available_memory();
/// Returns the bytes that the control group `root`/`own` and those around it leave, by version 2 of
/// Linux' interface; the largest number where there is no limit.
[[nodiscard]] std::size_t available_in_groups(const std::string& root, const std::string& own);

/// For `async_test` and `wait_async` in runtime.hpp: what the host can only do by waiting, and
/// what CUDA and HIP do without.
template <class Space>
[[nodiscard]] bool is_done(const Space& queue) {
  queue.fence("gangway: async_test");
  return true;
}
template <class Space>
void put_after(const Space& waited, const Space& /*queue*/) {
  waited.fence("gangway: wait_async");
}
#ifdef KOKKOS_ENABLE_CUDA
[[nodiscard]] bool is_done(const Kokkos::Cuda& queue);
void put_after(const Kokkos::Cuda& waited, const Kokkos::Cuda& queue);
#endif
#ifdef KOKKOS_ENABLE_HIP
[[nodiscard]] bool is_done(const Kokkos::HIP& queue);
void put_after(const Kokkos::HIP& waited, const Kokkos::HIP& queue);
#endif
} // namespace detail

} // namespace gangway
