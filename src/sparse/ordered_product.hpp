// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/product.hpp"

#include <string>
#include <vector>

namespace gangway::sparse {

/// Matrix whose rows are cut into pieces of at most so many non-zeros; only an empty row has an
/// empty piece. The pieces are rows of a matrix with the same columns and values.
struct RowPieces {
  RowPieces(const Csr& matrix, int longest);

  std::vector<int> offsets; ///< first non-zero of each piece, and after them their number
  std::vector<int> first;   ///< first piece of each row, and after them their number
  int longest;              ///< non-zeros of the longest piece

  [[nodiscard]] int count() const { return static_cast<int>(offsets.size()) - 1; }
};

/// The product of one matrix in which the sum of a row has the same bits whatever the other rows
/// are, and whatever the number of threads: a row of a part of a matrix has those that it has in
/// the whole. Pieces of a row are summed each in order, and so are the sums of a row with several.
/// Equal shares of the non-zeros go to teams or threads, so that rows may be of any length. `mean`
/// is how many non-zeros a row of the whole matrix has: the order goes by it. Labels of the
/// kernels, and of what is on the device, begin with `label`.
[[nodiscard]] Product ordered_product(const std::string& label, const Csr& matrix, double mean);

} // namespace gangway::sparse
