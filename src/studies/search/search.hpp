// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// The first element that is not less than a threshold.
///
///     long first = none;
///     for (long i = 0; i < n; ++i)
///       if (a[i] >= threshold) {
///         first = i;
///         break;
///       }
///
/// The loop has an exit, so no level can have it as it is. Without the exit: gang: blocks of the
/// array; worker: none; vector: the elements of a block.
namespace gangway::search {

inline constexpr float threshold = 102;
inline constexpr long none = -1;

/// Writes `*first`. `found` is n flags for variants that need them.
using Kernel = void(long n, const float* a, int* found, long* first);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any array, for tests.
  explicit Problem(base::HostArray<float> a);
  /// Takes n elements that the caller keeps, for tests of variants that need no flags.
  Problem(const float* a, long n);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  void look_through(const float* a, long n);

  base::HostArray<float> _a;
  base::HostArray<int> _found;
  long _n = 0;
  long _first = 0;
  long _truth = none;
};

} // namespace gangway::search
