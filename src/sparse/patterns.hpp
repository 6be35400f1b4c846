// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gangway::sparse {

/// The rows of a matrix by where their non-zeros are, as distances from the diagonal: rows of a
/// grid have few such patterns, whatever the grid's size. For both models' plans.
struct Patterns {
  static constexpr std::size_t most = 65536;         ///< patterns, which a row names by 16 bits
  static constexpr std::size_t most_offsets = 65536; ///< of all together: a cache's worth

  std::vector<int> first{0};         ///< of each pattern's offsets, and one past the last
  std::vector<int> offsets;          ///< column - row, of all patterns one after another
  std::vector<std::uint16_t> of_row; ///< a row's pattern
  std::string why_not;               ///< why this matrix has none; empty if it has
};

/// Equal rows are found by comparison with the row before, which on a grid is nearly always enough,
/// and else by a table.
[[nodiscard]] inline Patterns patterns_of(const Csr& matrix) {
  Patterns patterns;
  patterns.of_row.resize(static_cast<std::size_t>(matrix.rows));
  std::map<std::vector<int>, std::uint16_t> known;
  std::vector<int> offsets;
  const int* const columns = matrix.column_indices;
  for (int row = 0; row < matrix.rows; ++row) {
    const int begin = matrix.row_offsets[row];
    const int length = matrix.row_offsets[row + 1] - begin;
    if (row > 0) {
      const std::uint16_t before = patterns.of_row[static_cast<std::size_t>(row) - 1];
      const int first = patterns.first[before];
      const int* const its = patterns.offsets.data() + first;
      if (length == patterns.first[before + 1U] - first &&
          std::equal(its, its + length, columns + begin,
                     [row](int offset, int column) { return row + offset == column; })) {
        patterns.of_row[static_cast<std::size_t>(row)] = before;
        continue;
      }
    }
    offsets.resize(static_cast<std::size_t>(length));
    std::transform(columns + begin, columns + begin + length, offsets.begin(),
                   [row](int column) { return column - row; });
    auto place = known.find(offsets);
    if (place == known.end()) {
      if (known.size() == Patterns::most ||
          patterns.offsets.size() + offsets.size() > Patterns::most_offsets) {
        patterns.why_not = "the first " + std::to_string(row + 1) + " of its " +
                           std::to_string(matrix.rows) + " rows have already more than " +
                           std::to_string(known.size()) + " different patterns of columns";
        return patterns;
      }
      place = known.emplace(offsets, static_cast<std::uint16_t>(known.size())).first;
      patterns.offsets.insert(patterns.offsets.end(), offsets.begin(), offsets.end());
      patterns.first.push_back(static_cast<int>(patterns.offsets.size()));
    }
    patterns.of_row[static_cast<std::size_t>(row)] = place->second;
  }
  return patterns;
}

} // namespace gangway::sparse
