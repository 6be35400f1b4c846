// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

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

class Problem : public harness::Problem {
public:
  using Kernel = unified::Kernel;
  static constexpr const char* id = "unified";
  static constexpr const char* title = "saxpy on copied and on managed memory";
  static constexpr const char* source =
      "Otimização de Programas Paralelos com uso do OpenACC (UFRJ), 2.2";
  static constexpr bool whole_by_default = true;
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_n, alpha, _x.data(), _y.data(), _managed_x.get(), _managed_y.get());
  }

  /// Managed memory is not among them: nobody names it in a data clause.
  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  /// Each y is either untouched or right all over, and one is right.
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

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
