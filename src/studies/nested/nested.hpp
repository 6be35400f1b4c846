// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Weighted sum of an array and the transpose of another, double. The document has it in Fortran,
/// where the first index is the one that is stride-1: a(j,i) = b(j,i) * alpha + c(i,j) * beta. In
/// C, with the same memory:
///
///     for (long j = 0; j < m; ++j)
///       for (long i = 0; i < n; ++i)
///         a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
///
/// gang: i; worker: none; vector: j, which is stride-1 in two arrays of the three. The stage
/// `j-outer` has them the other way round.
namespace gangway::nested {

using Kernel = void(long m, long n, double alpha, double beta, const double* b, const double* c,
                    double* a);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  static constexpr double alpha = 2;
  static constexpr double beta = 0.5;

  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  long _m;
  long _n;
  base::HostArray<double> _b; ///< n rows of m
  base::HostArray<double> _c; ///< m rows of n
  base::HostArray<double> _a; ///< n rows of m
};

} // namespace gangway::nested
