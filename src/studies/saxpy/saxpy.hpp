// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// A multiple of one vector added to another, float.
///
///     for (long i = 0; i < n; ++i)
///       y[i] = 2.0f * x[i] + y[i];
///
/// gang: a block of iterations; worker: none; vector: the iterations of the block, as long as suits
/// the device.
namespace gangway::saxpy {

using Kernel = void(long n, const float* x, float* y);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  base::HostArray<float> _x;
  base::HostArray<float> _y;
};

} // namespace gangway::saxpy
