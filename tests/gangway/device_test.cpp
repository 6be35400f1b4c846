// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an execution space runs on.
#include "gangway/device.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace gangway {
namespace {

/// A space that Gangway has no line for, with a memory that is not the host's.
struct UnknownDevice {
  struct Memory {};
  using memory_space = Memory;
};

template <class Space>
constexpr bool is_a_device_of(DeviceType type) {
  return detail::is_device<Space> && device_type<Space>() == type;
}

template <class Space>
constexpr bool is_a_host() {
  return !detail::is_device<Space> && device_type<Space>() == DeviceType::host;
}

TEST(DeviceTypeTest, TellHostsFromDevices) {
  static_assert(is_a_host<Kokkos::DefaultHostExecutionSpace>());
#ifdef KOKKOS_ENABLE_SERIAL
  static_assert(is_a_host<Kokkos::Serial>());
#endif
  static_assert(is_a_device_of<UnknownDevice>(DeviceType::other));
#ifdef KOKKOS_ENABLE_CUDA
  static_assert(is_a_device_of<Kokkos::Cuda>(DeviceType::nvidia));
#endif
#ifdef KOKKOS_ENABLE_HIP
  static_assert(is_a_device_of<Kokkos::HIP>(DeviceType::radeon));
#endif
#ifdef KOKKOS_ENABLE_SYCL
  static_assert(is_a_device_of<Kokkos::SYCL>(DeviceType::other));
#endif
}

TEST(DeviceTypeTest, TheDefaultSpaceIsADeviceUnlessItIsAHosts) {
  using Space = Kokkos::DefaultExecutionSpace;
  EXPECT_EQ(has_device, (!std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>));
  EXPECT_EQ(has_device, (!std::is_same_v<DeviceSpace, Kokkos::HostSpace>));
}

} // namespace
} // namespace gangway
