// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Two loops next to each other, the second of which reads what the first wrote for its neighbours.
///
///     for (long i = 0; i < n; ++i)
///       a[i] = mob[i] * charge[i];
///     for (long i = 1; i < n - 1; ++i)
///       c[i] = 0.5 * (a[i - 1] + a[i + 1]);
///
/// gang: blocks of either loop; worker: none; vector: the iterations of a block. Between the two
/// loops every gang must have finished: gangs cannot wait for each other, so each loop is a kernel
/// of its own.
namespace gangway::adjacent {

/// n entries each; c[0] and c[n - 1] are no part of the result.
using Kernel = void(long n, const double* mob, const double* charge, double* a, double* c);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any values, as many of one as of the other, for tests.
  Problem(base::HostArray<double> mob, base::HostArray<double> charge);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  base::HostArray<double> _mob;
  base::HostArray<double> _charge;
  base::HostArray<double> _a;
  base::HostArray<double> _c;
};

} // namespace gangway::adjacent
