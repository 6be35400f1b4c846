// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The present table shared with a runtime of OpenACC that is played: arrays in device memory, by
// where they are on the host.
#include "gangway/openacc.hpp"

#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace gangway {
namespace {

using testing::expect_words;
using testing::message_of;
using testing::WithMemory;

struct Played {
  std::map<char*, std::pair<char*, std::size_t>> arrays; ///< device's address and bytes
  int waits = 0;

  [[nodiscard]] char* find(void* host, std::size_t bytes) const {
    auto* const begin = static_cast<char*>(host);
    for (const auto& [from, to] : arrays)
      if (from <= begin && begin + bytes <= from + to.second)
        return to.first + (begin - from);
    return nullptr;
  }
};
Played played;

const OpenAccRuntime runtime{
    .map_data =
        [](void* host, void* device, std::size_t bytes) {
          played.arrays[static_cast<char*>(host)] = {static_cast<char*>(device), bytes};
        },
    .unmap_data = [](void* host) { played.arrays.erase(static_cast<char*>(host)); },
    .is_present = [](void* host, std::size_t bytes) { return played.find(host, bytes) != nullptr; },
    .device_pointer = [](void* host) -> void* { return played.find(host, 1); },
    .wait_all = [] { ++played.waits; },
    .uses_host_memory = false};

void add_one(const DeviceView<double>& view) {
  Kokkos::parallel_for(
      "openacc_test/add_one", view.extent(0), KOKKOS_LAMBDA(int i) { view(i) += 1; });
}

/// A memory of its own, a runtime that shares the table, and an array that OpenACC has brought.
class OpenAcc : public ::testing::Test {
protected:
  OpenAcc() : _host(10), _device("openacc_test", 10) {
    std::iota(_host.begin(), _host.end(), 0.0);
    played = {};
    share_with_openacc(runtime);
  }
  ~OpenAcc() override {
    EXPECT_EQ(present_arrays(), 0U);
    stop();
  }
  static void stop() { detail::stop_sharing_with_openacc(); }
  /// What `enter data copyin` does.
  void enter_by_openacc() {
    runtime.map_data(_host.data(), _device.data(), 10 * sizeof(double));
    for (double& value : _host)
      value += 100;
    update_device(_host.data(), 10);
  }
  /// What the device has, by what OpenACC knows of it.
  std::vector<double> device_values() {
    std::vector<double> values(10);
    memcpy_from_device(values.data(), played.find(_host.data(), 80), 80);
    return values;
  }

  WithMemory _memory{Memory::separate};
  std::vector<double> _host;
  Kokkos::View<double*, DeviceSpace> _device;
};

TEST_F(OpenAcc, ClausesFindWhatItHas) {
  enter_by_openacc();
  EXPECT_TRUE(is_present(_host.data(), 10));
  EXPECT_EQ(device_pointer(&_host[3]), &_device.data()[3]);
  {
    Data data;
    const auto view = data.copy(_host.data(), 10); // copies nothing
    EXPECT_EQ(view.data(), _device.data());
    add_one(view);
  }
  EXPECT_EQ(_host[4], 104);
  EXPECT_EQ(device_values()[4], 105);
  EXPECT_EQ(played.arrays.size(), 1U);
  update_self(_host.data() + 4, 1);
  EXPECT_EQ(_host[4], 105);
  EXPECT_EQ(_host[5], 105);
}

TEST_F(OpenAcc, PartsOfAnArrayBeforeTheWhole) {
  enter_by_openacc();
  Data outer;
  const auto row = outer.present(_host.data() + 2, 3);
  const auto other = outer.present(_host.data() + 8, 2);
  EXPECT_EQ(present_arrays(), 2U);
  {
    Data inner;
    const auto all = inner.present(_host.data(), 10);
    EXPECT_EQ(present_arrays(), 1U);
    EXPECT_EQ(all.data() + 2, row.data());
    EXPECT_EQ(all.data() + 8, other.data());
  }
  EXPECT_EQ(present_arrays(), 1U);
  outer.close();
  EXPECT_EQ(present_arrays(), 0U);
}

TEST_F(OpenAcc, FindsWhatClausesBring) {
  {
    Data data;
    const auto view = data.copy(_host.data(), 10);
    EXPECT_EQ(played.find(&_host[7], 8), reinterpret_cast<char*>(&view.data()[7]));
    add_one(view);
  }
  EXPECT_TRUE(played.arrays.empty());
  EXPECT_EQ(_host[7], 8);
  enter_data_copyin(_host.data(), 10);
  EXPECT_EQ(device_values(), _host);
  exit_data_delete(_host.data(), 10);
  EXPECT_TRUE(played.arrays.empty());
}

TEST_F(OpenAcc, ClausesWaitForItsQueues) {
  enter_by_openacc();
  const int before = played.waits;
  Data data;
  static_cast<void>(data.present(_host.data(), 10));
  EXPECT_EQ(played.waits, before + 1);
  update_self(_host.data(), 10);
  EXPECT_EQ(played.waits, before + 2);
}

TEST_F(OpenAcc, WhatNeitherHas) {
  enter_by_openacc();
  std::vector<double> other(4);
  expect_words(message_of<DataError>([&] { update_device(other.data(), 4); }),
               {"update device", "are not on the device"});
  EXPECT_FALSE(is_present(other.data(), 4));
  Data data;
  expect_words(message_of<DataError>([&] { static_cast<void>(data.present(_host.data(), 11)); }),
               {"present", "are not on the device"});
}

TEST(OpenAccInHostMemory, ClausesUseTheArraysInPlace) {
  if constexpr (has_device)
    GTEST_SKIP() << "of hosts";
  for (const Memory memory : {Memory::shared, Memory::separate}) {
    const WithMemory mode(memory);
    OpenAccRuntime host = runtime;
    host.uses_host_memory = true;
    share_with_openacc(host);
    std::vector<double> values(10, 1.0);
    {
      Data data;
      const auto view = data.copy(values.data(), 10);
      EXPECT_EQ(view.data(), values.data());
      add_one(view);
      update_device(values.data(), 10);
    }
    EXPECT_EQ(values, std::vector<double>(10, 2.0));
    detail::stop_sharing_with_openacc();
  }
}

TEST(OpenAccInHostMemory, BothModelsUseOneMemory) {
  if constexpr (has_device) {
    OpenAccRuntime host = runtime;
    host.uses_host_memory = true;
    expect_words(message_of<DataError>([&] { share_with_openacc(host); }),
                 {"share_with_openacc", "OpenACC uses the host's memory"});
  } else {
    const WithMemory mode(Memory::shared);
    expect_words(message_of<DataError>([] { share_with_openacc(runtime); }),
                 {"share_with_openacc", "OpenACC uses a device's memory"});
  }
  const WithMemory mode(Memory::separate);
  std::vector<double> values(10);
  Data data;
  static_cast<void>(data.create(values.data(), 10));
  expect_words(message_of<DataError>([] { share_with_openacc(runtime); }),
               {"1 arrays are on the device already"});
}

} // namespace
} // namespace gangway
