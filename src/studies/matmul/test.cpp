// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/matmul/matmul.hpp"

#include "gangway/data.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

// There only if a BLAS is linked.
extern "C" [[gnu::weak]] void dgemm_(const char* transa, const char* transb, const int* m,
                                     const int* n, const int* k, const double* alpha,
                                     const double* a, const int* lda, const double* b,
                                     const int* ldb, const double* beta, double* c, const int* ldc);

namespace gangway::matmul {
namespace {

using harness::Parameters;

base::HostArray<float> random_floats(int rows, int columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> any(-1, 1);
  base::HostArray<float> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (float& value : values)
    value = any(engine);
  return values;
}

Problem generated(const char* rows, const char* inner, const char* columns) {
  return Problem(Parameters(Problem::info, {{"rows", rows}, {"inner", inner}, {"n", columns}}));
}

void expect_right(int rows, int inner, int columns) {
  Problem problem(rows, inner, columns, random_floats(rows, inner, 1),
                  random_floats(inner, columns, 2));
  testing::expect_all_variants_right("matmul", problem);
}

TEST(Matmul, RandomMatricesSquare) {
  expect_right(48, 48, 48);
}
TEST(Matmul, RandomMatricesRectangular) {
  expect_right(67, 301, 45);
}
TEST(Matmul, OneMoreThanATileEachWay) {
  expect_right(121, 9, 129);
  expect_right(33, 5, 257);
}
TEST(Matmul, WholeTilesAndOneLessEachWay) {
  expect_right(64, 16, 512);
  expect_right(31, 3, 255);
}
TEST(Matmul, RowTimesColumnAndColumnTimesRow) {
  expect_right(1, 999, 1);
  expect_right(999, 1, 3);
}

/// An empty sum is zero, not what memory held before.
TEST(Matmul, NothingToSumGivesZero) {
  Problem problem = generated("130", "0", "140");
  testing::expect_all_variants_right("matmul", problem);
}

/// Infinities and NaN go where IEEE arithmetic takes them, and nowhere else: tiles that are filled
/// up with zeros must not spread them.
TEST(Matmul, InfinitiesAndNaNStayInTheirRowsAndColumns) {
  constexpr int n = 37;
  auto a = random_floats(n, n, 3);
  auto b = random_floats(n, n, 4);
  a[5 * n + 7] = std::numeric_limits<float>::infinity();
  a[36 * n + 36] = -std::numeric_limits<float>::infinity();
  b[11 * n + 36] = std::numeric_limits<float>::quiet_NaN();
  b[7 * n + 20] = 0; // infinity times zero
  Problem problem(n, n, n, a, b);
  testing::expect_all_variants_right("matmul", problem);
}

/// Products below float's range vanish and those above it overflow alike in every variant.
TEST(Matmul, LargeAndSmall) {
  constexpr int n = 20;
  auto a = random_floats(n, n, 5);
  auto b = random_floats(n, n, 6);
  for (std::size_t i = 0; i < a.size(); i += 3) {
    a[i] *= 1e15F;
    b[i] *= 1e-15F;
  }
  Problem problem(n, n, n, a, b);
  testing::expect_all_variants_right("matmul", problem);
}

/// The generated matrices and the closed form of their product, against a product in double by a
/// library.
TEST(Matmul, ClosedFormIsWhatBlasComputesInDouble) {
  if (&dgemm_ == nullptr)
    GTEST_SKIP() << "no BLAS in this build";
  Problem problem = generated("150", "4500", "140"); // longer than both periods together
  problem.call([](int rows, int inner, int columns, const float* a, const float* b, float* c) {
    const auto widened = [](const float* values, int count) {
      return std::vector<double>(values, values + count);
    };
    const auto left = widened(a, rows * inner);
    const auto right = widened(b, inner * columns);
    std::vector<double> out(static_cast<std::size_t>(rows * columns));
    const double one = 1;
    const double zero = 0;
    dgemm_("N", "N", &columns, &rows, &inner, &one, right.data(), &columns, left.data(), &inner,
           &zero, out.data(), &columns);
    std::transform(out.begin(), out.end(), c,
                   [](double value) { return static_cast<float>(value); });
    // They use the digits float has, and no more.
    const double largest = std::abs(*std::max_element(
        out.begin(), out.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }));
    EXPECT_GT(largest, 1e4);
    EXPECT_LT(largest, max_inner);
  });
  const harness::Check check = problem.check();
  EXPECT_TRUE(check.passed) << check.detail;
}

/// Results of the document's listings as printed must not pass for the product.
TEST(Matmul, CheckRefusesTheListingsAsPrinted) {
  Problem problem = generated("9", "8", "7");
  problem.call([](int rows, int inner, int columns, const float* a, const float* b, float* c) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        for (int k = 0; k < inner; ++k) // without accumulation: the last term is left
          c[i * columns + j] = a[i * inner + k] * b[k * columns + j];
  });
  EXPECT_FALSE(problem.check().passed);
  problem.call([](int rows, int inner, int columns, const float* a, const float* b, float* c) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        float sum = 0;
        for (int k = 0; k < inner; ++k) // added instead of multiplied
          sum += a[i * inner + k] + b[k * columns + j];
        c[i * columns + j] = sum;
      }
  });
  EXPECT_FALSE(problem.check().passed);
}

/// One wrong element in many is seen, and named; also where the check allows for rounding.
TEST(Matmul, CheckSeesOneWrongElement) {
  const auto spoil = [](Problem& problem, float by) {
    problem.call([by](int rows, int inner, int columns, const float* a, const float* b, float* c) {
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          c[i * columns + j] = 0;
          for (int k = 0; k < inner; ++k)
            c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
        }
      c[3 * columns + 17] += by;
    });
    return problem.check();
  };
  Problem exact = generated("40", "30", "50");
  EXPECT_TRUE(spoil(exact, 0).passed);
  EXPECT_FALSE(spoil(exact, 1).passed);
  EXPECT_NE(exact.check().detail.find("element 167"), std::string::npos) << exact.check().detail;
  Problem rounded(40, 30, 50, random_floats(40, 30, 7), random_floats(30, 50, 8));
  EXPECT_TRUE(spoil(rounded, 0).passed);
  EXPECT_FALSE(spoil(rounded, 1e-3F).passed);
  EXPECT_NE(rounded.check().detail.find("element (3, 17)"), std::string::npos);
  EXPECT_FALSE(spoil(rounded, std::numeric_limits<float>::quiet_NaN()).passed);
}

/// Sizes whose products pass 2^31, and sums too long to be exact.
TEST(Matmul, SizesBeyond32BitsAreCountedIn64) {
  const Parameters large(Problem::info, {{"rows", "100000"}, {"inner", "1"}, {"n", "100000"}});
  EXPECT_EQ(Problem::info.footprint(large), 4.0 * (1e5 + 1e5 + 1e10));
  const Parameters longer(Problem::info, {{"inner", "20000000"}});
  EXPECT_THROW(Problem::info.footprint(longer), base::UsageError)
      << "sums no longer exact in float";
}

/// Both inputs cross once, and the result once, in every variant.
TEST(Matmul, MovesEachMatrixOnce) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = generated("20", "30", "40");
  for (const harness::Variant& variant : harness::study("matmul").kokkos) {
    const auto moved = testing::run_variant(variant, problem);
    EXPECT_EQ(moved->to_device, 2U) << variant.name;
    EXPECT_EQ(moved->bytes_to_device, 4U * (20 * 30 + 30 * 40)) << variant.name;
    EXPECT_EQ(moved->to_host, 1U) << variant.name;
    EXPECT_EQ(moved->bytes_to_host, 4U * 20 * 40) << variant.name;
  }
}

} // namespace
} // namespace gangway::matmul
