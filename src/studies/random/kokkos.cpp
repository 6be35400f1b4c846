// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/random/random.hpp"

namespace gangway::random {
namespace {

KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// The next number of a generator with state, as rand() has it.
KOKKOS_INLINE_FUNCTION std::uint64_t next(std::uint64_t* state) {
  *state += stride;
  return mixed(*state);
}

/// Returns a fraction in [0, 1), a multiple of 1e-4.
KOKKOS_INLINE_FUNCTION double fraction(std::uint64_t number) {
  return static_cast<double>(static_cast<int>((number >> 32) * 10000 >> 32)) * 1e-4;
}

/// The state is handed from one coordinate to the next, so only particles run in parallel, each
/// from a state of its own.
template <class Policy>
void by_particles(const char* label, const Policy& policy, long particles, int dimensions,
                  std::uint64_t seed, const double* box, double* positions) {
  Data data;
  const auto side = data.copyin(box, dimensions);
  const auto position = data.copyout(positions, particles, dimensions);
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(long i) {
        std::uint64_t state = seed + static_cast<std::uint64_t>(i * dimensions) * stride;
        for (int d = 0; d < dimensions; ++d)
          position(i, d) = side(d) * fraction(next(&state));
      });
}
void sequential_inner(long particles, int dimensions, std::uint64_t seed, const double* box,
                      double* positions) {
  by_particles("random/sequential-inner", gang_vector(particles), particles, dimensions, seed, box,
               positions);
}

void of_mapping(const kernels::Mapping& mapping, long particles, int dimensions, std::uint64_t seed,
                const double* box, double* positions) {
  by_particles("random/of-mapping", gang_vector(particles).clauses(mapping.clauses), particles,
               dimensions, seed, box, positions);
}

/// Each number from its index alone: nothing is left that would order the loops. Both are one, in
/// blocks: within one an index fits 32 bits, whose division by `dimensions` is the cheaper one.
void counter(long particles, int dimensions, std::uint64_t seed, const double* box,
             double* positions) {
  constexpr int block = 1024; // particles
  Data data;
  const auto side = data.copyin(box, dimensions);
  const auto position = data.copyout(positions, particles * dimensions);
  gangway::parallel_for(
      "random/counter", gang((particles + block - 1) / block).inner(long{block} * dimensions),
      KOKKOS_LAMBDA(const Gang<>& gang, long number) {
        const long first = number * block;
        const int rows = static_cast<int>(Kokkos::min<long>(block, particles - first));
        const long start = first * dimensions;
        loop_vector(gang, 0, rows * dimensions, [&](int k) {
          const auto index = static_cast<std::uint64_t>(start + k);
          position(start + k) = side(k % dimensions) * fraction(mixed(seed + (index + 1) * stride));
        });
      });
}

/// A thread takes a coordinate. Its index fits 32 bits, whose division by `dimensions` is the
/// cheaper one; more coordinates than that go piece by piece.
void flat(long particles, int dimensions, std::uint64_t seed, const double* box,
          double* positions) {
  const long all = particles * dimensions;
  const long piece = piece_of(dimensions);
  Data data;
  const auto side = data.copyin(box, dimensions);
  const auto position = data.copyout(positions, all);
  for (long start = 0; start < all; start += piece) {
    const auto count = static_cast<unsigned>(std::min(piece, all - start));
    Kokkos::parallel_for(
        "random/flat",
        Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<unsigned>>(0, count),
        KOKKOS_LAMBDA(unsigned k) {
          const auto index = static_cast<std::uint64_t>(start) + k;
          position(start + k) = side(k % static_cast<unsigned>(dimensions)) *
                                fraction(mixed(seed + (index + 1) * stride));
        });
  }
}

const harness::Study<Problem> study({
    .stages = {{"sequential-inner", sequential_inner}, {"counter", counter}},
    .beyond = {{"flat", flat}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::random
