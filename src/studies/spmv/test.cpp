// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/spmv/spmv.hpp"

#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gangway::spmv {
namespace {

/// A matrix of the given row lengths; columns spread over the width, values of both signs.
inputs::CsrMatrix matrix_of(const std::vector<int>& lengths, int columns) {
  inputs::CsrMatrix matrix;
  matrix.rows = static_cast<int>(lengths.size());
  matrix.columns = columns;
  matrix.row_offsets.push_back(0);
  for (const int length : lengths) {
    for (int k = 0; k < length; ++k) {
      matrix.column_indices.push_back(static_cast<int>(static_cast<long>(k) * columns / length));
      matrix.values.push_back(k % 3 == 0 ? -1.25 : 0.75 + k % 7);
    }
    matrix.row_offsets.push_back(static_cast<int>(matrix.values.size()));
  }
  return matrix;
}

void expect_right(const std::vector<int>& lengths, int columns) {
  Problem problem(matrix_of(lengths, columns));
  testing::expect_all_variants_right("spmv", problem);
  const testing::WithMemory separate(Memory::separate);
  testing::expect_all_variants_right("spmv", problem);
}

TEST(Spmv, OneRow) {
  expect_right({5}, 9);
}
TEST(Spmv, OneEmptyRow) {
  expect_right({0}, 3);
}
TEST(Spmv, NoRows) {
  expect_right({}, 4);
}
TEST(Spmv, OnlyEmptyRows) {
  expect_right(std::vector<int>(1000, 0), 7);
}

TEST(Spmv, EmptyRowsBetweenFullOnes) {
  std::vector<int> lengths(3000, 0);
  for (std::size_t row = 0; row < lengths.size(); row += 3)
    lengths[row] = 4;
  expect_right(lengths, 50);
}

TEST(Spmv, DenseRowAmongShortOnes) {
  std::vector<int> lengths(5000, 2);
  lengths[2345] = 40000;
  expect_right(lengths, 40000);
}

TEST(Spmv, DenseRowFirstAndLast) {
  std::vector<int> lengths(100, 1);
  lengths.front() = 10000;
  lengths.back() = 10000;
  expect_right(lengths, 10000);
}

TEST(Spmv, EveryRowLongerThanATeam) {
  expect_right(std::vector<int>(40, 3001), 3001);
}

TEST(Spmv, LongRunOfEmptyRowsAtTheEnd) {
  std::vector<int> lengths(20000, 0);
  lengths[0] = 7;
  expect_right(lengths, 10);
}

/// Rows about as long as what is staged at a time (256 and 1024 products, rows of up to half of
/// that in Kokkos), so that blocks hold one row, two, or one that is too long.
TEST(Spmv, RowsAboutAsLongAsABlock) {
  for (const int length : {127, 128, 129, 255, 256, 257, 511, 512, 513, 1025})
    expect_right(std::vector<int>(37, length), 2000);
  std::vector<int> mixed(60, 0);
  for (std::size_t row = 0; row < mixed.size(); ++row)
    mixed[row] = row % 5 == 0 ? 257 : static_cast<int>(row % 3);
  expect_right(mixed, 300);
}

/// More empty rows than a block may have.
TEST(Spmv, EmptyRowsForSeveralBlocks) {
  expect_right(std::vector<int>(9001, 0), 3);
}

/// Paths that end with a piece, a chunk or a team's share, or one step before or after; rows that
/// end there, too, and rows that several pieces and chunks have parts of.
TEST(Spmv, PathsOfWholePieces) {
  for (const int path : {15, 16, 17, 511, 512, 513, 1024, 2047, 2048, 2049}) {
    expect_right({path - 1}, 3000);                                       // one row
    expect_right(std::vector<int>(static_cast<std::size_t>(path), 0), 3); // no non-zeros
    expect_right({path / 2 - 1, path - path / 2 - 1}, 3000);
  }
  expect_right(std::vector<int>(400, 15), 100); // a row a piece
  expect_right(std::vector<int>(40, 511), 600); // a row a chunk
  expect_right({2000, 3, 0, 0, 700, 1, 5000, 0}, 5000);
}

/// The check itself: one wrong row in many is seen.
TEST(Spmv, CheckSeesOneWrongRow) {
  Problem problem(matrix_of(std::vector<int>(1000, 5), 100));
  problem.call([](const sparse::Csr& a, const double* x, double* y) {
    for (int row = 0; row < a.rows; ++row) {
      y[row] = 0;
      for (int j = a.row_offsets[row]; j < a.row_offsets[row + 1]; ++j)
        y[row] += a.values[j] * x[a.column_indices[j]];
    }
    y[777] += 1e-12;
  });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("777"), std::string::npos);
}

} // namespace
} // namespace gangway::spmv
