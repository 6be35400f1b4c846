// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// Two loops next to each other, the second of which reads what the first wrote for its neighbours.
///
///     for (long i = 0; i < n; ++i)
///       a[i] = mob[i] * charge[i];
///     for (long i = 1; i < n - 1; ++i)
///       c[i] = 0.5 * (a[i - 1] + a[i + 1]);
///
/// gang: blocks of either loop; worker: none; vector: the iterations of a block. Between the two
/// loops every gang must have finished: gangs cannot wait for each other, so each loop is a kernel
/// of its own.
namespace gangway::adjacent {

/// n entries each; c[0] and c[n - 1] belong to nobody.
using Kernel = void(long n, const double* mob, const double* charge, double* a, double* c);

class Problem : public harness::Problem {
public:
  using Kernel = adjacent::Kernel;
  static constexpr const char* id = "adjacent";
  static constexpr const char* title =
      "two adjacent loops, the second on the first one's neighbours, double";
  static constexpr const char* source =
      "OpenACC kernels and parallel compared (article, in Chinese)";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);
  /// For tests: any values, as many of one as of the other.
  Problem(base::HostArray<double> mob, base::HostArray<double> charge);

  template <class F>
  void call(F&& kernel) {
    kernel(static_cast<long>(_mob.size()), _mob.data(), _charge.data(), _a.data(), _c.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  base::HostArray<double> _mob;
  base::HostArray<double> _charge;
  base::HostArray<double> _a;
  base::HostArray<double> _c;
};

} // namespace gangway::adjacent
