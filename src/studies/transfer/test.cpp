// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transfer/transfer.hpp"

#include "gangway/data.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

namespace gangway::transfer {
namespace {

using harness::Parameters;

Problem of_size(const char* n) {
  return Problem(Parameters(Problem::info, {{"n", n}}));
}

/// Counts what one checked run of a variant transfers.
std::optional<Transfers> moved_by(const std::string& name, Problem& problem,
                                  harness::Model model = harness::Model::kokkos) {
  return testing::run_variant("transfer", name, problem, model);
}

constexpr std::uint64_t megabytes_4 = 4'000'000; // a matrix of the document's size

/// The document's counts: 2 transfers in and 1 out with contiguous matrices of 1000 x 1000.
TEST(Transfer, ContiguousIsTwoInAndOneOut) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = of_size("1000");
  const Transfers expected{2, 1, 2 * megabytes_4, megabytes_4, 3};
  EXPECT_EQ(moved_by("contiguous", problem), expected);
  EXPECT_EQ(moved_by("pinned", problem), expected);
  EXPECT_EQ(moved_by("packed", problem), expected);
}

/// And 2000 in and 1000 out with rows: the same bytes.
TEST(Transfer, RowsAreTwoThousandInAndAThousandOut) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = of_size("1000");
  EXPECT_EQ(moved_by("rows", problem), (Transfers{2000, 1000, 2 * megabytes_4, megabytes_4, 3000}));
}

/// OpenACC has the same counts.
TEST(Transfer, OpenAccMovesTwoInContiguousAndTwoThousandInRows) {
  Problem problem = of_size("1000");
  for (const char* variant : {"contiguous", "pinned", "packed"})
    testing::expect_openacc_moves("transfer", variant, problem,
                                  {2, 1, 2 * megabytes_4, megabytes_4, 0});
  testing::expect_openacc_moves("transfer", "rows", problem,
                                {2000, 1000, 2 * megabytes_4, megabytes_4, 0});
}

TEST(Transfer, SharedMemoryMovesNothing) {
  if (memory() != Memory::shared)
    GTEST_SKIP() << "this device has a memory of its own";
  Problem problem = of_size("100");
  for (const char* variant : {"contiguous", "rows", "pinned", "packed"})
    EXPECT_EQ(moved_by(variant, problem), Transfers{}) << variant;
}

/// Each variant leaves its result where its users look for it, and nothing elsewhere.
TEST(Transfer, ResultsLieWhereTheyBelong) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem = of_size("33");
  for (const harness::Model model : {harness::Model::kokkos, harness::Model::openacc}) {
    if (model == harness::Model::openacc && testing::openacc_library() == nullptr)
      continue;
    const auto computed = [&](const char* variant) {
      moved_by(variant, problem, model);
      const Matrix& c = problem.c();
      std::string forms;
      forms += std::isnan(c.block.back()) ? "" : "block ";
      forms += std::isnan(c.rows.back().back()) ? "" : "rows ";
      forms += std::isnan(c.pinned.data()[c.pinned.size() - 1]) ? "" : "pinned ";
      return forms;
    };
    EXPECT_EQ(computed("contiguous"), "block ");
    EXPECT_EQ(computed("rows"), "rows ");
    EXPECT_EQ(computed("pinned"), "pinned ");
    EXPECT_EQ(computed("packed"), "rows pinned "); // fetched in a pinned block, then unpacked
  }
}

/// Enough rows that several threads of the host pack them, and a number that is no multiple of
/// theirs.
TEST(Transfer, PackedByManyThreads) {
  Problem problem = of_size("1031");
  moved_by("packed", problem);
  if (testing::openacc_library() != nullptr)
    moved_by("packed", problem, harness::Model::openacc);
}

/// A form that is half right must fail, also when another is right all over.
TEST(Transfer, CheckSeesOneWrongElementInAnyForm) {
  Problem problem = of_size("20");
  const auto spoiled = [&](const char* variant, auto&& spoil) {
    moved_by(variant, problem);
    spoil(problem.c());
    return problem.check();
  };
  EXPECT_FALSE(spoiled("contiguous", [](Matrix& c) { c.block[123] += 1; }).passed);
  EXPECT_NE(problem.check().detail.find("row 6, column 3"), std::string::npos);
  EXPECT_FALSE(spoiled("contiguous", [](Matrix& c) { c.rows[19][19] = 7; }).passed);
  EXPECT_FALSE(spoiled("rows", [](Matrix& c) { c.rows[0][0] = NAN; }).passed);
  EXPECT_FALSE(spoiled("packed", [](Matrix& c) { c.rows[7][0] -= 1; }).passed);
  EXPECT_FALSE(spoiled("pinned", [](Matrix& c) { c.pinned.data()[399] = 0; }).passed);
}

/// In its natural scope a run's share of the link is of what it must move, not of all forms
/// together.
TEST(Transfer, DeclaresWhatMustCross) {
  Problem problem = of_size("100");
  EXPECT_EQ(problem.work().bytes_in, 80000);
  EXPECT_EQ(problem.work().bytes_out, 40000);
}

} // namespace
} // namespace gangway::transfer
