// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/atomic.hpp"
#include "gangway/device.hpp"
#include "gangway/reduction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace gangway {
namespace {

template <class T>
using OnDevice = Kokkos::View<T, Kokkos::DefaultExecutionSpace>;

template <class T>
T value_of(const OnDevice<T>& view) {
  T value{};
  Kokkos::deep_copy(value, view);
  return value;
}

// Kernels stand in functions of their own: nvcc wants none in a test's private one.

void back_and_forth(int n, const OnDevice<long>& x, const OnDevice<long*>& seen) {
  Kokkos::parallel_for(
      "change", n, KOKKOS_LAMBDA(const int i) {
        seen(i) = atomic_fetch_change(&x(), [=](const long before) { return 7 - before; });
      });
}
void count_up(int n, const OnDevice<std::int16_t>& count) {
  Kokkos::parallel_for(
      "change", n, KOKKOS_LAMBDA(const int) {
        atomic_fetch_change(&count(), [=](const std::int16_t before) { return before + 1; });
      });
}

TEST(AtomicChange, NoThreadIsLost) {
  constexpr int n = 100'001; // odd: each takes 7 - x
  const OnDevice<long> x("x");
  const OnDevice<long*> seen("seen", n);
  Kokkos::deep_copy(x, 3L);
  back_and_forth(n, x, seen);
  EXPECT_EQ(value_of(x), 4);
  const auto seen_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen);
  long threes = 0;
  for (int i = 0; i < n; ++i)
    threes += seen_here(i) == 3 ? 1 : 0;
  EXPECT_EQ(threes, n / 2 + 1); // it goes back and forth between 3 and 4
}

TEST(AtomicChange, OfTwoBytesLosesNoThread) {
  // A device takes a lock for two bytes, and all threads that wait try again after each that came
  // through.
  const int n = has_device ? 1'000 : 100'001;
  const OnDevice<std::int16_t> all("all");
  count_up(n, all);
  EXPECT_EQ(value_of(all), static_cast<std::int16_t>(n)); // it wraps around, as in C
}

void divide_by_it(const OnDevice<double>& x, const OnDevice<double*>& seen) {
  Kokkos::parallel_for(
      "change", 1, KOKKOS_LAMBDA(const int) {
        seen(0) = atomic_fetch_change(&x(), [=](const double before) { return 2 / before; });
        seen(1) = atomic_change_fetch(&x(), [=](const double before) { return 3 / before; });
      });
}

TEST(AtomicChange, GivesWhatWasAndWhatIs) {
  const OnDevice<double> x("x");
  const OnDevice<double*> seen("seen", 2);
  Kokkos::deep_copy(x, 4.0);
  divide_by_it(x, seen);
  const auto seen_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen);
  EXPECT_EQ(seen_here(0), 4);
  EXPECT_EQ(seen_here(1), 6); // 3 / (2 / 4)
}

void divide_by_minus_zero(const OnDevice<double>& nan, const OnDevice<double>& zero) {
  Kokkos::parallel_for(
      "change", 1, KOKKOS_LAMBDA(const int) {
        zero() = -0.0; // deep_copy makes a 0 of it
        atomic_fetch_change(&nan(), [=](const double before) { return 1 - before; });
        atomic_fetch_change(&zero(), [=](const double before) { return 1 / before; });
      });
}

/// A compare-exchange asks bit by bit, where == says of NaN that it is not itself, and of -0 that
/// it is 0.
TEST(AtomicChange, EndsWithNaNAndSignedZero) {
  const OnDevice<double> nan("nan");
  const OnDevice<double> zero("zero");
  Kokkos::deep_copy(nan, std::numeric_limits<double>::quiet_NaN());
  divide_by_minus_zero(nan, zero);
  EXPECT_TRUE(std::isnan(value_of(nan)));
  EXPECT_EQ(value_of(zero), -std::numeric_limits<double>::infinity());
}

constexpr int bins = 7;

void sums_and_maxima(int n, Elements<int, bins>& sums, Elements<double, 2>& most) {
  Kokkos::parallel_reduce(
      "bins", n,
      KOKKOS_LAMBDA(const int i, Elements<int, bins>& sum, Elements<double, 2>& largest) {
        sum[i % bins] += i;
        largest[i % 2] = Kokkos::max(largest[i % 2], static_cast<double>(-i));
      },
      reduction::sum(sums), reduction::max(most));
}

TEST(Elements, AreReducedOneByOne) {
  constexpr int n = 10'000;
  Elements<int, bins> sums{};
  Elements<double, 2> most{};
  sums_and_maxima(n, sums, most);
  std::vector<int> expected(bins);
  for (int i = 0; i < n; ++i)
    expected[static_cast<std::size_t>(i % bins)] += i;
  for (int bin = 0; bin < bins; ++bin)
    EXPECT_EQ(sums[bin], expected[static_cast<std::size_t>(bin)]);
  EXPECT_EQ(most[0], 0);
  EXPECT_EQ(most[1], -1);
}

} // namespace
} // namespace gangway
