// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/jacobi/jacobi.hpp"
#include "studies/jacobi/solver.hpp"
#include "studies/jacobi/temporal.hpp"

#include "testing/sanitizer.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gangway::jacobi {
namespace {

struct Result {
  int done;
  double change;
};

/// Runs a variant, checks it against the plain loops, and says what it returned.
Result run(const std::string& variant, Problem& problem,
           harness::Model model = harness::Model::kokkos) {
  testing::run_variant("jacobi", variant, problem, model);
  Result result{};
  problem.call([&](const Task& task) { result = {*task.done, *task.change}; });
  return result;
}

/// The models that this build has.
std::vector<harness::Model> models() {
  std::vector<harness::Model> all{harness::Model::kokkos};
  if (testing::openacc_library() != nullptr)
    all.push_back(harness::Model::openacc);
  return all;
}

/// The published runs print six decimals.
constexpr double printed = 0.5e-6;

/// A plate that is kept between calls, so that each goes on where the one before stopped. By fused
/// sweeps.
class LongRun {
public:
  LongRun(Setup setup, long rows, long columns)
      : _rows(rows), _columns(columns), _plate((rows + 2) * (columns + 2)), _next(_plate.size()) {
    fill(setup, rows, columns, _plate.data());
  }
  Result sweeps(int iterations, double tolerance) {
    Data data;
    const auto [done, change] =
        _solver.solve(data.copy(_plate.data(), _rows + 2, _columns + 2),
                      data.create(_next.data(), _rows + 2, _columns + 2), iterations, tolerance);
    return {done, change};
  }

private:
  long _rows;
  long _columns;
  std::vector<double> _plate;
  std::vector<double> _next;
  Solver _solver;
};

TEST(Jacobi, ChangesAndConvergesAsPublished) {
  LongRun plate(Setup::document, 1000, 1000);
  EXPECT_NEAR(plate.sweeps(100, 0.01).change, 0.355752, printed);
  if (testing::sanitized)
    return; // the same kernels on the same arrays, for minutes
  EXPECT_NEAR(plate.sweeps(900, 0.01).change, 0.034767, printed) << "at iteration 1000";
  const Result last = plate.sweeps(10000, 0.01);
  EXPECT_EQ(1000 + last.done, 3372);
  EXPECT_NEAR(last.change, 0.009995, printed);
}

TEST(Jacobi, BothModelsChangeAsPublished) {
  Problem problem(Setup::document, 1000, 1000, 100, 0.01);
  EXPECT_NEAR(problem.reference_change(), 0.355752, printed);
  for (const harness::Model model : models())
    for (const char* variant : {"no-data", "data", "fused", "temporal", "cached"})
      EXPECT_EQ(run(variant, problem, model).done, 100) << variant;
}

/// The trace of the guide's 4096 x 4096 plate. The largest change is near the hot edge, where the
/// other edges are too far away to matter, so a plate of 200 x 600 gives the same six decimals.
TEST(Jacobi, FollowsTheGuidesTrace) {
  LongRun plate(Setup::guide, 200, 600);
  EXPECT_NEAR(plate.sweeps(1, 1e-6).change, 0.25, printed) << "at iteration 0";
  EXPECT_NEAR(plate.sweeps(100, 1e-6).change, 0.002397, printed) << "at iteration 100";
  EXPECT_NEAR(plate.sweeps(400, 1e-6).change, 0.000483, printed) << "at iteration 500";
  EXPECT_NEAR(plate.sweeps(400, 1e-6).change, 0.000269, printed) << "at iteration 900";
}

/// On a square plate with the document's edges the final temperatures are a product of row and
/// column.
TEST(Jacobi, EndsInTheSteadyState) {
  const long n = 12;
  Problem problem(Setup::document, n, n, 100000, 1e-13);
  for (const harness::Model model : models())
    for (const char* variant : {"data", "fused", "temporal", "cached"}) {
      run(variant, problem, model);
      problem.call([&](const Task& task) {
        for (long i = 0; i <= n; ++i)
          for (long j = 0; j <= n; ++j)
            EXPECT_NEAR(task.plate[i * (n + 2) + j],
                        100.0 * static_cast<double>(i * j) / static_cast<double>(n * (n + 1)), 1e-9)
                << variant << ", row " << i << ", column " << j;
      });
    }
}

std::optional<Transfers> transfers_of(const std::string& variant, Problem& problem) {
  const testing::WithMemory separate(Memory::separate);
  return testing::run_variant("jacobi", variant, problem);
}

TEST(Jacobi, WithoutARegionEveryKernelCopies) {
  Problem problem(Setup::document, 30, 50, 7, 0);
  const std::uint64_t bytes = sizeof(double) * 32 * 52;
  // A sweep is two kernels: the first copies the plate in and the means out, the second copies both
  // in and the plate out.
  EXPECT_EQ(transfers_of("no-data", problem), (Transfers{.to_device = 3 * 7,
                                                         .to_host = 2 * 7,
                                                         .bytes_to_device = 3 * 7 * bytes,
                                                         .bytes_to_host = 2 * 7 * bytes,
                                                         .allocations = 4 * 7}));
}

TEST(Jacobi, WithARegionThePlateCrossesOnceEachWay) {
  Problem problem(Setup::document, 30, 50, 7, 0);
  const std::uint64_t bytes = sizeof(double) * 32 * 52;
  const Transfers once{.to_device = 1,
                       .to_host = 1,
                       .bytes_to_device = bytes,
                       .bytes_to_host = bytes,
                       .allocations = 2};
  for (const char* variant : {"data", "fused", "temporal", "cached", "graph", "mdrange", "flat"})
    EXPECT_EQ(transfers_of(variant, problem), once) << variant;
}

TEST(Jacobi, InARegionOfTheCallersNothingCrosses) {
  Problem problem(Setup::document, 30, 50, 7, 0);
  const testing::WithMemory separate(Memory::separate);
  const auto& variants = harness::study("jacobi").kokkos;
  problem.call([&](const Task& task) {
    Data data;
    static_cast<void>(data.copy(task.plate, task.rows + 2, task.columns + 2));
    static_cast<void>(data.create(task.next, task.rows + 2, task.columns + 2));
    const Transfers before = transfers();
    for (const harness::Variant& variant : variants)
      variant.prepare(problem)();
    EXPECT_EQ(transfers(), before);
  });
}

TEST(Jacobi, SweepsOfEveryShapeAreRight) {
  const auto& sweep = harness::study("jacobi").sweep;
  Problem problem(Setup::document, 67, 530, 41, 0);
  for (const int items : {1, 2, 4, 8, 16})
    for (const Clauses clauses :
         {Clauses{.workers = 1, .vector = 1}, {.workers = 4, .vector = 32}}) {
      problem.reset();
      sweep.run(problem, {clauses, items})();
      Kokkos::fence();
      EXPECT_TRUE(problem.check().passed) << clauses.workers << " x " << clauses.vector << ", "
                                          << items << ": " << problem.check().detail;
    }
}

template <class Sweep>
void expect_right(const char* what, long rows, long columns) {
  SCOPED_TRACE(::testing::Message() << what << ", " << rows << " x " << columns);
  using Owned = Kokkos::View<double**, Kokkos::LayoutRight, DeviceSpace>;
  const Owned old("jacobi/old", rows + 2, columns + 2);
  const Owned mean("jacobi/mean", rows + 2, columns + 2);
  const Changes changes("jacobi/changes", 2);
  const auto before = Kokkos::create_mirror_view(old);
  for (long i = 0; i < rows + 2; ++i)
    for (long j = 0; j < columns + 2; ++j)
      before(i, j) = static_cast<double>(i * i % 17 + 3 * j % 11);
  Kokkos::deep_copy(old, before);
  const auto bits = Kokkos::create_mirror_view(changes);
  bits(0) = Kokkos::bit_cast<Bits>(1.0);
  Kokkos::deep_copy(changes, bits);
  launch("jacobi/test", fused_clauses, Sweep{Plate(old), Plate(mean), changes, 1, 0, 128});
  const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mean);
  Kokkos::deep_copy(bits, changes);
  double largest = 0;
  for (long i = 1; i <= rows; ++i)
    for (long j = 1; j <= columns; ++j) {
      const double expected = 0.25 * (before(i + 1, j) + before(i - 1, j) + before(i, j + 1) +
                                      before(i, j - 1)); // of small integers: exact
      ASSERT_EQ(after(i, j), expected) << "row " << i << ", column " << j;
      largest = std::max(largest, std::abs(expected - before(i, j)));
    }
  EXPECT_EQ(Kokkos::bit_cast<double>(bits(1)), largest);
}

TEST(Jacobi, EveryFusedSweepIsRight) {
  for (const auto& [rows, columns] :
       {std::pair{1L, 1L}, {7L, 127L}, {8L, 128L}, {16L, 5L}, {17L, 257L}, {67L, 300L}}) {
    expect_right<FusedSweep<1>>("a row", rows, columns);
    expect_right<FusedSweep<8>>("eight rows", rows, columns);
    expect_right<FusedSweep<16>>("sixteen rows", rows, columns);
    expect_right<FusedSweep<16, true>>("sixteen rows, read-only", rows, columns);
  }
}

/// Heat at random, so that no two cells of a strip agree.
std::vector<double> uneven(long rows, long columns) {
  std::vector<double> plate(static_cast<std::size_t>((rows + 2) * (columns + 2)));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> heat(0, 100);
  std::generate(plate.begin(), plate.end(), [&] { return heat(random); });
  return plate;
}

/// A plate after sweeps by `solver`, and how it ended.
template <class AnySolver>
std::pair<std::vector<double>, Result> swept(const AnySolver& solver, std::vector<double> plate,
                                             long rows, long columns, int iterations,
                                             double tolerance) {
  std::vector<double> next(plate.size());
  Solver::Outcome outcome;
  {
    Data data;
    outcome = solver.solve(data.copy(plate.data(), rows + 2, columns + 2),
                           data.create(next.data(), rows + 2, columns + 2), iterations, tolerance);
  }
  return std::pair(std::move(plate), Result{outcome.done, outcome.change});
}

TEST(Jacobi, FourSweepsAPassAreTheSameBits) {
  const Solver single;
  const TemporalSolver temporal;
  // Strips of a host keep 504 columns, of a device 56; pieces have sixteen rows and more.
  for (const auto& [rows, columns] : {std::pair{1L, 1L},
                                      {1L, 700L},
                                      {700L, 1L},
                                      {3L, 4L},
                                      {15L, 55L},
                                      {16L, 56L},
                                      {17L, 57L},
                                      {33L, 503L},
                                      {40L, 504L},
                                      {40L, 505L},
                                      {64L, 1007L},
                                      {65L, 1008L},
                                      {300L, 2018L}})
    for (const int iterations : {4, 7, 8, 13}) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", " << iterations);
      const auto plate = uneven(rows, columns);
      const auto [expected, by_one] = swept(single, plate, rows, columns, iterations, -1);
      const auto [plate_after, by_four] = swept(temporal, plate, rows, columns, iterations, -1);
      EXPECT_EQ(by_four.done, iterations);
      EXPECT_EQ(by_four.change, by_one.change);
      ASSERT_EQ(plate_after, expected);
    }
}

/// Wherever in a pass the last sweep is, and in the first lot of passes launched ahead or later.
TEST(Jacobi, FourSweepsAPassEndWithTheSameSweep) {
  const Solver single;
  const TemporalSolver temporal;
  const long rows = 37;
  const long columns = 90;
  const auto plate = uneven(rows, columns);
  for (const int sweep : {1, 2, 3, 4, 5, 6, 7, 8, 9, 21, 251, 252, 253, 254, 258, 510}) {
    SCOPED_TRACE(sweep);
    const double change = swept(single, plate, rows, columns, sweep, -1).second.change;
    const auto [expected, by_one] = swept(single, plate, rows, columns, 1000, change);
    ASSERT_EQ(by_one.done, sweep);
    const auto [plate_after, by_four] = swept(temporal, plate, rows, columns, 1000, change);
    EXPECT_EQ(by_four.done, sweep);
    EXPECT_EQ(by_four.change, change);
    EXPECT_EQ(plate_after, expected);
  }
}

TEST(Jacobi, OpenAccEndsWithTheSameSweepByPasses) {
  const testing::WithMemory shared(Memory::shared);
  for (const int iterations : {0, 1, 3, 4, 5, 8, 11, 300}) {
    Problem problem(Setup::document, 21, 130, iterations, 1.0);
    for (const harness::Model model : models())
      run("temporal", problem, model);
  }
}

TEST(Jacobi, ColumnsFillTheRoundsOfTheirGangs) {
  constexpr long h200 = 132;
  EXPECT_EQ(column_for(1, 1, h200), Column::of_16_read_only);
  EXPECT_EQ(column_for(1000, 1000, h200), Column::of_16_read_only)
      << "504 gangs of the 528 it holds";
  EXPECT_EQ(column_for(2000, 2000, h200), Column::of_16) << "4 rounds of 64 rows, not 5 of 56";
  EXPECT_EQ(column_for(3001, 777, h200), Column::of_8) << "3 rounds of 56 rows, not 3 of 64";
  EXPECT_EQ(column_for(4094, 4094, h200), Column::of_16);
  EXPECT_EQ(column_for(8190, 8190, h200), Column::of_16);
  EXPECT_EQ(column_for(100'000, 100'000, 1), Column::of_16);
}

/// One cell far beyond the 2^31st. Only the pages that the test touches take memory.
TEST(Jacobi, IndicesPassTwoToThe31) {
  if constexpr (has_device) {
    GTEST_SKIP() << "reads a host array in place";
  } else {
    constexpr std::size_t side = 50002;
    constexpr std::size_t bytes = side * side * sizeof(double);
    const auto reserve = [] {
      return mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    };
    void* const from = reserve();
    void* const to = reserve();
    if (from == MAP_FAILED || to == MAP_FAILED)
      GTEST_SKIP() << "this machine does not promise " << 2 * bytes << " bytes";
    const Plate old(static_cast<double*>(from), side, side);
    const Plate mean(static_cast<double*>(to), side, side);
    // Long indices: Kokkos 5.2 multiplies in the type that it is given.
    old(50000L, 49999L) = 4;
    old(49999L, 50000L) = 8;
    old(50001L, 50000L) = 16;
    old(50000L, 50001L) = 32;
    const FusedSweep<1> sweep{old, mean, {}, 1, 0, 16384};
    EXPECT_EQ(sweep.gangs(), 50000L * 4);
    EXPECT_EQ(std::bit_cast<double>(sweep.cells<1>(50000, 50000)), 15);
    EXPECT_EQ(static_cast<double*>(to)[50000UL * side + 50000], 15);
    munmap(from, bytes);
    munmap(to, bytes);
  }
}

void right_but(Problem& problem, void (*spoil)(const Task& task)) {
  run("data", problem);
  problem.call(spoil);
  EXPECT_FALSE(problem.check().passed);
}

TEST(Jacobi, CheckSeesAWrongCellCountOrChange) {
  Problem problem(Setup::document, 40, 60, 25, 0);
  right_but(problem, [](const Task& task) { task.plate[20 * 62 + 31] += 1e-10; });
  EXPECT_NE(problem.check().detail.find("row 20, column 31"), std::string::npos);
  right_but(problem, [](const Task& task) { *task.change += 1e-10; });
  right_but(problem, [](const Task& task) { ++*task.done; });
  right_but(problem, [](const Task& task) { task.plate[0] = NAN; });
}

} // namespace
} // namespace gangway::jacobi
