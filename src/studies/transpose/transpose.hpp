// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Transpose of a rows x columns matrix, float.
///
///     for (long i = 0; i < columns; ++i)
///       for (long j = 0; j < rows; ++j) out[i * rows + j] = in[j * columns + i];
///
/// gang: rows i of the result, or tiles; vector: elements j of a row, so that writing is stride-1
/// and reading is not. (The document's index expression is right for square matrices only.)
namespace gangway::transpose {

using Kernel = void(int rows, int columns, const float* in, float* out);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  explicit Problem(const harness::Parameters& parameters);
  /// Takes any matrix, for tests.
  Problem(int rows, int columns, base::HostArray<float> given);

  /// Bit by bit.
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  int _rows;
  int _columns;
  bool _generated = false;
  base::HostArray<float> _in;
  base::HostArray<float> _out;
};

} // namespace gangway::transpose
