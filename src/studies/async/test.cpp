// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/async/async.hpp"

#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace gangway::async {
namespace {

Problem problem_of(const char* n, const char* blocks) {
  return Problem(harness::Parameters(Problem::info, {{"n", n}, {"blocks", blocks}}));
}

/// Blocks cover [0, n) without gap or overlap, also where 32 bits would overflow.
TEST(Async, BlocksCoverAll) {
  for (const long n : {0L, 1L, 7L, 1000L, (1L << 33) + 12345})
    for (const int blocks : {1, 2, 3, 7, 16, 1000}) {
      EXPECT_EQ(first_of(0, n, blocks), 0);
      EXPECT_EQ(first_of(blocks, n, blocks), n);
      for (int block = 0; block < blocks; ++block)
        ASSERT_LE(first_of(block, n, blocks), first_of(block + 1, n, blocks));
    }
}

/// Two arrays in and one out for each block, whether the host waits or not.
TEST(Async, MovesEachBlockOnce) {
  const testing::WithMemory separate(Memory::separate);
  for (const char* name : {"sync", "async"}) {
    Problem problem = problem_of("10007", "5");
    EXPECT_EQ(testing::run_variant("async", name, problem),
              (Transfers{.to_device = 10,
                         .to_host = 5,
                         .bytes_to_device = 2U * 4 * 10007,
                         .bytes_to_host = 4U * 10007,
                         .allocations = 2}))
        << name;
  }
}

/// OpenACC has the same counts.
TEST(Async, OpenAccMovesEachBlockOnce) {
  Problem problem = problem_of("10007", "5");
  const Transfers blocks{10, 5, 2U * 4 * 10007, 4U * 10007, 0};
  testing::expect_openacc_moves("async", "sync", problem, blocks);
  testing::expect_openacc_moves("async", "async", problem, blocks);
}

/// Each block has a queue of its own: Kokkos tells tools an id for each queue. A host has only one.
TEST(Async, OneQueueForEachBlock) {
  static std::vector<std::uint32_t> queues;
  queues.clear();
  Problem problem = problem_of("10000", "6");
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
      [](const char* label, std::uint32_t device, std::uint64_t*) {
        if (std::string(label) == "async/async")
          queues.push_back(device);
      });
  testing::run_variant("async", "async", problem);
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  ASSERT_EQ(queues.size(), 6U);
  std::sort(queues.begin(), queues.end());
  const auto different =
      static_cast<std::size_t>(std::unique(queues.begin(), queues.end()) - queues.begin());
  EXPECT_EQ(different, (has_device ? 6U : 1U));
}

/// More queues after fewer, and fewer after more.
TEST(Async, QueuesAreReused) {
  for (const char* blocks : {"2", "9", "3"}) {
    Problem problem = problem_of("5000", blocks);
    testing::run_variant("async", "async", problem);
  }
}

TEST(Async, CheckSeesOneWrongElement) {
  Problem problem = problem_of("10007", "3");
  testing::run_variant("async", "sync", problem);
  EXPECT_TRUE(problem.check().passed);
  problem.y()[7777] += 1;
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("7777"), std::string::npos);
}

} // namespace
} // namespace gangway::async
