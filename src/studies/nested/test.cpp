// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/nested/nested.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gangway::nested {
namespace {

harness::Parameters of_size(const char* m, const char* n) {
  return {Problem::info, {{"m", m}, {"n", n}}};
}

/// Computes as the document does: j outside, i inside.
void serial(long m, long n, double alpha, double beta, const double* b, const double* c,
            double* a) {
  for (long j = 0; j < m; ++j)
    for (long i = 0; i < n; ++i)
      a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
}

TEST(Nested, CheckAgreesWithTheSerialLoop) {
  Problem problem(of_size("37", "53"));
  problem.call(serial);
  EXPECT_TRUE(problem.check().passed) << problem.check().detail;
}

/// The mistake to make in this study is to read c as it lies, not transposed: only elements with
/// i = j are right then.
TEST(Nested, CheckSeesAnArrayThatIsNotTransposed) {
  Problem problem(of_size("40", "40"));
  problem.call(
      [](long m, long n, double alpha, double beta, const double* b, const double* c, double* a) {
        for (long k = 0; k < m * n; ++k)
          a[k] = b[k] * alpha + c[k] * beta;
      });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_EQ(problem.check().error, 40 * 40 - 40);
}

TEST(Nested, CheckSeesExtentsMixedUp) {
  Problem problem(of_size("37", "53"));
  problem.call([](long m, long n, double alpha, double beta, const double* b, const double* c,
                  double* a) { serial(n, m, alpha, beta, b, c, a); });
  EXPECT_FALSE(problem.check().passed);
}

/// Extents whose product is beyond 2^31. One array stands for both inputs.
TEST(Nested, IndicesBeyond32Bits) {
  constexpr long m = (1L << 30) + 5;
  constexpr long n = 2;
  static_assert(m * n > 1L << 31);
  if (!testing::huge_arrays_fit(16.0 * m * n))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  testing::HugeArray<double> in(m * n);
  testing::HugeArray<double> out(m * n);
  in.set(m * n - 1, 7); // b of the last i and j, and c of them
  std::vector<Kernel*> kernels = testing::kernels_of<Kernel>("nested", "blocked");
  kernels.push_back(testing::kernels_of<Kernel>("nested", "i-outer").front());
  for (Kernel* const kernel : kernels) {
    out[m * n - 1] = -1;
    kernel(m, n, 2, 3, in.data(), in.data(), out.data());
    EXPECT_EQ(out[m * n - 1], 2 * 7 + 3 * 7);
  }
}

} // namespace
} // namespace gangway::nested
