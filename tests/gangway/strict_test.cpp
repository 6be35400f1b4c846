// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Strict memory: a kernel that uses an array of the host, where a device would have none, never
// ends with a right result. The mistakes stand in functions of a port of their own, for a host.
#include "gangway/data.hpp"

#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
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

/// AddressSanitizer listens for faults too, and ends the program in its own way. It finds each use
/// of an overwritten byte, too.
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

bool ended_by_a_fault(int status) {
  return sanitized ? ::testing::ExitedWithCode(1)(status)
                   : ::testing::KilledBySignal(SIGSEGV)(status);
}
/// Once the kernel was done.
bool ended_afterwards(int status) {
  return sanitized ? ::testing::ExitedWithCode(1)(status)
                   : ::testing::KilledBySignal(SIGABRT)(status);
}

// A port of a program with a global array and a struct that has a pointer.

std::array<double, large> field;

struct Strip {
  int n;
  double* u;
};

/// As it should be.
void right(Data& data, const Strip& strip) {
  const auto f = data.present(named("field", field.data()), strip.n);
  const auto u = data.present(named("strip.u", strip.u), strip.n);
  Kokkos::parallel_for("port/right", Range(0, strip.n), [=](int i) { u(i) += f(i); });
}

/// The mutant that reads the host's global array, which is constant and so never stale.
void raw_global(Data& data, const Strip& strip) {
  const auto u = data.present(named("strip.u", strip.u), strip.n);
  Kokkos::parallel_for("port/raw_global", Range(0, strip.n), [=](int i) { u(i) += field[i]; });
}

/// The mutant that captures the struct, and with it the host's pointer.
void captured_struct(Data& data, const Strip& strip) {
  const auto f = data.present(named("field", field.data()), strip.n);
  Kokkos::parallel_for("port/captured_struct", Range(0, strip.n),
                       [=](int i) { strip.u[i] += f(i); });
}

/// u = 1, field = 2, and u += field by `step`: the first and the last of u, of which 3 are right.
std::pair<double, double> run(void (*step)(Data&, const Strip&), int n) {
  field.fill(2);
  std::vector<double> u(static_cast<std::size_t>(n), 1.0);
  {
    Data data;
    static_cast<void>(data.copyin(named("field", field.data()), n));
    static_cast<void>(data.copy(named("strip.u", u.data()), n));
    step(data, {n, u.data()});
  }
  return {u.front(), u.back()};
}

class StrictMemory : public ::testing::Test {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // of a process with threads
    if (has_device)
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
              "kernel port/captured_struct used .* copy.strip.u. at .*strict_test.cpp:[0-9]+");
}

/// The mistakes are what only this finds: separate memory computes right from the host's arrays.
TEST_F(StrictMemory, SeparateMemoryFindsNoGlobalArray) {
  set_memory(Memory::separate);
  EXPECT_EQ(run(raw_global, large), std::pair(3.0, 3.0));
}

/// What is too small for a page is overwritten. Here the kernel leaves what it has read on the
/// device.
TEST_F(StrictMemoryDeathTest, ASmallArrayReadInAKernelEndsTheProgram) {
  EXPECT_EXIT(run(raw_global, small), ended_afterwards,
              sanitized
                  ? "kernel port/raw_global used byte [0-9]+ of the 160 at .*: copyin.field. at "
                  : "kernel port/raw_global left in copy.strip.u. at .*strict_test.cpp:[0-9]+, at "
                    "byte 0, what stands in host arrays while kernels run. It has read one that is "
                    "on the device: copyin.field. at .*, copy.strip.u. at .*. Kernels may use");
}

TEST_F(StrictMemoryDeathTest, ASmallArrayWrittenInAKernelEndsTheProgram) {
  EXPECT_EXIT(run(captured_struct, small), ended_afterwards,
              sanitized
                  ? "kernel port/captured_struct used byte [0-9]+ of the 160 .*: copy.strip.u. at "
                  : "kernel port/captured_struct wrote to the 160 bytes at 0x[0-9a-f]+, a host "
                    "array that is on the device: copy.strip.u. at ");
}

/// The ends of a large array share their pages with others.
TEST_F(StrictMemoryDeathTest, TheEndsOfALargeArrayAreHiddenToo) {
  std::vector<double> a(large, 1.0);
  const double* const host = a.data();
  const auto read = [=](std::ptrdiff_t at) {
    double into = 0;
    {
      Data data;
      const auto on_device = data.copyin(named("a", host), large);
      const auto result = data.copyout(&into, 1);
      Kokkos::parallel_for("strict_test/ends", Range(0, 1),
                           [=](int) { result(0) = on_device(at) * host[at]; });
    }
    return into;
  };
  // An array that begins or ends with a page has no such end there: nobody would have come here.
  for (const std::ptrdiff_t at : {0, large - 1})
    EXPECT_EXIT(read(at), ended_afterwards,
                sanitized ? "kernel strict_test/ends used byte .* of the 800000 at .* copyin.a. at"
                          : "kernel strict_test/ends left in copyout at .*: .*copyin.a. at");
}

// What kernels make of overwritten bytes, and what is said of it where no sanitizer is.

/// y[0:8] = f(k) by a kernel, where `source` is on the device.
template <class T, class F>
std::vector<T> computed(const std::vector<T>& source, const F& f) {
  std::vector<T> y(8);
  {
    Data data;
    static_cast<void>(data.copyin(named("source", source.data()), static_cast<int>(source.size())));
    const auto out = data.copyout(named("y", y.data()), 8);
    Kokkos::parallel_for("strict_test/compute", Range(0, 8), [=](int k) { out(k) = f(k); });
  }
  return y;
}

template <class T>
class StrictMemoryOfTypeDeathTest : public StrictMemory {};
using Types = ::testing::Types<double, float, long, int>;
class TypeNames {
public:
  template <class T>
  static std::string GetName(int /*index*/) { // NOLINT(readability-identifier-naming): googletest's
    return std::is_same_v<T, double>  ? "double"
           : std::is_same_v<T, float> ? "float"
           : std::is_same_v<T, long>  ? "long"
                                      : "int";
  }
};
TYPED_TEST_SUITE(StrictMemoryOfTypeDeathTest, Types, TypeNames);

/// Whatever a small array is of, its copy is known again; computed with, if it is floating-point.
TYPED_TEST(StrictMemoryOfTypeDeathTest, WhatWasReadIsKnownAgain) {
  using T = TypeParam;
  const std::vector<T> source(8, T{1});
  const T* const host = source.data();
  const char* const words = sanitized
                                ? "kernel strict_test/compute used byte .* copyin.source. at"
                                : "strict_test/compute left in copyout.y. at .* copyin.source. at";
  const auto expect_told = [&](auto f) {
    EXPECT_EXIT(computed(source, f), ended_afterwards, words);
  };
  expect_told([=](int k) { return host[k]; });
  if constexpr (std::is_floating_point_v<T>) {
    expect_told([=](int k) { return -host[k]; });
    expect_told([=](int k) { return 2 * host[k] - static_cast<T>(k); });
    expect_told([=](int k) { return std::sqrt(static_cast<T>(k) / host[k]); });
    expect_told([=](int k) { return k == 7 ? host[6] + host[7] : host[k] * host[k + 1]; });
  }
}

/// An index from a small array leads out of all there is.
TEST_F(StrictMemoryDeathTest, AnIndexFromASmallArrayLeadsNowhere) {
  const auto words = [](const char* type) {
    return sanitized ? std::string("kernel strict_test/compute used byte")
                     : "kernel strict_test/compute used the address 0x[0-9a-f]+, which is none of "
                       "its arrays'. Perhaps it read an index .* copyin.source. at " +
                           std::string(type);
  };
  const std::vector<int> indices{0, 1, 2, 3, 4, 5, 6, 7};
  const int* const index = indices.data();
  std::vector<int> values(8, 1);
  const int* const value = values.data();
  EXPECT_EXIT(computed(indices, [=](int k) { return value[index[k]]; }), ended_by_a_fault,
              words(""));
  const std::vector<long> long_indices(indices.begin(), indices.end());
  const long* const long_index = long_indices.data();
  EXPECT_EXIT(computed(long_indices, [=](int k) { return long{value[long_index[k]]}; }),
              ended_by_a_fault, words(""));
}

/// What is not said: of a small array that only decides something nothing may be left. Then only
/// AddressSanitizer knows.
TEST_F(StrictMemoryDeathTest, AFlagFromASmallArrayIsSet) {
  const std::vector<int> flags(8, 1);
  const int* const flag = flags.data();
  const auto kernel = [=](int k) { return flag[k] != 0 ? k : -1; };
  if constexpr (sanitized)
    EXPECT_EXIT(computed(flags, kernel), ended_by_a_fault, "kernel strict_test/compute used byte");
  else
    EXPECT_EQ(computed(flags, kernel), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(StrictMemory, ASumOfASmallArrayIsNoRightResult) {
  if constexpr (sanitized)
    GTEST_SKIP() << "the sanitizer ends the program";
  std::vector<double> a(small, 1.0);
  const double* const host = a.data();
  double sum = 0;
  Data data;
  static_cast<void>(data.copyin(host, small));
  Kokkos::parallel_reduce(
      "strict_test/sum", Range(0, small), [=](int i, double& partial) { partial += host[i]; }, sum);
  EXPECT_TRUE(std::isnan(sum));
}

/// What a program computes by itself is never taken for what strict memory has put there.
TEST_F(StrictMemory, NoOtherNumbersAreTakenForIt) {
  std::vector<double> a(small, std::nan(""));
  std::vector<float> b(small, -std::nanf(""));
  std::vector<int> c(small, std::numeric_limits<int>::max());
  std::vector<unsigned char> d(8 * small, 0xff);
  {
    Data data;
    const auto in_a = data.copy(a.data(), small);
    const auto in_b = data.copy(b.data(), small);
    const auto in_c = data.copy(c.data(), small);
    const auto in_d = data.copy(d.data(), 8 * small);
    Kokkos::parallel_for("strict_test/nan", Range(0, small), [=](int i) {
      in_a(i) += std::numeric_limits<double>::infinity() * 0;
      in_b(i) *= 2;
      in_c(i) -= 1;
      in_d(i) = 0x7f;
    });
  }
  EXPECT_TRUE(std::isnan(a.front()) && std::isnan(b.back()));
  EXPECT_EQ(c.back(), std::numeric_limits<int>::max() - 1);
}

/// A table of row pointers is small; what it leads to is not.
TEST_F(StrictMemoryDeathTest, APointerFromASmallArrayLeadsNowhere) {
  if constexpr (sanitized)
    GTEST_SKIP() << "the sanitizer refuses the pointer before it is followed";
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
  const bool device = has_device;
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
  if (has_device)
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
