// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace gangway::sparse {

/// Returns where the slices of a matrix, of `rows` rows each, begin in an array of their own, and
/// where the last one ends. A slice has `rows` times as many places as its longest row has
/// non-zeros. For both models' plans.
[[nodiscard]] inline std::vector<std::int64_t> slice_begins(const Csr& matrix, int rows) {
  std::vector<std::int64_t> begins{0};
  for (long first = 0; first < matrix.rows; first += rows) {
    const long end = std::min<long>(first + rows, matrix.rows);
    int longest = 0;
    for (long row = first; row < end; ++row)
      longest = std::max(longest, matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
    begins.push_back(begins.back() + static_cast<std::int64_t>(longest) * rows);
  }
  return begins;
}

/// Says why a matrix is not cut into such slices. Empty if they take at most a quarter more than
/// its values, the last slice set aside, which may have few rows.
[[nodiscard]] inline std::string why_no_slices(const Csr& matrix,
                                               const std::vector<std::int64_t>& begins) {
  const std::int64_t nonzeros = matrix.nonzeros();
  const std::int64_t last = begins.size() < 2 ? 0 : begins.back() - begins[begins.size() - 2];
  if (begins.back() - last <= nonzeros + nonzeros / 4)
    return {};
  return "rows of different lengths lie side by side: in slices its " + std::to_string(nonzeros) +
         " values would take " + std::to_string(begins.back()) + " places";
}

} // namespace gangway::sparse
