// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

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

class Problem : public harness::Problem {
public:
  using Kernel = search::Kernel;
  static constexpr const char* id = "search";
  static constexpr const char* title = "first element not below a threshold, float";
  static constexpr const char* source =
      "short course on OpenACC (UFRJ), section 2.5, and More Tips on OpenACC Acceleration";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);
  /// For tests: any array.
  explicit Problem(base::HostArray<float> a);
  /// For tests: n elements that the caller keeps, for variants that need no flags.
  Problem(const float* a, long n);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  template <class F>
  void call(F&& kernel) {
    kernel(_n, _elements, _found.data(), &_first);
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  base::HostArray<float> _a;
  const float* _elements;
  long _n;
  base::HostArray<int> _found;
  long _first = 0;
  long _truth;
};

} // namespace gangway::search
