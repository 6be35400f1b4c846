// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/runtime.hpp"

#include "testing/counting.hpp"
#include "testing/places.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace gangway {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

template <class Error>
void expect_refused(const std::function<void()>& action, const std::vector<std::string>& words) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    const std::string message = error.what();
    for (const std::string& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << "no \"" << word << "\" in: " << message;
  }
}

// The table at the head of runtime.hpp

/// Section 3.2 of OpenACC 3.3, the older names that 2.7 still had, and those for CUDA.
const std::vector<const char*> routines{
    "acc_get_num_devices",
    "acc_set_device_type",
    "acc_get_device_type",
    "acc_set_device_num",
    "acc_get_device_num",
    "acc_get_property",
    "acc_get_property_string",
    "acc_init",
    "acc_init_device",
    "acc_shutdown",
    "acc_shutdown_device",
    "acc_async_test",
    "acc_async_test_device",
    "acc_async_test_all",
    "acc_async_test_all_device",
    "acc_wait",
    "acc_wait_device",
    "acc_wait_async",
    "acc_wait_device_async",
    "acc_wait_all",
    "acc_wait_all_device",
    "acc_wait_all_async",
    "acc_wait_all_device_async",
    "acc_wait_any",
    "acc_wait_any_device",
    "acc_async_wait",
    "acc_async_wait_all",
    "acc_get_default_async",
    "acc_set_default_async",
    "acc_on_device",
    "acc_malloc",
    "acc_free",
    "acc_copyin",
    "acc_copyin_async",
    "acc_present_or_copyin",
    "acc_pcopyin",
    "acc_create",
    "acc_create_async",
    "acc_present_or_create",
    "acc_pcreate",
    "acc_copyout",
    "acc_copyout_async",
    "acc_copyout_finalize",
    "acc_copyout_finalize_async",
    "acc_delete",
    "acc_delete_async",
    "acc_delete_finalize",
    "acc_delete_finalize_async",
    "acc_update_device",
    "acc_update_device_async",
    "acc_update_self",
    "acc_update_self_async",
    "acc_map_data",
    "acc_unmap_data",
    "acc_deviceptr",
    "acc_hostptr",
    "acc_is_present",
    "acc_memcpy_to_device",
    "acc_memcpy_to_device_async",
    "acc_memcpy_from_device",
    "acc_memcpy_from_device_async",
    "acc_memcpy_device",
    "acc_memcpy_device_async",
    "acc_memcpy_d2d",
    "acc_memcpy_d2d_async",
    "acc_attach",
    "acc_attach_async",
    "acc_detach",
    "acc_detach_async",
    "acc_detach_finalize",
    "acc_detach_finalize_async",
    "acc_get_current_cuda_device",
    "acc_get_current_cuda_context",
    "acc_get_cuda_stream",
    "acc_set_cuda_stream",
};

TEST(RuntimeTable, HasEveryRoutineOnce) {
  const auto file = testing::source_file("src/gangway/runtime.hpp");
  std::ifstream header(file);
  ASSERT_TRUE(header) << file;
  std::multiset<std::string> named;
  for (std::string line; std::getline(header, line);) {
    if (!line.starts_with("/// | `acc_"))
      continue;
    const std::string left = line.substr(0, line.find(" | ", 6));
    for (std::size_t begin = left.find('`'); begin != std::string::npos;) {
      const std::size_t end = left.find('`', begin + 1);
      ASSERT_NE(end, std::string::npos) << line;
      named.insert(left.substr(begin + 1, end - begin - 1));
      begin = left.find('`', end + 1);
    }
    EXPECT_GT(line.size(), left.size() + 8) << "no counterpart and no reason: " << line;
  }
  for (const char* routine : routines)
    EXPECT_EQ(named.count(routine), 1U) << routine;
}

// Devices

TEST(Device, HostHasANameAndMemory) {
  const DeviceProperties host = host_properties();
  EXPECT_EQ(host.type, DeviceType::host);
  EXPECT_FALSE(host.name.empty());
  EXPECT_FALSE(host.driver.empty());
  EXPECT_GT(host.free_memory, std::size_t{1} << 20);
  EXPECT_GE(host.memory, host.free_memory);
  EXPECT_FALSE(host.architecture.empty());
  EXPECT_EQ(host.architecture.find_first_of(" _"), std::string::npos) << host.architecture;
  EXPECT_GE(host.compute_units, 1);
  EXPECT_EQ(host.resident_threads, 1);
  EXPECT_EQ(host.lanes, 1);
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  double kib = 0;
  if (meminfo >> name >> kib && name == "MemTotal:") {
    EXPECT_NEAR(static_cast<double>(host.memory), 1024 * kib, 1024 * kib * 0.1);
  }
}

TEST(Device, FreeMemoryOfTheHostIsWhatTheProgramsLimitLeaves) {
  constexpr std::size_t room = std::size_t{64} << 20;
  std::size_t used = 0;
  std::ifstream("/proc/self/statm") >> used;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = used * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  const std::size_t left = host_properties().free_memory;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_LE(left, room);
  EXPECT_GT(left, room / 2);
}

TEST(Device, FreeMemoryOfTheHostIsWhatControlGroupsLeave) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("gangway-groups-" + std::to_string(getpid()));
  const auto group = [&](const char* name, const char* most, const char* used, const char* stat) {
    std::filesystem::create_directories(root / name);
    std::ofstream(root / name / "memory.max") << most << '\n';
    std::ofstream(root / name / "memory.current") << used << '\n';
    std::ofstream(root / name / "memory.stat") << stat;
  };
  group("job", "9000", "4000", "anon 3000\ninactive_file 1000\n");
  group("job/step", "max", "3000", "anon 3000\n");
  group("job/step/task", "8000", "1500", "anon 1500\n");
  EXPECT_EQ(detail::available_in_groups(root, "job/step/task"), 6000U) << "the job's";
  group("job/step/task", "8000", "2500", "anon 2500\n");
  EXPECT_EQ(detail::available_in_groups(root, "job/step/task"), 5500U) << "its own";
  group("job/step/task", "8000", "9000", "");
  EXPECT_EQ(detail::available_in_groups(root, "job/step/task"), 0U);
  EXPECT_EQ(detail::available_in_groups(root, ""), std::numeric_limits<std::size_t>::max());
  std::filesystem::remove_all(root);
}

TEST(Device, PropertiesAreThoseOfTheDeviceInUse) {
  const DeviceProperties device = device_properties();
  EXPECT_EQ(device.type, device_type<>());
  EXPECT_FALSE(device.name.empty());
  if (!has_device) {
    EXPECT_EQ(device.name, host_properties().name);
    EXPECT_EQ(device.memory, host_properties().memory);
    EXPECT_EQ(device.cache, host_properties().cache);
    return;
  }
  EXPECT_GT(device.memory, device.free_memory);
#ifdef KOKKOS_ENABLE_CUDA
  EXPECT_EQ(device.name, Kokkos::Cuda().cuda_device_prop().name);
  EXPECT_EQ(device.vendor, "NVIDIA");
  EXPECT_NE(device.driver.find('.'), std::string::npos) << device.driver;
  EXPECT_NE(device.runtime.find('.'), std::string::npos) << device.runtime;
  const cudaDeviceProp& said = Kokkos::Cuda().cuda_device_prop();
  EXPECT_TRUE(device.architecture.ends_with(std::to_string(10 * said.major + said.minor)))
      << device.architecture;
  EXPECT_EQ(device.cache, static_cast<std::size_t>(said.l2CacheSize));
  EXPECT_EQ(device.compute_units, said.multiProcessorCount);
  EXPECT_EQ(device.resident_threads, said.maxThreadsPerMultiProcessor);
  EXPECT_EQ(device.lanes, 32);
  // What is allocated is no longer free.
  constexpr std::size_t bytes = std::size_t{256} << 20;
  void* const memory = Kokkos::kokkos_malloc<DeviceSpace>("runtime_test", bytes);
  EXPECT_LE(device_properties().free_memory + bytes / 2, device.free_memory);
  Kokkos::kokkos_free<DeviceSpace>(memory);
#endif
}

TEST(Device, TypesHaveOpenAccsNames) {
  EXPECT_STREQ(name_of(DeviceType::host), "host");
  EXPECT_STREQ(name_of(DeviceType::nvidia), "nvidia");
  EXPECT_STREQ(name_of(DeviceType::radeon), "radeon");
  EXPECT_STREQ(name_of(DeviceType::other), "other");
}

TEST(Device, TheOneInUseMayBeSelectedAgain) {
  const int number = has_device ? Kokkos::device_id() : 0;
  const Kokkos::InitializationSettings settings = select_device(number);
  EXPECT_EQ(settings.has_device_id(), has_device);
  if (settings.has_device_id()) {
    EXPECT_EQ(settings.get_device_id(), number);
  }
}

TEST(Device, OneThatIsNotThereIsRefused) {
  expect_refused<RuntimeError>([] { static_cast<void>(select_device(-1)); },
                               {"select_device: number -1", "is not there"});
  expect_refused<RuntimeError>([] { static_cast<void>(select_device(1000)); },
                               {"select_device: number 1000", "is not there", "0"});
}

TEST(Device, CannotBeChangedWhileKokkosRuns) {
  if (Kokkos::num_devices() < 2)
    GTEST_SKIP() << "needs two devices";
  const int other = Kokkos::device_id() == 0 ? 1 : 0;
  expect_refused<RuntimeError>([&] { static_cast<void>(select_device(other)); },
                               {"Kokkos runs on number", "give the number to Kokkos::initialize",
                                "--kokkos-device-id=" + std::to_string(other)});
}

// In a process of its own, for Kokkos does not come back.
void ask_after_kokkos() {
  Kokkos::finalize();
  const auto refuses = [](const char* word, const std::function<void()>& action) {
    try {
      action();
    } catch (const RuntimeError& error) {
      return std::string(error.what()).find(word) != std::string::npos;
    }
    return false;
  };
  const bool refused = refuses("not running", [] { static_cast<void>(device_properties()); }) &&
                       refuses("does not come back", [] { static_cast<void>(select_device(0)); }) &&
                       !host_properties().name.empty();
  std::_Exit(refused ? 0 : 1);
}

TEST(DeviceDeathTest, ThereIsNoneWithoutKokkos) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ask_after_kokkos(), ::testing::ExitedWithCode(0), "");
}

// Queues

/// Keeps a queue busy: every element takes many dependent steps.
void occupy(const Space& queue, const DeviceView<double>& values, long steps) {
  Kokkos::parallel_for(
      "runtime_test/occupy", Kokkos::RangePolicy<Space>(queue, 0, values.extent_int(0)),
      KOKKOS_LAMBDA(int i) {
        double value = values(i);
        for (long s = 0; s < steps; ++s)
          value = value * 0.5 + 1;
        values(i) = value;
      });
}

void add_first(const Space& queue, const DeviceView<double>& from, const DeviceView<double>& to) {
  Kokkos::parallel_for(
      "runtime_test/add", Kokkos::RangePolicy<Space>(queue, 0, to.extent_int(0)),
      KOKKOS_LAMBDA(int i) { to(i) += from(i); });
}

std::vector<Space> two_queues() {
  return Kokkos::Experimental::partition_space(Space(), std::vector<int>{1, 1});
}

TEST(Queue, IsDoneAfterItsFence) {
  const Kokkos::View<double*, DeviceSpace> values("values", 1000);
  const std::vector<Space> queues = two_queues();
  occupy(queues[0], DeviceView<double>(values.data(), 500), 100);
  occupy(queues[1], DeviceView<double>(values.data() + 500, 500), 100);
  for (const Space& queue : queues)
    queue.fence();
  EXPECT_TRUE(async_test(queues[0]));
  EXPECT_TRUE(async_test(queues[0], queues[1]));
}

TEST(Queue, OfAHostIsAlwaysDone) {
  const Kokkos::DefaultHostExecutionSpace host;
  std::vector<double> values(1000);
  double* const all = values.data();
  Kokkos::parallel_for("runtime_test/host",
                       Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(host, 0, 1000),
                       [=](int i) { all[i] = i; });
  EXPECT_TRUE(async_test(host));
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0), 499500);
}

TEST(Queue, OfADeviceIsNotDoneWhileItWorks) {
  if (!has_device)
    GTEST_SKIP() << "a host finishes a kernel before its launch returns";
  const Kokkos::View<double*, DeviceSpace> values("values", 32);
  const std::vector<Space> queues = two_queues();
  occupy(queues[0], DeviceView<double>(values.data(), 32), 50'000'000); // tenths of a second
  EXPECT_FALSE(async_test(queues[0]));
  EXPECT_FALSE(async_test(queues[1], queues[0]));
  EXPECT_TRUE(async_test(queues[1])) << "the other has nothing to do";
  queues[0].fence();
  EXPECT_TRUE(async_test(queues[0], queues[1]));
}

/// The second queue's kernel uses what the first one's leaves behind.
TEST(Queue, WaitsForAnother) {
  Kokkos::View<double*, DeviceSpace> first("first", 256);
  Kokkos::View<double*, DeviceSpace> second("second", 256);
  Kokkos::fence();
  const std::vector<Space> queues = two_queues();
  occupy(queues[0], DeviceView<double>(first.data(), 256), 2'000'000); // ends at 2
  wait_async(queues[0], queues[1]);
  add_first(queues[1], DeviceView<double>(first.data(), 256),
            DeviceView<double>(second.data(), 256));
  queues[1].fence();
  const auto seen = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), second);
  for (int i = 0; i < 256; ++i)
    ASSERT_NEAR(seen(i), 2, 1e-12) << i;
}

// Memory

double* allocate(std::size_t n) {
  return static_cast<double*>(
      Kokkos::kokkos_malloc<DeviceSpace>("runtime_test", n * sizeof(double)));
}

class SeparateRuntime : public ::testing::Test {
protected:
  SeparateRuntime() { reset_transfers(); }
  ~SeparateRuntime() override { EXPECT_EQ(present_arrays(), 0U); }

private:
  testing::WithMemory _separate{Memory::separate};
};

TEST_F(SeparateRuntime, CopiesAreCounted) {
  const std::vector<double> in = testing::counting(100);
  std::vector<double> out(100);
  double* const device = allocate(100);
  memcpy_to_device(device, in.data(), 800);
  memcpy_from_device(out.data(), device, 800);
  EXPECT_EQ(out, in);
  EXPECT_EQ(transfers(), (Transfers{1, 1, 800, 800, 0}));

  const Space queue;
  memcpy_to_device(queue, device, &in[50], 400);
  memcpy_from_device(queue, out.data(), device, 400);
  queue.fence();
  EXPECT_EQ(out[0], 51);
  EXPECT_EQ(out[49], 100);
  EXPECT_EQ(transfers(), (Transfers{2, 2, 1200, 1200, 0}));
  Kokkos::kokkos_free<DeviceSpace>(device);
}

TEST_F(SeparateRuntime, CopiesOfNothingAreNone) {
  memcpy_to_device(nullptr, nullptr, 0);
  memcpy_from_device(nullptr, nullptr, 0);
  EXPECT_EQ(transfers(), Transfers{});
}

TEST_F(SeparateRuntime, NullPointersAreRefused) {
  double value = 0;
  expect_refused<DataError>([&] { memcpy_to_device(nullptr, &value, 8); },
                            {"memcpy_to_device", "the device pointer is null", "8 bytes"});
  expect_refused<DataError>([&] { memcpy_from_device(nullptr, &value, 8); },
                            {"memcpy_from_device", "the host pointer is null"});
  expect_refused<DataError>([&] { memcpy_to_device(Space(), nullptr, &value, 8); },
                            {"memcpy_to_device_async", "the device pointer is null"});
  expect_refused<DataError>([&] { map_data(&value, nullptr, 8); },
                            {"map_data", "the device pointer is null"});
  EXPECT_EQ(transfers(), Transfers{});
}

TEST(SharedRuntime, CopiesAreMadeAndNothingCrosses) {
  if (memory() != Memory::shared)
    GTEST_SKIP() << "this device has a memory of its own";
  reset_transfers();
  const std::vector<double> in = testing::counting(100);
  std::vector<double> out(100);
  double* const device = allocate(100);
  memcpy_to_device(device, in.data(), 800);
  memcpy_from_device(out.data(), device, 800);
  Kokkos::kokkos_free<DeviceSpace>(device);
  EXPECT_EQ(out, in);
  EXPECT_EQ(transfers(), Transfers{});
}

// The present table

TEST_F(SeparateRuntime, HostPointerIsTheWayBack) {
  std::vector<double> a(100);
  std::vector<double> b(50);
  Data data;
  const auto a_view = data.create(a.data(), 100);
  const auto b_view = data.create(b.data(), 50);
  EXPECT_EQ(host_pointer(a_view.data()), a.data());
  EXPECT_EQ(host_pointer(b_view.data() + 49), &b[49]);
  EXPECT_EQ(host_pointer(device_pointer(&a[7])), &a[7]);
  EXPECT_EQ(host_pointer(reinterpret_cast<std::byte*>(a_view.data()) + 799),
            reinterpret_cast<std::byte*>(a.data()) + 799);
  data.close();
  expect_refused<DataError>([&] { static_cast<void>(host_pointer(a_view.data())); },
                            {"host_pointer", "no array on the device is at"});
}

TEST(SharedRuntime, HostPointerIsThePointer) {
  if (memory() != Memory::shared)
    GTEST_SKIP() << "this device has a memory of its own";
  double value = 0;
  EXPECT_EQ(host_pointer(&value), &value);
}

TEST_F(SeparateRuntime, MappedDataIsPresentAndNeitherMovesNorGoes) {
  std::vector<double> a = testing::counting(100);
  double* const device = allocate(100);
  memcpy_to_device(device, a.data(), 800);
  reset_transfers();
  map_data(a.data(), device, 800);
  EXPECT_TRUE(is_present(a.data(), 100));
  EXPECT_EQ(device_pointer(&a[5]), device + 5);
  EXPECT_EQ(host_pointer(device + 5), &a[5]);
  for (int twice = 0; twice < 2; ++twice) {
    Data data;
    EXPECT_EQ(data.copy(a.data(), 100).data(), device);
    EXPECT_EQ(data.copyin(&a[10], 20).data(), device + 10);
  }
  enter_data_copyin(a.data(), 100);
  exit_data_copyout(a.data(), 100);
  EXPECT_EQ(transfers(), Transfers{});
  EXPECT_TRUE(is_present(a.data(), 100)) << "no region and no exit data ends it";

  a.assign(100, -1);
  update_self(a.data(), 100);
  EXPECT_EQ(a, testing::counting(100)) << "updates are for mapped data too";

  unmap_data(a.data());
  EXPECT_FALSE(is_present(a.data(), 100));
  a.assign(100, -1);
  memcpy_from_device(a.data(), device, 800);
  EXPECT_EQ(a, testing::counting(100)) << "the memory is still the caller's";
  Kokkos::kokkos_free<DeviceSpace>(device);
}

TEST_F(SeparateRuntime, MappingErrors) {
  std::vector<double> a(100);
  double* const device = allocate(100);
  map_data(a.data(), device, 0);
  EXPECT_EQ(present_arrays(), 0U);
  {
    Data data;
    static_cast<void>(data.create(&a[20], 30));
    expect_refused<DataError>([&] { map_data(&a[20], device, 240); },
                              {"map_data", "on the device already"});
    expect_refused<DataError>([&] { map_data(a.data(), device, 800); },
                              {"map_data", "only partly on the device"});
    expect_refused<DataError>([&] { unmap_data(&a[20]); },
                              {"unmap_data", "no mapped array begins at"});
  }
  map_data(a.data(), device, 800);
  expect_refused<DataError>([&] { map_data(a.data(), device, 800); }, {"on the device already"});
  expect_refused<DataError>([&] { unmap_data(&a[1]); }, {"no mapped array begins at"});
  expect_refused<DataError>([&] { exit_data_delete(a.data(), 100); },
                            {"were not brought by enter_data"});
  {
    Data data;
    static_cast<void>(data.present(a.data(), 100));
    expect_refused<DataError>([&] { unmap_data(a.data()); }, {"still uses", "close it first"});
  }
  unmap_data(a.data());
  expect_refused<DataError>([&] { unmap_data(a.data()); }, {"no mapped array begins at"});
  Kokkos::kokkos_free<DeviceSpace>(device);
}

TEST(SharedRuntime, OnlyAnArrayItselfCanBeMappedToIt) {
  if (memory() != Memory::shared)
    GTEST_SKIP() << "this device has a memory of its own";
  std::vector<double> a(100);
  std::vector<double> b(100);
  map_data(a.data(), a.data(), 800);
  unmap_data(a.data());
  expect_refused<DataError>([&] { map_data(a.data(), b.data(), 800); },
                            {"map_data", "memory() is separate"});
}

} // namespace
} // namespace gangway
