// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/primes/primes.hpp"

namespace gangway::primes {
/// Native OpenMP, as a programmer would write it.
template <class Word>
static long native_in(long n) {
  long count = n >= 2 ? 1 : 0;
#pragma omp parallel for schedule(dynamic, 1000) reduction(+ : count)
  for (long number = 3; number <= n; number += 2) {
    const auto word = static_cast<Word>(number);
    const Word end = static_cast<Word>(std::sqrt(static_cast<double>(number))) + 1;
    bool prime = true;
    for (Word divisor = 3; divisor < end && prime; divisor += 2)
      prime = word % divisor != 0;
    if (prime)
      ++count;
  }
  return count;
}

static void native(long n, long* count) {
  *count = n <= std::numeric_limits<std::uint32_t>::max() ? native_in<std::uint32_t>(n)
                                                          : native_in<std::uint64_t>(n);
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::primes
