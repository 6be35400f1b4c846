// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/primes/primes.hpp"

namespace {

#pragma acc routine seq
inline bool is_prime(long number) {
  const long end = static_cast<long>(std::sqrt(static_cast<double>(number))) + 1;
  for (long divisor = 3; divisor < end; divisor += 2)
    if (number % divisor == 0)
      return false;
  return true;
}

#pragma acc routine seq
inline bool is_prime_32(std::uint32_t number) {
  const std::uint32_t end = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(number))) + 1;
  for (std::uint32_t divisor = 3; divisor < end; divisor += 2)
    if (number % divisor == 0)
      return false;
  return true;
}

/// Odd numbers from 3 up to n; number `index` of them is 2 index + 3.
long odd_numbers(long n) {
  return n < 3 ? 0 : (n - 1) / 2;
}

// Gangs of 512 lanes: as many lanes together as the largest current GPUs run at once. There are no
// more gangs, because they add to a sum one after the other. gang(static: 1) gives numbers to gangs
// in turn, so that all get some large ones, which take longer.
constexpr long most_gangs = 512;

int gangs_of(long numbers, long at_a_time) {
  return static_cast<int>(std::clamp(numbers / at_a_time + 1, 1L, most_gangs));
}

// `balanced`: divisors tried before the first look at whether one was found, which comes early
// because most numbers have a small one, and before each further look.
constexpr long first_look = 32;
constexpr long next_look = 128;

/// Returns so many divisors, filled up to the next look.
#pragma acc routine seq
inline long whole_looks(long divisors) {
  if (divisors <= first_look)
    return divisors <= 0 ? 0 : first_look;
  return first_look + (divisors - first_look + next_look - 1) / next_look * next_look;
}

/// A number a worker, its divisors over the vector. Divisors are prepared, once for all numbers: an
/// odd number has an inverse modulo 2^bits, which maps its multiples, and only them, to the
/// quotients 0 … (2^bits - 1) / divisor. One multiplication then tells whether it divides.
template <class Word>
long divisor_per_lane(long n) {
  constexpr Word most = std::numeric_limits<Word>::max();
  constexpr int steps = sizeof(Word) == 4 ? 4 : 5; // 3 bits, doubled so many times
  const long numbers = odd_numbers(n);
  // The first look is there for numbers below 9, too, which have no divisor to try but get one.
  const long roots = odd_numbers(static_cast<long>(std::sqrt(static_cast<double>(n))));
  const long prepared = whole_looks(std::max(1L, roots));
  const int gangs = gangs_of(numbers, 16);
  std::vector<Word> storage(static_cast<std::size_t>(2 * prepared));
  Word* const inverses = storage.data();
  Word* const largest_quotients = inverses + prepared;
  long found = 0;
#pragma acc data create(inverses[0 : prepared], largest_quotients[0 : prepared])
  {
#pragma acc parallel loop present(inverses[0 : prepared], largest_quotients[0 : prepared])
    for (long k = 0; k < prepared; ++k) {
      const Word divisor = static_cast<Word>(2 * k + 3);
      Word inverse = divisor; // right in 3 bits; each step doubles them
#pragma acc loop seq
      for (int step = 0; step < steps; ++step)
        inverse *= 2 - divisor * inverse;
      inverses[k] = inverse;
      largest_quotients[k] = most / divisor;
    }
#pragma acc parallel loop gang(static : 1) worker num_gangs(gangs) num_workers(16)                 \
    vector_length(32) reduction(+ : found)                                                         \
        present(inverses[0 : prepared], largest_quotients[0 : prepared])
    for (long index = 0; index < numbers; ++index) {
      const Word number = static_cast<Word>(2 * index + 3);
      // Whole looks, in which all lanes have something to do: what lies beyond the root divides no
      // prime either, short of the number itself, which is divisor number `index`.
      const long first = index < first_look ? index : first_look;
      int divisors = 0;
#pragma acc loop vector reduction(+ : divisors)
      for (long k = 0; k < first; ++k)
        divisors += static_cast<Word>(number * inverses[k]) <= largest_quotients[k] ? 1 : 0;
      if (divisors == 0) {
        const long root = static_cast<long>(std::sqrt(static_cast<double>(number)));
        const long looks = whole_looks((root - 1) / 2);
        const long end = index < looks ? index : looks;
        long begin = first_look;
        while (begin < end && divisors == 0) {
          const long last = end < begin + next_look ? end : begin + next_look;
#pragma acc loop vector reduction(+ : divisors)
          for (long k = begin; k < last; ++k)
            divisors += static_cast<Word>(number * inverses[k]) <= largest_quotients[k] ? 1 : 0;
          begin = last;
        }
        if (divisors == 0)
          ++found;
      }
    }
  }
  return found;
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

/// Counts in 32 bits where the numbers allow it. A GPU has no instruction for division, and takes
/// several times as many instructions for 64 bits as for 32.
void gangway_primes_32_bit(long n, long* count) {
  const long numbers = odd_numbers(n);
  const int gangs = gangs_of(numbers, 512);
  const bool fits = n <= std::numeric_limits<std::uint32_t>::max();
  long found = 0;
  if (fits) {
#pragma acc parallel loop gang(static : 1) worker vector num_gangs(gangs) num_workers(16)          \
    vector_length(32) reduction(+ : found)
    for (long index = 0; index < numbers; ++index)
      if (is_prime_32(static_cast<std::uint32_t>(2 * index + 3)))
        ++found;
  } else {
#pragma acc parallel loop gang(static : 1) worker vector num_gangs(gangs) num_workers(16)          \
    vector_length(32) reduction(+ : found)
    for (long index = 0; index < numbers; ++index)
      if (is_prime(2 * index + 3))
        ++found;
  }
  *count = found + (n >= 2 ? 1 : 0);
}

/// Lanes that would wait for the one among them whose number is prime divide it together instead.
void gangway_primes_balanced(long n, long* count) {
  const long found = n <= std::numeric_limits<std::uint32_t>::max()
                         ? divisor_per_lane<std::uint32_t>(n)
                         : divisor_per_lane<std::uint64_t>(n);
  *count = found + (n >= 2 ? 1 : 0);
}

} // extern "C"
