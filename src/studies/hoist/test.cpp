// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/hoist/hoist.hpp"

#include "gangway/data.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace gangway::hoist {
namespace {

using harness::Parameters;

Problem of_size(const char* n) {
  return Problem(Parameters(Problem::info, {{"n", n}}));
}

/// Counts what one checked run of a Kokkos variant transfers.
std::optional<Transfers> moved_by(const std::string& name, Problem& problem) {
  return testing::run_variant("hoist", name, problem);
}

constexpr std::uint64_t matrix = 4 * 50 * 50; // bytes

/// The document's report: 10 transfers in and 5 out when each call has a region of its own.
TEST(Hoist, RegionPerCallCopiesTenIn) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = of_size("50");
  EXPECT_EQ(moved_by("region-per-call", problem), (Transfers{10, 5, 10 * matrix, 5 * matrix, 15}));
}

/// And 2 in with a region around the calls.
TEST(Hoist, RegionAroundCopiesTwoIn) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = of_size("50");
  EXPECT_EQ(moved_by("region-around", problem), (Transfers{2, 5, 2 * matrix, 5 * matrix, 7}));
}

/// OpenACC has the same counts, and one copy out where the region holds the results too.
TEST(Hoist, OpenAccCopiesTenInPerCallAndTwoAround) {
  Problem problem = of_size("50");
  testing::expect_openacc_moves("hoist", "region-per-call", problem,
                                {10, 5, 10 * matrix, 5 * matrix, 0});
  testing::expect_openacc_moves("hoist", "region-around", problem,
                                {2, 5, 2 * matrix, 5 * matrix, 0});
  testing::expect_openacc_moves("hoist", "results-too", problem, {2, 1, 2 * matrix, 5 * matrix, 0});
}

TEST(Hoist, ResultsTooCopiesOnceOut) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = of_size("50");
  EXPECT_EQ(moved_by("results-too", problem), (Transfers{2, 1, 2 * matrix, 5 * matrix, 3}));
}

TEST(Hoist, SharedMemoryMovesNothing) {
  if (memory() != Memory::shared)
    GTEST_SKIP() << "this device has a memory of its own";
  Problem problem = of_size("50");
  for (const char* variant : {"region-per-call", "region-around", "results-too"})
    EXPECT_EQ(moved_by(variant, problem), Transfers{}) << variant;
}

/// The closed form is the product: the plain loop passes, and each of the five results counts.
TEST(Hoist, CheckKnowsAllFiveProducts) {
  Problem problem = of_size("37");
  for (int missing = -1; missing < products; ++missing) {
    problem.reset();
    problem.call([missing](int n, const float* a, const float* b, float* c) {
      for (int p = 0; p < products; ++p)
        for (int i = 0; i < n && p != missing; ++i)
          for (int j = 0; j < n; ++j) {
            float& sum = c[(p * n + i) * n + j];
            sum = 0;
            for (int k = 0; k < n; ++k)
              sum += a[i * n + k] * b[k * n + j];
          }
    });
    EXPECT_EQ(problem.check().passed, missing == -1) << missing;
  }
}

} // namespace
} // namespace gangway::hoist
