// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// An array filled with reciprocals of products, float, by a function that the loop calls.
///
///     for (int i = 0; i < rows; ++i)
///       for (int j = 0; j < columns; ++j)
///         v[long(i) * columns + j] = 1.0f / ((i + 1.0f) * (j + 1.0f));
///
/// gang: rows; worker: rows of a block, in the stage `worker`; vector: columns. The stages differ
/// in how much of the nest the called function holds: an element, a row, a block of rows, or all.
namespace gangway::routine {

using Kernel = void(int rows, int columns, float* v);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  int _rows;
  int _columns;
  base::HostArray<float> _v;
};

} // namespace gangway::routine
