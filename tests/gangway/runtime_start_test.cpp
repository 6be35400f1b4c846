// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What can be asked before Kokkos runs, which is when a device is selected.
#include "gangway/runtime.hpp"

#include <gtest/gtest.h>

namespace gangway {
namespace {

TEST(RuntimeStart, ADeviceIsSelectedWhenKokkosIsInitialised) {
  EXPECT_THROW(static_cast<void>(device_properties()), RuntimeError);
  EXPECT_THROW(static_cast<void>(select_device(-1)), RuntimeError);
  EXPECT_THROW(static_cast<void>(select_device(1000)), RuntimeError);
  const int last = Kokkos::num_devices() < 1 ? 0 : Kokkos::num_devices() - 1;
  const Kokkos::ScopeGuard kokkos(select_device(last));
  EXPECT_EQ(Kokkos::device_id(), Kokkos::num_devices() > 0 ? last : -1);
  EXPECT_FALSE(device_properties().name.empty());
}

} // namespace
} // namespace gangway
