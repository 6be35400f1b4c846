// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "inputs/csr.hpp"
#include "sparse/csr.hpp"

#include <string>
#include <vector>

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

using Kernel = void(sparse::Csr matrix, const double* x, double* y);

class Problem : public harness::Problem {
public:
  using Kernel = spmv::Kernel;
  static constexpr const char* id = "spmv";
  static constexpr const char* title = "sparse matrix-vector product, CSR, double";
  static constexpr const char* source =
      "OpenACC Programming and Best Practices Guide, chapter 6 (Optimize Loops)";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);
  /// For tests: any matrix.
  explicit Problem(inputs::CsrMatrix matrix);

  template <class F>
  void call(F&& kernel) {
    kernel(sparse::csr_of(_matrix), _x.data(), _y.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

  [[nodiscard]] const inputs::CsrMatrix& matrix() const { return _matrix; }
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
