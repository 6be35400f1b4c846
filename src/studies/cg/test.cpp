// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg/cg.hpp"

#include "inputs/matrices.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace gangway::cg {
namespace {

/// Every variant of every model, by the referee.
void expect_right(Problem& problem) {
  testing::expect_all_variants_right("cg", problem);
  const testing::WithMemory separate(Memory::separate);
  testing::expect_all_variants_right("cg", problem);
}

/// diag(1, 2, …, n)
inputs::CsrMatrix diagonal_matrix(int n) {
  inputs::CsrMatrix matrix;
  matrix.rows = matrix.columns = n;
  matrix.row_offsets.resize(static_cast<std::size_t>(n) + 1);
  matrix.column_indices.resize(static_cast<std::size_t>(n));
  matrix.values.resize(static_cast<std::size_t>(n));
  std::iota(matrix.row_offsets.begin(), matrix.row_offsets.end(), 0);
  std::iota(matrix.column_indices.begin(), matrix.column_indices.end(), 0);
  std::iota(matrix.values.begin(), matrix.values.end(), 1.0);
  return matrix;
}

class EachVariant : public ::testing::TestWithParam<std::tuple<harness::Model, const char*>> {
protected:
  void SetUp() override {
    if (model() == harness::Model::openacc && testing::openacc_library() == nullptr)
      GTEST_SKIP() << "built without the OpenACC side";
  }
  [[nodiscard]] static harness::Model model() { return std::get<0>(GetParam()); }
  static void run(Problem& problem) {
    testing::run_variant("cg", std::get<1>(GetParam()), problem, model());
  }
};
INSTANTIATE_TEST_SUITE_P(Cg, EachVariant,
                         ::testing::Combine(::testing::Values(harness::Model::kokkos,
                                                              harness::Model::openacc),
                                            ::testing::Values("data", "fused")),
                         [](const auto& test) {
                           return std::string(harness::name_of(std::get<0>(test.param))) + "_" +
                                  std::get<1>(test.param);
                         });

TEST(Cg, NoRows) {
  inputs::CsrMatrix empty;
  empty.row_offsets.push_back(0);
  Problem problem(empty, 5, 1e-12);
  expect_right(problem);
  EXPECT_EQ(problem.reference(), std::vector<double>{0.0});
}

/// Rows one fewer and one more than a gang takes, in the product and in the vector loops, and than
/// all gangs of OpenACC's product take at a time.
TEST(Cg, RowsAroundABlock) {
  for (const int rows : {1, 15, 16, 17, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 8193}) {
    Problem problem(diagonal_matrix(rows), 6, 1e-12);
    expect_right(problem);
  }
}

/// The 7-point grid is worse conditioned than the guide's matrix, so that the tolerance decides
/// when to stop, not the number of iterations.
TEST_P(EachVariant, StopsWhenTheResidualIsSmallEnough) {
  Problem problem(inputs::grid_matrix(9, 8, 7, 7), 1000, 1e-3);
  run(problem);
  const auto last = static_cast<std::size_t>(problem.iterations());
  EXPECT_GT(last, 20U);
  EXPECT_LE(problem.history()[last], 1e-3);
  EXPECT_GT(problem.history()[last - 1], 1e-3);
}

/// `fused` asks the device now and then only. It ends where the tolerance is met and not at the
/// next look, and what it has queued by then changes neither the solution nor the residuals.
TEST_P(EachVariant, StopsAtTheIterationThatMeetsTheTolerance) {
  const auto matrix = inputs::grid_matrix(9, 8, 7, 7);
  const std::vector<double> residuals = Problem(matrix, 20, 0).reference();
  for (std::size_t last = 1; last < residuals.size(); ++last) {
    // Residuals need not fall: only one below all before it can be what ends the iteration.
    const double tolerance = 1.001 * residuals[last];
    if (*std::min_element(residuals.begin(), residuals.begin() + static_cast<long>(last)) <=
        tolerance)
      continue;
    Problem problem(matrix, 20, tolerance);
    run(problem);
    EXPECT_EQ(problem.iterations(), static_cast<int>(last));
  }
}

TEST_P(EachVariant, DoesAsManyIterationsAsAllowed) {
  for (int most = 0; most <= 17; ++most) {
    Problem problem(inputs::guide_matrix(9), most, 0);
    run(problem);
    EXPECT_EQ(problem.iterations(), most);
  }
}

/// The solution solves: b - A x, from A and x alone.
TEST_P(EachVariant, SolvesTheSystem) {
  Problem problem(inputs::guide_matrix(12), 200, 1e-9);
  run(problem);
  const inputs::CsrMatrix& matrix = problem.matrix();
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    double rest = 1;
    for (auto j = static_cast<std::size_t>(matrix.row_offsets[row]);
         j < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++j)
      rest -=
          matrix.values[j] * problem.solution()[static_cast<std::size_t>(matrix.column_indices[j])];
    // x began at 100000, and so did its rounding errors; A x multiplies them by up to 53, the sum
    // of a row's absolute values.
    ASSERT_NEAR(rest, 0, 1e-8) << "row " << row;
  }
}

/// A region around the loop: each array crosses once, however many iterations there are.
TEST(Cg, MovesEachArrayOnce) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem(inputs::guide_matrix(6), 9, 0);
  const auto rows = static_cast<std::uint64_t>(problem.matrix().rows);
  for (const char* variant : {"data", "fused"}) {
    const auto moved = testing::run_variant("cg", variant, problem);
    EXPECT_EQ(problem.iterations(), 9);
    EXPECT_EQ(moved->to_device, 5U) << "the matrix's three arrays, b and x";
    EXPECT_EQ(moved->bytes_to_device,
              static_cast<std::uint64_t>(problem.matrix().bytes()) + 2 * 8 * rows);
    EXPECT_EQ(moved->to_host, 1U) << "x";
    EXPECT_EQ(moved->bytes_to_host, 8 * rows);
    EXPECT_EQ(moved->allocations, 8U);
  }
}

/// Rounding errors of doubles are larger than this tolerance, so in long double the residual passes
/// it in fewer iterations.
TEST(Cg, ATolerancePastRoundingTakesSomeIterationsMore) {
  Problem problem(inputs::grid_matrix(9, 9, 9, 27), 1000, 1e-12);
  expect_right(problem);
}

TEST(Cg, CheckSeesAWrongResidualAndAWrongSolution) {
  Problem problem(inputs::guide_matrix(9), 12, 0);
  const auto spoil = [&](const auto& what) {
    testing::run_variant("cg", "data", problem);
    problem.call([&](const sparse::Csr&, const double*, double* x, double*, double*, double*, int,
                     double, double* history, int* iterations) { what(x, history, iterations); });
    return problem.check();
  };
  EXPECT_TRUE(spoil([](double*, double*, int*) {}).passed);
  EXPECT_FALSE(spoil([](double* x, double*, int*) { x[321] += 0.01; }).passed);
  EXPECT_FALSE(spoil([](double*, double* history, int*) { history[7] *= 1 + 1e-8; }).passed);
  EXPECT_FALSE(spoil([](double*, double*, int* iterations) { *iterations -= 2; }).passed);
}

/// The norm of the guide's first residual follows from the lengths of the rows: one of m entries
/// sums to 28 - m. Checks the statement of the problem at the guide's own size without its 2.6 GB.
TEST(Cg, FirstResidualOfTheGuide) {
  const int n = 200;
  const long rows = inputs::guide_matrix_rows(n);
  long double square = 0;
  for (long row = 0; row < rows; ++row) {
    int length = 27;
    if (row <= n * n + n || row >= rows - n * n - n - 1) {
      length = 0;
      for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x) {
            const long column = row + z * n * n + y * n + x;
            if (column >= 0 && column < rows)
              ++length;
          }
    }
    const long double residual = 1 - 100000.0L * (28 - length);
    square += residual * residual;
  }
  EXPECT_NEAR(static_cast<double>(std::sqrt(square)), 4.0067e8, 0.00005e8);
}

/// The figures that the guide's example prints. Takes 4 GB and minutes, so only when asked for.
TEST(Cg, ResidualsOfTheGuide) {
  if (std::getenv("GANGWAY_LONG_TESTS") == nullptr)
    GTEST_SKIP() << "set GANGWAY_LONG_TESTS to run the guide's own size (4 GB, some minutes)";
  Problem problem(inputs::guide_matrix(200), 100, 1e-12);
  const auto expect_published = [&](const std::vector<double>& history, const std::string& whose) {
    ASSERT_EQ(history.size(), 101U);
    EXPECT_NEAR(history[0], 4.0067e8, 0.00005e8) << whose;
    EXPECT_NEAR(history[10], 1.8772e7, 0.00005e7) << whose;
    EXPECT_NEAR(history[50], 3.0039e1, 0.00005e1) << whose;
    EXPECT_NEAR(history[90], 4.6209e-5, 0.00005e-5) << whose;
  };
  expect_published(problem.reference(), "long double");
  for (const char* name : {"data", "fused"}) {
    testing::run_variant("cg", name, problem);
    expect_published(problem.history(), name);
    if (testing::openacc_library() != nullptr) {
      testing::run_variant("cg", name, problem, harness::Model::openacc);
      expect_published(problem.history(), std::string("OpenACC's ") + name);
    }
  }
}

} // namespace
} // namespace gangway::cg
