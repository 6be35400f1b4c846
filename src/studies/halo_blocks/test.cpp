// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo/halo.hpp"
#include "studies/halo_blocks/halo_blocks.hpp"

#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// One rank; tests/ranks/ranks_test.py has several.
namespace gangway::halo_blocks {
namespace {

constexpr const char* stages[]{"staged", "device-pointers", "overlapped", "wide", "temporal"};

template <class T>
harness::Parameters parameters_of(const harness::StudyInfo& info, const std::string& rows,
                                  const std::string& columns, const std::string& sweeps,
                                  const std::string& wide = "8") {
  const char* const type = sizeof(T) == sizeof(float) ? "float" : "double";
  return {info,
          {{"n", rows}, {"columns", columns}, {"sweeps", sweeps}, {"type", type}, {"wide", wide}}};
}

template <class T>
void expect_changes_of_strips() {
  Problem<T> blocks(parameters_of<T>(study_info, "40", "70", "25"));
  halo::Problem<T> strips(parameters_of<T>(halo::study_info, "40", "70", "25"));
  testing::run_variant("halo", "staged", strips);
  std::vector<double> expected;
  strips.call([&](auto, auto, int sweeps, auto, auto, auto, auto, const double* changes) {
    expected.assign(changes, changes + sweeps);
  });
  for (const char* stage : stages) {
    testing::run_variant("halo_blocks", stage, blocks);
    blocks.call([&](auto&&, int sweeps, auto, auto, auto, auto, auto, auto, const double* changes) {
      EXPECT_EQ(std::vector<double>(changes, changes + sweeps), expected)
          << blocks.describe() << ", " << stage;
    });
  }
}

TEST(HaloBlocks, ChangesAsStripsDo) {
  expect_changes_of_strips<double>();
  expect_changes_of_strips<float>();
}

template <class T>
void expect_right(const std::string& rows, const std::string& columns, const std::string& sweeps,
                  const std::string& width) {
  Problem<T> problem(parameters_of<T>(study_info, rows, columns, sweeps, width));
  for (const char* variant : {"wide", "temporal"}) {
    testing::run_variant("halo_blocks", variant, problem);
    const harness::Check check = problem.check();
    EXPECT_TRUE(check.passed) << variant << ", " << problem.describe() << ", halo of " << width
                              << ": " << check.detail;
  }
}

/// A round of each length, the last one cut short or not, with a pass of four sweeps or without.
TEST(HaloBlocks, AnyWidthIsRight) {
  for (const char* width : {"1", "2", "4", "5", "8", "12", "13"})
    for (const char* sweeps : {"1", "4", "12", "13"}) {
      expect_right<float>("12", "30", sweeps, width);
      expect_right<double>("12", "31", sweeps, width);
    }
}

/// Passes with edges and without, of strips side by side and one below the other.
TEST(HaloBlocks, LargePlatesAreRightByPasses) {
  for (const char* rows : {"1", "150", "400"})
    for (const char* columns : {"1", "1100", "2301"})
      expect_right<float>(rows, columns, "9", "7");
}

/// Cells of each sweep and of each part of a sweep, for a block among others. A run on one rank has
/// no such block.
TEST(HaloBlocks, TheBorderAndTheInsideAreTheBlock) {
  for (const long rows : {1L, 2L, 5L, 9L})
    for (const long columns : {1L, 4L, 11L})
      for (const long depth : {1L, 3L, 7L})
        for (int neighbours = 0; neighbours < 16; ++neighbours) {
          LocalBlock block{};
          block.rows = rows;
          block.columns = columns;
          block.wide = 7;
          block.above = neighbours & 1;
          block.below = neighbours & 2;
          block.left = neighbours & 4;
          block.right = neighbours & 8;
          std::vector<int> swept(static_cast<std::size_t>(block.cells()));
          const auto sweep = [&](const Cells& cells) {
            for (long i = cells.first_row; i < cells.end_row; ++i)
              for (long j = cells.first_column; j < cells.end_column; ++j)
                ++swept[static_cast<std::size_t>(i * block.stride() + j)];
          };
          const Cells inside = block.inside(depth);
          sweep(inside);
          for (const Cells& side : block.own_and(0).around(inside))
            sweep(side);
          for (long i = 0; i < block.rows_with_halo(); ++i)
            for (long j = 0; j < block.stride(); ++j) {
              const bool own = i >= 7 && i < 7 + rows && j >= 7 && j < 7 + columns;
              ASSERT_EQ(swept[static_cast<std::size_t>(i * block.stride() + j)], own ? 1 : 0)
                  << "cell (" << i << ", " << j << ") of " << rows << " x " << columns
                  << " cells, depth " << depth << ", neighbours " << neighbours;
              const bool wanted = (block.above > 0 && i < 7 + depth) ||
                                  (block.below > 0 && i >= 7 + rows - depth) ||
                                  (block.left > 0 && j < 7 + depth) ||
                                  (block.right > 0 && j >= 7 + columns - depth);
              const bool is_inside = i >= inside.first_row && i < inside.end_row &&
                                     j >= inside.first_column && j < inside.end_column;
              ASSERT_EQ(is_inside, own && !wanted) << "cell (" << i << ", " << j << ")";
            }
        }
}

template <class T>
void expect_seen(int sweeps) {
  Problem<T> problem(parameters_of<T>(study_info, "40", "60", std::to_string(sweeps)));
  const auto run = [&] { testing::run_variant("halo_blocks", "overlapped", problem); };
  const auto spoil = [&](long i, long j, const auto& change) {
    run();
    problem.call([&](const LocalBlock& block, auto, T* plate, T* next, auto, auto, auto, auto,
                     double* changes) {
      T* const result = sweeps % 2 == 0 ? plate : next;
      change(result[(i + block.wide) * block.stride() + j + block.wide], changes[sweeps - 1]);
    });
    EXPECT_FALSE(problem.check().passed) << problem.check().detail;
  };
  const auto next_value = [](T& cell, double&) { cell = std::nextafter(cell, T(1000)); };
  spoil(19, 30, next_value);
  EXPECT_NE(problem.check().detail.find("(19, 30)"), std::string::npos) << problem.check().detail;
  spoil(0, 59, next_value);
  spoil(39, 0, next_value);
  spoil(0, 0, [](T&, double& change) { change = std::nextafter(change, 1000); });
  run();
  EXPECT_TRUE(problem.check().passed);
}

TEST(HaloBlocks, CheckSeesOneBit) {
  expect_seen<double>(25);
  expect_seen<float>(24);
}

} // namespace
} // namespace gangway::halo_blocks
