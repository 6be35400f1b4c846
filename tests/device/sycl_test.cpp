// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a build with SYCL gets of device.hpp and device.cpp, on a machine without it: compiled
// against sycl/Kokkos_Core.hpp, which plays Kokkos and SYCL.
#include "gangway/device.hpp"
#include "ranks/interop.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace gangway {
namespace {

static_assert(device_type<>() == DeviceType::other);
static_assert(has_device);
static_assert(std::is_same_v<DeviceSpace, Kokkos::SYCLDeviceUSMSpace>);
static_assert(device_type<Kokkos::Serial>() == DeviceType::host);
static_assert(!detail::is_device<Kokkos::Serial>);

/// Each test begins with a device that answers, and ends so.
class SyclTest : public ::testing::Test {
protected:
  SyclTest() { fake::state = {}; }
  ~SyclTest() override { fake::state = {}; }
};

TEST_F(SyclTest, PropertiesAreTheDevicesAndNotTheHosts) {
  const DeviceProperties device = device_properties();
  EXPECT_EQ(device.type, DeviceType::other);
  EXPECT_EQ(device.name, "Intel(R) Data Center GPU Max 1550");
  EXPECT_EQ(device.vendor, "Intel(R) Corporation");
  EXPECT_EQ(device.driver, "1.6.33578");
  EXPECT_EQ(device.runtime, "1.6");
  EXPECT_EQ(device.architecture, "Intel-R-Data-Center-GPU-Max-1550");
  EXPECT_EQ(device.memory, std::size_t{64} << 30);
  EXPECT_EQ(device.free_memory, std::size_t{60} << 30);
  EXPECT_EQ(device.cache, std::size_t{204} << 20);
  EXPECT_EQ(device.compute_units, 512);
  EXPECT_EQ(device.resident_threads, 0) << "SYCL does not say";
  EXPECT_EQ(device.lanes, 32) << "the largest sub-group";
}

TEST_F(SyclTest, AnArchitectureIsOneWord) {
  fake::state.name = " Some_GPU (tm)";
  EXPECT_EQ(device_properties().architecture, "Some-GPU-tm");
}

TEST_F(SyclTest, WhatADeviceDoesNotTellIsZero) {
  fake::state.tells_free_memory = false;
  fake::state.sub_groups = {};
  const DeviceProperties device = device_properties();
  EXPECT_EQ(device.free_memory, 0U);
  EXPECT_EQ(device.lanes, 0);
  EXPECT_EQ(device.memory, std::size_t{64} << 30);
}

TEST_F(SyclTest, ThereIsNoDeviceUnlessKokkosRuns) {
  fake::state.initialized = false;
  EXPECT_THROW(static_cast<void>(device_properties()), RuntimeError);
  fake::state.initialized = true;
  fake::state.finalized = true;
  EXPECT_THROW(static_cast<void>(device_properties()), RuntimeError);
}

TEST_F(SyclTest, AQueueIsWaitedFor) {
  EXPECT_TRUE(detail::is_done(Kokkos::SYCL()));
  EXPECT_EQ(fake::state.fences, 1);
  detail::put_after(Kokkos::SYCL(), Kokkos::SYCL());
  EXPECT_EQ(fake::state.fences, 2);
}

TEST_F(SyclTest, OtherLibrariesAreToldNothing) {
  EXPECT_EQ(ranks::bus_id(), "");
  EXPECT_EQ(ranks::stream_of(Kokkos::SYCL()), nullptr);
  EXPECT_EQ(ranks::stream_of(ranks::UrgentQueue().queue()), nullptr) << "it is the default queue";
}

} // namespace
} // namespace gangway
