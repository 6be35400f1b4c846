// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "sparse/csr.hpp"

/// Sparse matrix-vector product y = A x, CSR, double values, 32-bit indices.
///
///     for (int row = 0; row < rows; ++row) {
///       double sum = 0;
///       for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
///         sum += values[j] * x[column_indices[j]];
///       y[row] = sum;
///     }
///
/// gang: rows, or blocks of rows; worker: rows of a block; vector: the non-zeros of one row.
namespace gangway::spmv {

using sparse::Csr;
using Kernel = void(Csr matrix, const double* x, double* y);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any matrix, for tests.
  explicit Problem(inputs::CsrMatrix matrix);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] const inputs::CsrMatrix& matrix() const { return _matrix; }
  [[nodiscard]] Csr csr() const { return sparse::csr_of(_matrix); }
  [[nodiscard]] const inputs::RowStatistics& rows() const { return _rows; }

private:
  inputs::CsrMatrix _matrix;
  inputs::RowStatistics _rows;
  base::HostArray<double> _x;
  base::HostArray<double> _y;
  base::HostArray<double> _reference; ///< row sums in long double, rounded once
  base::HostArray<float> _scale; ///< sum of |a x| of each row: what its rounding error scales with
};

} // namespace gangway::spmv
