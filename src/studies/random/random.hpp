// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Random positions in a box, in ten thousand steps each way.
///
///     for (long i = 0; i < particles; ++i)
///       for (int d = 0; d < dimensions; ++d)
///         positions[i * dimensions + d] = box[d] * (step(next(&state)) * 1e-4);
///
/// gang: blocks of particles; worker: none, one for each gang;
/// vector: the particles of a block, or, once a number needs no state, their coordinates.
///
/// The numbers are those of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number
/// Generators, OOPSLA 2014): the state is a counter in disguise, which moves on by a constant, so
/// number k can be had from the seed alone, without the k before it.
namespace gangway::random {

using Kernel = void(long particles, int dimensions, std::uint64_t seed, const double* box,
                    double* positions);

/// Number by which the state moves on: 2^64 over the golden ratio, made odd.
constexpr std::uint64_t stride = 0x9e3779b97f4a7c15U;

/// Returns how many coordinates, of whole particles, one launch of the variant `flat` takes. They
/// can be counted in 32 bits. GCC 16's device code left out the last of nearly 2^31.
[[nodiscard]] constexpr long piece_of(int dimensions) {
  return (1L << 30) / dimensions * dimensions;
}

/// Number `index` from `seed`, counted from 0: the reference that both models must match bit for
/// bit.
[[nodiscard]] std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index);

/// Which of the steps 0 to 9999 a number stands for: its upper half, scaled. (A remainder by 10000
/// would cost a division, and be no more even.)
[[nodiscard]] unsigned step_of(std::uint64_t number);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] const std::vector<double>& box() const { return _box; }
  [[nodiscard]] base::HostArray<double>& positions() { return _positions; }

private:
  [[nodiscard]] double expected(long element) const;

  long _particles;
  int _dimensions;
  std::uint64_t _seed;
  std::vector<double> _box;
  base::HostArray<double> _positions;
};

} // namespace gangway::random
