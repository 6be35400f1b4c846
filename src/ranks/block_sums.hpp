// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace gangway::ranks {

/// Sums over the rows of a system that is cut among ranks, with the same bits whatever the number
/// of ranks. A plain sum of what each rank has would round otherwise for every cut. Consecutive
/// rows form blocks, which follow from the number of rows alone; one rank sums each block, and
/// every rank adds the sums of all blocks in their order. The price is that a sum sends up to
/// `most_blocks` numbers and not one.
class BlockSums {
public:
  static constexpr long most_blocks = 1024;

  /// Returns the rows of a block, a multiple of 8: so its doubles begin where cache lines do.
  [[nodiscard]] static constexpr long rows_each(long rows) {
    return std::max((rows + most_blocks - 1) / most_blocks + 7, 8L) / 8 * 8;
  }

  /// Makes the sums of this rank, which has the rows `own` of `rows`. They begin with a block, and
  /// end with one or with the last row. `ranks` has to live as long as this. Errors:
  /// std::invalid_argument where a block is cut.
  BlockSums(const Communicator& ranks, long rows, const Part& own);

  /// Return the number of this rank's rows, and of its blocks.
  [[nodiscard]] long rows() const { return _own_rows; }
  [[nodiscard]] int count() const { return _count; }
  /// Returns the rows of one block, counted from this rank's first.
  [[nodiscard]] Part block(int number) const {
    const long begin = number * _rows_each;
    return {begin, std::min(begin + _rows_each, _own_rows)};
  }

  /// Adds up several sums at once over all ranks, one for each element of `totals`, the same on
  /// each. `of_blocks` has the sums of this rank's blocks: count() for the first sum, then for the
  /// next. Collective.
  void add(std::span<const double> of_blocks, std::span<double> totals) const;

private:
  const Communicator* _ranks;
  long _rows_each;
  long _own_rows;
  std::size_t _first; ///< block of this rank
  int _count;
  std::size_t _all; ///< blocks of all ranks
};

} // namespace gangway::ranks
