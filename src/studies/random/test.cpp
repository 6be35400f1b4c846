// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/random/random.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace gangway::random {
namespace {

Problem problem_of(const char* particles, const char* dimensions, const char* seed = "4711") {
  return Problem(harness::Parameters(
      Problem::info, {{"particles", particles}, {"dimensions", dimensions}, {"seed", seed}}));
}

/// Returns the positions that every variant of every model leaves, by name.
std::vector<std::pair<std::string, base::HostArray<double>>> all_results(Problem& problem) {
  std::vector<std::pair<std::string, base::HostArray<double>>> results;
  for (const harness::Variant& variant : harness::study("random").kokkos) {
    testing::run_variant(variant, problem);
    results.emplace_back("Kokkos " + variant.name, problem.positions());
  }
  if (testing::openacc_library() != nullptr)
    for (const harness::Variant& variant : harness::study("random").kokkos) {
      testing::run_variant("random", variant.name, problem, harness::Model::openacc);
      results.emplace_back("OpenACC " + variant.name, problem.positions());
    }
  return results;
}

/// First numbers of the published generator: seed 1234567 and seed 0.
TEST(Random, KnownAnswers) {
  const std::uint64_t from_1234567[] = {6457827717110365317U, 3203168211198807973U,
                                        9817491932198370423U, 4593380528125082431U,
                                        16408922859458223821U};
  for (std::uint64_t i = 0; i < 5; ++i)
    EXPECT_EQ(splitmix64(1234567, i), from_1234567[i]) << i;
  EXPECT_EQ(splitmix64(0, 0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(splitmix64(0, 1), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(splitmix64(0, 2), 0x06c45d188009454fU);
}

TEST(Random, StepsGoFrom0To9999) {
  EXPECT_EQ(step_of(0), 0U);
  EXPECT_EQ(step_of(~std::uint64_t{0}), 9999U);
  EXPECT_EQ(step_of(std::uint64_t{1} << 63), 5000U);
}

/// Bit for bit the same, with and without state, in both models.
TEST(Random, SameBitsInBothModels) {
  Problem problem = problem_of("20011", "3");
  const auto results = all_results(problem);
  ASSERT_GE(results.size(), 2U);
  for (const auto& [name, positions] : results)
    EXPECT_EQ(std::memcmp(positions.data(), results.front().second.data(),
                          positions.size() * sizeof(double)),
              0)
        << name << " differs from " << results.front().first;
}

/// Range, mean and variance of 300 000 numbers, each within five standard deviations of what
/// numbers in equally likely steps have, and every step is hit; in each dimension by itself.
TEST(Random, RangeAndMoments) {
  constexpr std::size_t particles = 300000;
  constexpr std::size_t dimensions = 3;
  Problem problem = problem_of("300000", "3");
  for (const auto& [name, positions] : all_results(problem))
    for (std::size_t d = 0; d < dimensions; ++d) {
      double sum = 0;
      double squares = 0;
      std::vector<int> hits(10000);
      for (std::size_t i = 0; i < particles; ++i) {
        const double u = positions[i * dimensions + d] / problem.box()[d];
        const double step = std::round(u * 1e4);
        ASSERT_NEAR(u * 1e4, step, 1e-8) << name;
        ASSERT_GE(step, 0) << name;
        ASSERT_LE(step, 9999) << name;
        ++hits[static_cast<std::size_t>(step)];
        sum += u - 0.5;
        squares += (u - 0.5) * (u - 0.5);
      }
      const double n = particles;
      // u is uniform on 10000 steps: mean 0.49995, variance (1e8 - 1) / 12 / 1e8, fourth moment
      // 1/80.
      EXPECT_NEAR(sum / n, -0.00005, 5 * std::sqrt(1.0 / 12 / n)) << name;
      EXPECT_NEAR(squares / n, 1.0 / 12, 5 * std::sqrt((1.0 / 80 - 1.0 / 144) / n)) << name;
      // Chi-square of 9999 degrees of freedom: mean 9999, standard deviation sqrt(2 * 9999).
      double chi = 0;
      for (const int hit : hits)
        chi += (hit - n / 10000) * (hit - n / 10000) / (n / 10000);
      EXPECT_NEAR(chi, 9999, 5 * std::sqrt(2 * 9999.0)) << name;
    }
}

/// Neighbours in the sequence know nothing of each other: neither coordinates nor particles.
TEST(Random, NeighboursAreIndependent) {
  Problem problem = problem_of("200000", "1");
  for (const auto& [name, positions] : all_results(problem))
    for (const std::size_t distance : {1U, 2U, 3U, 1024U}) {
      double product = 0;
      const std::size_t n = positions.size() - distance;
      for (std::size_t i = 0; i < n; ++i)
        product += (positions[i] - 0.49995) * (positions[i + distance] - 0.49995);
      EXPECT_NEAR(product / static_cast<double>(n), 0, 5.0 / 12 / std::sqrt(n))
          << name << " at distance " << distance;
    }
}

TEST(Random, SeedsDiffer) {
  Problem one = problem_of("1000", "3", "1");
  Problem two = problem_of("1000", "3", "2");
  EXPECT_NE(all_results(one).front().second, all_results(two).front().second);
}

/// Indices beyond 2^31 and 2^32: the numbers there are those of the sequence, not of a wrapped
/// index.
TEST(Random, IndicesBeyond32Bits) {
  for (const std::uint64_t index : {std::uint64_t{1} << 31, std::uint64_t{1} << 32}) {
    std::uint64_t state = 4711 + index * stride; // as sequential-inner begins
    state += stride;
    EXPECT_EQ(splitmix64(4711, index), splitmix64(state - stride, 0));
    EXPECT_NE(splitmix64(4711, index), splitmix64(4711, index - (std::uint64_t{1} << 32)));
  }
}

/// More coordinates than one launch of `flat` takes: the last ones of the first launch, and all of
/// the second.
TEST(Random, MoreThanOnePiece) {
  constexpr int dimensions = 3;
  constexpr long piece = piece_of(dimensions);
  constexpr long n = piece + 5000L * dimensions;
  static_assert(piece % dimensions == 0 && n > 1L << 30);
  if (!testing::huge_arrays_fit(8.0 * n))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  const double box[dimensions] = {1, 1.375, 1.75};
  testing::HugeArray<double> positions(n);
  for (Kernel* const kernel : testing::kernels_of<Kernel>("random", "flat")) {
    for (const long k : {piece - 1, piece, n - 1})
      positions[k] = -1;
    kernel(n / dimensions, dimensions, 4711, box, positions.data());
    for (const long k : {piece - 1, piece, n - 1})
      EXPECT_EQ(positions[k], box[k % dimensions] *
                                  (step_of(splitmix64(4711, static_cast<std::uint64_t>(k))) * 1e-4))
          << k;
  }
}

TEST(Random, CheckSeesOneWrongBit) {
  Problem problem = problem_of("1000", "3");
  testing::run_variant(harness::study("random").kokkos.front(), problem);
  double& spoilt = problem.positions()[1234];
  spoilt = std::nextafter(spoilt, 2);
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("particle 411 "), std::string::npos);
}

} // namespace
} // namespace gangway::random
