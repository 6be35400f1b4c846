// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// A multiple of one vector added to another, float.
///
///     for (long i = 0; i < n; ++i)
///       y[i] = 2.0f * x[i] + y[i];
///
/// gang: a block of iterations; worker: none; vector: the iterations of the block, as long as suits
/// the device.
namespace gangway::saxpy {

using Kernel = void(long n, const float* x, float* y);

class Problem : public harness::Problem {
public:
  using Kernel = saxpy::Kernel;
  static constexpr const char* id = "saxpy";
  static constexpr const char* title = "y = 2 x + y, float: vector length by device_type";
  static constexpr const char* source =
      "OpenACC Programming and Best Practices Guide, chapter 6 (Optimize Loops)";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(static_cast<long>(_y.size()), _x.data(), _y.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  base::HostArray<float> _x;
  base::HostArray<float> _y;
};

} // namespace gangway::saxpy
