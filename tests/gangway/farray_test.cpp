// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// FArray by itself; with descriptors of Fortran's it is tested in tests/fortran.
#include "gangway/farray.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <type_traits>

namespace gangway {
namespace {

/// Numbers in device memory, and on the host.
template <class T>
struct Memory1 {
  explicit Memory1(int n) : device("numbers", n), host(Kokkos::create_mirror_view(device)) {
    for (int i = 0; i < n; ++i)
      host(i) = static_cast<T>(i);
    Kokkos::deep_copy(device, host);
  }
  void fetch() { Kokkos::deep_copy(host, device); }
  Kokkos::View<T*, DeviceSpace> device;
  typename Kokkos::View<T*, DeviceSpace>::host_mirror_type host;
};

void add_at_indices(const FArray<int, 3>& a) {
  Kokkos::parallel_for(
      "index", 1, KOKKOS_LAMBDA(int) {
        a(0, -3, 2) += 1000; // element 0
        a(2, -3, 2) += 2000; // 2
        a(0, -2, 2) += 3000; // 3
        a(1, 0, 4) += 4000;  // 1 + 3 * 3 + 12 * 2 = 34
        a(2, 0, 6) += 5000;  // the last, 59
      });
}

void copy_by_other_indices(const FArray<double, 2>& a) {
  Kokkos::parallel_for("types", 1, KOKKOS_LAMBDA(int) { a(short(2), 3L) = a(1U, std::size_t(2)); });
}

TEST(FArray, FirstIndexIsStrideOne) {
  Memory1<int> memory(3 * 4 * 5);
  const FArray<int, 3> a("a", memory.device.data(), {3, 4, 5}, {0, -3, 2});
  add_at_indices(a);
  memory.fetch();
  EXPECT_EQ(memory.host(0), 1000);
  EXPECT_EQ(memory.host(2), 2002);
  EXPECT_EQ(memory.host(3), 3003);
  EXPECT_EQ(memory.host(34), 4034);
  EXPECT_EQ(memory.host(59), 5059);
}

TEST(FArray, Bounds) {
  const FArray<const double, 2> a("a", nullptr, {3, 4}, {0, -3});
  EXPECT_EQ(a.lbound(1), 0);
  EXPECT_EQ(a.ubound(1), 2);
  EXPECT_EQ(a.size(1), 3);
  EXPECT_EQ(a.lbound(2), -3);
  EXPECT_EQ(a.ubound(2), 0);
  EXPECT_EQ(a.size(2), 4);
  EXPECT_EQ(a.size(), 12);
  const FArray<double, 2> empty("empty", nullptr, {0, 4}, {1, 1});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(empty.ubound(1), 0);
}

TEST(FArray, IndicesOfAnyIntegralType) {
  Memory1<double> memory(6);
  const FArray<double, 2> a("a", memory.device.data(), {2, 3}, {1, 1});
  copy_by_other_indices(a);
  memory.fetch();
  EXPECT_EQ(memory.host(5), 2);
}

TEST(FArray, View) {
  Memory1<float> memory(24);
  const FArray<float, 3> a("a", memory.device.data(), {2, 3, 4}, {0, 0, 0});
  const auto view = a.view();
  static_assert(std::is_same_v<decltype(view)::array_layout, Kokkos::LayoutLeft>);
  EXPECT_EQ(view.extent(0), 2U);
  EXPECT_EQ(view.extent(1), 3U);
  EXPECT_EQ(view.extent(2), 4U);
  EXPECT_EQ(view.data(), memory.device.data());
  EXPECT_EQ(view.stride(0), 1U);
  EXPECT_EQ(view.stride(1), 2U);
  EXPECT_EQ(view.stride(2), 6U);
}

TEST(FArray, IsCapturedByValue) {
  static_assert(std::is_trivially_copyable_v<FArray<double, 7>>);
  static_assert(std::is_trivially_copyable_v<FArray<double, 7, true>>);
  static_assert(sizeof(FArray<double, 7, false>) <= 2 * sizeof(long) + 3 * 7 * sizeof(long));
}

TEST(FArrayDeathTest, AnIndexOutsideTheBounds) {
  if constexpr (has_device)
    GTEST_SKIP() << "a device aborts the program";
  Memory1<double> memory(12);
  const FArray<double, 2, true> a("pressure", memory.device.data(), {3, 4}, {0, -3});
  EXPECT_EQ(a(2, 0), 11);
  EXPECT_EXIT(a(3, 0) = 0, ::testing::KilledBySignal(SIGABRT),
              "pressure: index 3 of dimension 1 is outside 0:2");
  EXPECT_EXIT(a(0, -4) = 0, ::testing::KilledBySignal(SIGABRT),
              "pressure: index -4 of dimension 2 is outside -3:0");
}

} // namespace
} // namespace gangway
