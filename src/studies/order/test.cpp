// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/order/order.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

namespace gangway::order {
namespace {

harness::Parameters of_size(const char* rows, const char* columns) {
  return {Problem::info, {{"rows", rows}, {"columns", columns}}};
}

void serial(long rows, long columns, double* a) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      a[i * columns + j] = 2 * a[i * columns + j] + 1;
}

/// One less and one more than a block and than a step of `unrolled`.
TEST(Order, AroundAnUnrolledStep) {
  for (const char* columns : {"1023", "1024", "1025", "4095", "4096", "4097"}) {
    testing::expect_all_variants_right("order", {{"rows", "1"}, {"columns", columns}});
    const testing::WithMemory separate(Memory::separate);
    testing::expect_all_variants_right("order", {{"rows", "1"}, {"columns", columns}});
  }
}

TEST(Order, CheckAgreesWithTheSerialLoopOnce) {
  Problem problem(of_size("30", "40"));
  EXPECT_FALSE(problem.check().passed) << "the array as it came must not pass";
  problem.call(serial);
  EXPECT_TRUE(problem.check().passed) << problem.check().detail;
  problem.call(serial);
  EXPECT_FALSE(problem.check().passed) << "a second update without a reset must not pass";
}

TEST(Order, CheckSeesRowsAndColumnsMixedUp) {
  Problem problem(of_size("30", "40"));
  problem.call([](long rows, long columns, double* a) {
    // The wrong pitch: 30 x 30 elements of 30 x 40.
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < rows; ++j)
        a[i * rows + j] = 2 * a[i * rows + j] + 1;
    static_cast<void>(columns);
  });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_EQ(problem.check().error, 300);
}

/// Rows x columns beyond 2^31.
TEST(Order, IndicesBeyond32Bits) {
  constexpr long rows = 1L << 15;
  constexpr long columns = (1L << 16) + 3;
  constexpr long n = rows * columns;
  static_assert(n > 1L << 31);
  if (!testing::huge_arrays_fit(8.0 * n))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  testing::HugeArray<double> a(n);
  for (const char* variant : {"stride-1", "unrolled", "packs"})
    for (Kernel* const kernel : testing::kernels_of<Kernel>("order", variant)) {
      a[n - 1] = 20;
      a[n - columns] = 30;
      kernel(rows, columns, a.data());
      EXPECT_EQ(a[n - 1], 41) << variant;
      EXPECT_EQ(a[n - columns], 61) << variant;
    }
}

} // namespace
} // namespace gangway::order
