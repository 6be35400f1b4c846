// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/row_blocks.hpp"

#include "sparse/on_device.hpp"

#include <stdexcept>
#include <utility>

namespace gangway::sparse {

std::vector<int> first_rows_of_blocks(const Csr& matrix, int longest, int most_nonzeros,
                                      int most_rows) {
  // A block ends with the row that reaches its share: it holds at most a share and a row.
  const int share = most_nonzeros - longest;
  std::vector<int> first{0};
  for (int row = 0, begin = 0; row < matrix.rows; ++row)
    if (matrix.row_offsets[row + 1] - matrix.row_offsets[begin] > share ||
        row - begin >= most_rows - 1 || row + 1 == matrix.rows) {
      first.push_back(row + 1);
      begin = row + 1;
    }
  return first;
}

std::string RowBlocks::why_not(const inputs::RowStatistics& rows) {
  if (rows.maximum <= longest_row)
    return {};
  return "a row has " + std::to_string(rows.maximum) +
         " non-zeros; blocks of whole rows are for rows of at most " + std::to_string(longest_row);
}

RowBlocks::RowBlocks(std::string label, const Csr& matrix, const inputs::RowStatistics& rows)
    : _label(std::move(label)) {
  if (const std::string reason = why_not(rows); !reason.empty())
    throw std::invalid_argument(reason);
  const std::vector<int> first =
      first_rows_of_blocks(matrix, static_cast<int>(rows.maximum), staged, most_rows);
  _count = static_cast<int>(first.size()) - 1;
  _first_rows = on_device(_label + " first rows", first);
}

void RowBlocks::operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                           const DeviceView<double>& out) const {
  const auto first_row = _first_rows;
  gangway::parallel_for(
      _label, policy(), KOKKOS_LAMBDA(const Member& gang) {
        const int row_begin = first_row(gang.league_rank());
        const int row_end = first_row(gang.league_rank() + 1);
        const StagedProducts product = stage_products<threads, false>(
            gang, a, in, a.row_offsets(row_begin), a.row_offsets(row_end));
        Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, row_begin, row_end),
                             [&](int row) { out(row) = sum_of_row(product, a, row); });
      });
}

} // namespace gangway::sparse
