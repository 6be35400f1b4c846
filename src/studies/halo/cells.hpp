// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
};

} // namespace gangway::halo
