// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transpose/transpose.hpp"

#include "gangway/data.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

namespace gangway::transpose {
namespace {

using harness::Parameters;

Problem of_size(const char* rows, const char* columns) {
  return Problem(Parameters(Problem::info, {{"rows", rows}, {"columns", columns}}));
}

void transpose_plainly(int rows, int columns, const float* in, float* out) {
  for (long i = 0; i < columns; ++i)
    for (long j = 0; j < rows; ++j)
      out[i * rows + j] = in[j * columns + i];
}

/// Numbers are moved, not computed with: every pattern of bits arrives as it was.
TEST(Transpose, SpecialValuesKeepTheirBits) {
  constexpr int rows = 70;
  constexpr int columns = 45;
  base::HostArray<float> in(rows * columns);
  const float special[] = {-0.0F,
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::bit_cast<float>(std::uint32_t{0x7fc01234}), // a NaN with a payload
                           std::bit_cast<float>(std::uint32_t{0xffc00001}),
                           std::numeric_limits<float>::denorm_min(),
                           1.0F};
  for (std::size_t at = 0; at < in.size(); ++at)
    in[at] = special[at * 2654435761U / 7 % 7];
  Problem problem(rows, columns, in);
  // Not the yardsticks: cuBLAS multiplies by one, which makes a NaN of its own of every NaN.
  testing::expect_all_variants_right("transpose", problem,
                                     {harness::Model::kokkos, harness::Model::openacc});
}

/// The document's loops go with i up to rows and j up to columns, which is right for squares only.
/// The check must see it where rows and columns differ.
TEST(Transpose, DocumentsLoopBoundsAreForSquaresOnly) {
  const auto as_printed = [](int rows, int columns, const float* in, float* out) {
    const long all = static_cast<long>(rows) * columns;
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j)
        if (i * rows + j < all && j * columns + i < all) // the listing goes beyond the arrays
          out[i * rows + j] = in[j * columns + i];
  };
  Problem square = of_size("12", "12");
  square.call(as_printed);
  EXPECT_TRUE(square.check().passed);
  for (const auto& [rows, columns] : {std::pair{"12", "10"}, std::pair{"10", "12"}}) {
    Problem rectangle = of_size(rows, columns);
    rectangle.call(as_printed);
    EXPECT_FALSE(rectangle.check().passed) << rows << " x " << columns;
  }
}

TEST(Transpose, TwiceIsTheMatrixItself) {
  constexpr int rows = 33;
  constexpr int columns = 67;
  Problem problem = of_size("33", "67");
  for (const harness::Variant& variant : harness::study("transpose").kokkos) {
    testing::run_variant(variant, problem);
    problem.call([&](int, int, const float* in, const float* out) {
      Problem back(columns, rows, base::HostArray<float>(out, out + rows * columns));
      testing::run_variant(variant, back);
      back.call([&](int, int, const float*, const float* twice) {
        for (int at = 0; at < rows * columns; ++at)
          ASSERT_EQ(twice[at], in[at]) << variant.name << ", element " << at;
      });
    });
  }
}

TEST(Transpose, CheckSeesOneWrongElement) {
  Problem problem = of_size("20", "30");
  problem.call(transpose_plainly);
  EXPECT_TRUE(problem.check().passed);
  problem.call([](int, int, const float*, float* out) { std::swap(out[217], out[218]); });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_EQ(problem.check().error, 2);
  EXPECT_NE(problem.check().detail.find("row 10, column 17"), std::string::npos)
      << problem.check().detail;
}

/// Elements beyond 2^31 are counted and addressed in 64 bits.
TEST(Transpose, LargeMatricesAreCountedIn64Bits) {
  const Parameters large(Problem::info, {{"rows", "100000"}, {"columns", "100000"}});
  EXPECT_EQ(Problem::info.footprint(large), 8e10);
}

TEST(Transpose, MovesTheMatrixOnceEachWay) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = of_size("40", "50");
  for (const harness::Variant& variant : harness::study("transpose").kokkos) {
    const auto moved = testing::run_variant(variant, problem);
    EXPECT_EQ(moved->to_device, 1U) << variant.name;
    EXPECT_EQ(moved->to_host, 1U) << variant.name;
    EXPECT_EQ(moved->bytes_to_device, 8000U) << variant.name;
    EXPECT_EQ(moved->bytes_to_host, 8000U) << variant.name;
  }
}

} // namespace
} // namespace gangway::transpose
