// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/row_part.hpp"

#include <algorithm>

namespace gangway::sparse {

std::vector<int> cut_by_nonzeros(const inputs::CsrMatrix& matrix, int parts, int block) {
  std::vector<int> cut;
  const auto begin = matrix.row_offsets.begin();
  for (int part = 0; part < parts; ++part) {
    // The row in which so many non-zeros have passed. Among empty rows the first.
    const long before = matrix.nonzeros() * part / parts;
    const long row = std::lower_bound(begin, begin + matrix.rows, before) - begin;
    const long whole_blocks = (row + block / 2) / block * block; // the nearest
    cut.push_back(static_cast<int>(std::min(whole_blocks, static_cast<long>(matrix.rows))));
  }
  cut.push_back(matrix.rows);
  return cut;
}

RowPart row_part(const inputs::CsrMatrix& whole, const std::vector<int>& cut, int part) {
  const int first = cut[static_cast<std::size_t>(part)];
  const int end = cut[static_cast<std::size_t>(part) + 1];
  const int rows = end - first;
  const auto is_own = [&](int column) { return column >= first && column < end; };
  const auto from = static_cast<std::size_t>(whole.row_offsets[static_cast<std::size_t>(first)]);
  const auto to = static_cast<std::size_t>(whole.row_offsets[static_cast<std::size_t>(end)]);

  RowPart own{.first_row = first, .matrix = {}, .halo = {}, .order = {}, .inner = 0};
  for (std::size_t j = from; j < to; ++j)
    if (!is_own(whole.column_indices[j]))
      own.halo.push_back(whole.column_indices[j]);
  std::ranges::sort(own.halo);
  own.halo.erase(std::ranges::unique(own.halo).begin(), own.halo.end());
  const auto halo = static_cast<long>(own.halo.size());
  inputs::require_index_range(rows + halo, "rows and halo of a part");

  inputs::CsrMatrix& matrix = own.matrix;
  matrix.rows = rows;
  matrix.columns = static_cast<int>(rows + halo);
  matrix.row_offsets = base::HostArray<std::int32_t>(static_cast<std::size_t>(rows) + 1);
  for (std::size_t row = 0; row < matrix.row_offsets.size(); ++row)
    matrix.row_offsets[row] =
        whole.row_offsets[static_cast<std::size_t>(first) + row] - static_cast<int>(from);
  matrix.values = base::HostArray<double>(to - from);
  matrix.column_indices = base::HostArray<std::int32_t>(to - from);
  for (std::size_t j = from; j < to; ++j) {
    const int column = whole.column_indices[j];
    matrix.values[j - from] = whole.values[j];
    matrix.column_indices[j - from] =
        is_own(column) ? column - first
                       : rows + static_cast<int>(std::ranges::lower_bound(own.halo, column) -
                                                 own.halo.begin());
  }

  own.order = base::HostArray<int>(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row)
    own.order[static_cast<std::size_t>(row)] = row;
  const auto needs_none = [&](int row) {
    const auto columns = matrix.column_indices.begin();
    return std::all_of(columns + matrix.row_offsets[static_cast<std::size_t>(row)],
                       columns + matrix.row_offsets[static_cast<std::size_t>(row) + 1],
                       [&](int column) { return column < rows; });
  };
  const auto border = std::stable_partition(own.order.begin(), own.order.end(), needs_none);
  own.inner = static_cast<int>(border - own.order.begin());
  return own;
}

} // namespace gangway::sparse
