// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/block_sums.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace gangway::ranks {

BlockSums::BlockSums(const Communicator& ranks, long rows, const Part& own)
    : _ranks(&ranks), _rows_each(rows_each(rows)), _own_rows(own.count()),
      _first(static_cast<std::size_t>(own.begin / _rows_each)),
      _count(static_cast<int>((own.count() + _rows_each - 1) / _rows_each)),
      _all(static_cast<std::size_t>((rows + _rows_each - 1) / _rows_each)) {
  const auto is_cut = [&](long row) { return row % _rows_each != 0 && row != rows; };
  if (is_cut(own.begin) || is_cut(own.end))
    throw std::invalid_argument(
        fmt::format("ranks: the rows {} to {} are not whole blocks of {} of {} rows", own.begin,
                    own.end, _rows_each, rows));
}

void BlockSums::add(std::span<const double> of_blocks, std::span<double> totals) const {
  const auto count = static_cast<std::size_t>(_count);
  // Each block's sum meets only zeros of the other ranks, so that adding them rounds nothing.
  std::vector<double> all(totals.size() * _all, 0.0);
  for (std::size_t sum = 0; sum < totals.size(); ++sum)
    std::ranges::copy(of_blocks.subspan(sum * count, count), all.begin() + sum * _all + _first);
  if (_ranks->size() > 1)
    _ranks->sum(all);
  for (std::size_t sum = 0; sum < totals.size(); ++sum) {
    totals[sum] = 0;
    for (std::size_t block = 0; block < _all; ++block)
      totals[sum] += all[sum * _all + block];
  }
}

} // namespace gangway::ranks
