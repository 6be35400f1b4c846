// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Matrix product C = A B, float, row-major: A is rows x inner, B is inner x columns.
///
///     for (int i = 0; i < rows; ++i)
///       for (int j = 0; j < columns; ++j) {
///         float sum = 0;
///         for (int k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
///         c[i * columns + j] = sum;
///       }
///
/// gang: rows i, or tiles of C; worker: rows of a tile, in `three-level` columns j;
/// vector: columns j, in `three-level` and `kernels` the terms k of one sum.
namespace gangway::matmul {

using Kernel = void(int rows, int inner, int columns, const float* a, const float* b, float* c);

/// Sums of this many terms are still exact in float if the matrices hold 0, 1 and -1; longer ones
/// are refused.
inline constexpr int max_inner = 1 << 24;

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  /// Whole numbers, so small that every partial sum is exact in float: the result does not depend
  /// on the order of summation, and is compared bit by bit.
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any matrices, for tests. The result is compared with sums in double, within the rounding
  /// of float.
  Problem(int rows, int inner, int columns, base::HostArray<float> a, base::HostArray<float> b);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  void fill();
  void sum_in_double();
  void take_arguments();

  int _rows;
  int _inner;
  int _columns;
  base::HostArray<float> _a;
  base::HostArray<float> _b;
  base::HostArray<float> _c;
  std::vector<double> _reference; ///< given matrices: every element; else one period of them
  std::vector<double> _scale;     ///< sum of |a b| of every element; empty if results are exact
};

} // namespace gangway::matmul
