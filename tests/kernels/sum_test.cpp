// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/sum.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gangway {
namespace {

// Functors, since nvcc takes a lambda without captures for a function of the host's.
struct Square {
  KOKKOS_INLINE_FUNCTION double operator()(long i) const { return static_cast<double>(i * i); }
};

struct Visit {
  int* seen;
  KOKKOS_INLINE_FUNCTION double operator()(long i) const { return ++seen[i]; }
};

struct Since {
  long first;
  KOKKOS_INLINE_FUNCTION double operator()(long i) const { return static_cast<double>(i - first); }
};

struct One {
  KOKKOS_INLINE_FUNCTION float operator()(long) const { return 1; }
};

/// How often each of n indices was asked for, by all of `threads` threads that take turns.
template <int chains>
std::vector<int> visits(long n, int threads) {
  std::vector<int> seen(static_cast<std::size_t>(n) + 1);
  for (int thread = 0; thread < threads; ++thread)
    static_cast<void>(
        kernels::sum_in_chains<double, chains>(thread, n, threads, Visit{seen.data()}));
  return seen;
}

TEST(SumInChains, AsksForEachTermOnce) {
  for (const long n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 64, 1000})
    for (const int threads : {1, 2, 3, 32}) {
      std::vector<int> once(static_cast<std::size_t>(n) + 1, 1);
      once.back() = 0;
      EXPECT_EQ(visits<1>(n, threads), once) << n << " terms, " << threads << " threads";
      EXPECT_EQ(visits<4>(n, threads), once) << n << " terms, " << threads << " threads";
      EXPECT_EQ(visits<kernels::chains_of_a_sum<double>>(n, threads), once)
          << n << " terms, " << threads << " threads";
    }
}

TEST(SumInChains, AddsThemUp) {
  for (const long last : {0L, 1L, 5L, 100L, 1001L})
    for (const long first : {0L, 3L, 200L}) {
      const Square square;
      double expected = 0; // whole numbers: exact in any order
      for (long i = first; i < last; ++i)
        expected += square(i);
      EXPECT_EQ(kernels::sum_in_chains<double>(first, last, 1, square), expected)
          << first << ", " << last;
      EXPECT_EQ(kernels::sum_in_streams<double>(first, last, square), expected)
          << first << ", " << last;
    }
}

TEST(SumInStreams, AsksForEachTermOnce) {
  for (const long n : {0, 1, 2, 3, 4, 5, 127, 128, 129, 1000}) {
    std::vector<int> seen(static_cast<std::size_t>(n) + 1);
    std::vector<int> once(static_cast<std::size_t>(n) + 1, 1);
    once.back() = 0;
    static_cast<void>(kernels::sum_in_streams<double>(0, n, Visit{seen.data()}));
    EXPECT_EQ(seen, once) << n << " terms";
  }
}

/// kernels::sum_of_packs by every thread of a gang, from element `first` of an array of whole
/// numbers, which add up exactly in any order.
template <class T>
void sum_of_packs_is_right(long first) {
  for (const long n : {0, 1, 3, 4, 5, 31, 32, 33, 64, 257, 1000})
    for (const long threads : {1, 2, 3, 32}) {
      // Packs start on their own boundary, whatever a vector's memory does.
      std::vector<kernels::Pack<T>> memory(
          static_cast<std::size_t>(first + n) / kernels::Pack<T>::size + 1);
      T* const values = memory.front().at + first;
      T expected = 0;
      for (long i = 0; i < n; ++i)
        expected += values[i] = static_cast<T>(1 + i % 7);
      T sum = 0;
      for (long thread = 0; thread < threads; ++thread)
        sum += kernels::sum_of_packs<T>(values, n, thread, threads);
      EXPECT_EQ(sum, expected) << n << " values from " << first << ", " << threads << " threads";
    }
}

TEST(SumOfPacks, AddsEachValueOnce) {
  for (const long first : {0L, 1L, 2L, 3L}) {
    sum_of_packs_is_right<double>(first);
    sum_of_packs_is_right<float>(first);
    sum_of_packs_is_right<int>(first);
  }
}

TEST(SumInChains, IndicesPassThirtyTwoBits) {
  const long first = (1L << 33) - 3;
  EXPECT_EQ((kernels::sum_in_chains<double, 4>(first, first + 6, 1, Since{first})), 15);
  EXPECT_EQ((kernels::sum_in_chains<float, 4>(0, 1L << 33, 1 << 30, One{})), 8);
}

} // namespace
} // namespace gangway
