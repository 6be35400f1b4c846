// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/primes/primes.hpp"
#include "studies/primes/trial_division.hpp"

#include <cmath>

namespace gangway::primes {
namespace {

/// Odd numbers from 3 up to n; number `index` of them is 2 index + 3.
long odd_numbers(long n) {
  return n < 3 ? 0 : (n - 1) / 2;
}

/// Numbers over gangs and vector lanes, each lane dividing one. Large numbers take longer, so a
/// host's threads take the next gang when they are done with one.
template <class Word>
long number_per_lane(const char* label, const Clauses& clauses, long n) {
  long count = n >= 2 ? 1 : 0; // the even one
  gangway::parallel_reduce(
      label,
      gang_vector(odd_numbers(n))
          .clauses(clauses)
          .inner(std::lround(std::sqrt(n))) // divisors
          .with(Kokkos::Schedule<Kokkos::Dynamic>()),
      KOKKOS_LAMBDA(long index, long& found) {
        if (is_prime(static_cast<Word>(2 * index + 3)))
          ++found;
      },
      count);
  return count;
}

/// The document's loop, in its 64-bit arithmetic.
void routine(long n, long* count) {
  *count = number_per_lane<long>("primes/routine", {}, n);
}

/// Counts in 32 bits where the numbers allow it. A GPU has no instruction for division, and takes
/// several times as many instructions for 64 bits as for 32.
long narrow_number_per_lane(const char* label, const Clauses& clauses, long n) {
  return n <= std::numeric_limits<std::uint32_t>::max()
             ? number_per_lane<std::uint32_t>(label, clauses, n)
             : number_per_lane<long>(label, clauses, n);
}
void narrow(long n, long* count) {
  // The lanes of all gangs stride over the numbers together: each has easy and hard ones.
  *count = narrow_number_per_lane("primes/32-bit", {.vector = 256}, n);
}

void of_mapping(const kernels::Mapping& mapping, long n, long* count) {
  *count = narrow_number_per_lane("primes/of-mapping", mapping.clauses, n);
}

/// Test of one number per worker, with its divisors over the vector. Lanes that would wait for the
/// one among them whose number is prime divide it together instead. Divisors are prepared once for
/// all numbers.
template <class Word>
class DivisorPerLane {
public:
  using Words = Kokkos::View<Word*, Kokkos::LayoutRight, DeviceSpace>;
  /// Divisors tried before the first look at whether one was found, which comes early because most
  /// numbers have a small one, and before each further look.
  static constexpr int first_look = 32;
  static constexpr int next_look = 128;

  /// The first look is there for numbers below 9, too, which have no divisor to try but get one.
  explicit DivisorPerLane(const Problem& problem)
      : _prepared(
            whole_looks(std::max(1L, odd_numbers(static_cast<long>(std::sqrt(problem.n())))))),
        _inverses("primes/inverses", _prepared),
        _largest_quotients("primes/largest quotients", _prepared) {}

  void operator()(long n, long* result) const {
    const auto inverses = _inverses;
    const auto largest_quotients = _largest_quotients;
    Kokkos::parallel_for(
        "primes/prepare divisors", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, _prepared),
        KOKKOS_LAMBDA(long k) {
          const auto divisor = Divisor<Word>::of(static_cast<Word>(2 * k + 3));
          inverses(k) = divisor.inverse;
          largest_quotients(k) = divisor.largest_quotient;
        });

    constexpr long block = 1024; // numbers a gang
    const long numbers = odd_numbers(n);
    const auto loop = team_policy((numbers + block - 1) / block)
                          .num_workers(8)
                          .vector_length(32)
                          .with(Kokkos::Schedule<Kokkos::Dynamic>());
    long primes = n >= 2 ? 1 : 0; // the even one
    gangway::parallel_reduce(
        "primes/balanced", loop,
        KOKKOS_LAMBDA(const Parallel<>& gang, long& total) {
          const long first = gang.member().league_rank() * block;
          const long last = Kokkos::min(first + block, numbers);
          long count = 0;
          loop_worker(
              gang, first, last,
              [&](const Worker<>& worker, long index, long& partial) {
                const auto number = static_cast<Word>(2 * index + 3);
                const auto divisors_among = [&](long begin, long end) {
                  int found = 0;
                  loop_vector(
                      worker, begin, end,
                      [&](long k, int& here) {
                        const Divisor<Word> divisor{inverses(k), largest_quotients(k)};
                        here += divisor.divides(number) ? 1 : 0;
                      },
                      found);
                  return found;
                };
                // Whole looks, which a host runs in whole vectors: what lies beyond the root
                // divides no prime either, short of the number itself, which is divisor number
                // `index`.
                if (divisors_among(0, Kokkos::min<long>(first_look, index)) != 0)
                  return;
                const auto root = static_cast<long>(Kokkos::sqrt(static_cast<double>(number)));
                const long end = Kokkos::min(whole_looks((root - 1) / 2), index);
                for (long begin = first_look; begin < end; begin += next_look)
                  if (divisors_among(begin, Kokkos::min(begin + next_look, end)) != 0)
                    return;
                ++partial;
              },
              count);
          single(gang, [&] { total += count; });
        },
        primes);
    *result = primes;
  }

private:
  /// Returns so many divisors, filled up to the next look.
  [[nodiscard]] KOKKOS_FUNCTION static long whole_looks(long divisors) {
    if (divisors <= first_look)
      return divisors <= 0 ? 0 : first_look;
    return first_look + (divisors - first_look + next_look - 1) / next_look * next_look;
  }

  long _prepared; ///< divisors 3, 5, …; number k of them is 2 k + 3
  Words _inverses;
  Words _largest_quotients;
};

harness::Run balanced(Problem& problem) {
  return problem.n() <= std::numeric_limits<std::uint32_t>::max()
             ? harness::run_planned<DivisorPerLane<std::uint32_t>>(problem)
             : harness::run_planned<DivisorPerLane<std::uint64_t>>(problem);
}

const harness::Study<Problem> study({
    .stages = {{.name = "routine", .kernel = routine, .flag = harness::Flag::sum}},
    .beyond = {{.name = "32-bit", .kernel = narrow}, {.name = "balanced", .kernel = balanced}},
    // By default the library's shape of a reduction.
    .sweep = {.kernel = of_mapping, .own = {{1, 256}, 1}},
});

} // namespace
} // namespace gangway::primes
