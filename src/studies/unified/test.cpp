// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/unified/unified.hpp"

#include "gangway/data.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace gangway::unified {
namespace {

using harness::Parameters;

constexpr long n = 5000;

Problem small() {
  return Problem(Parameters(Problem::info, {{"n", std::to_string(n)}}));
}

/// Counts what one checked run of a Kokkos variant transfers.
std::optional<Transfers> moved_by(const std::string& name, Problem& problem) {
  return testing::run_variant("unified", name, problem);
}

/// Both give the same bits, each in its own array.
TEST(Unified, SameResultEitherWay) {
  Problem problem = small();
  std::vector<float> of_explicit;
  moved_by("explicit", problem);
  problem.call(
      [&](long, float, const float*, const float* y, const float*, const float* managed_y) {
        of_explicit.assign(y, y + n);
        EXPECT_NE(managed_y[0], y[0]) << "written without being asked";
      });
  moved_by("managed", problem);
  problem.call(
      [&](long, float, const float*, const float* y, const float*, const float* managed_y) {
        EXPECT_EQ(std::vector<float>(managed_y, managed_y + n), of_explicit);
        EXPECT_NE(managed_y[0], y[0]) << "written without being asked";
      });
}

TEST(Unified, ExplicitCopiesTwoInAndOneOut) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = small();
  EXPECT_EQ(moved_by("explicit", problem), (Transfers{2, 1, 8 * n, 4 * n, 2}));
}

/// Without a data clause the library copies nothing. Pages may move, but no count has them.
TEST(Unified, ManagedCopiesNothing) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = small();
  EXPECT_EQ(moved_by("managed", problem), Transfers{});
}

/// OpenACC has the same counts.
TEST(Unified, OpenAccCopiesTheExplicitArraysAlone) {
  Problem problem = small();
  testing::expect_openacc_moves("unified", "explicit", problem, {2, 1, 8 * n, 4 * n, 0});
  testing::expect_openacc_moves("unified", "managed", problem, {});
}

/// Where both are the same memory, the report says so.
TEST(Unified, ReportSaysWhatManagedMeansHere) {
  const std::string text = small().describe();
  const bool same = std::is_same_v<Kokkos::SharedSpace, Kokkos::HostSpace>;
  EXPECT_EQ(text.find("do the same") != std::string::npos, same) << text;
}

TEST(Unified, CheckSeesOneWrongElementInEitherArray) {
  Problem problem = small();
  const auto spoiled = [&](const char* variant, bool in_managed, float by) {
    moved_by(variant, problem);
    problem.call([&](long, float, const float*, float* y, const float*, float* managed_y) {
      (in_managed ? managed_y : y)[1234] += by;
    });
    return problem.check();
  };
  EXPECT_TRUE(spoiled("explicit", false, 0).passed);
  EXPECT_FALSE(spoiled("explicit", false, 1).passed);
  EXPECT_NE(problem.check().detail.find("element 1234"), std::string::npos);
  EXPECT_FALSE(spoiled("explicit", true, 1).passed) << "what was not asked for was changed";
  EXPECT_FALSE(spoiled("managed", true, 1).passed);
  EXPECT_FALSE(spoiled("managed", false, 1).passed);
  problem.reset();
  EXPECT_FALSE(problem.check().passed) << "nothing was computed";
}

} // namespace
} // namespace gangway::unified
