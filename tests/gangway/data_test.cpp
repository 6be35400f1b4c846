// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/data.hpp"

#include "testing/counting.hpp"
#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace gangway {
namespace {

using testing::counting;
using testing::expect_words;
using testing::message_of;

// Kernels, in functions of their own because nvcc wants no lambda in a private member.

void fill(const DeviceView<double>& view, double value) {
  Kokkos::parallel_for(
      "data_test/fill", view.extent(0), KOKKOS_LAMBDA(int i) { view(i) = value + i; });
  Kokkos::fence();
}

double sum_of(const DeviceView<const double>& view) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "data_test/sum", view.extent(0),
      KOKKOS_LAMBDA(int i, double& partial) { partial += view(i); }, sum);
  return sum;
}

void number(const DeviceView<double, 3>& view) {
  Kokkos::parallel_for(
      "data_test/number", view.size(), KOKKOS_LAMBDA(int i) {
        const int k = i % static_cast<int>(view.extent(2));
        const int j = i / static_cast<int>(view.extent(2)) % static_cast<int>(view.extent(1));
        view(i / static_cast<int>(view.extent(2) * view.extent(1)), j, k) = i;
      });
  Kokkos::fence();
}

std::string range(const double* host, std::size_t n) {
  std::ostringstream text;
  text << n * sizeof(double) << " bytes at " << static_cast<const void*>(host);
  return text.str();
}

/// What crossed since the test began, in elements of double.
void expect_transfers(std::uint64_t allocations, std::uint64_t to_device, std::uint64_t in,
                      std::uint64_t to_host, std::uint64_t out) {
  EXPECT_EQ(transfers(), (Transfers{.to_device = to_device,
                                    .to_host = to_host,
                                    .bytes_to_device = in * sizeof(double),
                                    .bytes_to_host = out * sizeof(double),
                                    .allocations = allocations}))
      << transfers().allocations << " allocations, " << transfers().to_device << " transfers and "
      << transfers().bytes_to_device << " bytes to the device, " << transfers().to_host << " and "
      << transfers().bytes_to_host << " to the host";
}

/// The device has a memory of its own, as a GPU has; a host plays one.
class SeparateMemory : public ::testing::Test {
protected:
  SeparateMemory() { reset_transfers(); }
  ~SeparateMemory() override {
    EXPECT_EQ(present_arrays(), 0U) << "something stayed on the device";
  }

private:
  testing::WithMemory _separate{Memory::separate};
};

// Clauses

TEST_F(SeparateMemory, CopyinBringsInAndTakesNothingBack) {
  std::vector<double> a = counting(100);
  {
    Data data;
    const auto view = data.copyin(a.data(), 100);
    static_assert(std::is_same_v<decltype(view)::value_type, const double>, "kernels only read it");
    expect_transfers(1, 1, 100, 0, 0);
    std::fill(a.begin(), a.end(), -1.0);
    EXPECT_EQ(sum_of(view), 5050) << "the device has the values of the entry";
  }
  expect_transfers(1, 1, 100, 0, 0);
  EXPECT_EQ(a, std::vector<double>(100, -1.0));
}

TEST_F(SeparateMemory, CopyoutOnlyTakesBack) {
  std::vector<double> a(100, -1);
  {
    Data data;
    fill(data.copyout(a.data(), 100), 1);
    expect_transfers(1, 0, 0, 0, 0);
    EXPECT_EQ(a, std::vector<double>(100, -1)) << "not before the end of the region";
  }
  expect_transfers(1, 0, 0, 1, 100);
  EXPECT_EQ(a, counting(100));
}

TEST_F(SeparateMemory, CopyDoesBoth) {
  std::vector<double> a = counting(10);
  {
    Data data;
    const auto view = data.copy(a.data(), 10);
    EXPECT_EQ(sum_of(view), 55);
    fill(view, 11);
  }
  expect_transfers(1, 1, 10, 1, 10);
  EXPECT_EQ(a.front(), 11);
  EXPECT_EQ(a.back(), 20);
}

TEST_F(SeparateMemory, CreateMovesNothing) {
  std::vector<double> a = counting(10);
  {
    Data data;
    const auto view = data.create(a.data(), 10);
    fill(view, 100);
    EXPECT_EQ(sum_of(view), 1045);
  }
  expect_transfers(1, 0, 0, 0, 0);
  EXPECT_EQ(a, counting(10));
}

TEST_F(SeparateMemory, PresentFindsWhatAnotherRegionHolds) {
  std::vector<double> a = counting(10);
  Data outer;
  const auto held = outer.copyin(a.data(), 10);
  {
    Data inner;
    EXPECT_EQ(inner.present(a.data(), 10).data(), held.data());
    EXPECT_EQ(inner.present(std::as_const(a).data(), 10).data(), held.data());
  }
  expect_transfers(1, 1, 10, 0, 0);
}

TEST_F(SeparateMemory, PresentOfWhatIsNotThereIsRefused) {
  const std::vector<double> a(10);
  Data data;
  expect_words(message_of<DataError>([&] { static_cast<void>(data.present(a.data(), 10)); }),
               {"present", range(a.data(), 10), "not on the device", "open a data region"});
  expect_transfers(0, 0, 0, 0, 0);
}

TEST_F(SeparateMemory, ArraysAreRowMajor) {
  std::vector<double> a(2 * 3 * 5, -1);
  {
    Data data;
    const auto view = data.copyout(a.data(), 2, 3L, std::size_t{5});
    EXPECT_EQ(view.extent(0), 2U);
    EXPECT_EQ(view.extent(1), 3U);
    EXPECT_EQ(view.extent(2), 5U);
    EXPECT_EQ(view.stride(2), 1U);
    EXPECT_EQ(view.stride(1), 5U);
    EXPECT_EQ(view.stride(0), 15U);
    number(view);
  }
  std::vector<double> expected(30);
  std::iota(expected.begin(), expected.end(), 0.0);
  EXPECT_EQ(a, expected);
  expect_transfers(1, 0, 0, 1, 30);
}

TEST_F(SeparateMemory, BytesAreThoseOfTheType) {
  const std::vector<float> a(7);
  const std::vector<char> b(3);
  Data data;
  static_cast<void>(data.copyin(a.data(), 7));
  static_cast<void>(data.copyin(b.data(), 3));
  EXPECT_EQ(transfers().bytes_to_device, 31U);
  EXPECT_EQ(transfers().to_device, 2U);
}

// Nesting

TEST_F(SeparateMemory, ClausesOnPresentDataMoveNothing) {
  std::vector<double> a = counting(10);
  {
    Data outer;
    const auto held = outer.create(a.data(), 10);
    fill(held, 100);
    for (int i = 0; i < 3; ++i) {
      Data inner;
      EXPECT_EQ(inner.copyin(a.data(), 10).data(), held.data());
      EXPECT_EQ(inner.copyout(a.data(), 10).data(), held.data());
      EXPECT_EQ(inner.copy(a.data(), 10).data(), held.data());
      EXPECT_EQ(inner.create(a.data(), 10).data(), held.data());
    }
    EXPECT_EQ(sum_of(held), 1045) << "and keep what kernels left there";
    EXPECT_EQ(present_arrays(), 1U);
  }
  expect_transfers(1, 0, 0, 0, 0);
  EXPECT_EQ(a, counting(10));
}

TEST_F(SeparateMemory, TheOutermostClauseDecidesWhetherDataComesBack) {
  std::vector<double> a(10);
  {
    Data outer;
    fill(outer.copyout(a.data(), 10), 1);
    {
      Data inner;
      static_cast<void>(inner.copyin(a.data(), 10));
    }
    expect_transfers(1, 0, 0, 0, 0);
  }
  expect_transfers(1, 0, 0, 1, 10);
  EXPECT_EQ(a, counting(10));
}

TEST_F(SeparateMemory, TheSameArrayTwiceInOneRegionIsOneArray) {
  std::vector<double> a = counting(10);
  {
    Data data;
    const double* const first = data.copyin(a.data(), 10).data();
    EXPECT_EQ(data.copyout(a.data(), 10).data(), first);
    EXPECT_EQ(present_arrays(), 1U);
  }
  // Released in reverse order: the clause that brought the array is the last to go, and it copies
  // nothing out.
  expect_transfers(1, 1, 10, 0, 0);
}

TEST_F(SeparateMemory, PartsOfPresentArraysArePresent) {
  std::vector<double> a = counting(100);
  {
    Data outer;
    const auto whole = outer.copy(a.data(), 100);
    {
      Data inner;
      const auto part = inner.copyin(&a[10], 20);
      EXPECT_EQ(part.data(), whole.data() + 10);
      EXPECT_EQ(sum_of(part), 410);
      EXPECT_EQ(inner.present(&a[99], 1).data(), whole.data() + 99);
      fill(inner.copyout(&a[0], 1), -5);
    }
    expect_transfers(1, 1, 100, 0, 0);
  }
  expect_transfers(1, 1, 100, 1, 100);
  EXPECT_EQ(a.front(), -5);
  EXPECT_EQ(a.back(), 100);
}

TEST_F(SeparateMemory, ArraysOnlyPartlyPresentAreRefused) {
  std::vector<double> a = counting(100);
  Data outer;
  static_cast<void>(outer.create(&a[20], 30));
  const auto refused = [&](std::size_t first, std::size_t n) {
    SCOPED_TRACE(::testing::Message() << first << ":" << n);
    Data inner;
    expect_words(message_of<DataError>([&] { static_cast<void>(inner.copy(&a[first], n)); }),
                 {"copy: ", range(&a[first], n), "only partly on the device", range(&a[20], 30),
                  "name the same array in both"});
    expect_words(message_of<DataError>([&] { static_cast<void>(inner.present(&a[first], n)); }),
                 {"present: ", "only partly"});
    expect_words(message_of<DataError>([&] { update_device(&a[first], n); }),
                 {"update device", "only partly"});
    expect_words(message_of<DataError>([&] { update_self(&a[first], n); }),
                 {"update self", "only partly"});
    expect_words(message_of<DataError>([&] { exit_data_delete(&a[first], n); }),
                 {"exit data delete", "only partly"});
    EXPECT_FALSE(is_present(&a[first], n));
  };
  refused(0, 21);  // its end
  refused(49, 51); // its beginning
  refused(0, 100); // all of it, and more
  refused(20, 31); // from its beginning
  refused(19, 31); // to its end
  expect_transfers(1, 0, 0, 0, 0);
  EXPECT_EQ(present_arrays(), 1U);
}

TEST_F(SeparateMemory, NeighboursAreNotParts) {
  std::vector<double> a(100);
  Data data;
  static_cast<void>(data.create(&a[20], 30));
  static_cast<void>(data.create(&a[0], 20));
  static_cast<void>(data.create(&a[50], 50));
  EXPECT_EQ(present_arrays(), 3U);
  EXPECT_TRUE(is_present(&a[0], 20));
  EXPECT_FALSE(is_present(&a[0], 21)) << "two arrays, though they touch";
}

// Extents

TEST_F(SeparateMemory, EmptyArraysMoveNothing) {
  std::vector<double> a = counting(3);
  double* const null = nullptr;
  {
    Data data;
    EXPECT_EQ(data.copyin(a.data(), 0).size(), 0U);
    EXPECT_EQ(data.copyout(a.data(), 0).size(), 0U);
    EXPECT_EQ(data.copy(a.data(), 0, 5).size(), 0U);
    EXPECT_EQ(data.create(a.data(), 5, 0).extent(0), 5U);
    EXPECT_EQ(data.present(a.data(), 0).size(), 0U) << "nothing of it is missing";
    EXPECT_EQ(data.copy(null, 0).size(), 0U) << "an empty std::vector may well give null";
    EXPECT_EQ(data.copy(null, 0, 1L << 20, 1L << 40).size(), 0U);
    EXPECT_EQ(data.copy(null, 1L << 20, 1L << 40, 0).size(), 0U);
    update_device(a.data(), 0);
    update_self(null, 0);
    enter_data_copyin(a.data(), 0);
    exit_data_copyout(a.data(), 0);
    EXPECT_EQ(deviceptr(null, 0).size(), 0U);
    EXPECT_EQ(present_arrays(), 0U);
  }
  expect_transfers(0, 0, 0, 0, 0);
}

TEST_F(SeparateMemory, EmptyPartsOfPresentArraysAreFine) {
  std::vector<double> a = counting(3);
  Data data;
  static_cast<void>(data.copyin(a.data(), 3));
  static_cast<void>(data.copyin(a.data() + 1, 0));
  static_cast<void>(data.copyin(a.data() + 3, 0));
  EXPECT_EQ(present_arrays(), 1U);
}

TEST_F(SeparateMemory, NegativeExtentsAreRefused) {
  std::vector<double> a(3);
  Data data;
  expect_words(message_of<DataError>([&] { static_cast<void>(data.copyin(a.data(), -1)); }),
               {"extent -1 is negative"});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.copy(a.data(), 0, -3L)); }),
               {"extent -3"});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.copy(a.data(), -2, 0)); }),
               {"extent -2"});
  expect_words(message_of<DataError>([&] { update_self(a.data(), -1); }), {"extent -1"});
  expect_words(message_of<DataError>([&] { enter_data_create(a.data(), -1); }), {"extent -1"});
  expect_words(message_of<DataError>([&] { exit_data_delete(a.data(), -1); }), {"extent -1"});
  expect_words(message_of<DataError>([&] { static_cast<void>(deviceptr(a.data(), -1)); }),
               {"extent -1"});
}

TEST_F(SeparateMemory, OverflowingExtentsAreRefused) {
  std::vector<double> a(3);
  Data data;
  expect_words(
      message_of<DataError>([&] { static_cast<void>(data.copyin(a.data(), 1L << 40, 1L << 40)); }),
      {"product of the extents does not fit 64 bits"});
  for (const long at : {0, 1, 2}) { // also where there is nothing: the strides do not fit
    const auto extent = [&](long i) { return i == at ? 0L : 1L << 40; };
    expect_words(message_of<DataError>([&] {
                   static_cast<void>(data.copyin(a.data(), extent(0), extent(1), extent(2)));
                 }),
                 {"product of the extents does not fit 64 bits"});
  }
  expect_words(message_of<DataError>(
                   [&] { static_cast<void>(data.copyin(a.data(), std::size_t{1} << 61)); }),
               {"2305843009213693952 elements of 8 bytes do not fit 64 bits"});
  expect_words(
      message_of<DataError>([&] { static_cast<void>(is_present(a.data(), std::size_t{1} << 61)); }),
      {"do not fit 64 bits"});
  expect_words(message_of<DataError>([&] { static_cast<void>(deviceptr(a.data(), 1L << 61)); }),
               {"do not fit 64 bits"});
}

TEST_F(SeparateMemory, ExtentsToTheEndOfTheAddressSpaceAreNotPresent) {
  std::vector<double> a(3);
  Data data;
  static_cast<void>(data.create(a.data(), 3));
  const std::size_t all = (std::size_t{1} << 61) - 1; // host + bytes wraps around
  EXPECT_FALSE(is_present(a.data(), all));
  expect_words(message_of<DataError>([&] { static_cast<void>(data.present(a.data(), all)); }),
               {"present: ", "only partly"});
  EXPECT_FALSE(is_present(a.data() - 1, all));
}

TEST_F(SeparateMemory, NullArraysAreRefused) {
  double* const null = nullptr;
  Data data;
  expect_words(message_of<DataError>([&] { static_cast<void>(data.copyin(null, 2)); }),
               {"copyin: the array is null, but 16 bytes of it are named"});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.copyout(null, 2)); }),
               {"copyout: "});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.copy(null, 2)); }), {"copy: "});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.create(null, 2)); }),
               {"create: "});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.present(null, 2)); }),
               {"present: "});
  expect_words(message_of<DataError>([&] { enter_data_copyin(null, 2); }),
               {"enter data copyin: ", "null"});
  expect_words(message_of<DataError>([&] { enter_data_create(null, 2); }),
               {"enter data create: ", "null"});
  expect_words(message_of<DataError>([&] { exit_data_delete(null, 2); }), {"exit data delete: "});
  expect_words(message_of<DataError>([&] { update_device(null, 2); }), {"update device: "});
  expect_words(message_of<DataError>([&] { static_cast<void>(deviceptr(null, 2)); }),
               {"deviceptr: the pointer is null, but 16 bytes of it are named"});
}

TEST_F(SeparateMemory, ArraysWithoutRoomAreRefused) {
  std::vector<double> a(3);
  {
    Data data;
    static_cast<void>(data.create(a.data() + 1, 1));
    expect_words(message_of<DataError>(
                     [&] { static_cast<void>(data.create(a.data() + 2, std::size_t{1} << 55)); }),
                 {"create: 288230376151711744 bytes", "find no room on the device"});
    EXPECT_EQ(present_arrays(), 1U);
  }
  expect_transfers(1, 0, 0, 0, 0);
}

// Where errors stand

/// The error that `action` throws.
DataError error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return DataError("");
}

/// Whose error is to name this line.
using Line = std::uint32_t;

TEST_F(SeparateMemory, ErrorsSayWhereTheirClauseStands) {
  std::vector<double> a(10);
  double* const p = a.data();
  void* const nothing = nullptr;
  const Kokkos::DefaultExecutionSpace queue;
  Data data;
  Data closed;
  closed.close();
  static_cast<void>(data.create(p + 4, 3)); // so that all of `a` is partly there
  const auto here = std::source_location::current();
  // clang-format off: a line each, as the loop below counts them
  const std::vector<std::function<void()>> refused{
      [&] { static_cast<void>(data.copyin(p, 10)); },
      [&] { static_cast<void>(data.copyout(p, 10)); },
      [&] { static_cast<void>(data.copy(p, 2, 5)); },
      [&] { static_cast<void>(data.create(p, -1)); },
      [&] { static_cast<void>(data.present(p, 1)); },
      [&] { static_cast<void>(closed.copy(p, 1)); },
      [&] { closed.close(); },
      [&] { enter_data_copyin(p, 10); },
      [&] { enter_data_create(p, 1, -1); },
      [&] { exit_data_copyout(p, 10); },
      [&] { exit_data_delete(p, 10); },
      [&] { update_device(p, 10); },
      [&] { update_self(p, 10); },
      [&] { update_device(queue, p, 10); },
      [&] { update_self(queue, p, 10); },
      [&] { static_cast<void>(deviceptr(p, -1)); },
      [&] { static_cast<void>(is_present(p, -1)); },
      [&] { static_cast<void>(device_pointer(p)); },
      [&] { static_cast<void>(host_pointer(p)); },
      [&] { map_data(p, p, 80); },
      [&] { unmap_data(p); },
      [&] { memcpy_to_device(nothing, p, 8); },
      [&] { memcpy_from_device(p, nothing, 8); },
      [&] { memcpy_to_device(queue, nothing, p, 8); },
      [&] { memcpy_from_device(queue, p, nothing, 8); },
      [&] { set_memory(Memory::separate); },
  };
  // clang-format on
  for (std::size_t i = 0; i < refused.size(); ++i) {
    const Line line = here.line() + 3 + static_cast<Line>(i);
    const DataError error = error_of(refused[i]);
    EXPECT_STREQ(error.where().file_name(), here.file_name()) << error.what();
    EXPECT_EQ(error.where().line(), line) << error.what();
    EXPECT_EQ(std::string(error.what())
                  .rfind(std::string(here.file_name()) + ":" + std::to_string(line) + ": ", 0),
              0U)
        << error.what();
    EXPECT_EQ(error.array(), "");
  }
}

TEST_F(SeparateMemory, ErrorsNameTheArray) {
  std::vector<double> a(10);
  const auto u = named("u", a.data());
  Data data;
  const auto here = std::source_location::current();
  static_cast<void>(data.create(named("half of u", a.data()), 5));
  for (const std::function<void()>& refused : std::vector<std::function<void()>>{
           [&] { static_cast<void>(data.copyin(u, 10)); },
           [&] { static_cast<void>(data.copyout(u, 10)); },
           [&] { static_cast<void>(data.copy(u, 10)); },
           [&] { static_cast<void>(data.create(u, 10)); },
           [&] { static_cast<void>(data.present(u, 10)); }, [&] { enter_data_copyin(u, 10); },
           [&] { enter_data_create(u, 10); }, [&] { exit_data_copyout(u, 10); },
           [&] { exit_data_delete(u, 10); }, [&] { update_device(u, 10); },
           [&] { update_self(u, 10); }}) {
    const DataError error = error_of(refused);
    EXPECT_EQ(error.array(), "u");
    expect_words(error.what(), {"(u): 80 bytes at", "only partly",
                                "(create(half of u) at " + std::string(here.file_name()) + ":" +
                                    std::to_string(here.line() + 1) + ")"});
  }
  const DataError error = error_of([&] { static_cast<void>(data.copy(u, 2, -3)); });
  expect_words(error.what(), {": copy(u): extent -3 is negative"});
  EXPECT_EQ(error.array(), "u");
  EXPECT_NO_THROW(static_cast<void>(data.present(named(std::string("temporary"), a.data()), 5)));
}

/// A clause in a function of the program's own, that stands where its caller does.
auto hold(Data& data, const double* array, int n,
          std::source_location caller = std::source_location::current()) {
  return data.present(array, Extent(n, caller));
}

TEST_F(SeparateMemory, AFunctionThatWrapsAClauseHandsItsCallersPlaceOn) {
  const std::vector<double> a(10);
  Data data;
  const auto here = std::source_location::current();
  const DataError error = error_of([&] { static_cast<void>(hold(data, a.data(), 10)); });
  EXPECT_EQ(error.where().line(), here.line() + 1);
}

// The life of a region

TEST_F(SeparateMemory, CloseEndsTheRegionEarly) {
  std::vector<double> a(10);
  Data data;
  fill(data.copyout(a.data(), 10), 1);
  data.close();
  expect_transfers(1, 0, 0, 1, 10);
  EXPECT_EQ(a, counting(10));
  EXPECT_EQ(present_arrays(), 0U);
}

TEST_F(SeparateMemory, AClosedRegionTakesNoMore) {
  std::vector<double> a(10);
  Data data;
  static_cast<void>(data.create(a.data(), 10));
  data.close();
  expect_words(message_of<DataError>([&] { data.close(); }), {"close: ", "closed before"});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.copyin(a.data(), 10)); }),
               {"copyin: ", "this data region was closed", "open a new one"});
  expect_words(message_of<DataError>([&] { static_cast<void>(data.present(a.data(), 0)); }),
               {"present: "});
}

TEST_F(SeparateMemory, AMovedRegionIsItsNewOwners) {
  std::vector<double> a(10);
  Data first;
  fill(first.copyout(a.data(), 10), 1);
  {
    const Data second(std::move(first));
    EXPECT_EQ(present_arrays(), 1U);
    // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
    expect_words(message_of<DataError>([&] { static_cast<void>(first.copyin(a.data(), 10)); }),
                 {"copyin: ", "moved from"});
    expect_words(message_of<DataError>([&] { first.close(); }), {"close: ", "moved from"});
    // NOLINTEND(bugprone-use-after-move)
  }
  EXPECT_EQ(a, counting(10));
  expect_transfers(1, 0, 0, 1, 10);
}

TEST_F(SeparateMemory, RegionsMayBeReturned) {
  std::vector<double> a = counting(10);
  const auto open = [&] {
    Data data;
    static_cast<void>(data.copyin(a.data(), 10));
    return data;
  };
  {
    const Data data = open();
    EXPECT_TRUE(is_present(a.data(), 10));
  }
  EXPECT_FALSE(is_present(a.data(), 10));
}

TEST_F(SeparateMemory, ArraysAreReleasedInReverseOrder) {
  set_kept_memory(0);
  static std::vector<std::uint64_t> released;
  released.clear();
  std::vector<double> a(100);
  {
    Data data;
    for (const std::size_t n : {1, 2, 3})
      static_cast<void>(data.create(&a[10 * n], n));
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t size) {
          if (std::string(label) == "gangway region")
            released.push_back(size);
        });
  }
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  EXPECT_EQ(released, (std::vector<std::uint64_t>{24, 16, 8}));
}

TEST_F(SeparateMemory, AnExceptionReleasesWithoutCopyingOut) {
  std::vector<double> a = counting(10);
  std::vector<double> b = counting(10);
  EXPECT_THROW(
      {
        Data outer;
        fill(outer.copy(a.data(), 10), -100);
        Data inner;
        fill(inner.copyout(b.data(), 10), -100);
        static_cast<void>(inner.copyin(a.data(), 10));
        throw std::runtime_error("from the middle of a computation");
      },
      std::runtime_error);
  EXPECT_EQ(a, counting(10));
  EXPECT_EQ(b, counting(10));
  EXPECT_EQ(present_arrays(), 0U);
  expect_transfers(2, 1, 10, 0, 0);
}

TEST_F(SeparateMemory, AFailedClauseLeavesTheOthersInForce) {
  std::vector<double> a(10);
  std::vector<double> b(10);
  {
    Data data;
    fill(data.copyout(a.data(), 10), 1);
    EXPECT_THROW(static_cast<void>(data.present(b.data(), 10)), DataError);
    EXPECT_EQ(present_arrays(), 1U);
  }
  EXPECT_EQ(a, counting(10)) << "the error was handled: the region ends as usual";
}

struct WorksWhileUnwinding {
  std::vector<double>* result;
  ~WorksWhileUnwinding() {
    Data data;
    fill(data.copyout(result->data(), 10), 1);
  }
};

TEST_F(SeparateMemory, ARegionOfADestructorIsNotLeftByTheException) {
  std::vector<double> a(10);
  EXPECT_THROW(
      {
        const WorksWhileUnwinding worker{&a};
        throw std::runtime_error("so that a destructor runs");
      },
      std::runtime_error);
  EXPECT_EQ(a, counting(10)) << "it was left by its end, while another exception was under way";
}

// enter data, exit data

TEST_F(SeparateMemory, EnterAndExitData) {
  std::vector<double> a = counting(10);
  std::vector<double> b(10);
  EXPECT_EQ(sum_of(enter_data_copyin(a.data(), 10)), 55);
  fill(enter_data_create(b.data(), 10), 1);
  expect_transfers(2, 1, 10, 0, 0);
  EXPECT_EQ(present_arrays(), 2U);
  exit_data_delete(a.data(), 10);
  exit_data_copyout(b.data(), 10);
  expect_transfers(2, 1, 10, 1, 10);
  EXPECT_EQ(b, counting(10));
}

TEST_F(SeparateMemory, EachEnterNeedsItsExit) {
  std::vector<double> a = counting(10);
  const auto view = enter_data_copyin(a.data(), 10);
  enter_data_copyin(a.data(), 10);
  enter_data_create(&a[3], 2);
  expect_transfers(1, 1, 10, 0, 0);
  fill(view, 100);
  exit_data_copyout(a.data(), 10);
  EXPECT_TRUE(is_present(a.data(), 10));
  EXPECT_EQ(a, counting(10)) << "copied out by the last exit only";
  exit_data_delete(&a[3], 2);
  EXPECT_TRUE(is_present(a.data(), 10));
  exit_data_copyout(a.data(), 10);
  EXPECT_FALSE(is_present(a.data(), 10));
  EXPECT_EQ(a.front(), 100);
  expect_transfers(1, 1, 10, 1, 10);
}

TEST_F(SeparateMemory, TheLastExitMayCopyOutAPart) {
  std::vector<double> a = counting(10);
  const auto view = enter_data_create(a.data(), 10);
  fill(view, 100);
  exit_data_copyout(&a[5], 2);
  EXPECT_EQ(a, (std::vector<double>{1, 2, 3, 4, 5, 105, 106, 8, 9, 10}));
  expect_transfers(1, 0, 0, 1, 2);
}

TEST_F(SeparateMemory, ExitOfWhatWasNotEnteredIsRefused) {
  std::vector<double> a(10);
  expect_words(message_of<DataError>([&] { exit_data_delete(a.data(), 10); }),
               {"exit data delete: ", range(a.data(), 10), "not on the device"});
  expect_words(message_of<DataError>([&] { exit_data_copyout(a.data(), 10); }),
               {"exit data copyout: "});
  enter_data_create(a.data(), 10);
  exit_data_delete(a.data(), 10);
  EXPECT_THROW(exit_data_delete(a.data(), 10), DataError) << "one exit too many";
}

TEST_F(SeparateMemory, WhatARegionHoldsIsNotExitDatasToRelease) {
  std::vector<double> a(10);
  {
    Data data;
    const auto view = data.copyout(a.data(), 10);
    expect_words(message_of<DataError>([&] { exit_data_delete(a.data(), 10); }),
                 {"exit data delete: ", range(a.data(), 10), "not brought by enter_data",
                  "the open data region"});
    fill(view, 1); // so it is still there
  }
  EXPECT_EQ(a, counting(10));
}

TEST_F(SeparateMemory, EnteredDataOutlivesRegionsAndTheOtherWayRound) {
  std::vector<double> a = counting(10);
  {
    Data data;
    static_cast<void>(data.copyin(a.data(), 10));
    enter_data_copyin(a.data(), 10);
  }
  EXPECT_TRUE(is_present(a.data(), 10)) << "the region has ended, exit_data has not come";
  {
    Data data;
    static_cast<void>(data.present(a.data(), 10));
    exit_data_delete(a.data(), 10);
    EXPECT_TRUE(is_present(a.data(), 10)) << "exit_data has come, the region has not ended";
  }
  EXPECT_FALSE(is_present(a.data(), 10));
  expect_transfers(1, 1, 10, 0, 0);
}

// update

TEST_F(SeparateMemory, UpdateCopiesNow) {
  std::vector<double> a = counting(10);
  Data data;
  const auto view = data.create(a.data(), 10);
  update_device(a.data(), 10);
  expect_transfers(1, 1, 10, 0, 0);
  EXPECT_EQ(sum_of(view), 55);
  fill(view, 11);
  update_self(a.data(), 10);
  expect_transfers(1, 1, 10, 1, 10);
  EXPECT_EQ(a.front(), 11);
}

TEST_F(SeparateMemory, UpdateOfAPartCopiesThePart) {
  std::vector<double> a = counting(10);
  Data data;
  const auto view = data.create(a.data(), 10);
  fill(view, 0); // 0 1 2 … 9
  a[3] = 103;
  update_device(&a[3], 1);
  EXPECT_EQ(sum_of(view), 45 + 100);
  update_self(&a[8], 2);
  EXPECT_EQ(a, (std::vector<double>{1, 2, 3, 103, 5, 6, 7, 8, 8, 9}));
  expect_transfers(1, 1, 1, 1, 2);
}

TEST_F(SeparateMemory, UpdateOnAQueueIsDoneOnceTheQueueIsFenced) {
  const Kokkos::DefaultExecutionSpace queue;
  std::vector<double> a = counting(10);
  Data data;
  const auto view = data.create(a.data(), 10);
  update_device(queue, a.data(), 10);
  queue.fence();
  expect_transfers(1, 1, 10, 0, 0);
  EXPECT_EQ(sum_of(view), 55);
  fill(view, 11);
  update_self(queue, &a[4], 2);
  queue.fence();
  expect_transfers(1, 1, 10, 1, 2);
  EXPECT_EQ(a, (std::vector<double>{1, 2, 3, 4, 15, 16, 7, 8, 9, 10}));
}

/// Fences of all spaces, and of one instance, since the last look; by Kokkos' own hooks.
struct Fences {
  std::uint64_t global = 0;
  std::uint64_t of_instance = 0;
};
Fences fences;

template <class In, class Out>
void doubled(const Kokkos::DefaultExecutionSpace& queue, const In& in, const Out& out) {
  Kokkos::parallel_for(
      "data_test/doubled", Kokkos::RangePolicy<>(queue, 0, static_cast<int>(in.extent(0))),
      KOKKOS_LAMBDA(int i) { out(i) = 2 * in(i); });
}

TEST_F(SeparateMemory, ARegionOnAQueueWaitsForThatQueueAlone) {
  set_kept_memory(1000); // before Kokkos frees memory it waits for everything
  const Kokkos::DefaultExecutionSpace queue;
  std::vector<double> a = counting(10);
  std::vector<double> b(10, 0.0);
  Kokkos::Tools::Experimental::set_begin_fence_callback(
      [](const char* /*name*/, std::uint32_t id, std::uint64_t* /*handle*/) {
        namespace profiling = Kokkos::Tools::Experimental;
        const auto of_all = profiling::int_for_synchronization_reason(
            profiling::SpecialSynchronizationCases::GlobalDeviceSynchronization);
        ++(profiling::identifier_from_devid(id).instance_id == of_all ? fences.global
                                                                      : fences.of_instance);
      });
  fences = {};
  {
    Data data(queue);
    const auto in = data.copyin(a.data(), 10);
    const auto out = data.copyout(b.data(), 10);
    doubled(queue, in, out);
  }
  Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
  set_kept_memory(0);
  EXPECT_EQ(fences.global, 0U);
  EXPECT_GE(fences.of_instance, 1U);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(b[static_cast<std::size_t>(i)], 2 * (i + 1)) << i;
  expect_transfers(2, 1, 10, 1, 10);
}

TEST_F(SeparateMemory, UpdateOfWhatIsNotThereIsRefused) {
  std::vector<double> a(10);
  expect_words(message_of<DataError>([&] { update_device(a.data(), 10); }),
               {"update device: ", range(a.data(), 10), "not on the device"});
  expect_words(message_of<DataError>([&] { update_self(a.data(), 10); }), {"update self: "});
  const Kokkos::DefaultExecutionSpace queue;
  expect_words(message_of<DataError>([&] { update_device(queue, a.data(), 10); }),
               {"update device: ", range(a.data(), 10), "not on the device"});
  expect_words(message_of<DataError>([&] { update_self(queue, a.data(), 10); }), {"update self: "});
}

// Questions

TEST_F(SeparateMemory, IsPresentMeansAllOfIt) {
  std::vector<double> a(10);
  EXPECT_FALSE(is_present(a.data(), 10));
  EXPECT_TRUE(is_present(a.data(), 0));
  Data data;
  static_cast<void>(data.create(&a[2], 5));
  EXPECT_TRUE(is_present(&a[2], 5));
  EXPECT_TRUE(is_present(&a[3], 2));
  EXPECT_TRUE(detail::is_present_bytes(reinterpret_cast<const char*>(&a[7]) - 1, 1));
  EXPECT_FALSE(detail::is_present_bytes(&a[7], 1));
  EXPECT_FALSE(is_present(&a[2], 6));
  EXPECT_FALSE(is_present(&a[1], 1));
  data.close();
  EXPECT_FALSE(is_present(&a[2], 5));
}

TEST_F(SeparateMemory, DevicePointerMirrorsEveryElement) {
  std::vector<double> a(10);
  {
    Data data;
    const auto view = data.create(a.data(), 10);
    for (const std::size_t i : {0, 1, 9})
      EXPECT_EQ(device_pointer(&a[i]), view.data() + i);
    EXPECT_NE(device_pointer(a.data()), a.data()) << "a memory of its own";
    EXPECT_THROW(static_cast<void>(device_pointer(a.data() + 10)), DataError);
  }
  expect_words(message_of<DataError>([&] { static_cast<void>(device_pointer(a.data())); }),
               {"device_pointer: ", "not on the device"});
  expect_words(
      message_of<DataError>([&] { static_cast<void>(device_pointer(named("u", a.data()))); }),
      {"device_pointer(u): ", "not on the device"});
  EXPECT_THROW(static_cast<void>(device_pointer(nullptr)), DataError);
}

TEST_F(SeparateMemory, DeviceptrIsAViewOnIt) {
  std::vector<double> a = counting(10);
  Data data;
  const auto view = data.copyin(a.data(), 10);
  const auto again = deviceptr(static_cast<double*>(device_pointer(a.data())), 2, 5);
  EXPECT_EQ(again.data(), view.data());
  EXPECT_EQ(again.extent(0), 2U);
  EXPECT_EQ(again.extent(1), 5U);
  expect_transfers(1, 1, 10, 0, 0);
}

TEST_F(SeparateMemory, CountsBeginAgainWhenTold) {
  std::vector<double> a(10);
  Data data;
  static_cast<void>(data.copy(a.data(), 10));
  EXPECT_NE(transfers(), Transfers{});
  reset_transfers();
  EXPECT_EQ(transfers(), Transfers{});
  data.close();
  expect_transfers(0, 0, 0, 1, 10);
}

TEST_F(SeparateMemory, TheModeStaysWhileARegionIsOpen) {
  std::vector<double> a(10);
  Data data;
  static_cast<void>(data.create(a.data(), 10));
  for (const Memory wanted : {Memory::shared, Memory::separate})
    expect_words(message_of<DataError>([&] { set_memory(wanted); }),
                 {"set_memory: ", "1 arrays", "close"});
  EXPECT_EQ(memory(), Memory::separate);
}

// Several host threads

void on_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t)
    threads.emplace_back(work, t);
  for (std::thread& thread : threads)
    thread.join();
}

TEST_F(SeparateMemory, ThreadsOpenRegionsOnArraysOfTheirOwn) {
  constexpr int count = 8;
  constexpr int rounds = 50;
  std::vector<std::vector<double>> arrays(count, counting(1000));
  on_threads(count, [&](int t) {
    std::vector<double>& a = arrays[static_cast<std::size_t>(t)];
    for (int round = 0; round < rounds; ++round) {
      Data data;
      static_cast<void>(data.copy(a.data(), 1000));
      Data inner;
      static_cast<void>(inner.present(&a[500], 500));
      a[0] = -1; // the copy on the device is not touched
    }
  });
  for (const std::vector<double>& a : arrays)
    EXPECT_EQ(a, counting(1000));
  expect_transfers(count * rounds, count * rounds, count * rounds * 1000, count * rounds,
                   count * rounds * 1000);
}

TEST_F(SeparateMemory, ThreadsShareAnArrayThatIsHeld) {
  std::vector<double> a = counting(1000);
  Data outer;
  double* const held = outer.copy(a.data(), 1000).data();
  std::atomic<int> wrong{0};
  on_threads(8, [&](int) {
    for (int round = 0; round < 200; ++round) {
      Data data;
      wrong += data.copyin(a.data(), 1000).data() != held;
      wrong += data.copyout(&a[10], 7).data() != held + 10;
      enter_data_create(&a[5], 5);
      wrong += device_pointer(&a[5]) != held + 5;
      exit_data_copyout(&a[5], 5);
    }
  });
  EXPECT_EQ(wrong, 0);
  expect_transfers(1, 1, 1000, 0, 0);
}

TEST_F(SeparateMemory, ThreadsRaceForAnArrayThatIsNot) {
  std::vector<double> a = counting(1000);
  on_threads(8, [&](int) {
    for (int round = 0; round < 200; ++round) {
      Data data;
      static_cast<void>(data.copy(a.data(), 1000));
    }
  });
  EXPECT_EQ(a, counting(1000));
  const Transfers counted = transfers();
  EXPECT_GE(counted.allocations, 1U);
  EXPECT_LE(counted.allocations, 1600U);
  EXPECT_EQ(counted.to_device, counted.allocations) << "who brings it copies it in";
  EXPECT_EQ(counted.to_host, counted.allocations) << "the last to leave copies it out";
}

// One memory

class SharedMemory : public ::testing::Test {
protected:
  void SetUp() override {
    if (has_device)
      GTEST_SKIP() << "kernels here cannot reach host memory";
    EXPECT_EQ(memory(), Memory::shared) << "of a host backend";
    reset_transfers();
  }
};

TEST_F(SharedMemory, ViewsAreTheHostArrays) {
  std::vector<double> a = counting(10);
  {
    Data data;
    EXPECT_EQ(data.copyin(a.data(), 10).data(), a.data());
    EXPECT_EQ(data.copyout(a.data(), 10).data(), a.data());
    EXPECT_EQ(data.create(a.data(), 10).data(), a.data());
    EXPECT_EQ(data.present(a.data(), 10).data(), a.data());
    EXPECT_EQ(data.copyin(a.data(), 20).data(), a.data()) << "extents are the caller's word";
    fill(data.copy(a.data(), 10), 11);
    EXPECT_EQ(a.front(), 11) << "at once";
    EXPECT_EQ(enter_data_copyin(a.data(), 10).data(), a.data());
    update_device(a.data(), 10);
    update_self(a.data(), 10);
    exit_data_copyout(a.data(), 10);
    EXPECT_EQ(device_pointer(&a[3]), &a[3]);
    EXPECT_TRUE(is_present(a.data(), 10));
    EXPECT_EQ(present_arrays(), 0U);
  }
  EXPECT_EQ(transfers(), Transfers{}) << "nothing is copied where there is nothing to copy";
}

TEST_F(SharedMemory, MistakesAreStillRefused) {
  std::vector<double> a(10);
  double* const null = nullptr;
  Data data;
  EXPECT_THROW(static_cast<void>(data.copy(a.data(), -1)), DataError);
  EXPECT_THROW(static_cast<void>(data.copy(a.data(), 1L << 40, 1L << 40)), DataError);
  EXPECT_THROW(static_cast<void>(data.copy(null, 1)), DataError);
  EXPECT_NO_THROW(static_cast<void>(data.copy(null, 0)));
  data.close();
  EXPECT_THROW(static_cast<void>(data.copy(a.data(), 10)), DataError);
  EXPECT_THROW(data.close(), DataError);
}

TEST_F(SharedMemory, TheModeStaysWhileARegionIsOpen) {
  std::vector<double> a(10);
  {
    Data data;
    static_cast<void>(data.copyin(a.data(), 10));
    static_cast<void>(data.copyin(a.data(), 10));
    expect_words(message_of<DataError>([&] { set_memory(Memory::separate); }),
                 {"set_memory: ", "2 arrays"});
  }
  EXPECT_NO_THROW(set_memory(Memory::separate));
  EXPECT_NO_THROW(set_memory(Memory::shared));
}

TEST_F(SharedMemory, ThreadsMayOpenRegions) {
  std::vector<double> a = counting(100);
  on_threads(4, [&](int) {
    for (int round = 0; round < 100; ++round) {
      Data data;
      static_cast<void>(data.copy(a.data(), 100));
    }
  });
  EXPECT_EQ(transfers(), Transfers{});
  EXPECT_NO_THROW(set_memory(Memory::shared)) << "all are closed";
}

TEST(DeviceMemory, CannotBeSharedWhereKernelsDoNotReachTheHost) {
  if (!has_device)
    GTEST_SKIP() << "kernels here reach host memory";
  expect_words(message_of<DataError>([] { set_memory(Memory::shared); }),
               {"only `separate` is possible"});
}

// Memory of closed regions

class KeptMemory : public ::testing::Test {
protected:
  void SetUp() override { set_kept_memory(1000 * sizeof(double)); }
  void TearDown() override { set_kept_memory(0); }

  testing::WithMemory _separate{Memory::separate};
};

/// Opens and closes a region of `n` doubles; where they were on the device.
double* where(std::size_t n) {
  std::vector<double> a(n);
  Data data;
  return data.create(a.data(), n).data();
}

TEST_F(KeptMemory, TheNextArrayOfTheSameSizeGetsIt) {
  double* const block = where(100);
  EXPECT_EQ(kept_memory(), 100 * sizeof(double));
  std::vector<double> a = counting(100);
  reset_transfers();
  {
    Data data;
    const DeviceView<double> view = data.copy(a.data(), 100);
    EXPECT_EQ(view.data(), block);
    EXPECT_EQ(kept_memory(), 0U) << "it is in use";
    EXPECT_EQ(sum_of(view), 5050);
    fill(view, 7);
  }
  EXPECT_EQ(a[99], 106);
  EXPECT_EQ(transfers().allocations, 1U) << "arrays created, wherever their memory comes from";
  EXPECT_EQ(kept_memory(), 100 * sizeof(double));
}

TEST_F(KeptMemory, AnotherSizeIsAllocated) {
  double* const block = where(100);
  EXPECT_NE(where(101), block);
  EXPECT_EQ(kept_memory(), 201 * sizeof(double));
  std::vector<double> a(100);
  enter_data_create(a.data(), 100);
  EXPECT_EQ(device_pointer(a.data()), block);
  EXPECT_EQ(kept_memory(), 101 * sizeof(double));
  exit_data_delete(a.data(), 100);
}

TEST_F(KeptMemory, EndsAtItsLimit) {
  static_cast<void>(where(1001));
  EXPECT_EQ(kept_memory(), 0U) << "more than the limit by itself";
  static_cast<void>(where(600));
  static_cast<void>(where(400));
  EXPECT_EQ(kept_memory(), 1000 * sizeof(double));
  static_cast<void>(where(1));
  EXPECT_EQ(kept_memory(), sizeof(double)) << "what is full starts anew";
  set_kept_memory(sizeof(double));
  EXPECT_EQ(kept_memory(), sizeof(double));
  set_kept_memory(0);
  EXPECT_EQ(kept_memory(), 0U);
}

TEST_F(KeptMemory, IsReleasedBeforeAClauseGivesUp) {
  static_cast<void>(where(100));
  double a = 0;
  expect_words(message_of<DataError>([&] {
                 Data data;
                 static_cast<void>(data.create(&a, std::size_t{1} << 55));
               }),
               {"create", "find no room on the device"});
  EXPECT_EQ(kept_memory(), 0U);
}

TEST_F(KeptMemory, IsNothingAtALimitOfNothing) {
  set_kept_memory(0);
  static_cast<void>(where(100));
  EXPECT_EQ(kept_memory(), 0U);
}

void keep_until_kokkos_ends() {
  set_memory(Memory::separate);
  set_kept_memory(1U << 20);
  static_cast<void>(where(100));
  const bool kept = kept_memory() != 0;
  Kokkos::finalize();
  std::_Exit(kept && kept_memory() == 0 ? 0 : 1);
}

TEST(KeptMemoryDeathTest, IsReleasedWithKokkos) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(keep_until_kokkos_ends(), ::testing::ExitedWithCode(0), "");
}

// Without Kokkos. In a process of its own, for Kokkos does not come back.

void use_data_after_kokkos() {
  std::vector<double> a = counting(10);
  const auto refuses = [](const std::function<void()>& action) {
    return message_of<DataError>(action).find("Kokkos is not running") != std::string::npos;
  };
  set_memory(Memory::separate);
  const bool refused = refuses([&] {
                         Data late;
                         static_cast<void>(late.copyout(a.data(), 10));
                         Kokkos::finalize();
                       }) &&
                       refuses([&] {
                         Data data;
                         static_cast<void>(data.copyin(a.data(), 10));
                       }) &&
                       refuses([&] { enter_data_create(a.data(), 10); }) &&
                       refuses([&] { exit_data_delete(a.data(), 10); }) &&
                       refuses([&] { update_self(a.data(), 10); });
  std::_Exit(refused ? 0 : 1);
}

TEST(WithoutKokkosDeathTest, ClausesSayThatKokkosIsNotRunning) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_data_after_kokkos(), ::testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace gangway
