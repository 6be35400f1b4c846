// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// A step of the second example's waves, by the functions of its two programs as they are: ny rows
/// of nx cells between two rows of neighbours'.
namespace waves_step {

using namespace gangway;

using Kernel = void(int nx, int ny, double courant, const double* h, const double* hu,
                    const double* hv, double* h_new, double* hu_new, double* hv_new);

constexpr double gravity = 9.81;
/// How much of a row's momentum is left.
constexpr double sponge_at(int row) {
  return row % 8 == 0 ? 0.9 : 1;
}

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  using Field = base::HostArray<double>;
  [[nodiscard]] long cells() const { return (_ny + 2L) * _nx; }

  int _nx;
  int _ny;
  Field _before[3]; ///< depth, momentum along the rows, momentum across them
  Field _after[3];
  Field _truth[3];
};

} // namespace waves_step
