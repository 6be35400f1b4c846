// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/primes/primes.hpp"

#include <cmath>

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::primes::Kernel gangway_primes_routine;
}

namespace {

#pragma acc routine seq
inline bool is_prime(long number) {
  const long end = static_cast<long>(std::sqrt(static_cast<double>(number))) + 1;
  for (long divisor = 3; divisor < end; divisor += 2)
    if (number % divisor == 0)
      return false;
  return true;
}

} // namespace

extern "C" {

void gangway_primes_routine(long n, long* count) {
  long found = 0;
#pragma acc parallel loop reduction(+ : found)
  for (long number = 3; number <= n; number += 2)
    if (is_prime(number))
      ++found;
  *count = found + (n >= 2 ? 1 : 0);
}

} // extern "C"
