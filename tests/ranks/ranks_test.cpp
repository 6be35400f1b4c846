// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What ranks decide, each for itself. What they do together is in across.cpp.
#include "base/errors.hpp"
#include "ranks/block_sums.hpp"
#include "ranks/blocks.hpp"
#include "ranks/communicator.hpp"
#include "ranks/halo_way.hpp"
#include "ranks/launcher.hpp"
#include "ranks/nccl.hpp"
#include "ranks/pieces.hpp"
#include "ranks/session.hpp"
#include "ranks/strip.hpp"
#include "ranks/vector_halo.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gangway::ranks {
namespace {

TEST(Parts, CoverTheRowsInOrderAndAreEven) {
  for (const long rows : {0L, 1L, 2L, 3L, 7L, 64L, 16384L, 3000000001L})
    for (const int ranks : {1, 2, 3, 4, 7, 64}) {
      long end = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Part part = part_of(rows, ranks, rank);
        EXPECT_EQ(part.begin, end) << rows << " rows, rank " << rank << " of " << ranks;
        EXPECT_GE(part.count(), rows / ranks);
        EXPECT_LE(part.count(), rows / ranks + 1);
        EXPECT_LE(part.count(), part_of(rows, ranks, 0).count()) << "the first ones have more";
        end = part.end;
      }
      EXPECT_EQ(end, rows);
    }
}

TEST(Parts, WithMoreRanksThanRowsTheLastHaveNone) {
  EXPECT_EQ(part_of(2, 4, 1).count(), 1);
  EXPECT_EQ(part_of(2, 4, 2).count(), 0);
  EXPECT_EQ(part_of(2, 4, 3).count(), 0);
}

TEST(Processors, ThatALauncherHasLeftToNobodyAreTold) {
  EXPECT_EQ(processors_text(16, 2, 16), "16 of 16 for each rank");
  EXPECT_EQ(processors_text(8, 2, 16), "8 of 16 for each rank");
  EXPECT_EQ(processors_text(1, 2, 16),
            "1 of 16 for each rank, as its launcher has bound it; mpirun --bind-to none gives each "
            "its share, 8");
}

TEST(Blocks, AreAsSquareAsTheRanksAllow) {
  const auto is = [](int ranks, int down, int across) {
    const Grid grid = grid_of(ranks);
    EXPECT_EQ(grid.down, down) << ranks;
    EXPECT_EQ(grid.across, across) << ranks;
  };
  is(1, 1, 1);
  is(2, 2, 1);
  is(3, 3, 1);
  is(4, 2, 2);
  is(6, 3, 2);
  is(7, 7, 1);
  is(12, 4, 3);
}

TEST(Blocks, CoverThePlateOnce) {
  for (const long rows : {0L, 1L, 5L, 64L})
    for (const long columns : {0L, 1L, 7L})
      for (const int ranks : {1, 2, 4, 6}) {
        std::vector<int> covered(static_cast<std::size_t>(rows * columns));
        for (int rank = 0; rank < ranks; ++rank) {
          const Block block = block_of(rows, columns, ranks, rank);
          for (long i = block.rows.begin; i < block.rows.end; ++i)
            for (long j = block.columns.begin; j < block.columns.end; ++j)
              ++covered[static_cast<std::size_t>(i * columns + j)];
        }
        EXPECT_EQ(covered, std::vector<int>(covered.size(), 1)) << rows << " x " << columns;
      }
}

TEST(Sums, HaveBlocksThatFollowFromTheRows) {
  EXPECT_EQ(BlockSums::rows_each(0), 8);
  EXPECT_EQ(BlockSums::rows_each(1), 8);
  EXPECT_EQ(BlockSums::rows_each(8 * 1024), 8);
  EXPECT_EQ(BlockSums::rows_each(8 * 1024 + 1), 16);
  for (const long rows : {1L, 8L, 9L, 1000L, 8193L, 1000000L, 2147483647L}) {
    const BlockSums sums(world(), rows, {0, rows});
    EXPECT_LE(sums.count(), BlockSums::most_blocks);
    long end = 0;
    for (int block = 0; block < sums.count(); ++block) {
      EXPECT_EQ(sums.block(block).begin, end);
      EXPECT_GT(sums.block(block).count(), 0);
      end = sums.block(block).end;
    }
    EXPECT_EQ(end, rows);
  }
}

TEST(Sums, AddTheBlocksInOrder) {
  const BlockSums sums(world(), 24, {0, 24});
  ASSERT_EQ(sums.count(), 3);
  const double of_blocks[]{1e16, 1, -1e16, 1, 2, 3};
  double totals[2]{-7, -7};
  sums.add(of_blocks, totals);
  EXPECT_EQ(totals[0], 0) << "1 is lost beside 1e16; in another order it would not be";
  EXPECT_EQ(totals[1], 6);
}

TEST(Sums, RefuseRowsThatCutABlock) {
  EXPECT_THROW(BlockSums(world(), 24, {0, 12}), std::invalid_argument);
  EXPECT_THROW(BlockSums(world(), 24, {4, 24}), std::invalid_argument);
  EXPECT_NO_THROW(BlockSums(world(), 20, {16, 20}));
  EXPECT_EQ(BlockSums(world(), 20, {20, 20}).count(), 0) << "a rank without rows";
}

TEST(Pieces, OfOneRankAreItsOwn) {
  std::vector<double> own{1, 2, 3, 4, 5};
  std::vector<std::vector<double>> seen;
  gather_pieces(world(), own, 2,
                [&](std::span<const double> some) { seen.emplace_back(some.begin(), some.end()); });
  EXPECT_EQ(seen, (std::vector<std::vector<double>>{{1, 2}, {3, 4}, {5}}));
  double next = 10;
  scatter_pieces(world(), own, 3, [&](std::span<double> some) {
    for (double& element : some)
      element = next++;
  });
  EXPECT_EQ(own, (std::vector<double>{10, 11, 12, 13, 14}));
  EXPECT_EQ(fold_in_order(world(), 3, [](std::uint64_t before) { return 10 * before + 1; }), 31U);
  EXPECT_EQ(text_of_first(world(), "a text"), "a text");
}

TEST(Devices, AreDealtOutInTurn) {
  EXPECT_EQ(device_of(0, 4), 0);
  EXPECT_EQ(device_of(3, 4), 3);
  EXPECT_EQ(device_of(5, 4), 1);
  EXPECT_EQ(device_of(5, 0), 0) << "a host has none";
}

TEST(Ways, OnAHostMpiTakesTheArraysThemselves) {
  EXPECT_EQ(choose_way({}, "").way, Way::arrays);
  EXPECT_EQ(choose_way({}, "mpi").way, Way::arrays);
  EXPECT_EQ(choose_way({.cuda_aware = true}, "").way, Way::arrays);
}

TEST(Ways, DevicePointersOnlyWhereMpiSaysThatItTakesThem) {
  const WayFacts aware{.separate_memory = true, .cuda_device = true, .cuda_aware = true};
  EXPECT_EQ(choose_way(aware, "").way, Way::aware);
  WayFacts not_aware = aware;
  not_aware.cuda_aware = false;
  const WayChoice staged = choose_way(not_aware, "");
  EXPECT_EQ(staged.way, Way::staged);
  EXPECT_NE(staged.because.find("not say that it is CUDA-aware"), std::string::npos);
}

/// The query of Open MPI says nothing of AMD's pointers.
TEST(Ways, AnotherDeviceIsStaged) {
  EXPECT_EQ(choose_way({.separate_memory = true, .cuda_aware = true}, "").way, Way::staged);
}

TEST(Ways, WhatIsWantedIsTakenWhereItWorks) {
  const WayFacts aware{.separate_memory = true, .cuda_device = true, .cuda_aware = true};
  EXPECT_EQ(choose_way(aware, "staged").way, Way::staged);
  EXPECT_EQ(choose_way({}, "staged").way, Way::staged);
  EXPECT_THROW(static_cast<void>(choose_way({.separate_memory = true, .cuda_device = true}, "mpi")),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(choose_way({}, "pigeons")), base::UsageError);
}

/// Its messages need no host on their way, so it comes before an MPI that takes device pointers.
TEST(Ways, NcclWhereAllRanksHaveIt) {
  WayFacts facts{.separate_memory = true, .cuda_device = true, .cuda_aware = true};
  facts.nccl = "NCCL 2.28.9";
  EXPECT_EQ(choose_way(facts, "").way, Way::nccl);
  EXPECT_EQ(choose_way(facts, "nccl").way, Way::nccl);
  EXPECT_EQ(choose_way(facts, "mpi").way, Way::aware);
  EXPECT_EQ(choose_way(facts, "staged").way, Way::staged);
  EXPECT_EQ(text_of(choose_way(facts, "")), "NCCL on device pointers (NCCL 2.28.9)");
  facts.cuda_device = false; // AMD's, by RCCL
  EXPECT_EQ(choose_way(facts, "").way, Way::nccl);
}

TEST(Ways, WithoutNcclItsReasonIsSaid) {
  WayFacts facts{.separate_memory = true, .cuda_device = true, .cuda_aware = true};
  facts.why_no_nccl = "no such library";
  EXPECT_EQ(choose_way(facts, "").way, Way::aware);
  EXPECT_EQ(choose_way(facts, "").because, "it says that it is CUDA-aware; no such library");
  facts.cuda_aware = false;
  EXPECT_EQ(choose_way(facts, "").way, Way::staged);
  EXPECT_EQ(choose_way(facts, "").because,
            "this MPI does not say that it is CUDA-aware; no such library");
  try {
    static_cast<void>(choose_way(facts, "nccl"));
    FAIL() << "not refused";
  } catch (const base::UsageError& error) {
    EXPECT_STREQ(error.what(), "GANGWAY_HALO=nccl: no such library; leave the variable out, and "
                               "halos go another way");
  }
}

/// So that a variable which is set for all of several runs does not end that on one rank.
TEST(Ways, OneRankTakesAnyName) {
  const WayFacts alone{.alone = true, .separate_memory = true, .cuda_device = true};
  EXPECT_EQ(choose_way(alone, "nccl").way, Way::staged);
  EXPECT_EQ(choose_way(alone, "mpi").way, Way::staged);
  EXPECT_EQ(choose_way({.alone = true}, "nccl").way, Way::arrays);
  EXPECT_THROW(static_cast<void>(choose_way(alone, "pigeons")), base::UsageError);
}

TEST(NcclRanks, NeedADeviceEachAndTheSameVersion) {
  const NcclRank first{"one", "0000:1B:00.0", 22809, ""};
  NcclRank second{"one", "0000:43:00.0", 22809, ""};
  const auto why = [&] { return why_no_nccl(std::vector{first, second}); };
  EXPECT_EQ(why(), "");
  second.bus = first.bus;
  EXPECT_EQ(why(), "ranks 0 and 1 share the device 0000:1B:00.0 of one, and NCCL wants one for "
                   "each");
  second.host = "two";
  EXPECT_EQ(why(), "") << "another host has a device of that name, too";
  second.version = 2804;
  EXPECT_EQ(why(), "rank 0 has NCCL 2.28.9 and rank 1 has 2.8.4");
  second.fault = "NCCL does not load: no such file";
  EXPECT_EQ(why(), "rank 1: NCCL does not load: no such file");
  EXPECT_EQ(why_no_nccl(std::vector{first}), "NCCL is for several ranks");
}

TEST(Ways, AreSaidWithTheirReason) {
  EXPECT_EQ(text_of({Way::arrays, "kernels use the host's memory"}),
            "MPI on the arrays themselves (kernels use the host's memory)");
  EXPECT_NE(text_of({Way::staged, "because"}).find("host buffers (because)"), std::string::npos);
}

TEST(Launcher, IsRecognisedByItsEnvironment) {
  const auto ranks = [](const std::map<std::string, std::string>& environment) {
    return launched_ranks([&](const char* name) {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(ranks({}), 0);
  EXPECT_EQ(ranks({{"OMPI_COMM_WORLD_SIZE", "3"}, {"PMIX_RANK", "1"}}), 3);
  EXPECT_EQ(ranks({{"PMI_SIZE", "8"}}), 8);
  EXPECT_EQ(ranks({{"PMIX_RANK", "0"}}), 1);
  EXPECT_EQ(ranks({{"OMPI_COMM_WORLD_SIZE", "three"}}), 0);
}

TEST(Alone, IsOneRankForWhichEverythingIsDone) {
  Communicator alone;
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.host_size(), 1);
  alone.barrier();
  EXPECT_EQ(alone.largest(2.5), 2.5);
  EXPECT_EQ(alone.smallest(2.5), 2.5);
  EXPECT_EQ(alone.sum(7), 7);
  EXPECT_TRUE(alone.all(true));
  EXPECT_FALSE(alone.all(false));
  EXPECT_EQ(alone.gather("me"), std::vector<std::string>{"me"});
  alone.start({}, {});
  alone.finish();
  char byte = 0;
  EXPECT_THROW(alone.start({{1, 1, 1, &byte}}, {}), std::logic_error);
  EXPECT_TRUE(facts().empty());
  EXPECT_EQ(world().size(), 1);
}

TEST(Alone, AStripIsThePlateAndHasNoNeighbours) {
  for (const Way way : {Way::arrays, Way::nccl, Way::staged}) {
    Strip strip(world(), 100, sizeof(double), way);
    EXPECT_EQ(strip.part().begin, 0);
    EXPECT_EQ(strip.part().end, 100);
    const double given[2]{1, 2};
    double taken[2]{-1, -2};
    strip.start({&given[0], &given[1], &taken[0], &taken[1], sizeof(double)});
    strip.finish();
    strip.exchange_on_host({&given[0], &given[1], &taken[0], &taken[1], sizeof(double)});
    EXPECT_EQ(taken[0], -1) << "the edge of the plate stays";
    EXPECT_EQ(taken[1], -2);
    EXPECT_EQ(strip.largest(3), 3);
    double values[]{2, -4};
    strip.largest(values, 2);
    EXPECT_EQ(values[1], -4);
  }
}

TEST(Alone, AVectorHasNoHalo) {
  for (const Way way : {Way::arrays, Way::nccl, Way::staged}) {
    VectorHalo halo(world(), std::vector<int>{0, 100}, {}, sizeof(double), way);
    EXPECT_TRUE(halo.sent().empty());
    double received = -1;
    halo.start(nullptr, &received);
    halo.finish();
    halo.on_host(nullptr, &received);
    EXPECT_EQ(received, -1);
    double values[]{2, 3};
    halo.sum(values, 2);
    EXPECT_EQ(values[1], 3);
    EXPECT_EQ(halo.largest(-2), -2);
  }
}

TEST(Alone, AVectorHaloThatCannotBeIsRefused) {
  const auto make = [](const std::vector<int>& cut, const std::vector<int>& wanted) {
    const VectorHalo halo(world(), cut, wanted, sizeof(float), Way::arrays);
  };
  EXPECT_THROW(make({0, 5, 10}, {}), std::invalid_argument) << "two parts for one rank";
  EXPECT_THROW(make({0, 10}, {3}), std::invalid_argument) << "its own element";
  EXPECT_THROW(make({0, 10}, {12, 11}), std::invalid_argument) << "not ascending";
}

} // namespace
} // namespace gangway::ranks
