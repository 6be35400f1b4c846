// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// A sum, and every term divided by it.
///
///     double s = 0;
///     for (long i = 0; i < n; ++i)
///       s += v[i];
///     for (long i = 0; i < n; ++i)
///       v[i] /= s;
///
/// gang: blocks of either loop; worker: none; vector: the iterations of a block. The sum of all
/// gangs must be there before the first division.
namespace gangway::normalize {

/// v has n entries and is divided in place; *sum is the sum that it was divided by.
using Kernel = void(long n, double* v, double* sum);

class Problem : public harness::Problem {
public:
  using Kernel = normalize::Kernel;
  static constexpr const char* id = "normalize";
  static constexpr const char* title =
      "divide by the sum: a reduction that the next loop needs, double";
  static constexpr const char* source =
      "OpenACC kernels and parallel compared (article, in Chinese)";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);
  /// For tests: any values.
  explicit Problem(base::HostArray<double> values);

  template <class F>
  void call(F&& kernel) {
    kernel(static_cast<long>(_v.size()), _v.data(), &_sum);
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  base::HostArray<double> _values;
  base::HostArray<double> _v;
  double _sum = 0;
  double _reference = 0; ///< added in long double
  double _tolerance = 0; ///< of the sum and of each quotient, relative
};

} // namespace gangway::normalize
