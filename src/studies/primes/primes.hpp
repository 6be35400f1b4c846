// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

#include <string>
#include <vector>

/// How many primes there are up to n, by dividing each odd number by the odd numbers up to its
/// root.
///
///     bool is_prime(long number) {                       // odd, 3 or more
///       const long end = static_cast<long>(std::sqrt(number)) + 1;
///       for (long divisor = 3; divisor < end; divisor += 2)
///         if (number % divisor == 0) return false;
///       return true;
///     }
///     count = n >= 2 ? 1 : 0;                            // the even one
///     for (long number = 3; number <= n; number += 2)
///       if (is_prime(number)) ++count;
///
/// gang: blocks of numbers; worker: none, or single numbers; vector: the numbers of a block, or the
/// divisors of one number.
namespace gangway::primes {

/// Writes `*count`.
using Kernel = void(long n, long* count);

/// The truth, by a sieve. Any n.
[[nodiscard]] long sieved(long n);

class Problem : public harness::Problem {
public:
  using Kernel = primes::Kernel;
  static constexpr const char* id = "primes";
  static constexpr const char* title = "counting primes by trial division";
  static constexpr const char* source = "short course on OpenACC (UFRJ), section 2.9.4";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_n, &_count);
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override { return {}; }
  void reset() override { _count = -1; }
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  long _n;
  long _count = -1;
  long _truth;
};

} // namespace gangway::primes
