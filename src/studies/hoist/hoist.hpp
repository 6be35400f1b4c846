// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Five products of the same two n x n matrices, float, each wanted on the host.
///
///     for (int p = 0; p < 5; ++p)
///       multiply(n, a, b, c + p * n * n); // for i, for j: sum over k of a[i][k] * b[k][j]
///
/// gang: rows i; vector: columns j. The lesson is where the data region is: in the function that
/// multiplies, or around the loop that calls it.
namespace gangway::hoist {

using Kernel = void(int n, const float* a, const float* b, float* c);

/// Calls of the function that multiplies.
inline constexpr int products = 5;

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  int _n;
  base::HostArray<float> _a;
  base::HostArray<float> _b;
  base::HostArray<float> _c; ///< five results, one after the other
};

} // namespace gangway::hoist
