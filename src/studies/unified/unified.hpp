// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// y = alpha x + y, float, on arrays that are copied and on arrays in managed memory.
///
///     for (long i = 0; i < n; ++i) y[i] = alpha * x[i] + y[i];
///
/// gang: blocks of elements; vector: the elements of a block. The lesson is who moves the data:
/// data clauses, or the pages of managed memory by themselves.
namespace gangway::unified {

/// `x`, `y` are in ordinary memory, `managed_x`, `managed_y` hold the same and can be read and
/// written by host and device alike. A variant uses one pair.
using Kernel = void(long n, float alpha, const float* x, float* y, const float* managed_x,
                    float* managed_y);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  explicit Problem(const harness::Parameters& parameters);

  /// Each y is either untouched or right all over, and one is right.
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  static constexpr float alpha = 2;
  using Managed = std::unique_ptr<float, std::function<void(float*)>>;
  static Managed allocate_managed(long n);

  long _n;
  base::HostArray<float> _x;
  base::HostArray<float> _y;
  Managed _managed_x;
  Managed _managed_y;
};

} // namespace gangway::unified
