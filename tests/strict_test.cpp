// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Strict memory: a kernel that uses an array of the host, where a device would have none, never
// ends with a right result. The mistakes stand in functions of a port of their own, for a host.
#include "gangway/data.hpp"
#include "gangway/strict.hpp"

#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gangway {
namespace {

using testing::expect_words;
using testing::message_of;

/// What runs on the host, whatever the default is: so that nvcc takes what it would rightly refuse.
using Host = Kokkos::DefaultHostExecutionSpace;
using Range = Kokkos::RangePolicy<Host>;

constexpr int large = 100'000; // 195 pages of doubles
constexpr int small = 20;      // no whole page

/// AddressSanitizer listens for faults too, and ends the program in its own way.
bool ended_by_a_fault(int status) {
#ifdef __SANITIZE_ADDRESS__
  return ::testing::ExitedWithCode(1)(status);
#else
  return ::testing::KilledBySignal(SIGSEGV)(status);
#endif
}

// A port of a program with a global array and a struct that has a pointer.

std::array<double, large> field;

struct Grid {
  int n;
  double* u;
};

/// As it should be.
void right(Data& data, const Grid& grid) {
  const auto f = data.present(named("field", field.data()), grid.n);
  const auto u = data.present(named("grid.u", grid.u), grid.n);
  Kokkos::parallel_for("port/right", Range(0, grid.n), [=](int i) { u(i) += f(i); });
}

/// The mutant that reads the host's global array, which is constant and so never stale.
void raw_global(Data& data, const Grid& grid) {
  const auto u = data.present(named("grid.u", grid.u), grid.n);
  Kokkos::parallel_for("port/raw_global", Range(0, grid.n), [=](int i) { u(i) += field[i]; });
}

/// The mutant that captures the struct, and with it the host's pointer.
void captured_struct(Data& data, const Grid& grid) {
  const auto f = data.present(named("field", field.data()), grid.n);
  Kokkos::parallel_for("port/captured_struct", Range(0, grid.n), [=](int i) { grid.u[i] += f(i); });
}

/// u = 1, field = 2, and u += field by `step`: the first and the last of u, of which 3 are right.
std::pair<double, double> run(void (*step)(Data&, const Grid&), int n) {
  field.fill(2);
  std::vector<double> u(static_cast<std::size_t>(n), 1.0);
  {
    Data data;
    static_cast<void>(data.copyin(named("field", field.data()), n));
    static_cast<void>(data.copy(named("grid.u", u.data()), n));
    step(data, {n, u.data()});
  }
  return {u.front(), u.back()};
}

class StrictMemory : public ::testing::Test {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // of a process with threads
    if (DefaultDevice::has_own_memory)
      GTEST_SKIP() << "a device of its own is strict by itself";
    _memory.emplace(Memory::strict);
    ASSERT_EQ(memory(), Memory::strict);
  }
  void TearDown() override {
    if (_memory) {
      EXPECT_EQ(present_arrays(), 0U);
    }
  }

private:
  std::optional<testing::WithMemory> _memory;
};
using StrictMemoryDeathTest = StrictMemory;

TEST_F(StrictMemory, RightProgramsAreLeftAlone) {
  for (const int n : {1, small, 511, 512, 513, 1024, large}) {
    EXPECT_EQ(run(right, n), std::pair(3.0, 3.0)) << n;
    EXPECT_EQ(field[static_cast<std::size_t>(n) - 1], 2) << "the host's copy is what it was";
  }
}

TEST_F(StrictMemory, CountsAsSeparateMemoryDoes) {
  std::vector<double> a(large, 1.0);
  reset_transfers();
  {
    Data data;
    const auto view = data.copy(a.data(), large);
    Kokkos::parallel_for("strict_test/add", Range(0, large), [=](int i) { view(i) += 1; });
    update_self(a.data(), 10);
    EXPECT_EQ(a[9], 2) << "between kernels the host has its array";
    EXPECT_EQ(a[10], 1);
    a[10] = 5;
    update_device(&a[10], 1);
  }
  EXPECT_EQ(a[10], 5);
  EXPECT_EQ(a.back(), 2);
  EXPECT_EQ(transfers(), (Transfers{.to_device = 2,
                                    .to_host = 2,
                                    .bytes_to_device = 8 * (large + 1),
                                    .bytes_to_host = 8 * (large + 10),
                                    .allocations = 1}));
}

TEST_F(StrictMemoryDeathTest, AGlobalArrayInAKernelEndsTheProgram) {
  EXPECT_EXIT(run(raw_global, large), ended_by_a_fault,
              "kernel port/raw_global used byte [0-9]+ of the 800000 at 0x[0-9a-f]+, a host array "
              "that is on the device: copyin.field. at .*strict_test.cpp:[0-9]+. Kernels may use "
              "the view");
}

TEST_F(StrictMemoryDeathTest, AStructsPointerInAKernelEndsTheProgram) {
  EXPECT_EXIT(run(captured_struct, large), ended_by_a_fault,
              "kernel port/captured_struct used .* copy.grid.u. at .*strict_test.cpp:[0-9]+");
}

/// The mistakes are what only this finds: separate memory computes right from the host's arrays.
TEST_F(StrictMemory, SeparateMemoryFindsNoGlobalArray) {
  set_memory(Memory::separate);
  EXPECT_EQ(run(raw_global, large), std::pair(3.0, 3.0));
}

TEST_F(StrictMemory, ASmallArrayReadInAKernelGivesNoRightResult) {
  const auto [first, last] = run(raw_global, small);
  EXPECT_TRUE(std::isnan(first));
  EXPECT_TRUE(std::isnan(last));
}

TEST_F(StrictMemoryDeathTest, ASmallArrayWrittenInAKernelEndsTheProgram) {
  EXPECT_EXIT(run(captured_struct, small), ::testing::KilledBySignal(SIGABRT),
              "kernel port/captured_struct wrote to the 160 bytes at 0x[0-9a-f]+, a host array "
              "that is on the device: copy.grid.u. at ");
}

/// The ends of a large array share their pages with others.
TEST_F(StrictMemory, TheEndsOfALargeArrayAreHiddenToo) {
  std::vector<double> a(large, 1.0);
  std::array<double, 2> seen{};
  double* const into = seen.data();
  {
    Data data;
    static_cast<void>(data.copyin(a.data(), large));
    const double* const host = a.data();
    Kokkos::parallel_for("strict_test/ends", Range(0, 1), [=](int) {
      into[0] = host[0];
      into[1] = host[large - 1];
    });
  }
  // An array that begins or ends with a page has no such end there: nobody would have come here.
  EXPECT_TRUE(std::isnan(seen[0]));
  EXPECT_TRUE(std::isnan(seen[1]));
  EXPECT_EQ(a.front(), 1);
  EXPECT_EQ(a.back(), 1);
}

/// A table of row pointers is small; what it leads to is not.
TEST_F(StrictMemoryDeathTest, APointerFromASmallArrayLeadsNowhere) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer of undefined behaviour refuses the pointer before it is followed";
#endif
  struct Row {
    double* values;
  };
  std::vector<double> values(small, 1.0);
  std::vector<Row> rows{{values.data()}, {values.data() + 10}};
  Row* const table = rows.data();
  const auto follow = [&] {
    Data data;
    static_cast<void>(data.copyin(named("rows", table), 2));
    Kokkos::parallel_for("strict_test/rows", Range(0, 2), [=](int i) { table[i].values[0] = 2; });
  };
  EXPECT_EXIT(follow(), ended_by_a_fault,
              "kernel strict_test/rows used the address .*none of its arrays'. Perhaps .* "
              "copyin.rows. at .*strict_test.cpp");
}

TEST_F(StrictMemoryDeathTest, EnteredAndMappedArraysAreHiddenToo) {
  std::vector<double> a(large, 1.0);
  std::vector<double> b(large, 1.0);
  double* const host = a.data();
  const auto use = [=] {
    Kokkos::parallel_for("strict_test/use", Range(0, large), [=](int i) { host[i] = 1; });
  };
  EXPECT_EXIT(
      {
        enter_data_create(named("a", host), large);
        use();
      },
      ended_by_a_fault, "enter data create.a. at ");
  EXPECT_EXIT(
      {
        map_data(host, b.data(), large * sizeof(double));
        use();
      },
      ended_by_a_fault, "map_data at ");
  use(); // on the device no longer, or not yet
  EXPECT_EQ(a.back(), 1);
}

TEST_F(StrictMemoryDeathTest, ReductionsAndScansAreWatchedToo) {
  const auto with_field = [](const std::function<void()>& kernel) {
    Data data;
    static_cast<void>(data.create(named("field", field.data()), large));
    kernel();
  };
  EXPECT_EXIT(with_field([] {
                double sum = 0;
                Kokkos::parallel_reduce(
                    "strict_test/sum", Range(0, large),
                    [](int i, double& partial) { partial += field[i]; }, sum);
              }),
              ended_by_a_fault, "kernel strict_test/sum used .*create.field. at");
  EXPECT_EXIT(with_field([] {
                Kokkos::parallel_scan("strict_test/scan", Range(0, large),
                                      [](int i, double& partial, bool) { partial += field[i]; });
              }),
              ended_by_a_fault, "kernel strict_test/scan used .*create.field. at");
}

TEST_F(StrictMemory, CopiesAreNoKernels) {
  std::vector<double> a(large, 1.0);
  const Kokkos::View<double*> view("view", large);
  const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      a.data(), large);
  const Data data = [&] {
    Data region;
    static_cast<void>(region.create(a.data(), large));
    return region;
  }();
  Kokkos::deep_copy(view, host); // by a kernel of Kokkos', on a host
  Kokkos::deep_copy(Host(), view, host);
  Kokkos::deep_copy(host, view);
  Kokkos::deep_copy(host, 3.0);
  EXPECT_EQ(a.back(), 3);
}

/// What the host does with its own arrays by kernels of its own is right.
TEST_F(StrictMemory, KernelsOfTheHostMayUseItsArrays) {
  std::vector<double> a(large, 1.0);
  double* const host = a.data();
  Data data;
  static_cast<void>(data.create(host, large));
  {
    const HostKernels own;
    Kokkos::parallel_for("strict_test/own", Range(0, large), [=](int i) { host[i] = i; });
    update_device(host, large); // by a copy, which is nested
    Kokkos::parallel_for("strict_test/own", Range(0, large), [=](int i) { host[i] += 1; });
  }
  EXPECT_EQ(a.back(), large);
}

TEST_F(StrictMemory, ReadOnlyArraysStaySo) {
  constexpr std::size_t bytes = large * sizeof(double);
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const values = static_cast<double*>(memory);
  std::fill_n(values, large, 1.0);
  ASSERT_EQ(mprotect(memory, bytes, PROT_READ), 0);
  {
    Data data;
    const auto view = data.copyin(values + 1, large - 2); // with ends within pages
    double sum = 0;
    Kokkos::parallel_reduce(
        "strict_test/read_only", Range(0, large - 2),
        [=](int i, double& partial) { partial += view(i); }, sum);
    EXPECT_EQ(sum, large - 2);
  }
  EXPECT_EQ(values[1], 1);
  EXPECT_EQ(values[large / 2], 1);
  GTEST_FLAG_SET(death_test_style, "fast"); // another process has other memory
  EXPECT_EXIT(values[1] = 2, ended_by_a_fault, "");
  EXPECT_EXIT(values[large / 2] = 2, ended_by_a_fault, "");
  munmap(memory, bytes);
}

TEST_F(StrictMemory, AKernelLeftByAnExceptionIsOver) {
  std::vector<double> a(large, 1.0);
  {
    Data data;
    static_cast<void>(data.copyin(a.data(), large));
    // As Kokkos' serial backend would leave it: begun, and its end never told.
    std::uint64_t id = 0;
    Kokkos::Tools::beginParallelFor("strict_test/left",
                                    Kokkos::Tools::Experimental::device_id(Host()), &id);
    update_device(a.data(), 1);
    EXPECT_EQ(a.back(), 1);
  }
  EXPECT_EQ(a.front(), 1);
}

TEST_F(StrictMemory, KernelsOfTwoThreadsAreRefused) {
  std::vector<double> a(10);
  Data data;
  static_cast<void>(data.create(a.data(), 10));
  std::uint64_t id = 0;
  const std::uint32_t device = Kokkos::Tools::Experimental::device_id(Host());
  Kokkos::Tools::beginParallelFor("strict_test/first", device, &id);
  std::string clause;
  std::string kernel;
  std::thread([&] {
    clause = message_of<DataError>([&] { update_self(a.data(), 1); });
    kernel = message_of<DataError>([&] {
      std::uint64_t other = 0;
      Kokkos::Tools::beginParallelFor("strict_test/second", device, &other);
    });
  }).join();
  Kokkos::Tools::endParallelFor(id);
  expect_words(clause, {"update self: a kernel of another thread runs", "GANGWAY_MEMORY=separate"});
  expect_words(
      kernel, {"kernel strict_test/second", "(strict_test/first) runs", "GANGWAY_MEMORY=separate"});
}

TEST_F(StrictMemory, ToolsThatListenedGoOnListening) {
  static std::vector<std::string> heard;
  heard.clear();
  set_memory(Memory::separate); // and no watch
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
      [](const char* label, std::uint32_t, std::uint64_t* id) {
        heard.push_back(std::string("begin ") + label);
        *id = 17;
      });
  Kokkos::Tools::Experimental::set_end_parallel_for_callback(
      [](std::uint64_t id) { heard.push_back("end " + std::to_string(id)); });
  set_memory(Memory::strict);
  EXPECT_EQ(run(right, small), std::pair(3.0, 3.0));
  set_memory(Memory::separate);
  EXPECT_EQ(run(right, small), std::pair(3.0, 3.0));
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  Kokkos::Tools::Experimental::set_end_parallel_for_callback(nullptr);
  EXPECT_EQ(heard,
            (std::vector<std::string>{"begin port/right", "end 17", "begin port/right", "end 17"}));
}

/// A program's own handler of faults, or a tool's, sees the fault after the message.
TEST_F(StrictMemoryDeathTest, HandlersThatWereThereSeeTheFault) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) { _exit(7); });
        run(raw_global, large);
      },
      ::testing::ExitedWithCode(7), "kernel port/raw_global used");
}

// What the environment says, in a process of its own.

void with_environment(const char* value, void (*step)()) {
  setenv("GANGWAY_MEMORY", value, 1);
  step();
}

/// Prints the mode, or what is wrong.
void print_memory() {
  try {
    const Memory is = memory();
    std::fputs(is == Memory::shared     ? "mode shared"
               : is == Memory::separate ? "mode separate"
                                        : "mode strict",
               stderr);
    std::_Exit(0);
  } catch (const DataError& error) {
    std::fputs(error.what(), stderr);
    std::_Exit(2);
  }
}

TEST(MemoryFromTheEnvironmentDeathTest, IsWhatItSays) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto expect = [](const char* value, int status, const char* words) {
    EXPECT_EXIT(with_environment(value, print_memory), ::testing::ExitedWithCode(status), words);
  };
  const bool device = DefaultDevice::has_own_memory;
  expect("", 0, device ? "mode separate" : "mode shared");
  expect("separate", 0, "mode separate");
  expect("strict", 0, device ? "mode separate" : "mode strict");
  if (device)
    expect("shared", 2, "GANGWAY_MEMORY is \"shared\", but kernels of this backend cannot reach");
  else
    expect("shared", 0, "mode shared");
  for (const char* wrong : {"Strict", "1", "strict "})
    expect(wrong, 2, "GANGWAY_MEMORY is \".*\"; it may be shared, separate or strict");
}

/// Programs that ask for separate memory need not be changed either.
void set_and_print_memory() {
  set_memory(Memory::separate);
  print_memory();
}

TEST(MemoryFromTheEnvironmentDeathTest, StrictNeedsNoCode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (DefaultDevice::has_own_memory)
    GTEST_SKIP() << "a device of its own is strict by itself";
  EXPECT_EXIT(with_environment("strict", set_and_print_memory), ::testing::ExitedWithCode(0),
              "mode strict");
  EXPECT_EXIT(with_environment("separate", set_and_print_memory), ::testing::ExitedWithCode(0),
              "mode separate");
  EXPECT_EXIT(with_environment("strict", [] { run(raw_global, large); }), ended_by_a_fault,
              "kernel port/raw_global used .*copyin.field.");
  EXPECT_EXIT(with_environment("strict", [] { std::_Exit(run(right, large).first == 3 ? 0 : 1); }),
              ::testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace gangway
