// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Update of every element of a row-major array, double.
///
///     for (long i = 0; i < rows; ++i)
///       for (long j = 0; j < columns; ++j)
///         a[i * columns + j] = 2 * a[i * columns + j] + 1;
///
/// gang: rows; worker: none; vector: the columns of a row, which lie side by side. The stage
/// `strided` has the two loops the other way round: its vector runs down a column.
namespace gangway::order {

using Kernel = void(long rows, long columns, double* a);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  long _rows;
  long _columns;
  base::HostArray<double> _a;
};

} // namespace gangway::order
