// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg_ranks/cg_ranks.hpp"

#include "inputs/matrices.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

/// One rank; tests/ranks/ranks_test.py has several.
namespace gangway::cg_ranks {
namespace {

constexpr const char* variants[]{"staged", "device-pointers", "overlapped", "one-sum", "auto"};

struct Outcome {
  std::vector<double> history;
  std::vector<double> x;
};

/// Returns the history and the solution of the last run.
Outcome outcome_of(Problem& problem) {
  Outcome outcome;
  problem.call([&](const LocalSystem& system, auto, auto, const double* x, auto, auto, auto, auto,
                   auto, int, double, const double* history, const int* iterations) {
    outcome.history.assign(history, history + *iterations + 1);
    outcome.x.assign(x, x + system.matrix.rows);
  });
  return outcome;
}

TEST(CgRanks, NoRows) {
  inputs::CsrMatrix empty;
  empty.row_offsets.push_back(0);
  Problem problem(empty, 5, 1e-12);
  testing::expect_all_variants_right("cg_ranks", problem);
  const testing::WithMemory separate(Memory::separate);
  testing::expect_all_variants_right("cg_ranks", problem);
}

/// The solution solves: b - A x, from A and x alone. Where the tolerance, not a number of
/// iterations, decides when to stop.
TEST(CgRanks, SolvesTheSystem) {
  const inputs::CsrMatrix matrix = inputs::grid_matrix(9, 8, 7, 7);
  Problem problem(matrix, 1000, 1e-6);
  for (const char* variant : variants) {
    testing::run_variant("cg_ranks", variant, problem);
    const auto [history, x] = outcome_of(problem);
    EXPECT_GT(history.size(), 20U) << variant;
    EXPECT_LE(history.back(), 1e-6) << variant;
    EXPECT_GT(history[history.size() - 2], 1e-6) << variant;
    for (std::size_t row = 0; row < x.size(); ++row) {
      double rest = 1;
      for (auto j = static_cast<std::size_t>(matrix.row_offsets[row]);
           j < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++j)
        rest -= matrix.values[j] * x[static_cast<std::size_t>(matrix.column_indices[j])];
      // x began at 100000, and so did its rounding errors.
      ASSERT_NEAR(rest, 0, 1e-5) << variant << ", row " << row;
    }
  }
}

/// A region around the loop, and of one rank nothing that is sent.
TEST(CgRanks, MovesEachArrayOnce) {
  const testing::WithMemory separate(Memory::separate);
  const inputs::CsrMatrix matrix = inputs::guide_matrix(6);
  Problem problem(matrix, 9, 0);
  const auto rows = static_cast<std::uint64_t>(matrix.rows);
  for (const char* variant : variants) {
    const auto moved = testing::run_variant("cg_ranks", variant, problem);
    EXPECT_EQ(moved->bytes_to_device,
              static_cast<std::uint64_t>(matrix.bytes()) + (2 * 8 + 4) * rows)
        << variant << ": the matrix, the order of its rows, b and x";
    EXPECT_EQ(moved->to_host, 1U) << variant << ": x";
    EXPECT_EQ(moved->bytes_to_host, 8 * rows) << variant;
  }
}

TEST(CgRanks, CheckSeesAWrongResidualAndAWrongSolution) {
  Problem problem(inputs::guide_matrix(9), 12, 0);
  const auto spoil = [&](const auto& what) {
    testing::run_variant("cg_ranks", "overlapped", problem);
    problem.call([&](auto, auto, auto, double* x, auto, auto, auto, auto, auto, int, double,
                     double* history, int* iterations) { what(x, history, *iterations); });
    EXPECT_FALSE(problem.check().passed);
  };
  spoil([](double* x, double*, int&) { x[500] += 0.01; });
  spoil([](double* x, double*, int&) { x[999] = NAN; });
  spoil([](double*, double* history, int&) { history[7] *= 1 + 1e-8; });
  spoil([](double*, double*, int& iterations) { iterations = 10; });
  testing::run_variant("cg_ranks", "overlapped", problem);
  EXPECT_TRUE(problem.check().passed);
}

TEST(CgRanks, AMatrixThatIsNotPositiveDefiniteIsRefused) {
  inputs::CsrMatrix zero = inputs::grid_matrix(3, 3, 3, 7);
  std::ranges::fill(zero.values, 0.0);
  EXPECT_THROW(Problem(zero, 3, 0), base::UsageError);
}

} // namespace
} // namespace gangway::cg_ranks
