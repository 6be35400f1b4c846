// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo/halo.hpp"
#include "studies/halo_blocks/halo_blocks.hpp"

#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <vector>

/// One rank; tests/ranks/ranks_test.py has several.
namespace gangway::halo_blocks {
namespace {

Problem problem_of(const char* rows, const char* columns, const char* sweeps) {
  return Problem(
      harness::Parameters(Problem::info, {{"n", rows}, {"columns", columns}, {"sweeps", sweeps}}));
}

TEST(HaloBlocks, ChangesAsStripsDo) {
  Problem blocks = problem_of("40", "70", "25");
  halo::Problem strips(
      harness::Parameters(halo::Problem::info, {{"n", "40"}, {"columns", "70"}, {"sweeps", "25"}}));
  testing::run_variant("halo", "staged", strips);
  std::vector<double> expected;
  strips.call([&](auto, auto, int sweeps, auto, auto, auto, auto, auto, const double* changes) {
    expected.assign(changes, changes + sweeps);
  });
  for (const char* stage : {"staged", "device-pointers", "overlapped"}) {
    testing::run_variant("halo_blocks", stage, blocks);
    blocks.call([&](auto, auto, int sweeps, auto, auto, auto, auto, const double* changes) {
      EXPECT_EQ(std::vector<double>(changes, changes + sweeps), expected) << stage;
    });
  }
}

TEST(HaloBlocks, CheckSeesOneBit) {
  Problem problem = problem_of("40", "60", "25");
  const auto spoil = [&](long cell, const auto& change) {
    testing::run_variant("halo_blocks", "overlapped", problem);
    problem.call([&](auto, auto, int, auto, double* next, auto, auto, double* changes) {
      change(next[cell], changes[24]);
    });
    EXPECT_FALSE(problem.check().passed) << problem.check().detail;
  };
  const auto next_value = [](double& cell, double&) { cell = std::nextafter(cell, 1000); };
  spoil(20 * 62 + 31, next_value);
  spoil(1 * 62 + 60, next_value);
  spoil(40 * 62 + 1, next_value);
  spoil(0, [](double&, double& change) { change = std::nextafter(change, 1000); });
  testing::run_variant("halo_blocks", "overlapped", problem);
  EXPECT_TRUE(problem.check().passed);
}

} // namespace
} // namespace gangway::halo_blocks
