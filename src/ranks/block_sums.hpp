// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace gangway::ranks {

/// Sums over the rows of a system that is cut among ranks, with the same bits whatever the number
/// of ranks, where adding up what each rank has would round otherwise for every cut. Consecutive
/// rows are blocks, which follow from the number of rows alone; each is summed by one rank, and
/// every rank adds the sums of all blocks in their order. The price is that a sum sends up to
/// `most_blocks` numbers and not one.
class BlockSums {
public:
  static constexpr long most_blocks = 1024;

  /// Of a block. A multiple of 8: doubles of a block begin where cache lines do.
  [[nodiscard]] static constexpr long rows_each(long rows) {
    return std::max((rows + most_blocks - 1) / most_blocks + 7, 8L) / 8 * 8;
  }

  /// Of this rank, which has the rows `own` of so many; they begin with a block, and end with one
  /// or with the last row. `ranks` has to live as long as this. Errors: std::invalid_argument where
  /// a block is cut.
  BlockSums(const Communicator& ranks, long rows, const Part& own);

  /// This rank's rows, and the blocks of them.
  [[nodiscard]] long rows() const { return _own_rows; }
  [[nodiscard]] int count() const { return _count; }
  /// The rows of one of them, counted from this rank's first.
  [[nodiscard]] Part block(int number) const {
    const long begin = number * _rows_each;
    return {begin, std::min(begin + _rows_each, _own_rows)};
  }

  /// Over all ranks, the same on each: several sums at once, one for each element of `totals`.
  /// `of_blocks` has those of this rank's blocks, count() for the first sum, then for the next. Of
  /// all ranks.
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
