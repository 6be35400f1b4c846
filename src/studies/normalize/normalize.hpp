// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// A sum, and every term divided by it.
///
///     double s = 0;
///     for (long i = 0; i < n; ++i)
///       s += v[i];
///     for (long i = 0; i < n; ++i)
///       v[i] /= s;
///
/// gang: blocks of either loop; worker: none; vector: the iterations of a block. The sum of all
/// gangs must be there before the first division.
namespace gangway::normalize {

/// v has n entries and is divided in place; *sum is the sum that it was divided by.
using Kernel = void(long n, double* v, double* sum);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any values, for tests.
  explicit Problem(base::HostArray<double> values);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  base::HostArray<double> _values;
  base::HostArray<double> _v;
  double _sum = 0;
  double _reference = 0; ///< added in long double
  double _tolerance = 0; ///< of the sum and of each quotient, relative
};

} // namespace gangway::normalize
