// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/private/private.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gangway::private_array {
namespace {

/// 45 everywhere, and nothing else passes.
TEST(Private, CheckWants45Everywhere) {
  Problem problem({Problem::info, {{"rows", "30"}, {"columns", "40"}}});
  problem.call([](int rows, int columns, int* a) {
    for (int k = 0; k < rows * columns; ++k)
      a[k] = 45;
  });
  EXPECT_TRUE(problem.check().passed);
  // Lanes that shared one tmp would now and then leave another value.
  problem.call([](int, int, int* a) { a[1199] = 44; });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("element 1199: 44 instead of 45"), std::string::npos)
      << problem.check().detail;
}

/// Less and more columns than `scratch` has private arrays for.
TEST(Private, AroundTheLanesOfAGang) {
  for (const char* columns : {"63", "64", "65", "127", "129"}) {
    testing::expect_all_variants_right("private", {{"rows", "3"}, {"columns", columns}});
    const testing::WithMemory separate(Memory::separate);
    testing::expect_all_variants_right("private", {{"rows", "3"}, {"columns", columns}});
  }
}

/// Rows x columns beyond 2^31.
TEST(Private, IndicesBeyond32Bits) {
  constexpr int rows = 1 << 15;
  constexpr int columns = (1 << 16) + 3;
  constexpr long n = static_cast<long>(rows) * columns;
  static_assert(n > 1L << 31);
  if (!testing::huge_arrays_fit(4.0 * n))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  testing::HugeArray<int> a(n);
  std::vector<Kernel*> kernels = testing::kernels_of<Kernel>("private", "private");
  kernels.push_back(testing::kernels_of<Kernel>("private", "scratch").back());
  for (Kernel* const kernel : kernels) {
    a[n - 1] = a[n - columns] = -1;
    kernel(rows, columns, a.data());
    EXPECT_EQ(a[n - 1], 45);
    EXPECT_EQ(a[n - columns], 45);
  }
}

} // namespace
} // namespace gangway::private_array
