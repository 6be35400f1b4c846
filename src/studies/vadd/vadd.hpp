// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// Sum of two vectors, double.
///
///     for (long i = 0; i < n; ++i)
///       c[i] = a[i] + b[i];
///
/// gang: a block of iterations; worker: none; vector: the iterations of the block, so that
/// neighbouring lanes touch neighbouring elements.
namespace gangway::vadd {

using Kernel = void(long n, const double* a, const double* b, double* c);

class Problem : public harness::Problem {
public:
  using Kernel = vadd::Kernel;
  static constexpr const char* id = "vadd";
  static constexpr const char* title =
      "vector sum c = a + b, double: kernels, parallel, device_type";
  static constexpr const char* source = "kernels versus parallel (course notes in Chinese); short "
                                        "course on OpenACC (UFRJ), example 2.5";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(static_cast<long>(_c.size()), _a.data(), _b.data(), _c.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  base::HostArray<double> _a;
  base::HostArray<double> _b;
  base::HostArray<double> _c;
};

} // namespace gangway::vadd
