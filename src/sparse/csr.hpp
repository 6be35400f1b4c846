// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inputs/csr.hpp"

/// Products with sparse matrices in compressed rows: the matrix that kernels take, and ways to
/// share its rows out. The folder is above the library, and below the studies and the programs.
/// Sources that compute with a matrix include this header, which brings `inputs::CsrMatrix`.
namespace gangway::sparse {

/// A matrix in host memory that someone else owns; its arrays are those of `inputs::CsrMatrix`.
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
