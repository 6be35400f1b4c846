// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Sum of two vectors, double.
///
///     for (long i = 0; i < n; ++i)
///       c[i] = a[i] + b[i];
///
/// gang: a block of iterations; worker: none; vector: the iterations of the block, so that
/// neighbouring lanes touch neighbouring elements.
namespace gangway::vadd {

using Kernel = void(long n, const double* a, const double* b, double* c);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  base::HostArray<double> _a;
  base::HostArray<double> _b;
  base::HostArray<double> _c;
};

} // namespace gangway::vadd
