// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo/halo.hpp"
#include "studies/halo/plate.hpp"
#include "studies/jacobi/jacobi.hpp"

#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

/// One rank; tests/ranks/ranks_test.py has several.
namespace gangway::halo {
namespace {

template <class T = double>
Problem<T> problem_of(const std::string& rows, const std::string& columns,
                      const std::string& sweeps, const std::string& wide = "8") {
  const char* const type = sizeof(T) == sizeof(float) ? "float" : "double";
  return Problem<T>(harness::Parameters(
      study_info,
      {{"n", rows}, {"columns", columns}, {"sweeps", sweeps}, {"type", type}, {"wide", wide}}));
}

constexpr const char* stages[]{"staged", "device-pointers", "overlapped", "wide", "temporal"};

std::vector<double> changes_of(Problem<double>& problem) {
  std::vector<double> all;
  problem.call([&](auto, auto, int sweeps, auto, auto, auto, auto, const double* changes) {
    all.assign(changes, changes + sweeps);
  });
  return all;
}

/// Cells begin as `before` says; beyond the edges they are NaN.
TEST(Halo, BeginsAsSaid) {
  const long rows = 7;
  const long columns = 9;
  for (const ranks::Block part : {ranks::Block{{0, 7}, {0, 9}}, ranks::Block{{0, 3}, {4, 9}},
                                  ranks::Block{{3, 7}, {0, 5}}, ranks::Block{{2, 2}, {3, 3}}})
    for (const long around : {1L, 2L, 5L}) {
      const long stride = part.columns.count() + 2 * around;
      const long all = (part.rows.count() + 2 * around) * stride;
      std::vector<float> plate(static_cast<std::size_t>(all), -1);
      fill(rows, columns, part, around, around, plate.data());
      for (long cell = 0; cell < all; ++cell) {
        const long i = part.rows.begin + 1 - around + cell / stride;
        const long j = part.columns.begin + 1 - around + cell % stride;
        const float found = plate[static_cast<std::size_t>(cell)];
        if (i >= 0 && i <= rows + 1 && j >= 0 && j <= columns + 1)
          EXPECT_EQ(found, before<float>(rows, columns, i, j)) << i << ", " << j;
        else
          EXPECT_TRUE(std::isnan(found)) << i << ", " << j;
      }
    }
}

/// A rank's block, swept without an exchange, equals the same block of the whole plate.
TEST(Halo, IsRightWithoutAnExchange) {
  using Space = Kokkos::DefaultExecutionSpace::device_type;
  const auto whole = swept_alone_on<double, Space>(33, 21, {{0, 33}, {0, 21}}, 6);
  const ranks::Block own{{11, 15}, {7, 12}};
  const auto part = swept_alone_on<double, Space>(33, 21, own, 6);
  for (long i = own.rows.begin; i < own.rows.end; ++i)
    for (long j = own.columns.begin; j < own.columns.end; ++j)
      EXPECT_EQ(*part.at(i, j), *whole.at(i, j)) << i << ", " << j;
  EXPECT_LT(part.changes.back(), whole.changes.back()) << "of its own cells only";
  using Host = Kokkos::DefaultHostExecutionSpace::device_type;
  EXPECT_NO_THROW((require_same_sweeps<float, Space, Host>(33, 21, 6)));
}

TEST(Halo, ChangesAsThePlateOfJacobi) {
  Problem problem = problem_of("40", "70", "25");
  for (const char* stage : stages) {
    testing::run_variant("halo", stage, problem);
    const std::vector<double> changes = changes_of(problem);
    for (const int sweeps : {1, 2, 25})
      EXPECT_EQ(changes[static_cast<std::size_t>(sweeps - 1)],
                jacobi::Problem(jacobi::Setup::document, 40, 70, sweeps, 0).reference_change())
          << stage << ", sweep " << sweeps;
  }
}

template <class T>
void expect_right(Problem<T> problem, const char* variant) {
  testing::run_variant("halo", variant, problem);
  const harness::Check check = problem.check();
  EXPECT_TRUE(check.passed) << variant << " on " << problem.describe() << ": " << check.detail;
}

/// A round of each length, the last one cut short or not, with a pass of four sweeps or without.
TEST(Halo, AnyWidthIsRight) {
  for (const char* variant : {"wide", "temporal"})
    for (const char* width : {"1", "2", "4", "5", "8", "12", "13"})
      for (const char* sweeps : {"1", "4", "12", "13"}) {
        expect_right(problem_of<float>("13", "31", sweeps, width), variant);
        expect_right(problem_of<double>("13", "31", sweeps, width), variant);
      }
}

/// Passes with edges and without, of strips side by side and one below the other.
TEST(Halo, LargePlatesAreRightByPasses) {
  for (const char* rows : {"1", "150", "400"})
    for (const char* columns : {"0", "1", "1100", "2301"})
      expect_right(problem_of<float>(rows, columns, "9"), "temporal");
}

TEST(Halo, OnlyTheBordersMove) {
  Problem problem = problem_of<float>("30", "50", "7");
  const std::uint64_t row = sizeof(float) * 52;
  const testing::WithMemory separate(Memory::separate);
  EXPECT_EQ(testing::run_variant("halo", "staged", problem),
            (Transfers{.to_device = 2 + 2 * 7,
                       .to_host = 2 + 2 * 7,
                       .bytes_to_device = 2 * 32 * row + 2 * 7 * row,
                       .bytes_to_host = 2 * 32 * row + 2 * 7 * row,
                       .allocations = 2}));
  for (const char* stage : {"device-pointers", "overlapped"})
    EXPECT_EQ(testing::run_variant("halo", stage, problem),
              (Transfers{.to_device = 2,
                         .to_host = 2,
                         .bytes_to_device = 2 * 32 * row,
                         .bytes_to_host = 2 * 32 * row,
                         .allocations = 2}))
        << stage;
  // All of the halo of eight rows, and what is below the plate's edge with it.
  for (const char* variant : {"wide", "temporal"})
    EXPECT_EQ(testing::run_variant("halo", variant, problem),
              (Transfers{.to_device = 2,
                         .to_host = 2,
                         .bytes_to_device = 2 * 46 * row,
                         .bytes_to_host = 2 * 46 * row,
                         .allocations = 3}));
}

template <class T>
void expect_seen(Problem<T>& problem, int sweeps) {
  const auto run = [&] { testing::run_variant("halo", "overlapped", problem); };
  const auto spoil = [&](long cell, auto&& change) {
    run();
    problem.call(
        [&](auto, const LocalStrip& strip, int, T* plate, T* next, auto, auto, double* changes) {
          const long before = (strip.wide - 1) * strip.stride();
          change((sweeps % 2 == 0 ? plate : next)[before + cell], changes[sweeps - 1]);
        });
    EXPECT_FALSE(problem.check().passed) << problem.check().detail;
  };
  const long stride = 62;
  const auto next_value = [](T& cell, double&) { cell = std::nextafter(cell, T(1000)); };
  spoil(20 * stride + 31, next_value);
  EXPECT_NE(problem.check().detail.find("(19, 31)"), std::string::npos) << problem.check().detail;
  spoil(1 * stride + 60, next_value);
  spoil(40 * stride + 1, next_value);
  spoil(0, [](T&, double& change) { change = std::nextafter(change, 1000); });
  spoil(0, [](T&, double& change) { change = NAN; });
  run();
  EXPECT_TRUE(problem.check().passed);
}

TEST(Halo, CheckSeesOneBit) {
  Problem odd = problem_of("40", "60", "25");
  expect_seen(odd, 25);
  Problem even = problem_of<float>("40", "60", "24");
  expect_seen(even, 24);
}

} // namespace
} // namespace gangway::halo
