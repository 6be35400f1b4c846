// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/random/random.hpp"

namespace {

// A routine must be callable on the device, and small enough to be inlined there.
#pragma acc routine seq
inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// The next number of a generator with state, as rand() has it.
#pragma acc routine seq
inline std::uint64_t next(std::uint64_t* state) {
  *state += gangway::random::stride;
  return mixed(*state);
}

/// Returns a fraction in [0, 1), a multiple of 1e-4.
#pragma acc routine seq
inline double fraction(std::uint64_t number) {
  return static_cast<double>(static_cast<int>((number >> 32) * 10000 >> 32)) * 1e-4;
}

} // namespace

extern "C" {

/// The state is handed from one coordinate to the next, so only particles run in parallel, each
/// from a state of its own.
void gangway_random_sequential_inner(long particles, int dimensions, std::uint64_t seed,
                                     const double* box, double* positions) {
#pragma acc parallel loop gang vector copyin(box[0 : dimensions])                                  \
    copyout(positions[0 : particles * dimensions])
  for (long i = 0; i < particles; ++i) {
    std::uint64_t state =
        seed + static_cast<std::uint64_t>(i * dimensions) * gangway::random::stride;
#pragma acc loop seq
    for (int d = 0; d < dimensions; ++d)
      positions[i * dimensions + d] = box[d] * fraction(next(&state));
  }
}

/// Each number from its index alone: nothing is left that would order the loops.
void gangway_random_counter(long particles, int dimensions, std::uint64_t seed, const double* box,
                            double* positions) {
#pragma acc parallel loop gang vector collapse(2) copyin(box[0 : dimensions])                      \
    copyout(positions[0 : particles * dimensions])
  for (long i = 0; i < particles; ++i)
    for (int d = 0; d < dimensions; ++d) {
      const auto index = static_cast<std::uint64_t>(i * dimensions + d);
      positions[i * dimensions + d] =
          box[d] * fraction(mixed(seed + (index + 1) * gangway::random::stride));
    }
}

/// The two loops written as one, over the coordinates as they lie in memory. Its index fits 32
/// bits, whose division by `dimensions` is the cheaper one; more coordinates than that go piece by
/// piece.
void gangway_random_flat(long particles, int dimensions, std::uint64_t seed, const double* box,
                         double* positions) {
  static constexpr int lanes = 128;
  const long all = particles * dimensions;
  const long piece = gangway::random::piece_of(dimensions);
#pragma acc data copyin(box[0 : dimensions]) copyout(positions[0 : all])
  for (long start = 0; start < all; start += piece) {
    const auto count = static_cast<unsigned>(all - start < piece ? all - start : piece);
#pragma acc parallel loop gang vector num_gangs((count + lanes - 1) / lanes) vector_length(lanes)  \
    present(box[0 : dimensions], positions[0 : all])
    for (unsigned k = 0; k < count; ++k) {
      const auto index = static_cast<std::uint64_t>(start) + k;
      positions[start + k] =
          box[k % dimensions] * fraction(mixed(seed + (index + 1) * gangway::random::stride));
    }
  }
}

} // extern "C"
