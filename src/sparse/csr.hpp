// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inputs/csr.hpp"

/// Products with sparse matrices in compressed rows: the matrix as kernels take it, and the ways to
/// share its rows out. Above the library, below the studies and the programs. What computes with a
/// matrix includes this, which brings `inputs::CsrMatrix`.
namespace gangway::sparse {

/// A matrix in host memory that is somebody else's; the arrays as `inputs::CsrMatrix` says them.
/// Plain, so that it goes by value through the C ABI between the two models.
struct Csr {
  int rows;
  int columns;
  const int* row_offsets;    ///< rows + 1
  const int* column_indices; ///< nonzeros()
  const double* values;      ///< nonzeros()

  [[nodiscard]] int nonzeros() const { return row_offsets[rows]; }
};

/// Valid as long as `matrix` and its arrays are.
[[nodiscard]] inline Csr csr_of(const inputs::CsrMatrix& matrix) {
  return {matrix.rows, matrix.columns, matrix.row_offsets.data(), matrix.column_indices.data(),
          matrix.values.data()};
}

} // namespace gangway::sparse
