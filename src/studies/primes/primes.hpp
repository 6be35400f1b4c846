// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Count of primes up to n, by dividing each odd number by the odd numbers up to its root.
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

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] long n() const { return _n; }

private:
  long _n;
  long _count = -1;
  long _truth;
};

} // namespace gangway::primes
