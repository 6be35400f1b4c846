// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// π by the midpoint rule for the integral of 4 / (1 + x²) from 0 to 1, double.
///
///     double sum = 0;
///     for (long i = 0; i < points; ++i) {
///       const double x = (i + 0.5) / points;
///       sum += 4.0 / (1.0 + x * x);
///     }
///     pi = sum / points;
///
/// gang: blocks of points; worker: none; vector: the points of a block.
namespace gangway::pi {

/// Writes `*pi`. More than 2^31 points are usual: 64-bit indices.
using Kernel = void(long points, double* pi);

/// Returns the result of the midpoint rule in exact arithmetic, for 1 point or more.
[[nodiscard]] double midpoint_rule(long points);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  long _points;
  double _pi = 0;
  double _expected;
};

} // namespace gangway::pi
