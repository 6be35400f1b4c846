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

/// The check itself: one wrong row in many is seen.
TEST(Spmv, CheckSeesOneWrongRow) {
  Problem problem(matrix_of(std::vector<int>(1000, 5), 100));
  problem.call([](int rows, int, const int* offsets, const int* columns, const double* values,
                  const double* x, double* y) {
    for (int row = 0; row < rows; ++row) {
      y[row] = 0;
      for (int j = offsets[row]; j < offsets[row + 1]; ++j)
        y[row] += values[j] * x[columns[j]];
    }
    y[777] += 1e-12;
  });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("777"), std::string::npos);
}

} // namespace
} // namespace gangway::spmv
