// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/parallel.hpp"

#include "testing/messages.hpp"
#include "testing/no_kernel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <regex>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

namespace gangway {
namespace {

using testing::expect_words;
using Device = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;
constexpr int most = std::numeric_limits<int>::max();
constexpr int least = std::numeric_limits<int>::min();

/// A device with wide teams, of which `effective_shape` only asks where its memory is.
struct PretendDevice {
  struct Memory {};
  using memory_space = Memory;
};

/// Every number at, and next to, a limit; and some in the middle.
const std::vector<int> grid{least, -1024, -32,  -1,   0,    1,    2,    3,     4,   8,
                            16,    31,    32,   33,   48,   63,   64,   65,    96,  128,
                            512,   992,   1023, 1024, 1025, 1056, 2048, 65536, most};

/// The rule of `validate` in other words: workers and vector after choosing what is left open.
bool legal(int workers, int vector) {
  if (workers < 0 || vector < 0)
    return false;
  switch (vector) {
  case 0:
  case 1:
    return workers <= 1024;
  case 2:
    return workers <= 512;
  case 4:
    return workers <= 256;
  case 8:
    return workers <= 128;
  case 16:
    return workers <= 64;
  case 32:
    return workers <= 32;
  default:
    return vector > 32 && vector <= 1024 && vector % 32 == 0 && workers <= 1;
  }
}

struct NoIteration {
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(Indices... /*indices*/) const {}
};

/// The policy of a team kernel with these clauses, as it would be launched.
auto made(const Clauses& clauses, long gangs,
          std::source_location where = std::source_location::current()) {
  return team_policy(gangs, where).clauses(clauses).for_kernel(testing::NoKernel());
}

/// The tile of a nest, launched.
template <int rank, class Space>
std::array<long, rank> tiles_of(const detail::TilePolicy<rank, Space>& policy) {
  gangway::parallel_for("levels_test/nothing", policy, NoIteration());
  return policy.tile();
}

/// The clauses that a message proposes after "nearest:".
std::vector<Clauses> proposals(const std::string& message) {
  std::vector<Clauses> found;
  const auto start = message.find("nearest: ");
  if (start == std::string::npos)
    return found;
  const std::string text = message.substr(start + 9);
  static const std::regex one(
      R"((?:num_workers\((\d+)\))? ?(?:vector_length\((\d+)\))?(?: or |$))");
  for (std::sregex_iterator match(text.begin(), text.end(), one), end; match != end; ++match)
    if (match->length() > 0)
      found.push_back({(*match)[1].matched ? std::stoi((*match)[1]) : 0,
                       (*match)[2].matched ? std::stoi((*match)[2]) : 0});
  return found;
}

// Clauses

TEST(Clauses, EveryCombinationIsTakenOrRefused) {
  for (const int workers : grid)
    for (const int vector : grid) {
      SCOPED_TRACE(::testing::Message() << "workers " << workers << ", vector " << vector);
      const std::string message =
          testing::refusal_of<ClauseError>([&] { detail::validate({workers, vector}, 1); });
      EXPECT_EQ(message.empty(), legal(workers, vector)) << message;
      EXPECT_EQ(testing::refusal_of<ClauseError>(
                    [&] { static_cast<void>(detail::effective_shape({workers, vector}, 1)); }),
                message);
      EXPECT_EQ(testing::refusal_of<ClauseError>([&] {
                  static_cast<void>(detail::effective_shape<PretendDevice>({workers, vector}, 1));
                }),
                message)
          << "what a host refuses, a device refuses, and the other way round";
      const std::string refused =
          testing::refusal_of<ClauseError>([&] { made({workers, vector}, 1); });
      EXPECT_TRUE(refused.ends_with(message)) << refused;
      EXPECT_EQ(refused.empty(), message.empty());
    }
}

TEST(Clauses, EveryRefusalNamesTheClauseAndWhatWouldDo) {
  for (const int workers : grid)
    for (const int vector : grid) {
      const std::string message =
          testing::refusal_of<ClauseError>([&] { detail::validate({workers, vector}, 1); });
      if (message.empty())
        continue;
      SCOPED_TRACE(message);
      if (workers > 1 || workers < 0)
        expect_words(message, {"num_workers(" + std::to_string(workers) + ")"});
      if (vector != 0)
        expect_words(message, {"vector_length(" + std::to_string(vector) + ")"});
      if (workers < 0 || vector < 0) {
        expect_words(message, {"must not be negative", "leave a clause at 0"});
        continue;
      }
      const std::vector<Clauses> nearest = proposals(message);
      EXPECT_FALSE(nearest.empty());
      for (const Clauses& proposal : nearest)
        EXPECT_TRUE(legal(proposal.workers, proposal.vector))
            << "it proposes " << proposal.workers << " x " << proposal.vector;
    }
}

TEST(Clauses, TheNearestShapesAreNear) {
  const auto nearest = [](int workers, int vector) {
    return proposals(
        testing::refusal_of<ClauseError>([&] { detail::validate({workers, vector}, 1); }));
  };
  using Proposals = std::vector<Clauses>;
  EXPECT_EQ(nearest(0, 3), (Proposals{{0, 2}, {0, 4}}));
  EXPECT_EQ(nearest(0, 31), (Proposals{{0, 16}, {0, 32}}));
  EXPECT_EQ(nearest(4, 31), (Proposals{{4, 16}, {4, 32}}));
  EXPECT_EQ(nearest(0, 33), (Proposals{{0, 32}, {0, 64}}));
  EXPECT_EQ(nearest(8, 33), (Proposals{{8, 32}, {1, 64}}));
  EXPECT_EQ(nearest(0, 1023), (Proposals{{0, 992}, {0, 1024}}));
  EXPECT_EQ(nearest(0, 1025), (Proposals{{0, 1024}}));
  EXPECT_EQ(nearest(33, 32), (Proposals{{32, 32}}));
  EXPECT_EQ(nearest(1025, 0), (Proposals{{1024, 0}}));
  EXPECT_EQ(nearest(1025, 1), (Proposals{{1024, 1}}));
  EXPECT_EQ(nearest(most, 16), (Proposals{{64, 16}}));
  // One keeps the vector, the other the number of threads, as far as a gang goes.
  EXPECT_EQ(nearest(4, 64), (Proposals{{1, 64}, {8, 32}}));
  EXPECT_EQ(nearest(most, 1024), (Proposals{{1, 1024}, {32, 32}}));
}

TEST(Clauses, LeaguesFitAnInt) {
  EXPECT_NO_THROW(detail::validate({}, 0));
  EXPECT_NO_THROW(detail::validate({}, most));
  for (const long gangs :
       {-1L, most + 1L, std::numeric_limits<long>::min(), std::numeric_limits<long>::max()}) {
    const std::string message =
        testing::refusal_of<ClauseError>([&] { detail::validate({1, 32}, gangs); });
    expect_words(message, {"num_gangs(" + std::to_string(gangs) + ")", "0 to 2147483647"});
    EXPECT_NE(testing::refusal_of<ClauseError>([&] { made({1, 32}, gangs); }).find(message),
              std::string::npos);
  }
}

TEST(Clauses, AreChosenByDevice) {
  static_assert(device_type<Kokkos::DefaultHostExecutionSpace>() == DeviceType::host);
  static_assert(device_type<PretendDevice>() == DeviceType::other);
  clear_launches();
  const Kokkos::DefaultHostExecutionSpace host;
  static_cast<void>(team_policy(host, 3)
                        .vector_length(8)
                        .vector_length(DeviceType::nvidia, 256)
                        .num_workers(DeviceType::radeon, 2)
                        .for_kernel(testing::NoKernel()));
  static_cast<void>(team_policy(host, 3)
                        .vector_length(8)
                        .vector_length(DeviceType::host, 16)
                        .for_kernel(testing::NoKernel()));
  ASSERT_EQ(launches().size(), 2U);
  EXPECT_EQ(launches()[0].requested, (Clauses{0, 8}));
  EXPECT_EQ(launches()[1].requested, (Clauses{0, 16})) << "of two, the later one counts";
}

// Shapes

TEST(Shapes, OnAHostATeamIsOneThreadOfOneLane) {
  for (const int workers : grid)
    for (const int vector : grid) {
      if (!legal(workers, vector))
        continue;
      const Shape shape =
          detail::effective_shape<Kokkos::DefaultHostExecutionSpace>({workers, vector}, 1000);
      EXPECT_EQ(shape.requested, (Clauses{workers, vector})) << "what was asked for is kept";
      EXPECT_EQ(shape.gangs, 1000);
      EXPECT_EQ(shape.team_size, 1);
      EXPECT_EQ(shape.vector_length, 1);
      EXPECT_TRUE(shape.tile.empty());
    }
}

TEST(Shapes, OnADeviceTheThreadsAreTheOnesAskedFor) {
  for (const int workers : grid)
    for (const int vector : grid) {
      if (!legal(workers, vector))
        continue;
      SCOPED_TRACE(::testing::Message() << "workers " << workers << ", vector " << vector);
      const Shape shape = detail::effective_shape<PretendDevice>({workers, vector}, 1000);
      EXPECT_EQ(shape.requested, (Clauses{workers, vector}));
      EXPECT_EQ(shape.gangs, 1000);
      EXPECT_LE(shape.vector_length, 32);
      if (workers == 0 && vector == 0) {
        EXPECT_EQ(shape.team_size, 0) << "left to Kokkos";
        EXPECT_EQ(shape.vector_length, 1);
        continue;
      }
      EXPECT_EQ(shape.team_size * shape.vector_length, std::max(workers, 1) * std::max(vector, 1));
      EXPECT_EQ(shape.vector_length, std::clamp(vector, 1, 32));
    }
}

TEST(Shapes, AreWrittenAsTheyAreLaunched) {
  EXPECT_EQ((Shape{{4, 32}, 1000, 4, 32, {}}.text()), "1000 x 4 x 32");
  EXPECT_EQ((Shape{{}, 7, 0, 0, {}}.text()), "7 x auto x auto");
  EXPECT_EQ((Shape{{}, 0, 0, 0, {8, 32}}.text()), "tile 8 x 32");
}

TEST(Shapes, OfPoliciesAreWhatKokkosGets) {
  for (const Clauses clauses : {Clauses{}, {4, 32}, {1, 1024}, {0, 128}, {16, 0}}) {
    clear_launches();
    const auto policy = made(clauses, 12);
    EXPECT_EQ(policy.league_size(), 12);
    const Shape& shape = launches().back();
    if (shape.team_size != 0) {
      EXPECT_EQ(policy.team_size(), shape.team_size);
    }
    EXPECT_EQ(policy.impl_vector_length(), shape.vector_length);
  }
  EXPECT_EQ(made({}, 0).league_size(), 0);
}

/// One gang, too, which could do with fewer threads: Kokkos' graphs abort where a node's policy
/// has another instance than the default one.
TEST(Shapes, PoliciesKeepTheSpaceThatTheyWereAskedFor) {
  const Device space;
  for (const long gangs : {0, 1, 2}) {
    EXPECT_TRUE(made({4, 32}, gangs).space() == space);
    EXPECT_TRUE(team_policy(space, gangs).for_kernel(testing::NoKernel()).space() == space);
    EXPECT_TRUE(gang(space, gangs).space() == space);
    EXPECT_TRUE(gang(gangs).space() == space);
  }
}

TEST(Launches, AreNotedInOrder) {
  clear_launches();
  EXPECT_TRUE(launches().empty());
  made({4, 32}, 10);
  static_cast<void>(team_policy(Device{}, 20).vector_length(128).for_kernel(testing::NoKernel()));
  tiles_of(tile<2>({30, 40}, {5, 6}));
  detail::note_launch({{2, 8}, 3, 4, 5, {}});
  EXPECT_THROW(made({4, 64}, 1), ClauseError);
  EXPECT_THROW(tiles_of(tile<2>({-1, 1}, {1, 1})), ClauseError);
  ASSERT_EQ(launches().size(), 4U) << "what was refused was not launched";
  EXPECT_EQ(launches()[0].requested, (Clauses{4, 32}));
  EXPECT_EQ(launches()[0].gangs, 10);
  EXPECT_EQ(launches()[1].requested, (Clauses{0, 128}));
  EXPECT_EQ(launches()[1].gangs, 20);
  EXPECT_EQ(launches()[2].tile.size(), 2U);
  EXPECT_EQ(launches()[3].text(), "3 x 4 x 5");
  clear_launches();
  EXPECT_TRUE(launches().empty());
}

TEST(Launches, SayWhereTheyStand) {
  clear_launches();
  const auto here = std::source_location::current();
  made({4, 32}, 10);
  static_cast<void>(team_policy(Device{}, 20).vector_length(128).for_kernel(testing::NoKernel()));
  static_cast<void>(team_policy(3).for_kernel(testing::NoKernel()));
  tiles_of(tile<2>({30, 40}, {5, 6}));
  detail::note_launch({{}, 6, 1, 1, {}});
  ASSERT_EQ(launches().size(), 5U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_STREQ(launches()[i].where.file_name(), here.file_name());
    EXPECT_EQ(launches()[i].where.line(), here.line() + 1 + i);
  }
  EXPECT_EQ(launches()[4].where.line(), 0U) << "nobody said it";
  clear_launches();
}

TEST(Launches, TheFirst64AreKept) {
  clear_launches();
  for (int gangs = 0; gangs < 100; ++gangs)
    made({}, gangs);
  ASSERT_EQ(launches().size(), 64U);
  EXPECT_EQ(launches().front().gangs, 0);
  EXPECT_EQ(launches().back().gangs, 63);
  clear_launches();
}

TEST(Launches, AreTheThreadsOwn) {
  clear_launches();
  made({}, 5);
  std::size_t seen_elsewhere = 99;
  std::thread([&] {
    seen_elsewhere = launches().size();
    detail::note_launch({{}, 6, 1, 1, {}});
  }).join();
  EXPECT_EQ(seen_elsewhere, 0U);
  ASSERT_EQ(launches().size(), 1U);
  EXPECT_EQ(launches().front().gangs, 5);
}

TEST(Launches, AreToldToAToolThatListens) {
  static std::vector<std::string> told;
  told.clear();
  clear_launches();
  made({4, 32}, 10);
  Kokkos::Tools::Experimental::set_declare_metadata_callback(
      [](const char* key, const char* value) { told.push_back(std::string(key) + "=" + value); });
  made({4, 32}, 11);
  made({.vector = 64}, 11);
  made({}, 11);
  tiles_of(tile<2>({30, 4}, {5, 4}));
  Kokkos::Tools::Experimental::set_declare_metadata_callback(nullptr);
  made({4, 32}, 12);
  EXPECT_EQ(told, (std::vector<std::string>{
                      "gangway.shape=" + launches()[1].text() + " requested 4 x 32",
                      "gangway.shape=" + launches()[2].text() + " requested auto x 64",
                      "gangway.shape=" + launches()[3].text(), "gangway.shape=tile 5 x 4"}));
}

// Tiles

TEST(Tiles, AHostTakesTheInnermostLoopWhole) {
  const Kokkos::DefaultHostExecutionSpace host;
  clear_launches();
  EXPECT_EQ(tiles_of(tile<2>(host, {100, 200}, {8, 32})), (std::array<long, 2>{8, 200}));
  EXPECT_EQ(tiles_of(tile<3>(host, {10, 20, 30}, {2, 4, 8})), (std::array<long, 3>{2, 4, 30}));
  ASSERT_EQ(launches().size(), 2U);
  EXPECT_EQ(launches()[0].text(), "tile 8 x 200") << "what is noted is what is launched";
  EXPECT_EQ(launches()[1].text(), "tile 2 x 4 x 30");
}

TEST(Tiles, OfScatteredAccessAreAskedForOnAHost) {
  clear_launches();
  const Kokkos::DefaultHostExecutionSpace host;
  EXPECT_EQ(tiles_of(tile<2>(host, {100, 200}, {8, 32}).scattered()), (std::array<long, 2>{8, 32}));
  EXPECT_EQ(launches().back().text(), "tile 8 x 32");
}

TEST(Tiles, AreAskedForOnADevice) {
  if (!has_device)
    GTEST_SKIP() << "the default execution space is a host";
  clear_launches();
  tiles_of(tile<2>({100, 200}, {8, 32}));
  EXPECT_EQ(launches().back().text(), "tile 8 x 32");
}

TEST(Tiles, LoopsMayBeEmptyOrShorterThanATile) {
  for (const std::array<long, 2> extents : {std::array<long, 2>{0, 0}, {0, 5}, {5, 0}, {1, 1}})
    EXPECT_NO_THROW(tiles_of(tile<2>(extents, {8, 32})));
}

TEST(Tiles, OfLoopsBeyond32BitsAreStillMade) {
  // Kokkos would end the program if a tile had 2^31 iterations or more.
  const auto tiles =
      tile<2>(Kokkos::DefaultHostExecutionSpace(), {16, 5'000'000'000}, {8, 32}).tile();
  EXPECT_LE(tiles[0] * tiles[1], most);
  EXPECT_GE(tiles[1], 1'000'000) << "still long enough to be vectorised";
}

TEST(Tiles, RefusalsNameTheLoop) {
  const auto message = [](std::array<long, 2> extents, std::array<long, 2> sizes) {
    return testing::refusal_of<ClauseError>([&] { static_cast<void>(tile<2>(extents, sizes)); });
  };
  expect_words(message({-1, 10}, {8, 32}), {"loop 0", "extent -1", "must be >= 0"});
  expect_words(message({10, -7}, {8, 32}), {"loop 1", "extent -7"});
  expect_words(message({10, 10}, {0, 32}), {"tile(0, 32)", "loop 0", "tiles >= 1"});
  expect_words(message({10, 10}, {8, -32}), {"tile(8, -32)", "loop 1", "tile -32"});
}

TEST(Tiles, HaveAtMost1024Iterations) {
  const auto message = [](std::array<long, 2> sizes) {
    return testing::refusal_of<ClauseError>([&] { static_cast<void>(tile<2>({10, 10}, sizes)); });
  };
  for (const std::array<long, 2> sizes : {std::array<long, 2>{32, 32}, {1, 1024}, {1024, 1}})
    EXPECT_EQ(message(sizes), "");
  expect_words(message({64, 64}), {"tile(64, 64)", "at most 1024", "nearest: tile(16, 64)"});
  expect_words(message({33, 32}), {"nearest: tile(16, 32)"});
  expect_words(message({1, 1025}), {"nearest: tile(1, 1024)"});
  constexpr long huge = std::numeric_limits<long>::max();
  expect_words(message({huge, huge}), {"nearest: tile(1, 1024)"});
  const auto message3 = [](std::array<long, 3> sizes) {
    return testing::refusal_of<ClauseError>(
        [&] { static_cast<void>(tile<3>({10, 10, 10}, sizes)); });
  };
  EXPECT_EQ(message3({64, 4, 4}), "");
  expect_words(message3({128, 1, 1}), {"outermost", "at most 64", "nearest: tile(64, 1, 1)"});
}

// Launches that compute: a gang takes a row, a worker an item of the row, the vector the item's
// terms.

constexpr int items = 37;
constexpr int terms = 75;

KOKKOS_INLINE_FUNCTION long term(long gang, long item, long k) {
  return (gang + 1) * 1000003 + item * 101 + k;
}

long expected_sum(long gangs) {
  long sum = 0;
  for (long gang = 0; gang < gangs; ++gang)
    for (long item = 0; item < items; ++item)
      for (long k = 0; k < terms; ++k)
        sum += term(gang, item, k);
  return sum;
}

/// Workers take items and their vectors the terms.
long sum_by_workers(const Clauses& clauses, long gangs) {
  const Kokkos::View<long, Device> sum("levels_test/sum");
  gangway::parallel_for(
      "levels_test/workers", team_policy(gangs).clauses(clauses),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        loop_worker(gang, 0, items, [&](const Worker<>& worker, int item) {
          long of_item = 0;
          loop_vector(
              worker, 0, terms,
              [&](int k, long& partial) { partial += term(gang.member().league_rank(), item, k); },
              of_item);
          single(worker, [&] { Kokkos::atomic_add(&sum(), of_item); });
        });
      });
  long result = 0;
  Kokkos::deep_copy(result, sum);
  return result;
}

/// The whole team is one vector over items and terms; the league reduces.
long sum_by_team(const Clauses& clauses, long gangs) {
  long result = 0;
  gangway::parallel_reduce(
      "levels_test/team", team_policy(gangs).clauses(clauses),
      KOKKOS_LAMBDA(const Parallel<>& gang, long& sum) {
        long of_gang = 0;
        loop_vector(
            gang, 0, items * terms,
            [&](int i, long& partial) {
              partial += term(gang.member().league_rank(), i / terms, i % terms);
            },
            of_gang);
        single(gang, [&] { sum += of_gang; });
      },
      result);
  return result;
}

TEST(LegalClauses, LaunchAndComputeTheSum) {
  for (const int workers : grid)
    for (const int vector : grid)
      for (const long gangs : {0L, 1L, 7L, 100L}) {
        if (!legal(workers, vector))
          continue;
        SCOPED_TRACE(::testing::Message() << gangs << " x " << workers << " x " << vector);
        const Clauses clauses{workers, vector};
        clear_launches();
        EXPECT_EQ(sum_by_workers(clauses, gangs), expected_sum(gangs));
        EXPECT_EQ(sum_by_team(clauses, gangs), expected_sum(gangs));
        ASSERT_EQ(launches().size(), 2U);
        for (const Shape& shape : launches()) {
          EXPECT_EQ(shape.requested, clauses);
          EXPECT_EQ(shape.gangs, gangs);
          EXPECT_GE(shape.team_size, 1) << "AUTO was not resolved";
          EXPECT_GE(shape.vector_length, 1) << "AUTO was not resolved";
        }
      }
}

long sum_by_tiles(std::array<long, 2> extents, std::array<long, 2> sizes) {
  const Kokkos::View<long, Device> sum("levels_test/tiles sum");
  gangway::parallel_for(
      "levels_test/tiles", tile<2>(extents, sizes),
      KOKKOS_LAMBDA(long i, long j) { Kokkos::atomic_add(&sum(), term(i, j, 0)); });
  long result = 0;
  Kokkos::deep_copy(result, sum);
  return result;
}

TEST(Tiles, VisitEveryIterationOnce) {
  for (const std::array<long, 2> extents :
       {std::array<long, 2>{0, 3}, {1, 1}, {8, 32}, {9, 33}, {7, 31}, {100, 3}, {3, 100}}) {
    long expected = 0;
    for (long i = 0; i < extents[0]; ++i)
      for (long j = 0; j < extents[1]; ++j)
        expected += term(i, j, 0);
    for (const std::array<long, 2> sizes : {std::array<long, 2>{8, 32}, {1, 1}, {5, 7}, {32, 32}})
      EXPECT_EQ(sum_by_tiles(extents, sizes), expected)
          << extents[0] << " x " << extents[1] << " in tiles of " << sizes[0] << " x " << sizes[1];
  }
}

using Visits = Kokkos::View<int***, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// The tiles of a device, played by the host.
template <int rank, class Body>
void by_device_tiles(const std::array<long, rank>& extents, const std::array<long, rank>& sizes,
                     const Body& body) {
  Kokkos::parallel_for(
      "levels_test/device tiles",
      detail::nest_policy<rank, Kokkos::DefaultHostExecutionSpace, true>(extents, sizes, {}),
      detail::InnermostFirst<Body, rank>(body));
}

/// A nest of three loops, and one of two in plane 1.
void visit_by_device_tiles(const Visits& visits) {
  const auto extent = [&](int r) { return static_cast<long>(visits.extent(r)); };
  by_device_tiles<3>({extent(0), extent(1), extent(2)}, {1, 4, 32},
                     [=](long k, long i, long j) { Kokkos::atomic_inc(&visits(k, i, j)); });
  by_device_tiles<2>(
      {extent(1), extent(2)}, {4, 32},
      KOKKOS_LAMBDA(long i, long j) { Kokkos::atomic_inc(&visits(1, i, j)); });
}

long sum_of_tiles(long rows, long columns, long before) {
  long sum = before;
  long largest = -1;
  gangway::parallel_reduce(
      "levels_test/sum", tile<2>({rows, columns}, {4, 32}),
      KOKKOS_LAMBDA(long i, long j, long& partial, long& largest_so_far) {
        partial += 1000 * i + j;
        largest_so_far = Kokkos::max(largest_so_far, i * j);
      },
      sum, reduction::max(largest));
  EXPECT_EQ(largest, (rows - 1) * (columns - 1));
  return sum;
}

TEST(Tiles, OfADeviceCallTheBodyOutermostFirst) {
  const Visits visits("levels_test/visits", 3, 9, 33);
  visit_by_device_tiles(visits);
  for (long k = 0; k < 3; ++k)
    for (long i = 0; i < 9; ++i)
      for (long j = 0; j < 33; ++j)
        ASSERT_EQ(visits(k, i, j), k == 1 ? 2 : 1) << k << ", " << i << ", " << j;
  EXPECT_EQ(sum_of_tiles(9, 33, 7), 7 + 1000 * 33 * (9 * 8 / 2) + 9 * (33 * 32 / 2));
}

/// Kokkos 4 and 5 agree on where a device's neighbouring threads are only if the innermost loop is
/// the first one, and `Iterate::Left` says so.
TEST(Tiles, OfADeviceHaveTheInnermostLoopFirst) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const std::array<long, 3> extents{10, 20, 30};
  const std::array<long, 3> sizes{2, 4, 8};
  const auto launched = detail::nest_policy<3, Host, true>(extents, sizes, Host());
  EXPECT_EQ(launched.inner_direction, Kokkos::Iterate::Left);
  EXPECT_EQ(launched.outer_direction, Kokkos::Iterate::Left);
  const auto reduced = detail::nest_policy<3, Host, false>(extents, sizes, Host());
  EXPECT_EQ(reduced.inner_direction, Kokkos::Iterate::Right);
  for (int loop = 0; loop < 3; ++loop) {
    EXPECT_EQ(launched.m_lower[loop], 0);
    EXPECT_EQ(launched.m_upper[2 - loop], extents[loop]);
    EXPECT_EQ(launched.m_tile[2 - loop], sizes[loop]);
    EXPECT_EQ(reduced.m_upper[loop], extents[loop]);
    EXPECT_EQ(reduced.m_tile[loop], sizes[loop]);
  }
}

} // namespace
} // namespace gangway
