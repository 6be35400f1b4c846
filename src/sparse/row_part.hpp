// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/csr.hpp"

#include <vector>

/// A square matrix cut by rows into parts, one for each rank, together with the same elements of
/// the vectors.
namespace gangway::sparse {

/// Returns the first row of each part, and after them the number of rows. A part has as many
/// consecutive rows as have about the same number of non-zeros. With more parts than rows some have
/// none. `parts` is at least 1. Cuts are made only where the row is a multiple of `block`.
[[nodiscard]] std::vector<int> cut_by_nonzeros(const inputs::CsrMatrix& matrix, int parts,
                                               int block = 1);

/// Part of a matrix that one rank has.
struct RowPart {
  int first_row; ///< in the whole matrix
  /// Its own rows, each with its non-zeros in the order of the whole matrix, so that their sum has
  /// the same bits. Columns 0 to rows - 1 are its own elements of a vector. The columns after them
  /// are the halo: the elements of other ranks that its rows need.
  inputs::CsrMatrix matrix;
  std::vector<int> halo;      ///< the halo's columns in the whole matrix, ascending
  base::HostArray<int> order; ///< its rows: those that need no halo, and then those that do
  int inner;                  ///< how many need none
};
/// Errors: InputError where rows and halo together are more than an index can say.
[[nodiscard]] RowPart row_part(const inputs::CsrMatrix& whole, const std::vector<int>& cut,
                               int part);

} // namespace gangway::sparse
