// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Each inner point of a grid becomes the mean of its four neighbours, double:
///
///     for (int i = 1; i < rows - 1; ++i)
///       for (int j = 1; j < columns - 1; ++j)
///         out[i][j] = (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]) / 4;
namespace smooth {

using namespace gangway;

using Kernel = void(int rows, int columns, const double* in, double* out);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  int _rows;
  int _columns;
  base::HostArray<double> _in;
  base::HostArray<double> _out;
};

} // namespace smooth
