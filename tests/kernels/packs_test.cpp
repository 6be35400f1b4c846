// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/packs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

namespace gangway {
namespace {

/// An array of n elements said to lie at this address, which nobody reads.
template <class T>
auto at(std::uintptr_t address, long n) {
  return deviceptr(reinterpret_cast<T*>(address), n); // NOLINT(performance-no-int-to-ptr)
}

TEST(Packs, AreAsManyAsAreWholeWhereAllArraysBeginWithOne) {
  for (const long n : {0L, 1L, 2L, 3L, 4L, 7L, 8L, (1L << 33) + 3}) {
    EXPECT_EQ(kernels::whole_packs(n, at<double>(64, n)), n / 2) << n;
    EXPECT_EQ(kernels::whole_packs(n, at<const float>(32, n), at<float>(48, n), at<int>(16, n)),
              n / 4)
        << n;
    EXPECT_EQ(kernels::whole_packs(n, at<double>(64, n), at<const double>(72, n)), 0) << n;
    EXPECT_EQ(kernels::whole_packs(n, at<float>(68, n), at<float>(64, n)), 0) << n;
  }
}

TEST(Packs, LieWhereTheElementsDo) {
  const auto floats = kernels::as_packs(at<const float>(64, 11), 2);
  static_assert(std::is_same_v<decltype(floats)::value_type, const kernels::Pack<float>>);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(floats.data()), 64U);
  EXPECT_EQ(floats.extent(0), 2U);
  static_assert(std::is_same_v<decltype(kernels::as_packs(at<double>(64, 2), 1))::value_type,
                               kernels::Pack<double>>);
}

} // namespace
} // namespace gangway
