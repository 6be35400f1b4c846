// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a build with HIP gets of device.hpp and device.cpp, on a machine without it: compiled
// against hip/Kokkos_Core.hpp, which plays Kokkos and ROCm.
#include "gangway/device.hpp"
#include "ranks/interop.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace gangway {
namespace {

static_assert(device_type<>() == DeviceType::radeon);
static_assert(has_device);
static_assert(std::is_same_v<DeviceSpace, Kokkos::HIPSpace>);
static_assert(device_type<Kokkos::Serial>() == DeviceType::host);
static_assert(!detail::is_device<Kokkos::Serial>);

/// Each test begins with a device that answers, and ends so.
class HipTest : public ::testing::Test {
protected:
  HipTest() { fake::state = {}; }
  ~HipTest() override { fake::state = {}; }

  int _first = 1;
  int _second = 2;
  Kokkos::HIP _one{&_first};
  Kokkos::HIP _two{&_second};
};

using Calls = std::vector<std::string>;

TEST_F(HipTest, PropertiesAreTheDevicesAndNotTheHosts) {
  const DeviceProperties device = device_properties();
  EXPECT_EQ(device.type, DeviceType::radeon);
  EXPECT_STREQ(name_of(device.type), "radeon");
  EXPECT_EQ(device.name, "AMD Instinct MI300X");
  EXPECT_EQ(device.vendor, "AMD");
  EXPECT_EQ(device.driver, "6.4.43484");
  EXPECT_EQ(device.runtime, "6.3.42134");
  EXPECT_EQ(device.architecture, "gfx942") << "without the features that follow";
  EXPECT_EQ(device.memory, std::size_t{192} << 30);
  EXPECT_EQ(device.free_memory, std::size_t{190} << 30);
  EXPECT_EQ(device.cache, std::size_t{4} << 20);
  EXPECT_EQ(device.compute_units, 304);
  EXPECT_EQ(device.resident_threads, 2048);
  EXPECT_EQ(device.lanes, 64);
}

TEST_F(HipTest, AnArchitectureWithoutFeaturesIsTakenWhole) {
  fake::state.device = {"AMD Radeon RX 7900 XTX", 32, 48, 6 << 20, 2048, "gfx1100"};
  EXPECT_EQ(device_properties().architecture, "gfx1100");
  EXPECT_EQ(device_properties().lanes, 32);
}

TEST_F(HipTest, WhatTheRuntimeRefusesIsSaid) {
  fake::state.memory = hipErrorInvalidValue;
  try {
    static_cast<void>(device_properties());
    FAIL() << "not refused";
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "device_properties: invalid argument");
  }
}

TEST_F(HipTest, ThereIsNoDeviceUnlessKokkosRuns) {
  fake::state.initialized = false;
  EXPECT_THROW(static_cast<void>(device_properties()), RuntimeError);
  fake::state.initialized = true;
  fake::state.finalized = true;
  EXPECT_THROW(static_cast<void>(device_properties()), RuntimeError);
}

TEST_F(HipTest, TheHostBesideItIsStillTheHost) {
  const DeviceProperties host = host_properties();
  EXPECT_EQ(host.type, DeviceType::host);
  EXPECT_EQ(host.lanes, 1);
  EXPECT_NE(host.architecture, device_properties().architecture);
}

TEST_F(HipTest, AQueueIsAskedAndNotWaitedFor) {
  EXPECT_TRUE(detail::is_done(_one));
  EXPECT_EQ(fake::state.calls, (Calls{"query 1"}));
  fake::state.calls.clear();
  fake::state.query = hipErrorNotReady;
  EXPECT_FALSE(detail::is_done(_two));
  EXPECT_EQ(fake::state.calls, (Calls{"query 2", "last error"}));
  fake::state.query = hipErrorInvalidValue;
  EXPECT_THROW(static_cast<void>(detail::is_done(_one)), RuntimeError);
}

TEST_F(HipTest, OtherLibrariesAreToldTheDeviceAndTheStream) {
  EXPECT_EQ(ranks::bus_id(), "0000:c1:00.0");
  EXPECT_EQ(ranks::stream_of(_two), &_second);
  fake::state.finalized = true;
  EXPECT_THROW(static_cast<void>(ranks::bus_id()), RuntimeError);
}

TEST_F(HipTest, AnUrgentQueueHasAStreamOfItsOwnWhichGoesWithIt) {
  {
    const ranks::UrgentQueue urgent;
    EXPECT_EQ(ranks::stream_of(urgent.queue()), &fake::state.urgent);
    EXPECT_EQ(fake::state.calls, (Calls{"stream of priority -1"})) << "the most urgent there is";
  }
  EXPECT_EQ(fake::state.calls.back(), "destroy 3");
  fake::state.stream = hipErrorInvalidValue;
  EXPECT_THROW(const ranks::UrgentQueue refused, RuntimeError);
}

TEST_F(HipTest, AQueueIsPutAfterAnotherByAnEvent) {
  detail::put_after(_one, _two);
  EXPECT_EQ(fake::state.calls, (Calls{"create", "record 1", "wait 2", "destroy"}));
  fake::state.calls.clear();
  fake::state.record = hipErrorInvalidValue;
  EXPECT_THROW(detail::put_after(_one, _two), RuntimeError);
  EXPECT_EQ(fake::state.calls, (Calls{"create", "record 1", "destroy"})) << "no event is left";
}

} // namespace
} // namespace gangway
