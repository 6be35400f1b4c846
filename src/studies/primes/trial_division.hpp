// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <limits>

namespace gangway::primes {

/// Returns true if an odd number of 3 or more has no odd divisor up to its root. `Word`: signed or
/// unsigned, 32 or 64 bits; numbers up to 2^52, so that the root is exact.
template <class Word>
KOKKOS_INLINE_FUNCTION bool is_prime(Word number) {
  const Word end = static_cast<Word>(Kokkos::sqrt(static_cast<double>(number))) + 1;
  bool prime = true;
  for (Word divisor = 3; divisor < end && prime; divisor += 2) // one exit: one branch a turn
    prime = number % divisor != 0;
  return prime;
}

/// An odd divisor, prepared so that one multiplication tells whether it divides: modulo 2^bits it
/// has an inverse, which maps its multiples, and only them, to the quotients 0 … (2^bits - 1) /
/// divisor.
template <class Word>
struct Divisor {
  static_assert(std::numeric_limits<Word>::is_integer && !std::numeric_limits<Word>::is_signed);

  Word inverse;
  Word largest_quotient;

  [[nodiscard]] KOKKOS_FUNCTION static Divisor of(Word odd) {
    Word inverse = odd; // right in 3 bits; each step doubles them
    for (int bits = 3; bits < std::numeric_limits<Word>::digits; bits *= 2)
      inverse *= 2 - odd * inverse;
    constexpr Word most = ~Word{0};
    return {inverse, most / odd};
  }
  [[nodiscard]] KOKKOS_FUNCTION bool divides(Word number) const {
    return number * inverse <= largest_quotient;
  }
};

} // namespace gangway::primes
