// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs/matrices.hpp"
#include "sparse/merge_path.hpp"
#include "sparse/ordered_product.hpp"
#include "sparse/pattern_slices.hpp"
#include "sparse/product.hpp"
#include "sparse/row_blocks.hpp"
#include "sparse/row_part.hpp"
#include "sparse/row_patterns.hpp"
#include "sparse/rows.hpp"
#include "sparse/sharing.hpp"

#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gangway::sparse {
namespace {

/// A matrix of the given row lengths. Its values and `vector_for` it are small whole numbers, so
/// that every order of additions has the same sum.
inputs::CsrMatrix matrix_of(const std::vector<int>& lengths, int columns) {
  inputs::CsrMatrix matrix;
  matrix.rows = static_cast<int>(lengths.size());
  matrix.columns = columns;
  matrix.row_offsets.push_back(0);
  for (const int length : lengths) {
    for (int k = 0; k < length; ++k) {
      matrix.column_indices.push_back(static_cast<int>(static_cast<long>(k) * columns / length));
      matrix.values.push_back(k % 5 - 1);
    }
    matrix.row_offsets.push_back(static_cast<int>(matrix.values.size()));
  }
  return matrix;
}

std::vector<double> vector_for(const inputs::CsrMatrix& matrix) {
  std::vector<double> x(static_cast<std::size_t>(matrix.columns));
  for (std::size_t c = 0; c < x.size(); ++c)
    x[c] = static_cast<double>(c % 7) - 2;
  return x;
}

std::vector<double> serial_product(const inputs::CsrMatrix& matrix, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows));
  for (std::size_t row = 0; row < y.size(); ++row)
    for (auto j = static_cast<std::size_t>(matrix.row_offsets[row]);
         j < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++j)
      y[row] += matrix.values[j] * x[static_cast<std::size_t>(matrix.column_indices[j])];
  return y;
}

/// What `product` makes of the matrix and its vector, in a region of its own.
std::vector<double> run(const Product& product, const inputs::CsrMatrix& matrix,
                        const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows),
                        std::numeric_limits<double>::quiet_NaN());
  Data data;
  const auto a = copyin(data, csr_of(matrix));
  const auto in = data.copyin(x.data(), x.size());
  const auto out = data.copyout(y.data(), y.size());
  product(a, in, out);
  Kokkos::fence();
  data.close();
  return y;
}

std::vector<int> skewed_lengths() {
  std::vector<int> lengths(3000, 3);
  lengths[0] = 9000;
  lengths[1234] = 33 * MergePath::staged; // full pieces that begin at every place of a line
  lengths.back() = 5000;
  return lengths;
}

/// Row lengths that ways of sharing rows out trip over.
std::vector<std::pair<std::string, std::vector<int>>> awkward_lengths() {
  std::vector<int> holes(5000, 0);
  for (std::size_t row = 0; row < holes.size(); row += 3)
    holes[row] = 4;
  std::vector<int> empty_end(20000, 0);
  empty_end[0] = 7;
  std::vector<int> mixed(700);
  for (std::size_t row = 0; row < mixed.size(); ++row)
    mixed[row] = static_cast<int>(row * 37 % (RowBlocks::longest_row + 1));
  return {{"no rows", {}},
          {"one row", {5}},
          {"one empty row", {0}},
          {"only empty rows", std::vector<int>(10000, 0)},
          {"empty rows between", holes},
          {"empty rows at the end", empty_end},
          {"of every length", mixed},
          {"as long as may be", std::vector<int>(50, RowBlocks::longest_row)},
          {"as long as a lane sums", std::vector<int>(200, MergePath::longest_of_lane)},
          {"one longer than a lane sums", std::vector<int>(200, MergePath::longest_of_lane + 1)},
          {"27 a row", std::vector<int>(4000, 27)},
          {"full blocks that begin at every place of a line",
           std::vector<int>(static_cast<std::size_t>(33) * RowBlocks::staged, 1)}};
}

TEST(SparseRows, LanesByMeanLength) {
  // The bounds themselves, and just above them.
  const std::vector<std::pair<double, int>> table{
      {0, 2},  {1, 2},      {6, 2},   {6.01, 4}, {7, 4},      {12, 4},  {12.01, 8},
      {24, 8}, {24.01, 16}, {27, 16}, {48, 16},  {48.01, 32}, {96, 32}, {1e9, 32}};
  for (const auto& [mean, lanes] : table)
    EXPECT_EQ(lanes_for(mean), lanes) << mean << " non-zeros a row";
}

TEST(SparseRows, GangsOf64Threads) {
  for (const double mean : {0.0, 7.0, 20.0, 27.0, 1000.0}) {
    const kernels::Mapping mapping = rows_per_worker_mapping({.mean = mean});
    EXPECT_EQ(mapping.clauses.vector, lanes_for(mean));
    EXPECT_EQ(mapping.clauses.workers * mapping.clauses.vector, 64);
    EXPECT_EQ(mapping.items_per_worker, 4);
    EXPECT_NO_THROW(detail::validate(mapping.clauses, 1));
  }
}

TEST(SparseRows, SkewedIsALongestRowBeyondAFairShare) {
  const auto skewed = [](long maximum, double mean, double deviation, long nonzeros, int threads) {
    return is_skewed({.maximum = maximum, .mean = mean, .standard_deviation = deviation}, nonzeros,
                     threads);
  };
  EXPECT_FALSE(skewed(27, 27, 0, 27'000'000, 2048));
  // 32 x (9 + 1) = 320, more than a fair share of 90 000 / (8 x 100).
  EXPECT_FALSE(skewed(320, 9, 1, 90'000, 100));
  EXPECT_TRUE(skewed(321, 9, 1, 90'000, 100));
  // With fewer threads a fair share, 90 000 / 16 = 5625, is what counts.
  EXPECT_FALSE(skewed(5625, 9, 1, 90'000, 2));
  EXPECT_TRUE(skewed(5626, 9, 1, 90'000, 2));
  // Or a spread of more than four means.
  EXPECT_FALSE(skewed(100, 9, 40, 90'000, 2));
  EXPECT_TRUE(skewed(100, 9, 40.5, 90'000, 2));
  EXPECT_FALSE(skewed(0, 0, 0, 0, 0)) << "no rows, no threads";
}

TEST(SparseRows, SharingByRows) {
  const inputs::RowStatistics even{.maximum = 27, .mean = 27};
  const inputs::RowStatistics longest{.maximum = RowBlocks::longest_row, .mean = 100};
  const inputs::RowStatistics longer{.maximum = RowBlocks::longest_row + 1, .mean = 100};
  const inputs::RowStatistics uneven{.maximum = 1'000'000, .mean = 10, .standard_deviation = 500};
  const long nonzeros = 20'000'000;
  const SharedBy device{2048, RowBlocks::longest_row, 0};
  EXPECT_EQ(sharing_for(even, nonzeros, device), Sharing::row_blocks);
  EXPECT_EQ(sharing_for(longest, nonzeros, device), Sharing::row_blocks);
  EXPECT_EQ(sharing_for(longer, nonzeros, device), Sharing::rows_per_worker);
  EXPECT_EQ(sharing_for(uneven, nonzeros, device), Sharing::merge_path);
  const SharedBy host{2048, -1, HUGE_VAL};
  for (const inputs::RowStatistics& rows : {even, longest, longer})
    EXPECT_EQ(sharing_for(rows, nonzeros, host), Sharing::row_per_thread);
  EXPECT_EQ(sharing_for(uneven, nonzeros, host), Sharing::merge_path);
  const SharedBy vectors_of_32{1 << 18, -1, 16};
  EXPECT_EQ(sharing_for({.maximum = 20, .mean = 15.9}, nonzeros, vectors_of_32),
            Sharing::row_per_thread);
  EXPECT_EQ(sharing_for({.maximum = 20, .mean = 16}, nonzeros, vectors_of_32),
            Sharing::rows_per_worker);
}

/// As the inputs tell them of a whole matrix.
TEST(SparseRows, LengthsOfRows) {
  for (const inputs::CsrMatrix& matrix :
       {inputs::grid_matrix(9, 8, 7, 27), inputs::power_law_matrix(500, 9, 2.3, 1)}) {
    const inputs::RowStatistics all = inputs::row_statistics(matrix);
    const inputs::RowStatistics found = lengths_of_rows(csr_of(matrix));
    EXPECT_EQ(found.maximum, all.maximum);
    EXPECT_EQ(found.mean, all.mean);
    EXPECT_NEAR(found.standard_deviation, all.standard_deviation, 1e-9);
  }
  EXPECT_EQ(lengths_of_rows(csr_of(matrix_of({}, 3))).maximum, 0);
}

/// Every row in exactly one block, in order; no block of more non-zeros or rows than asked for; and
/// none that could not be closed yet.
TEST(SparseRowBlocks, HoldEachRowOnceWithinTheirCaps) {
  for (const auto& [name, lengths] : awkward_lengths())
    for (const auto& [most_nonzeros, most_rows] :
         {std::pair{RowBlocks::staged, RowBlocks::most_rows}, std::pair{RowBlocks::staged, 100},
          std::pair{RowBlocks::longest_row, 1}}) {
      SCOPED_TRACE(name + ", " + std::to_string(most_nonzeros) + " non-zeros and " +
                   std::to_string(most_rows) + " rows a block");
      const inputs::CsrMatrix matrix = matrix_of(lengths, 600);
      const auto longest = static_cast<int>(inputs::row_statistics(matrix).maximum);
      const std::vector<int> first =
          first_rows_of_blocks(csr_of(matrix), longest, most_nonzeros, most_rows);
      ASSERT_FALSE(first.empty());
      EXPECT_EQ(first.front(), 0);
      EXPECT_EQ(first.back(), matrix.rows);
      for (std::size_t block = 0; block + 1 < first.size(); ++block) {
        const int rows = first[block + 1] - first[block];
        const auto offset = [&](int row) {
          return matrix.row_offsets[static_cast<std::size_t>(row)];
        };
        const int nonzeros = offset(first[block + 1]) - offset(first[block]);
        EXPECT_GE(rows, 1) << "block " << block;
        EXPECT_LE(rows, most_rows) << "block " << block;
        EXPECT_LE(nonzeros, most_nonzeros) << "block " << block;
        if (block + 2 < first.size()) {
          EXPECT_TRUE(rows == most_rows || nonzeros > most_nonzeros - longest)
              << "block " << block << " has room for any row";
        }
      }
    }
}

TEST(SparseRowBlocks, ARunOfEmptyRowsIsCut) {
  const inputs::CsrMatrix matrix = matrix_of(std::vector<int>(3 * RowBlocks::most_rows + 1, 0), 1);
  const RowBlocks blocks("sparse_test/row-blocks", csr_of(matrix), inputs::row_statistics(matrix));
  EXPECT_EQ(blocks.count(), 4);
}

TEST(SparseRowBlocks, AreAtLeastHalfFullOfTheLongestRowsThereMayBe) {
  const inputs::CsrMatrix matrix = matrix_of(std::vector<int>(100, RowBlocks::longest_row), 600);
  const RowBlocks blocks("sparse_test/row-blocks", csr_of(matrix), inputs::row_statistics(matrix));
  EXPECT_LE(blocks.count(), 2 * 100 * RowBlocks::longest_row / RowBlocks::staged);
}

TEST(SparseRowBlocks, RefuseRowsThatAreTooLong) {
  EXPECT_EQ(RowBlocks::why_not({.maximum = RowBlocks::longest_row}), "");
  const inputs::CsrMatrix matrix = matrix_of({3, RowBlocks::longest_row + 1, 2}, 600);
  const inputs::RowStatistics rows = inputs::row_statistics(matrix);
  try {
    const RowBlocks blocks("sparse_test/row-blocks", csr_of(matrix), rows);
    FAIL() << "a row of " << rows.maximum;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), RowBlocks::why_not(rows));
    EXPECT_NE(std::string(error.what()).find("497"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("at most 496"), std::string::npos) << error.what();
  }
}

TEST(SparsePatterns, OfAGridAreThoseOfItsCornersEdgesFacesAndInside) {
  for (const int n : {3, 9}) {
    const inputs::CsrMatrix matrix = inputs::grid_matrix(n, n, n, 7);
    const Patterns patterns = patterns_of(csr_of(matrix));
    ASSERT_EQ(patterns.why_not, "");
    EXPECT_EQ(patterns.first.size() - 1, 27U) << n;
    const auto pattern = static_cast<std::size_t>(patterns.of_row[0]);
    EXPECT_EQ(std::vector<int>(patterns.offsets.begin() + patterns.first[pattern],
                               patterns.offsets.begin() + patterns.first[pattern + 1]),
              (std::vector<int>{0, 1, n, n * n}));
  }
}

TEST(SparsePatterns, SayWhereEveryNonZeroIs) {
  const inputs::CsrMatrix matrix = inputs::power_law_matrix(400, 5, 2.1, 3);
  const Patterns patterns = patterns_of(csr_of(matrix));
  ASSERT_EQ(patterns.why_not, "");
  for (int row = 0; row < matrix.rows; ++row) {
    const auto own = static_cast<std::size_t>(row);
    const int begin = patterns.first[patterns.of_row[own]];
    ASSERT_EQ(patterns.first[patterns.of_row[own] + 1U] - begin,
              matrix.row_offsets[own + 1] - matrix.row_offsets[own]);
    for (int j = matrix.row_offsets[own]; j < matrix.row_offsets[own + 1]; ++j)
      ASSERT_EQ(row +
                    patterns.offsets[static_cast<std::size_t>(begin + j - matrix.row_offsets[own])],
                matrix.column_indices[static_cast<std::size_t>(j)]);
  }
}

TEST(SparsePatterns, OfWhichThereAreTooManyAreRefused) {
  const auto refused = [](const std::vector<int>& lengths, const char* why) {
    const inputs::CsrMatrix matrix = matrix_of(lengths, 600);
    try {
      const RowPatterns product("sparse_test", csr_of(matrix), inputs::row_statistics(matrix));
      ADD_FAILURE() << why;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused(std::vector<int>(700, 250), "different patterns of columns");
  refused({3, RowPatterns::longest_row + 1, 2}, "at most 512");
}

/// By both of its kernels, on a host that for devices as well, in both memories.
TEST(SparsePatterns, GiveTheProduct) {
  std::vector<int> lengths{RowPatterns::longest_row, 0, 0, 1};
  for (int row = 0; row < 2000; ++row)
    lengths.push_back(row % 100 < 20 ? 0 : row % 13);
  for (const std::vector<int>& rows :
       {lengths, std::vector<int>{}, std::vector<int>(5 * RowPatterns::most_rows / 2, 0)}) {
    const inputs::CsrMatrix matrix = matrix_of(rows, 600);
    const std::vector<double> x = vector_for(matrix);
    const std::vector<double> right = serial_product(matrix, x);
    for (const bool staging : {false, true}) {
      const RowPatterns product("sparse_test/row-patterns", csr_of(matrix),
                                inputs::row_statistics(matrix), staging);
      EXPECT_EQ(run(product, matrix, x), right) << staging;
      const gangway::testing::WithMemory separate(Memory::separate);
      EXPECT_EQ(run(product, matrix, x), right) << staging << ", with separate memory";
    }
  }
}

/// Grids whose lines are slices, have a row more or lack one; and matrices without rows or
/// without non-zeros.
TEST(SparsePatternSlices, GiveTheProduct) {
  std::vector<inputs::CsrMatrix> matrices{matrix_of({}, 600),
                                          matrix_of(std::vector<int>(70, 0), 600),
                                          matrix_of(std::vector<int>(33, 5), 600)};
  for (const auto& [nx, ny, nz] : {std::array{64, 5, 5}, {1, 1, 33}, {65, 6, 4}, {31, 12, 12}})
    for (const int points : {7, 27})
      matrices.push_back(inputs::grid_matrix(nx, ny, nz, points));
  for (const inputs::CsrMatrix& matrix : matrices) {
    const std::vector<double> x = vector_for(matrix);
    const std::vector<double> right = serial_product(matrix, x);
    const PatternSlices product("sparse_test/pattern-slices", csr_of(matrix));
    EXPECT_EQ(run(product, matrix, x), right) << matrix.rows;
    const gangway::testing::WithMemory separate(Memory::separate);
    const PatternSlices again("sparse_test/pattern-slices", csr_of(matrix));
    EXPECT_EQ(run(again, matrix, x), right) << matrix.rows << ", with separate memory";
  }
}

TEST(SparsePatternSlices, OfMatricesThatSuitNoneAreRefused) {
  const auto refused = [](const std::vector<int>& lengths, const char* why) {
    const inputs::CsrMatrix matrix = matrix_of(lengths, 600);
    try {
      const PatternSlices product("sparse_test", csr_of(matrix));
      ADD_FAILURE() << why;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused(std::vector<int>(700, 250), "different patterns of columns");
  std::vector<int> uneven(640, 1);
  for (std::size_t row = 0; row < uneven.size(); row += 8)
    uneven[row] = 20;
  refused(uneven, "in slices its 2160 values would take 12800 places");
}

/// A way to share rows out.
struct Way {
  const char* name;
  Product (*product)(const inputs::CsrMatrix& matrix);
  /// For messages and CTest's names: addresses would be others in each run.
  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

Product by_row_blocks(const inputs::CsrMatrix& matrix) {
  return RowBlocks("sparse_test/row-blocks", csr_of(matrix), inputs::row_statistics(matrix));
}
Product by_pieces_of_teams(const inputs::CsrMatrix& matrix) {
  return MergePath("sparse_test/merge-path", csr_of(matrix), MergePath::Piece::of_team);
}
Product by_pieces_of_threads(const inputs::CsrMatrix& matrix) {
  return MergePath("sparse_test/merge-path", csr_of(matrix), MergePath::Piece::of_thread);
}
Product by_rows(const inputs::CsrMatrix&) {
  return
      [](const auto&... arguments) { row_per_thread("sparse_test/row-per-thread", arguments...); };
}
Product as_chosen(const inputs::CsrMatrix& matrix) {
  return product_for("sparse_test/chosen", csr_of(matrix), inputs::row_statistics(matrix));
}

/// Each of them, on a host those that are for devices as well; in both memories.
class EachWay : public ::testing::TestWithParam<Way> {
protected:
  static void expect_right(const std::vector<int>& lengths, int columns) {
    const inputs::CsrMatrix matrix = matrix_of(lengths, columns);
    const std::vector<double> x = vector_for(matrix);
    const std::vector<double> right = serial_product(matrix, x);
    const Product product = GetParam().product(matrix);
    EXPECT_EQ(run(product, matrix, x), right);
    const gangway::testing::WithMemory separate(Memory::separate);
    EXPECT_EQ(run(product, matrix, x), right) << "by the same plan, with separate memory";
    EXPECT_EQ(run(GetParam().product(matrix), matrix, x), right) << "with separate memory";
  }
};

INSTANTIATE_TEST_SUITE_P(Sparse, EachWay,
                         ::testing::Values(Way{"RowBlocks", by_row_blocks},
                                           Way{"MergePathOfTeams", by_pieces_of_teams},
                                           Way{"MergePathOfThreads", by_pieces_of_threads},
                                           Way{"RowPerThread", by_rows}, Way{"Chosen", as_chosen}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(EachWay, GivesTheProduct) {
  for (const auto& [name, lengths] : awkward_lengths()) {
    SCOPED_TRACE(name);
    expect_right(lengths, 600);
  }
}

TEST_P(EachWay, GivesTheProductOfSkewedRows) {
  if (std::string(GetParam().name) == "RowBlocks") {
    EXPECT_THROW(expect_right(skewed_lengths(), 20000), std::invalid_argument);
    return;
  }
  expect_right(skewed_lengths(), 20000);
}

TEST(SparseProduct, ChoosesTheMergePathForSkewedRows) {
  const inputs::CsrMatrix skewed = matrix_of(skewed_lengths(), 20000);
  const inputs::RowStatistics rows = inputs::row_statistics(skewed);
  EXPECT_NE(product_for("sparse_test/chosen", csr_of(skewed), rows).target<MergePath>(), nullptr);
  const inputs::CsrMatrix even = matrix_of(std::vector<int>(4000, 27), 600);
  EXPECT_EQ(product_for("sparse_test/chosen", csr_of(even), inputs::row_statistics(even))
                .target<MergePath>(),
            nullptr);
}

/// The matrix in one call: its three arrays, and nothing of it when a region holds it already.
TEST(SparseCsr, CrossesOnce) {
  const inputs::CsrMatrix matrix = matrix_of({3, 0, 5}, 8);
  const gangway::testing::WithMemory separate(Memory::separate);
  const Transfers before = transfers();
  Data outer;
  const DeviceCsr a = copyin(outer, csr_of(matrix));
  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.columns, 8);
  EXPECT_EQ(a.row_offsets.extent(0), 4U);
  EXPECT_EQ(a.column_indices.extent(0), 8U);
  EXPECT_EQ(a.values.extent(0), 8U);
  EXPECT_EQ(transfers().to_device - before.to_device, 3U);
  EXPECT_EQ(transfers().bytes_to_device - before.bytes_to_device,
            static_cast<std::uint64_t>(matrix.bytes()));
  Data inner;
  EXPECT_EQ(copyin(inner, csr_of(matrix)).values.data(), a.values.data());
  EXPECT_EQ(transfers().to_device - before.to_device, 3U);
}

/// Square matrices, some with rows that are empty, that nobody else needs, or that need everybody.
std::vector<inputs::CsrMatrix> square_matrices() {
  std::vector<int> ragged(41);
  for (std::size_t row = 0; row < ragged.size(); ++row)
    ragged[row] = row % 5 == 0 ? 0 : static_cast<int>(row * row % 13);
  ragged[17] = 41;
  std::vector<inputs::CsrMatrix> all;
  all.push_back(matrix_of(ragged, 41));
  all.push_back(matrix_of(std::vector<int>(12, 0), 12));
  all.push_back(matrix_of({3, 3, 3}, 3));
  all.push_back(matrix_of({}, 0));
  return all;
}

TEST(RowParts, AreCutByNonzerosAndCoverTheRows) {
  for (const inputs::CsrMatrix& matrix : square_matrices())
    for (const int parts : {1, 2, 3, 4, 7, 50}) {
      const std::vector<int> cut = cut_by_nonzeros(matrix, parts);
      ASSERT_EQ(std::ssize(cut), parts + 1);
      EXPECT_EQ(cut.front(), 0);
      EXPECT_EQ(cut.back(), matrix.rows);
      EXPECT_TRUE(std::ranges::is_sorted(cut));
      long longest = 0;
      for (int row = 0; row < matrix.rows; ++row)
        longest = std::max<long>(longest, matrix.row_offsets[static_cast<std::size_t>(row) + 1] -
                                              matrix.row_offsets[static_cast<std::size_t>(row)]);
      for (std::size_t part = 0; part + 1 < cut.size(); ++part) {
        const long here = matrix.row_offsets[static_cast<std::size_t>(cut[part + 1])] -
                          matrix.row_offsets[static_cast<std::size_t>(cut[part])];
        EXPECT_LE(here, matrix.nonzeros() / parts + longest + 1) << parts << " parts";
      }
    }
}

TEST(RowParts, AreCutBetweenBlocks) {
  const inputs::CsrMatrix matrix = matrix_of(std::vector<int>(45, 2), 45);
  EXPECT_EQ(cut_by_nonzeros(matrix, 3), (std::vector<int>{0, 15, 30, 45}));
  EXPECT_EQ(cut_by_nonzeros(matrix, 3, 8), (std::vector<int>{0, 16, 32, 45})) << "the nearest";
  EXPECT_EQ(cut_by_nonzeros(matrix, 4, 32), (std::vector<int>{0, 0, 32, 32, 45}));
  EXPECT_EQ(cut_by_nonzeros(matrix, 2, 64), (std::vector<int>{0, 0, 45}));
}

/// Each part's product with its own elements and its halo is the whole product's, to the last bit.
TEST(RowParts, HaveTheWholeProduct) {
  for (inputs::CsrMatrix& matrix : square_matrices()) {
    for (std::size_t j = 0; j < matrix.values.size(); ++j)
      matrix.values[j] = 1.0 / static_cast<double>(3 + j); // so that the order of additions shows
    const std::vector<double> x = vector_for(matrix);
    const std::vector<double> whole = serial_product(matrix, x);
    for (const int parts : {1, 2, 3, 7, 50}) {
      const std::vector<int> cut = cut_by_nonzeros(matrix, parts);
      std::vector<double> joined;
      for (int part = 0; part < parts; ++part) {
        const RowPart own = row_part(matrix, cut, part);
        const auto rows = static_cast<std::size_t>(own.matrix.rows);
        EXPECT_EQ(own.matrix.columns, own.matrix.rows + std::ssize(own.halo));
        EXPECT_EQ(std::ranges::adjacent_find(own.halo, std::ranges::greater_equal()),
                  own.halo.end());
        std::vector<double> mine(x.begin() + own.first_row,
                                 x.begin() + own.first_row + own.matrix.rows);
        for (const int column : own.halo) {
          EXPECT_TRUE(column < own.first_row || column >= own.first_row + own.matrix.rows);
          mine.push_back(x[static_cast<std::size_t>(column)]);
        }
        const std::vector<double> product = serial_product(own.matrix, mine);
        joined.insert(joined.end(), product.begin(), product.begin() + own.matrix.rows);

        // Without the halo the inner rows are right, and no others are called so.
        std::vector<int> rows_seen(own.order.begin(), own.order.end());
        std::ranges::sort(rows_seen);
        for (std::size_t row = 0; row < rows; ++row)
          EXPECT_EQ(rows_seen[row], static_cast<int>(row));
        for (std::size_t place = 0; place < rows; ++place) {
          const auto row = static_cast<std::size_t>(own.order[place]);
          bool needs_halo = false;
          for (auto j = static_cast<std::size_t>(own.matrix.row_offsets[row]);
               j < static_cast<std::size_t>(own.matrix.row_offsets[row + 1]); ++j)
            needs_halo |= own.matrix.column_indices[j] >= own.matrix.rows;
          EXPECT_EQ(needs_halo, static_cast<int>(place) >= own.inner);
        }
      }
      EXPECT_EQ(joined, whole) << parts << " parts";
    }
  }
}

TEST(RowsInPieces, AreCutWhereTheyAreLong) {
  const inputs::CsrMatrix matrix = matrix_of({0, 3, 7, 4, 9, 0}, 9);
  const RowPieces pieces(csr_of(matrix), 4);
  EXPECT_EQ(pieces.first, (std::vector<int>{0, 1, 2, 4, 5, 8, 9}));
  EXPECT_EQ(pieces.offsets, (std::vector<int>{0, 0, 3, 7, 10, 14, 18, 22, 23, 23}));
  EXPECT_EQ(pieces.longest, 4);
  EXPECT_EQ(pieces.count(), 9);
  EXPECT_EQ(RowPieces(csr_of(matrix), 100).count(), matrix.rows);
  EXPECT_EQ(RowPieces(csr_of(matrix), 100).longest, 9);
  EXPECT_EQ(RowPieces(csr_of(matrix_of({}, 0)), 4).count(), 0);
}

/// Rows of all lengths: empty, short, of several pieces, thousands of them and one that is dense.
std::vector<inputs::CsrMatrix> matrices_of_all_lengths() {
  std::vector<int> ragged(6000);
  for (std::size_t row = 0; row < ragged.size(); ++row)
    ragged[row] = static_cast<int>(row % 7 == 0 ? 0 : row * row % 61);
  ragged[11] = 5999;
  ragged[4000] = 1500;
  ragged[4001] = RowBlocks::longest_row;
  ragged[4002] = RowBlocks::longest_row + 1;
  std::vector<inputs::CsrMatrix> all;
  all.push_back(matrix_of(ragged, 6000));
  all.push_back(matrix_of(std::vector<int>(3000, 3), 3000));
  all.push_back(matrix_of(std::vector<int>(50, 0), 50));
  all.push_back(matrix_of({1}, 1));
  return all;
}

TEST(OrderedProducts, AreRight) {
  for (const inputs::CsrMatrix& matrix : matrices_of_all_lengths())
    for (const double mean : {2.0, 40.0}) {
      const std::vector<double> x = vector_for(matrix);
      EXPECT_EQ(run(ordered_product("test", csr_of(matrix), mean), matrix, x),
                serial_product(matrix, x));
    }
}

/// Whatever rows it is multiplied with, in the whole matrix or in a part of any size.
TEST(OrderedProducts, GiveARowTheSameBitsInAnyPart) {
  for (inputs::CsrMatrix& matrix : matrices_of_all_lengths()) {
    for (std::size_t j = 0; j < matrix.values.size(); ++j)
      matrix.values[j] = 1.0 / static_cast<double>(3 + j);
    const std::vector<double> x = vector_for(matrix);
    for (const double mean : {2.0, 40.0}) {
      const std::vector<double> whole =
          run(ordered_product("test", csr_of(matrix), mean), matrix, x);
      for (const int parts : {2, 3, 7}) {
        const std::vector<int> cut = cut_by_nonzeros(matrix, parts);
        std::vector<double> joined;
        for (int part = 0; part < parts; ++part) {
          const RowPart own = row_part(matrix, cut, part);
          std::vector<double> mine(x.begin() + own.first_row,
                                   x.begin() + own.first_row + own.matrix.rows);
          for (const int column : own.halo)
            mine.push_back(x[static_cast<std::size_t>(column)]);
          const std::vector<double> product =
              run(ordered_product("test", csr_of(own.matrix), mean), own.matrix, mine);
          joined.insert(joined.end(), product.begin(), product.begin() + own.matrix.rows);
        }
        EXPECT_EQ(joined, whole) << parts << " parts";
      }
    }
  }
}

} // namespace
} // namespace gangway::sparse
