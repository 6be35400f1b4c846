// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

namespace gangway::halo {

/// A rectangle of cells: rows [first_row, end_row) and columns [first_column, end_column) of the
/// arrays that a plate lies in. Standard C++ only: the OpenACC compiler reads it too.
struct Cells {
  long first_row;
  long end_row;
  long first_column;
  long end_column;

  [[nodiscard]] long rows() const { return end_row - first_row; }
  [[nodiscard]] bool empty() const { return first_row >= end_row || first_column >= end_column; }

  /// Returns these cells without so many rows or columns of each side. If there are not so many, it
  /// has none left, and it does not end before it begins.
  [[nodiscard]] Cells without(long above, long below, long left, long right) const {
    const auto at_least = [](long low, long end) { return end > low ? end : low; };
    const auto at_most = [](long end, long begin) { return begin < end ? begin : end; };
    const long row = at_most(end_row, first_row + above);
    const long column = at_most(end_column, first_column + left);
    return {row, at_least(row, end_row - below), column, at_least(column, end_column - right)};
  }
  /// Returns the rest around some of these cells: above, below, left and right of `inside`.
  [[nodiscard]] std::array<Cells, 4> around(const Cells& inside) const {
    return {{{first_row, inside.first_row, first_column, end_column},
             {inside.end_row, end_row, first_column, end_column},
             {inside.first_row, inside.end_row, first_column, inside.first_column},
             {inside.first_row, inside.end_row, inside.end_column, end_column}}};
  }
};

} // namespace gangway::halo
