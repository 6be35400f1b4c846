// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// Weighted sum of an array and the transpose of another, double. The document has it in Fortran,
/// where the first index is the one that is stride-1: a(j,i) = b(j,i) * alpha + c(i,j) * beta. In
/// C, with the same memory:
///
///     for (long j = 0; j < m; ++j)
///       for (long i = 0; i < n; ++i)
///         a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
///
/// gang: i; worker: none; vector: j, which is stride-1 in two arrays of the three. The stage
/// `j-outer` has them the other way round.
namespace gangway::nested {

using Kernel = void(long m, long n, double alpha, double beta, const double* b, const double* c,
                    double* a);

class Problem : public harness::Problem {
public:
  using Kernel = nested::Kernel;
  static constexpr const char* id = "nested";
  static constexpr const char* title =
      "a(j,i) = alpha b(j,i) + beta c(i,j): which loop is stride-1";
  static constexpr const char* source = "kernels versus parallel (course notes in Chinese)";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  static constexpr double alpha = 2;
  static constexpr double beta = 0.5;

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_m, _n, alpha, beta, _b.data(), _c.data(), _a.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  long _m;
  long _n;
  base::HostArray<double> _b; ///< n rows of m
  base::HostArray<double> _c; ///< m rows of n
  base::HostArray<double> _a; ///< n rows of m
};

} // namespace gangway::nested
