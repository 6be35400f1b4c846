// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/saxpy/saxpy.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gangway::saxpy {
namespace {

harness::Parameters of_size(const char* n) {
  return {Problem::info, {{"n", n}}};
}

/// One less and one more than a pack, and than four elements of each of 256 lanes, where `unrolled`
/// changes loops.
TEST(Saxpy, AroundAPackAndAnUnrolledStep) {
  for (const char* n : {"3", "4", "5", "1023", "1024", "1025", "9215", "9217"}) {
    testing::expect_all_variants_right("saxpy", {{"n", n}});
    const testing::WithMemory separate(Memory::separate);
    testing::expect_all_variants_right("saxpy", {{"n", n}});
  }
}

/// Vectors of which either does not begin on 16 bytes, so that no pack of it can be loaded.
TEST(Saxpy, UnalignedVectors) {
  constexpr long n = 1027;
  std::vector<float> x(n + 4);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i);
  for (Kernel* const kernel : testing::kernels_of<Kernel>("saxpy", "packs"))
    for (const long skip_x : {0, 1, 3, 4})
      for (const long skip_y : {0, 2, 4}) {
        std::vector<float> y(n + 4, 7);
        kernel(n, x.data() + skip_x, y.data() + skip_y);
        for (long i = 0; i < n + 4; ++i) {
          const bool inside = i >= skip_y && i < skip_y + n;
          const auto at = static_cast<std::size_t>(inside ? i - skip_y + skip_x : 0);
          ASSERT_EQ(y[static_cast<std::size_t>(i)], inside ? 2 * x[at] + 7 : 7)
              << i << ", skipped " << skip_x << " and " << skip_y;
        }
      }
}

void serial(long n, const float* x, float* y) {
  for (long i = 0; i < n; ++i)
    y[i] = 2.0F * x[i] + y[i];
}

TEST(Saxpy, CheckAgreesWithTheSerialLoopOnce) {
  Problem problem(of_size("200000"));
  EXPECT_FALSE(problem.check().passed) << "y as it came must not pass";
  problem.call(serial);
  EXPECT_TRUE(problem.check().passed) << problem.check().detail;
  problem.call(serial);
  EXPECT_FALSE(problem.check().passed) << "a second update without a reset must not pass";
  EXPECT_EQ(problem.check().error, 200000);
}

TEST(Saxpy, CheckSeesNeighboursMixedUp) {
  Problem problem(of_size("200000"));
  problem.call(serial);
  problem.call([](long, const float* x, float* y) { y[123456] += 2 * (x[123457] - x[123456]); });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("123456"), std::string::npos) << problem.check().detail;
}

/// Kokkos is asked for what device_type chooses. A host is neither vendor's device, and chooses for
/// itself.
TEST(Saxpy, DeviceTypeAsksForTheDevicesVector) {
  const Clauses expected{.vector = device_type() == DeviceType::nvidia   ? 128
                                   : device_type() == DeviceType::radeon ? 256
                                                                         : 0};
  Problem problem(of_size("10000"));
  clear_launches();
  testing::run_variant("saxpy", "device-type", problem);
  ASSERT_EQ(launches().size(), 1U);
  EXPECT_EQ(launches().front().requested, expected);
}

/// More than 2^31 elements.
TEST(Saxpy, IndicesBeyond32Bits) {
  constexpr long n = (1L << 31) + 5000;
  if (!testing::huge_arrays_fit(8.0 * n))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  testing::HugeArray<float> x(n);
  testing::HugeArray<float> y(n);
  const auto seen = {n - 5001, n - 5000, n - 1};
  for (const char* variant : {"device-type", "unrolled", "packs"})
    for (Kernel* const kernel : testing::kernels_of<Kernel>("saxpy", variant)) {
      for (const long i : seen) {
        x.set(i, static_cast<float>(i % 1000 + 1));
        y[i] = 7;
      }
      kernel(n, x.data(), y.data());
      for (const long i : seen)
        EXPECT_EQ(y[i], 2 * x[i] + 7) << variant << ", " << i;
    }
}

} // namespace
} // namespace gangway::saxpy
