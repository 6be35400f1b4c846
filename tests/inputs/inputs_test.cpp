// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs/csr.hpp"
#include "inputs/matrices.hpp"
#include "inputs/matrix_market.hpp"
#include "testing/messages.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace gangway::inputs {
namespace {

namespace fs = std::filesystem;
using testing::expect_words;
using testing::message_of;

/// A sparse matrix in the plainest form there is, which every other form is compared with.
using Entries = std::map<std::pair<long, long>, double>;

/// Also holds the matrix to what CsrMatrix promises.
Entries entries_of(const CsrMatrix& matrix) {
  Entries result;
  const auto nonzeros = static_cast<std::size_t>(matrix.nonzeros());
  EXPECT_EQ(matrix.row_offsets.size(), static_cast<std::size_t>(matrix.rows) + 1);
  EXPECT_EQ(matrix.column_indices.size(), nonzeros);
  EXPECT_EQ(matrix.row_offsets.front(), 0);
  EXPECT_EQ(matrix.row_offsets.back(), matrix.nonzeros());
  for (int row = 0; row < matrix.rows; ++row) {
    long last = -1;
    const auto index = static_cast<std::size_t>(row);
    for (auto at = matrix.row_offsets.at(index); at < matrix.row_offsets.at(index + 1); ++at) {
      const long column = matrix.column_indices.at(static_cast<std::size_t>(at));
      EXPECT_GT(column, last) << "row " << row << ": columns are not distinct and ascending";
      EXPECT_LT(column, matrix.columns);
      last = column;
      result[{row, column}] = matrix.values.at(static_cast<std::size_t>(at));
    }
  }
  return result;
}

// Generators

TEST(GuideMatrix, IsTheGuidesLoop) {
  const auto expected_of = [](int n, long rows) {
    Entries expected;
    for (long row = 0; row < rows; ++row)
      for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x)
            if (const long column = row + n * n * z + n * y + x; column >= 0 && column < rows)
              expected[{row, column}] += column == row ? 27 : -1;
    return expected;
  };
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    SCOPED_TRACE(n);
    for (const int planes : {1, 2, 2 * n + 3}) {
      const long rows = (n + 1L) * (n + 1L) * planes;
      EXPECT_EQ(guide_matrix(n, planes).rows, rows);
      EXPECT_EQ(entries_of(guide_matrix(n, planes)), expected_of(n, rows)) << planes << " planes";
    }
    const long rows = (n + 1L) * (n + 1L) * (n + 1L);
    const Entries expected = expected_of(n, rows);
    const CsrMatrix matrix = guide_matrix(n);
    EXPECT_EQ(matrix.rows, rows);
    EXPECT_EQ(matrix.columns, rows);
    EXPECT_EQ(entries_of(matrix), expected);
    EXPECT_EQ(guide_matrix_rows(n), rows);
    EXPECT_EQ(guide_matrix_nonzeros(n), matrix.nonzeros());
  }
}

TEST(GuideMatrix, HasTheGuidesSize) {
  EXPECT_EQ(guide_matrix_rows(200), 8'120'601);
  EXPECT_EQ(guide_matrix_nonzeros(200), 218'535'025);
  EXPECT_EQ(guide_matrix(40).nonzeros(), guide_matrix_nonzeros(40));
  EXPECT_LE(guide_matrix_nonzeros(max_guide_size), max_count);
}

TEST(GuideMatrix, RefusesSizesOutOfRange) {
  for (const int n : {-1, 0, 430, 2'147'483'647}) {
    expect_words(message_of<InputError>([=] { static_cast<void>(guide_matrix(n)); }),
                 {std::to_string(n), "use 1 to 429"});
    EXPECT_THROW(static_cast<void>(guide_matrix_rows(n)), InputError);
    EXPECT_THROW(static_cast<void>(guide_matrix_nonzeros(n)), InputError);
    EXPECT_THROW(static_cast<void>(guide_matrix(n, 1)), InputError);
  }
  EXPECT_THROW(static_cast<void>(guide_matrix(5, 0)), InputError);
  EXPECT_THROW(static_cast<void>(guide_matrix(200, 2'000'000'000)), InputError);
}

TEST(GridMatrix, IsClippedAtEachFace) {
  using Size = std::array<int, 3>;
  for (const auto& [nx, ny, nz] : {Size{1, 1, 1}, {2, 2, 2}, {3, 4, 5}, {5, 1, 3}, {1, 7, 1}})
    for (const int points : {7, 27}) {
      SCOPED_TRACE(::testing::Message() << nx << " x " << ny << " x " << nz << ", " << points);
      const auto index = [&](int x, int y, int z) { return x + nx * (y + ny * z); };
      Entries expected;
      for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
          for (int x = 0; x < nx; ++x)
            for (int w = 0; w < nz; ++w)
              for (int v = 0; v < ny; ++v)
                for (int u = 0; u < nx; ++u) {
                  const std::array<int, 3> distance{std::abs(x - u), std::abs(y - v),
                                                    std::abs(z - w)};
                  const int sum = distance[0] + distance[1] + distance[2];
                  if (points == 7 ? sum <= 1 : std::ranges::max(distance) <= 1)
                    expected[{index(x, y, z), index(u, v, w)}] = sum == 0 ? points - 1 : -1;
                }
      const CsrMatrix matrix = grid_matrix(nx, ny, nz, points);
      EXPECT_EQ(matrix.rows, nx * ny * nz);
      EXPECT_EQ(matrix.columns, matrix.rows);
      EXPECT_EQ(entries_of(matrix), expected);
    }
}

TEST(GridMatrix, RefusesWhatIsNoGrid) {
  const auto message = [](int nx, int ny, int nz, int points) {
    return message_of<InputError>([=] { static_cast<void>(grid_matrix(nx, ny, nz, points)); });
  };
  expect_words(message(0, 2, 2, 7), {"0 x 2 x 2", "use 1 or more"});
  expect_words(message(2, -2, 2, 7), {"-2", "use 1 or more"});
  expect_words(message(2, 2, 2, 9), {"9 points", "use 7 or 27"});
  expect_words(message(50'000, 50'000, 1, 7), {"2500000000 rows", "2^31 - 1"});
  expect_words(message(2'147'483'647, 2'147'483'647, 2'147'483'647, 7), {"2^31 - 1"});
  expect_words(message(2000, 2000, 2000, 27), {"8000000000 rows", "2^31 - 1"});
}

TEST(ElementsMatrix, IsTheGridsInBlocks) {
  for (const int unknowns : {1, 2, 3, 6}) {
    const CsrMatrix grid = grid_matrix(3, 4, 2, 27);
    const CsrMatrix matrix = elements_matrix(3, 4, 2, unknowns);
    Entries expected;
    for (const auto& [place, value] : entries_of(grid))
      for (int u = 0; u < unknowns; ++u)
        for (int v = 0; v < unknowns; ++v)
          expected[{place.first * unknowns + u, place.second * unknowns + v}] =
              u == v ? value : value / 4;
    EXPECT_EQ(matrix.rows, 24 * unknowns);
    EXPECT_EQ(entries_of(matrix), expected) << unknowns << " unknowns";
    EXPECT_EQ(why_not_symmetric(matrix), "");
  }
}

TEST(ElementsMatrix, RefusesWhatCannotBe) {
  const auto message = [](int nx, int unknowns) {
    return message_of<InputError>(
        [=] { static_cast<void>(elements_matrix(nx, 1000, 1000, unknowns)); });
  };
  expect_words(message(0, 3), {"0 x 1000 x 1000", "use 1 or more"});
  expect_words(message(2, 0), {"0 unknowns", "use 1 to 64"});
  expect_words(message(2, 65), {"65 unknowns", "use 1 to 64"});
  expect_words(message(1000, 3), {"3000000000 rows", "2^31 - 1"});
}

TEST(DenseRowsMatrix, HasShortRowsAndAFewLongOnes) {
  for (const int rows : {1, 5, 64, 4001})
    for (const int dense : {0, 1, 3, 5, 64})
      for (const int each : {0, 1, 5}) {
        if (dense > rows || each > rows)
          continue;
        SCOPED_TRACE(::testing::Message() << rows << " rows, " << dense << " dense, " << each);
        const CsrMatrix matrix = dense_rows_matrix(rows, each, dense, 1);
        std::vector<int> lengths(static_cast<std::size_t>(rows), each);
        for (int k = 0; k < dense; ++k)
          lengths[static_cast<std::size_t>(static_cast<long>(k) * rows / dense)] =
              std::max(1, rows / 4);
        for (std::size_t row = 0; row < lengths.size(); ++row)
          ASSERT_EQ(matrix.row_offsets[row + 1] - matrix.row_offsets[row], lengths[row]) << row;
        for (const auto& [place, value] : entries_of(matrix)) {
          ASSERT_GE(value, -1);
          ASSERT_LT(value, 1);
        }
      }
}

TEST(DenseRowsMatrix, RefusesWhatCannotBe) {
  const auto message = [](int rows, int each, int dense) {
    return message_of<InputError>(
        [=] { static_cast<void>(dense_rows_matrix(rows, each, dense, 1)); });
  };
  expect_words(message(0, 0, 0), {"0 rows", "use 1 or more"});
  expect_words(message(10, 11, 0), {"11 non-zeros a row", "use 0 to 10"});
  expect_words(message(10, 3, 11), {"11 dense rows", "use 0 to 10"});
  expect_words(message(10, 3, -1), {"-1 dense rows", "use 0 to 10"});
}

TEST(PowerLawMatrix, HasTheMeanEmptyRowsAndVeryLongRows) {
  for (const int rows : {1000, 5000})
    for (const double mean : {2.0, 10.0, 60.0})
      for (const double exponent : {1.5, 2.0, 3.0}) {
        SCOPED_TRACE(::testing::Message() << rows << " rows, " << mean << ", " << exponent);
        const CsrMatrix matrix = power_law_matrix(rows, mean, exponent, 1);
        const RowStatistics statistics = row_statistics(matrix);
        EXPECT_EQ(matrix.rows, rows);
        EXPECT_EQ(matrix.columns, rows);
        EXPECT_NEAR(statistics.mean, mean, 0.02 * mean);
        EXPECT_EQ(statistics.empty, rows / 16);
        EXPECT_EQ(statistics.minimum, 0);
        EXPECT_EQ(statistics.maximum, rows / 4);
        EXPECT_GT(statistics.standard_deviation, 0.5 * mean);
        for (const auto& [place, value] : entries_of(matrix)) {
          ASSERT_GE(value, -1);
          ASSERT_LT(value, 1);
        }
      }
}

TEST(PowerLawMatrix, FollowsTheLaw) {
  // The share of rows longer than x falls as x^(1 - exponent): here to a quarter from x to 4 x.
  const CsrMatrix matrix = power_law_matrix(200'000, 8, 2, 1);
  const auto longer_than = [&](int length) {
    long rows = 0;
    for (std::size_t row = 0; row < 200'000; ++row)
      rows += matrix.row_offsets[row + 1] - matrix.row_offsets[row] >= length;
    return static_cast<double>(rows);
  };
  for (const int length : {8, 32, 128, 512})
    EXPECT_NEAR(longer_than(length) / longer_than(4 * length), 4, 0.4) << length;
}

/// FNV-1a over the bits of the three arrays.
std::uint64_t checksum(const CsrMatrix& matrix) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3U; };
  for (const auto offset : matrix.row_offsets)
    add(static_cast<std::uint64_t>(offset));
  for (const auto column : matrix.column_indices)
    add(static_cast<std::uint64_t>(column));
  for (const auto value : matrix.values)
    add(std::bit_cast<std::uint64_t>(value));
  return hash;
}

TEST(PowerLawMatrix, HasTheSameBitsEverywhere) {
  // As computed on x86-64 with GCC 12; any compiler, flags and number of threads must agree.
  EXPECT_EQ(checksum(power_law_matrix(5000, 9, 2.1, 42)), 7333714905808778610U);
  EXPECT_EQ(checksum(power_law_matrix(77, 3.3, 1.7, 0)), 2175632042343178179U);
  EXPECT_NE(checksum(power_law_matrix(77, 3.3, 1.7, 1)),
            checksum(power_law_matrix(77, 3.3, 1.7, 0)));
}

TEST(PowerLawMatrix, TakesTheSmallestSizes) {
  EXPECT_EQ(power_law_matrix(1, 1, 2, 0).nonzeros(), 1);
  EXPECT_EQ(power_law_matrix(3, 1, 2, 0).nonzeros(), 3);
  EXPECT_EQ(row_statistics(power_law_matrix(8, 2, 1.0001, 0)).maximum, 2);
  EXPECT_EQ(row_statistics(power_law_matrix(16, 1.5, 1000, 0)).empty, 1);
}

TEST(PowerLawMatrix, RefusesWhatCannotBe) {
  const auto message = [](int rows, double mean, double exponent) {
    return message_of<InputError>(
        [=] { static_cast<void>(power_law_matrix(rows, mean, exponent, 1)); });
  };
  expect_words(message(0, 4, 2), {"0 rows", "1 or more"});
  expect_words(message(-5, 4, 2), {"-5 rows", "1 or more"});
  for (const double exponent : {1.0, -2.0, std::nan(""), HUGE_VAL})
    expect_words(message(100, 4, exponent), {"exponent", "use more than 1"});
  for (const double mean : {0.0, 1.0, -1.0, 26.0, std::nan(""), HUGE_VAL})
    expect_words(message(100, mean, 2), {"mean", "out of range", "with 100 rows use 1.18"});
}

TEST(RowStatistics, AreThoseOfTheLengths) {
  CsrMatrix matrix;
  EXPECT_EQ(row_statistics(matrix).mean, 0); // no rows at all
  matrix.rows = 4;
  matrix.columns = 9;
  matrix.row_offsets = {0, 2, 2, 9, 12};
  matrix.column_indices.resize(12);
  matrix.values.resize(12);
  const RowStatistics statistics = row_statistics(matrix);
  EXPECT_EQ(statistics.minimum, 0);
  EXPECT_EQ(statistics.maximum, 7);
  EXPECT_EQ(statistics.empty, 1);
  EXPECT_DOUBLE_EQ(statistics.mean, 3);
  EXPECT_DOUBLE_EQ(statistics.standard_deviation, std::sqrt((1 + 9 + 16 + 0) / 4.0));
  EXPECT_EQ(matrix.bytes(), 5 * 4 + 12 * 12);
}

TEST(Limits, AreSaidBeforeMemoryIsTouched) {
  EXPECT_NO_THROW(require_index_range(max_count, "non-zeros"));
  expect_words(message_of<InputError>([] { require_index_range(max_count + 1, "non-zeros"); }),
               {"2147483648 non-zeros", "2^31 - 1"});
  EXPECT_NO_THROW(require_memory(1 << 20, "a test"));
  expect_words(message_of<InputError>([] { require_memory(1L << 60, "a test"); }),
               {"a test needs 1099511627776 MiB", "choose a smaller size"});
}

// Matrix Market files

class MatrixMarket : public ::testing::Test {
protected:
  [[nodiscard]] fs::path folder() const { return _folder.path(); }

  [[nodiscard]] fs::path write(const std::string& text, const std::string& name = "a.mtx") const {
    std::ofstream(_folder / name, std::ios::binary) << text;
    return _folder / name;
  }
  [[nodiscard]] fs::path write_gzip(const std::string& text) const {
    const fs::path path = _folder / "a.mtx.gz";
    gzFile file = gzopen(path.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path;
  }
  [[nodiscard]] CsrMatrix read(const std::string& text) const {
    return read_matrix_market(write(text));
  }
  [[nodiscard]] std::vector<double> read_vector(const std::string& text) const {
    return read_vector_matrix_market(write(text));
  }
  [[nodiscard]] std::string contents(const fs::path& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

private:
  testing::TemporaryFolder _folder;
};

TEST_F(MatrixMarket, ReadsRealGeneral) {
  const CsrMatrix matrix = read("%%MatrixMarket matrix coordinate real general\n"
                                "% a comment\n"
                                "\n"
                                "3 4 4\n"
                                "3 1 -1.5e+2\n"
                                "1 4 .25\n"
                                "1 1 +7\n"
                                "3 4 0\n");
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.columns, 4);
  EXPECT_EQ(entries_of(matrix), (Entries{{{0, 0}, 7}, {{0, 3}, .25}, {{2, 0}, -150}, {{2, 3}, 0}}));
}

TEST_F(MatrixMarket, ReadsIntegerAndPattern) {
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate integer general\n2 2 2\n"
                            "2 1 -3\n1 1 +9007199254740992\n")),
            (Entries{{{0, 0}, 9007199254740992.0}, {{1, 0}, -3}}));
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 3\n1 2\n")),
            (Entries{{{0, 1}, 1}, {{1, 2}, 1}}));
}

TEST_F(MatrixMarket, ExpandsSymmetricAndSkewSymmetric) {
  const std::string body = "3 3 3\n1 1 0\n2 1 5\n3 2 -4\n";
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate real symmetric\n" + body)),
            (Entries{{{0, 0}, 0}, {{0, 1}, 5}, {{1, 0}, 5}, {{1, 2}, -4}, {{2, 1}, -4}}));
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate integer skew-symmetric\n" + body)),
            (Entries{{{0, 0}, 0}, {{0, 1}, -5}, {{1, 0}, 5}, {{1, 2}, 4}, {{2, 1}, -4}}));
  EXPECT_EQ(
      entries_of(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 2\n2 1\n")),
      (Entries{{{0, 1}, 1}, {{1, 0}, 1}, {{1, 1}, 1}}));
}

TEST_F(MatrixMarket, SumsDuplicatesInTheOrderOfTheFile) {
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate real general\n3 3 7\n"
                            "1 2 1e16\n3 3 4\n1 1 3\n1 2 1\n1 2 -1e16\n3 3 4\n2 2 9\n")),
            (Entries{{{0, 0}, 3}, {{0, 1}, 1e16 + 1 - 1e16}, {{1, 1}, 9}, {{2, 2}, 8}}));
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n"
                            "2 1\n2 1\n1 1\n")),
            (Entries{{{0, 0}, 1}, {{0, 1}, 2}, {{1, 0}, 2}}));
}

TEST_F(MatrixMarket, ToleratesWhatFilesHave) {
  const Entries expected{{{0, 0}, 2}, {{1, 1}, 3}};
  EXPECT_EQ(
      entries_of(read("%%MATRIXMARKET\tMatrix  COORDINATE Real GENERAL  \r\n"
                      "%\r\n  \r\n\t2 2\t2 \r\n \t1 1 2.0\t\r\n% between\r\n\r\n2\t2 +3\r\n\r\n"
                      "% at the end")),
      expected);
  // No line end behind the last entry.
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 3")),
            expected);
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n3 2 0\n").nonzeros(), 0);
  // Too small for a double: zero, or the nearest there is.
  EXPECT_EQ(entries_of(read("%%MatrixMarket matrix coordinate real general\n2 2 2\n"
                            "1 1 1e-400\n2 2 4e-320\n")),
            (Entries{{{0, 0}, 0}, {{1, 1}, 4e-320}}));
}

TEST_F(MatrixMarket, ReadsGzip) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 0.1\n";
  EXPECT_EQ(entries_of(read_matrix_market(write_gzip(text))), (Entries{{{1, 0}, 0.1}}));
  // The content decides, not the name.
  fs::rename(folder() / "a.mtx.gz", folder() / "b.mtx");
  EXPECT_EQ(read_matrix_market(folder() / "b.mtx").nonzeros(), 1);
  EXPECT_EQ(read_matrix_market(write(text, "c.gz")).nonzeros(), 1);
}

TEST_F(MatrixMarket, ReadsFilesLargerThanItsBuffer) {
  const CsrMatrix matrix = grid_matrix(20, 21, 22, 27);
  const Entries entries = entries_of(matrix);
  std::ostringstream text;
  text.precision(17);
  text << "%%MatrixMarket matrix coordinate real general\n"
       << matrix.rows << ' ' << matrix.columns << ' ' << entries.size() << '\n';
  // By column, as most files are, and so that no row is in one piece.
  std::map<std::pair<long, long>, double> by_column;
  for (const auto& [place, value] : entries)
    by_column[{place.second, place.first}] = value;
  for (const auto& [place, value] : by_column)
    text << place.second + 1 << ' ' << place.first + 1 << "        " << value << '\n';
  ASSERT_GT(text.str().size(), 3U << 20);
  EXPECT_EQ(checksum(read(text.str())), checksum(matrix));
  EXPECT_EQ(checksum(read_matrix_market(write_gzip(text.str()))), checksum(matrix));
}

/// What the text of a valid file means, by the plainest code that can read it.
Entries oracle(const std::string& text) {
  std::istringstream file(text);
  std::string line;
  std::getline(file, line);
  const bool pattern = line.find("pattern") != std::string::npos;
  const bool skew = line.find("skew") != std::string::npos;
  const bool symmetric = line.find("symmetric") != std::string::npos;
  bool seen_size = false;
  Entries result;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    long row = 0;
    long column = 0;
    if (line.find('%') != std::string::npos || !(fields >> row >> column))
      continue;
    double value = 1;
    if (!std::exchange(seen_size, true))
      continue;
    if (!pattern)
      fields >> value;
    result[{row - 1, column - 1}] += value;
    if (symmetric && row != column)
      result[{column - 1, row - 1}] += skew ? -value : value;
  }
  return result;
}

TEST_F(MatrixMarket, AgreesWithAPlainReaderOnRandomFiles) {
  std::mt19937_64 random(7);
  const auto pick = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  for (int trial = 0; trial < 400; ++trial) {
    const int symmetry = pick(0, 2);
    const int field = pick(symmetry == 2 ? 1 : 0, 2);
    const int rows = pick(1, trial % 20 == 0 ? 300 : 12);
    const int columns = symmetry == 0 ? pick(1, 12) : rows;
    const int entries = symmetry == 2 && rows == 1 ? 0 : pick(0, 4 * rows);
    const std::string end = pick(0, 1) == 0 ? "\n" : "\r\n";
    std::ostringstream text;
    text.precision(17);
    text << "%%MatrixMarket matrix coordinate "
         << std::array{"pattern", "integer", "real"}.at(static_cast<std::size_t>(field)) << ' '
         << std::array{"general", "symmetric", "skew-symmetric"}.at(
                static_cast<std::size_t>(symmetry))
         << end << rows << ' ' << columns << ' ' << entries << end;
    for (int entry = 0; entry < entries; ++entry) {
      int row = pick(1, rows);
      int column = pick(1, columns);
      if (symmetry == 2) { // strictly below the diagonal
        row = pick(2, rows);
        column = pick(1, row - 1);
      } else if (symmetry == 1 && column > row) {
        std::swap(row, column);
      }
      if (pick(0, 9) == 0)
        text << "% " << entry << end << end;
      text << row << (pick(0, 3) == 0 ? "\t " : " ") << column;
      if (field == 1)
        text << ' ' << pick(-1000, 1000);
      else if (field == 2)
        text << ' ' << std::ldexp(static_cast<double>(random()) - 0x1p63, pick(-200, 100));
      text << end;
    }
    SCOPED_TRACE(text.str());
    const Entries expected = oracle(text.str());
    ASSERT_EQ(entries_of(read(text.str())), expected);
    if (trial % 8 == 0) {
      ASSERT_EQ(entries_of(read_matrix_market(write_gzip(text.str()))), expected);
    }
  }
}

// What is wrong with a file, and what its message must say.

struct BadFile {
  std::string name;
  std::string text;
  std::vector<std::string> words;
};

std::string bad_file_name(const ::testing::TestParamInfo<BadFile>& test) {
  return test.param.name;
}

void PrintTo(const BadFile& bad, std::ostream* out) {
  *out << bad.name;
}

const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";

class BadMatrix : public MatrixMarket, public ::testing::WithParamInterface<BadFile> {};

TEST_P(BadMatrix, IsRefusedWithItsPlace) {
  const std::string& text = GetParam().text;
  for (const fs::path& path : {write(text), write_gzip(text)}) {
    const std::string message =
        message_of<InputError>([&] { static_cast<void>(read_matrix_market(path)); });
    EXPECT_TRUE(message.starts_with(path.string() + ":")) << message;
    expect_words(message, GetParam().words);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Banner, BadMatrix,
    ::testing::Values(
        BadFile{"Empty", "", {"is empty", "%%MatrixMarket matrix"}},
        BadFile{"NoBanner", "3 3 1\n1 1 1\n", {":1:", "'3 3 1'", "begins with '%%MatrixMarket"}},
        BadFile{"NotText",
                std::string("\x7f"
                            "ELF\0\x01\xff",
                            7) +
                    "\n",
                {":1:", "'?ELF"}},
        BadFile{"OneWord", "%%MatrixMarket\n", {":1:", "before its object"}},
        BadFile{"Object",
                "%%MatrixMarket vector coordinate real general\n",
                {":1:", "'vector' is not supported", "use 'matrix'"}},
        BadFile{"Array",
                "%%MatrixMarket matrix array real general\n1 1\n1\n",
                {":1:", "'array' is not supported", "use 'coordinate'"}},
        BadFile{"Format",
                "%%MatrixMarket matrix elemental real general\n",
                {":1:", "'elemental' is not supported", "use 'coordinate'"}},
        BadFile{"Complex",
                "%%MatrixMarket matrix coordinate complex general\n",
                {":1:", "'complex' is not supported", "use 'real'"}},
        BadFile{"Hermitian",
                "%%MatrixMarket matrix coordinate real hermitian\n",
                {":1:", "'hermitian' is not supported", "use 'general'"}},
        BadFile{"NoSymmetry",
                "%%MatrixMarket matrix coordinate real\n1 1 0\n",
                {":1:", "before its symmetry"}},
        BadFile{"SixWords",
                "%%MatrixMarket matrix coordinate real general now\n",
                {":1:", "goes on", "'now'"}},
        BadFile{"SkewPattern",
                "%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
                {":1:", "pattern", "skew-symmetric"}}),
    bad_file_name);

INSTANTIATE_TEST_SUITE_P(
    SizeLine, BadMatrix,
    ::testing::Values(
        BadFile{"Missing", general + "% only this\n", {":2:", "ends before its size line"}},
        BadFile{"TwoNumbers", general + "3 3\n", {":2:", "before the number of entries"}},
        BadFile{"FourNumbers", general + "%\n3 3 1 7\n", {":3:", "goes on with '7'"}},
        BadFile{"Word", general + "3 x 1\n", {":2:", "columns is 'x'", "not a whole number"}},
        BadFile{"Fraction", general + "3.0 3 1\n", {":2:", "rows is '3.0'"}},
        BadFile{"NegativeRows", general + "-3 3 1\n", {":2:", "rows", "out of range", "use 1 to"}},
        BadFile{"ZeroColumns", general + "3 0 0\n", {":2:", "columns", "out of range", "use 1 to"}},
        BadFile{"NegativeEntries", general + "3 3 -1\n", {":2:", "entries", "use 0 to 2147483647"}},
        BadFile{"RowsOverInt", general + "2147483648 3 1\n", {":2:", "rows", "2147483647"}},
        BadFile{"EntriesOverLong",
                general + "3 3 99999999999999999999\n",
                {":2:", "entries", "2147483647"}},
        BadFile{"NotSquare", symmetric + "3 4 0\n", {":2:", "3 by 4", "square"}},
        BadFile{"SkewNotSquare", skew + "4 3 0\n", {":2:", "4 by 3", "square"}}),
    bad_file_name);

INSTANTIATE_TEST_SUITE_P(
    Entry, BadMatrix,
    ::testing::Values(
        BadFile{"TooFew",
                general + "2 2 3\n1 1 1\n2 2 1\n",
                {":4:", "ends after 2 entries", "3 entries are declared in line 2", "cut off"}},
        BadFile{"TooMany",
                general + "2 2 1\n1 1 1\n%\n2 2 1\n",
                {":5:", "more entries than declared", "1 entries are declared in line 2"}},
        BadFile{
            "CutInLastLine", general + "2 2 2\n1 1 1\n2 2", {":4:", "before its value", "cut off"}},
        BadFile{"CutInIndex", general + "2 2 2\n1 1 1\n2", {":4:", "before its column", "cut off"}},
        BadFile{"RowZero", general + "2 2 1\n0 1 1\n", {":3:", "row", "out of range", "1 to 2"}},
        BadFile{"RowOver", general + "2 9 1\n3 1 1\n", {":3:", "row", "out of range", "1 to 2"}},
        BadFile{
            "ColumnOver", general + "9 2 1\n3 3 1\n", {":3:", "column", "out of range", "1 to 2"}},
        BadFile{"ColumnNegative", general + "9 2 1\n3 -1 1\n", {":3:", "column", "out of range"}},
        BadFile{"ColumnOverLong",
                general + "9 2 1\n3 99999999999999999999 1\n",
                {":3:", "column", "out of range", "1 to 2"}},
        BadFile{"RowWord", general + "2 2 1\none 1 1\n", {":3:", "row is 'one'", "whole number"}},
        BadFile{"ColumnFraction", general + "2 2 1\n1 1.5 1\n", {":3:", "column is '1.5'"}},
        BadFile{"NoValue", general + "2 2 1\n1 1\n", {":3:", "before its value", "'pattern'"}},
        BadFile{"ValueWord", general + "2 2 1\n1 1 x\n", {":3:", "value is 'x'", "decimal"}},
        BadFile{"TwoSigns", general + "2 2 1\n1 1 +-1\n", {":3:", "value is '+-1'"}},
        BadFile{"FortranExponent", general + "2 2 1\n1 1 1.0D+00\n", {":3:", "value is '1.0D+00'"}},
        BadFile{"DecimalComma", general + "2 2 1\n1 1 1,5\n", {":3:", "value is '1,5'"}},
        BadFile{"NaN", general + "2 2 2\n1 1 1\n2 2 NaN\n", {":4:", "NaN", "not finite"}},
        BadFile{"Infinity", general + "2 2 1\n1 1 -inf\n", {":3:", "-inf", "not finite"}},
        BadFile{"Overflow", general + "2 2 1\n1 1 1e999\n", {":3:", "'1e999'", "out of"}},
        BadFile{"SumOverflow",
                general + "2 2 2\n2 1 1e308\n2 1 1e308\n",
                {"row 2, column 1", "add up", "duplicate"}},
        BadFile{"RealInInteger", integer + "2 2 1\n1 1 1.5\n", {":3:", "value is '1.5'", "'real'"}},
        BadFile{"IntegerOverflow",
                integer + "2 2 1\n1 1 99999999999999999999\n",
                {":3:", "99999999999999999999", "64 bits"}},
        BadFile{"ValueInPattern", pattern + "2 2 1\n1 1 5\n", {":3:", "goes on with '5'"}},
        BadFile{"Trailing", general + "2 2 1\n1 1 5 oops\n", {":3:", "goes on with 'oops'"}},
        BadFile{"TwoEntriesInALine", general + "2 2 2\n1 1 5 2 2 5\n1 2 1\n", {":3:", "goes on"}},
        BadFile{
            "AboveDiagonal", symmetric + "2 2 1\n1 2 5\n", {":3:", "above the diagonal", "lower"}},
        BadFile{"SkewAboveDiagonal", skew + "2 2 1\n1 2 5\n", {":3:", "above the diagonal"}},
        BadFile{"SkewDiagonal", skew + "2 2 2\n2 1 1\n2 2 5\n", {":4:", "diagonal", "is zero"}},
        BadFile{"LongLine", general + std::string(2 << 20, ' '), {":2:", "longer than 1 MiB"}}),
    bad_file_name);

TEST_F(MatrixMarket, RefusesWhatIsNoFile) {
  const auto message = [](const fs::path& path) {
    const std::string text =
        message_of<InputError>([&] { static_cast<void>(read_matrix_market(path)); });
    EXPECT_TRUE(text.starts_with(path.string() + ":")) << text;
    EXPECT_EQ(text,
              message_of<InputError>([&] { static_cast<void>(read_vector_matrix_market(path)); }));
    return text;
  };
  expect_words(message(folder() / "none.mtx"), {"no such file"});
  expect_words(message(folder() / "none" / "a.mtx"), {"no such file"});
  expect_words(message(write("") / "a.mtx"), {"no such file"}); // below a file, not a folder
  expect_words(message(folder()), {"is a directory"});
  expect_words(message("/dev/null"), {"is not a regular file"});
  ASSERT_EQ(mkfifo((folder() / "pipe").c_str(), 0600), 0);
  expect_words(message(folder() / "pipe"), {"is not a regular file"}); // and does not wait for it
  expect_words(message(write("", "empty.mtx")), {"is empty"});
  if (geteuid() != 0) { // root may read everything
    const fs::path secret = write(general, "secret.mtx");
    fs::permissions(secret, fs::perms::none);
    expect_words(message(secret), {"cannot be opened", "ermission"});
  }
}

TEST_F(MatrixMarket, RefusesADamagedGzipStream) {
  std::string text = general + "300 300 300\n";
  for (int row = 1; row <= 300; ++row)
    text +=
        std::to_string(row) + " " + std::to_string(row) + " " + std::to_string(row * row) + "\n";
  const std::string whole = contents(write_gzip(text));
  ASSERT_EQ(read_matrix_market(folder() / "a.mtx.gz").nonzeros(), 300);
  const auto message = [&](const std::string& bytes) {
    const fs::path path = write(bytes, "bad.gz");
    return message_of<InputError>([&] { static_cast<void>(read_matrix_market(path)); });
  };
  for (const std::size_t cut : {1U, 4U, 8U, 9U}) // in the data, and in the checksum behind it
    expect_words(message(whole.substr(0, whole.size() - cut)), {"bad.gz:", "corrupt or cut off"});
  std::string flipped = whole;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1); // the checksum
  expect_words(message(flipped), {"corrupt or cut off", "gzip -t"});
}

TEST_F(MatrixMarket, TellsItsSizeWithoutBeingRead) {
  const DeclaredSize largest =
      declared_size(write(general + "2147483647 2147483646 2147483645\n1 1 1\n"));
  EXPECT_EQ(largest.rows, 2147483647);
  EXPECT_EQ(largest.columns, 2147483646);
  EXPECT_EQ(largest.nonzeros, 2147483645);
  EXPECT_EQ(declared_size(write(symmetric + "3 3 5\n")).nonzeros, 7);
  EXPECT_EQ(declared_size(write(symmetric + "3 3 2\n")).nonzeros, 2);
  EXPECT_EQ(declared_size(write_gzip(general + "3 4 2\n")).columns, 4);
  expect_words(message_of<InputError>(
                   [&] { static_cast<void>(declared_size(write(symmetric + "3 4 2\n"))); }),
               {"a.mtx:2:", "3 by 4"});
}

/// Whole buffers of a reader, and one byte beside: where the text ends with a buffer, nothing but
/// the checksum is left to read after it.
TEST_F(MatrixMarket, ReadsAGzipStreamThatEndsWithABuffer) {
  const auto text_of = [](std::size_t size) {
    std::string text = general + "1000000 1 1\n1 1 2.5\n%";
    text.resize(size - 1, 'c');
    for (std::size_t at = 200; at + 1 < text.size(); at += 100)
      text.replace(at, 2, "\n%");
    return text + "\n";
  };
  for (const int buffers : {1, 2, 3, 4, 5, 8, 12})
    for (const int beside : {-1, 0, 1}) {
      const int size = buffers * 262144 + beside;
      SCOPED_TRACE(size);
      const std::string whole = contents(write_gzip(text_of(static_cast<std::size_t>(size))));
      EXPECT_EQ(read_matrix_market(folder() / "a.mtx.gz").nonzeros(), 1);
      for (const std::size_t cut : {1U, 4U, 8U, 9U, 100U}) {
        const fs::path path = write(whole.substr(0, whole.size() - cut), "bad.gz");
        expect_words(message_of<InputError>([&] { static_cast<void>(read_matrix_market(path)); }),
                     {"bad.gz:", "corrupt or cut off"});
      }
    }
}

/// Reads a damaged file: a matrix that keeps its promises, or an InputError; nothing else.
template <class Read>
void survives(const Read& read_it) {
  try {
    read_it();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("; "), std::string::npos)
        << "not what would be right: " << error.what();
  }
}

TEST_F(MatrixMarket, SurvivesDamageAtEveryByte) {
  const std::vector<std::string> files = {
      general + "% c\n3 4 4\n3 1 -1.5e+2\n1 4 .25\r\n1 1 +7\n3 1 4\n",
      skew + "3 3 2\n2 1 1.5\n3 2 2\n",
      "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n3 1\n3 1\n",
  };
  const auto read_both = [&](const fs::path& path) {
    survives([&] { static_cast<void>(entries_of(read_matrix_market(path))); });
    survives([&] { static_cast<void>(read_vector_matrix_market(path)); });
  };
  for (const std::string& text : files) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      read_both(write(text.substr(0, at)));
      read_both(write(text.substr(0, at) + text.substr(at + 1)));
      for (const char damage : {'\0', '\n', '\r', ' ', '%', '-', '.', '0', '9', 'e', '\xff'}) {
        std::string damaged = text;
        damaged[at] = damage;
        read_both(write(damaged));
      }
    }
    const std::string packed = contents(write_gzip(text));
    for (std::size_t at = 0; at < packed.size(); ++at) {
      read_both(write(packed.substr(0, at)));
      for (const int bit : {0, 3, 7}) {
        std::string damaged = packed;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
        read_both(write(damaged));
      }
    }
  }
}

// Vectors

TEST_F(MatrixMarket, ReadsVectors) {
  const std::vector<double> expected{1.5, 0, -2};
  EXPECT_EQ(read_vector("%%MatrixMarket matrix array real general\n%\n3 1\n1.5\n0\n-2\n"),
            expected);
  EXPECT_EQ(read_vector(general + "3 1 3\n3 1 -1\n1 1 1.5\n3 1 -1\n"), expected);
  EXPECT_EQ(read_vector("%%MatrixMarket matrix array integer general\n2 1\n4\n5\n"),
            (std::vector<double>{4, 5}));
  EXPECT_EQ(
      read_vector_matrix_market(write_gzip("%%MatrixMarket matrix array real general\n1 1\n0.1\n")),
      std::vector<double>{0.1});
}

TEST_F(MatrixMarket, RefusesWhatIsNoVector) {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const auto message = [&](const std::string& text) {
    return message_of<InputError>([&] { static_cast<void>(read_vector(text)); });
  };
  expect_words(message(array + "3 2\n"), {":2:", "2 columns", "'n 1'"});
  expect_words(message(array + "3\n"), {":2:", "before the number of columns"});
  expect_words(message(array + "0 1\n"), {":2:", "rows", "out of range"});
  expect_words(message(array + "2 1 2\n"), {":2:", "goes on with '2'", "'rows columns'"});
  expect_words(message(array + "2 1\n1\n"), {":3:", "ends after 1 entries", "2 entries"});
  expect_words(message(array + "2 1\n1\n2\n3\n"), {":5:", "more entries"});
  expect_words(message(array + "2 1\n1 2\n"), {":3:", "goes on with '2'"});
  expect_words(message(array + "1 1\nnan\n"), {":3:", "not finite"});
  expect_words(message(general + "2 1 1\n3 1 1\n"), {":3:", "row", "out of range"});
  expect_words(message(general + "2 1 2\n2 1 1e308\n2 1 1e308\n"), {":4:", "row 2", "add up"});
  expect_words(message(pattern + "2 1 1\n1 1\n"), {":1:", "'pattern'", "use 'real'"});
  expect_words(message(symmetric + "1 1 1\n1 1 1\n"), {":1:", "symmetric", "use 'general'"});
}

TEST_F(MatrixMarket, WritesVectorsToTheLastBit) {
  std::mt19937_64 random(3);
  std::vector<double> vector{0.0, -0.0, 1e-320, 1.7976931348623157e308, 0.1, -1.0 / 3};
  while (vector.size() < 500)
    if (const auto value = std::bit_cast<double>(random()); std::isfinite(value))
      vector.push_back(value);
  const fs::path path = folder() / "x.mtx";
  write_vector_matrix_market(path, vector);
  const std::vector<double> again = read_vector_matrix_market(path);
  ASSERT_EQ(again.size(), vector.size());
  for (std::size_t index = 0; index < vector.size(); ++index)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(again[index]),
              std::bit_cast<std::uint64_t>(vector[index]));

  const std::array<double, 1> one{2};
  write_vector_matrix_market(path, one); // replaces
  EXPECT_EQ(contents(path), "%%MatrixMarket matrix array real general\n1 1\n2\n");

  fs::create_symlink("x.mtx", folder() / "link.mtx"); // what it points to is replaced
  const std::array<double, 1> other{3};
  write_vector_matrix_market(folder() / "link.mtx", other);
  EXPECT_TRUE(fs::is_symlink(folder() / "link.mtx"));
  EXPECT_EQ(read_vector_matrix_market(path), std::vector<double>{3});
}

TEST_F(MatrixMarket, WritesWholeOrNotAtAll) {
  const std::array<double, 2> good{1, 2};
  const std::array<double, 2> bad{1, std::nan("")};
  const auto message = [](const fs::path& path, std::span<const double> vector) {
    return message_of<InputError>([&] { write_vector_matrix_market(path, vector); });
  };
  const fs::path path = write("what was there");
  expect_words(message(path, bad), {"a.mtx: ", "value 2", "not finite"});
  expect_words(message(path, {}), {"0 values"});
  EXPECT_EQ(contents(path), "what was there");
  expect_words(message(folder(), good), {"is a directory"});
  expect_words(message(folder() / "none" / "x.mtx", good), {"cannot be written", "folder"});
  expect_words(message("/dev/null", good), {"/dev/null", "is not a regular file"});
  fs::create_symlink("a.mtx", folder() / ("b.mtx." + std::to_string(getpid()) + ".partial"));
  write_vector_matrix_market(folder() / "b.mtx", good); // not through another's link
  EXPECT_EQ(contents(path), "what was there");
  fs::remove(folder() / "b.mtx");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 1); // nothing is left behind
}

} // namespace
} // namespace gangway::inputs
