// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

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

class Problem : public harness::Problem {
public:
  using Kernel = hoist::Kernel;
  static constexpr const char* id = "hoist";
  static constexpr const char* title = "five matrix products, data region in each or around all";
  static constexpr const char* source =
      "More Tips on OpenACC Acceleration (Microway), the time reports";
  static constexpr bool whole_by_default = true;
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_n, _a.data(), _b.data(), _c.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  int _n;
  base::HostArray<float> _a;
  base::HostArray<float> _b;
  base::HostArray<float> _c; ///< five results, one after the other
};

} // namespace gangway::hoist
