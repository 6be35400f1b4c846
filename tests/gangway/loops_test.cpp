// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/parallel.hpp"

#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace gangway {
namespace {

using detail::Capacity;
using detail::Level;
using detail::Loop;
using detail::loop_shape;
using testing::expect_words;
using Device = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

/// 132 multiprocessors of 2048 threads each, as an H100 and an H200 have.
constexpr Capacity h100{.is_device = true, .threads = 132L * 2048};
constexpr Capacity two_cores{.is_device = false, .threads = 2};

std::string shape_of(const Clauses& clauses, const Loop& loop, const Capacity& capacity = h100) {
  return loop_shape(clauses, loop, capacity).text();
}

// Shapes

TEST(LoopShape, NeverLeavesAVectorLoopToOneLane) {
  for (const long inner : {1L, 7L, 27L, 32L, 33L, 100L, 128L, 4096L, 1'000'000'000L})
    for (const Level level : {Level::gang, Level::gang_worker})
      for (const bool reduction : {false, true}) {
        const Shape shape = loop_shape(
            {}, {.iterations = 10'000, .level = level, .inner = inner, .reduction = reduction},
            h100);
        SCOPED_TRACE(::testing::Message() << shape.text() << " for " << inner);
        EXPECT_GE(shape.vector_length * 8L, std::min(inner, 8L * 32));
        EXPECT_LE(shape.team_size * shape.vector_length, Clauses::most_gang_threads);
      }
}

TEST(LoopShape, GoesByTheInnerLoop) {
  EXPECT_EQ(shape_of({}, {.iterations = 2000}), "2000 x 4 x 32") << "nobody knows";
  EXPECT_EQ(shape_of({}, {.iterations = 2000, .inner = 127}), "2000 x 4 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 500'000, .inner = 40}), "33792 x 2 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 2000, .inner = 7}), "2000 x 1 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 2000, .inner = 5000, .scattered = true}), "2000 x 8 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 640, .level = Level::gang_worker}), "160 x 4 x 32");
  const auto scattered = [](long inner, const Clauses& clauses = {}) {
    return shape_of(
        clauses,
        {.iterations = 640, .level = Level::gang_worker, .inner = inner, .scattered = true});
  };
  EXPECT_EQ(scattered(0), "40 x 16 x 32");
  EXPECT_EQ(scattered(5000), "40 x 16 x 32");
  EXPECT_EQ(scattered(7), "40 x 16 x 8");
  EXPECT_EQ(scattered(1'000'000'000), "40 x 16 x 32");
  EXPECT_EQ(scattered(5000, {.workers = 4}), "160 x 4 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 640, .level = Level::gang_worker, .inner = 27}),
            "80 x 8 x 8");
  const auto rows_of = [](long inner) {
    return shape_of({}, {.iterations = 640, .level = Level::gang_worker, .inner = inner});
  };
  EXPECT_EQ(rows_of(3), "10 x 64 x 1");
  EXPECT_EQ(rows_of(7), "20 x 32 x 1") << "rows of 64 lanes do not fit into the cache";
  EXPECT_EQ(rows_of(9), "40 x 16 x 4");
  EXPECT_EQ(rows_of(200), "320 x 2 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 1'280'000, .level = Level::gang_vector}), "10000 x 4 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 800, .level = Level::gang_vector}), "25 x 1 x 32")
      << "few iterations, on as many multiprocessors as there can be";
}

TEST(LoopShape, HasLongerVectorsWhereTheyLeaveFewerLanesIdle) {
  const auto rows_of = [](long rows, long inner) {
    return shape_of({}, {.iterations = rows, .inner = inner});
  };
  // The fastest on an H200 of a matrix product's rows, or within 1 % of it.
  EXPECT_EQ(rows_of(3000, 3000), "3000 x 16 x 32") << "128 lanes: 1.4 waves";
  EXPECT_EQ(rows_of(2000, 2000), "2000 x 16 x 32") << "1.3 waves, if of 40 registers";
  EXPECT_EQ(rows_of(1500, 1500), "1500 x 16 x 32") << "a third of the lanes have no gang";
  EXPECT_EQ(rows_of(1300, 1300), "1300 x 16 x 32");
  EXPECT_EQ(rows_of(1000, 1000), "1000 x 16 x 32");
  EXPECT_EQ(rows_of(700, 700), "700 x 8 x 32") << "512 lanes: 324 idle in each row";
  EXPECT_EQ(rows_of(20'000, 1100), "16896 x 4 x 32") << "many waves: the rows' ends count";
  // Of sweeps over a plate.
  EXPECT_EQ(rows_of(8190, 8190), "4224 x 16 x 32");
  EXPECT_EQ(rows_of(3001, 777), "3001 x 4 x 32");
  EXPECT_EQ(rows_of(40'000, 600), "16896 x 4 x 32");
  EXPECT_EQ(rows_of(100, 1'000'000), "100 x 32 x 32") << "too few gangs";
  EXPECT_EQ(rows_of(1, 1'000'000), "1 x 32 x 32");
}

TEST(LoopShape, KeepsTheClausesThatAreGiven) {
  const Loop rows{.iterations = 1000, .inner = 27, .reduction = true};
  EXPECT_EQ(shape_of({.workers = 1, .vector = 128}, rows), "1000 x 4 x 32");
  EXPECT_EQ(shape_of({.vector = 16}, rows), "1000 x 1 x 16");
  EXPECT_EQ(shape_of({.workers = 4}, rows), "1000 x 4 x 32") << "workers are no lanes";
  EXPECT_EQ(shape_of({.workers = 64}, rows), "250 x 64 x 16") << "as many as a gang can have";
  const Loop by_workers{.iterations = 1000, .level = Level::gang_worker, .inner = 27};
  EXPECT_EQ(shape_of({.workers = 8, .vector = 32}, by_workers), "125 x 8 x 32");
  EXPECT_EQ(shape_of({.vector = 32}, by_workers), "500 x 2 x 32");
  EXPECT_EQ(shape_of({.workers = 512}, by_workers), "2 x 512 x 2");
  EXPECT_EQ(loop_shape({.vector = 16}, rows, h100).requested, (Clauses{.vector = 16}));
  EXPECT_EQ(loop_shape({}, rows, h100).requested, Clauses{}) << "what was chosen was not asked for";
}

TEST(LoopShape, BoundsTheGangsOnlyWhereThereAreManyTimesWhatTheDeviceHolds) {
  const Clauses clauses{.workers = 1, .vector = 128}; // of which the device holds 2112
  EXPECT_EQ(shape_of(clauses, {.iterations = 6600}), "6600 x 4 x 32");
  EXPECT_EQ(shape_of(clauses, {.iterations = 16896}), "16896 x 4 x 32");
  EXPECT_EQ(shape_of(clauses, {.iterations = 1'000'000}), "16896 x 4 x 32");
  EXPECT_EQ(shape_of(clauses, {.iterations = 192'000'000}), "1000000 x 4 x 32");
  const Loop rows{.iterations = 8'000'000, .level = Level::gang_worker};
  EXPECT_EQ(shape_of({.workers = 4, .vector = 32}, rows), "16896 x 4 x 32");
  EXPECT_EQ(shape_of({.workers = 32, .vector = 32}, rows), "2112 x 32 x 32");
  EXPECT_EQ(shape_of({.workers = 16, .vector = 4}, rows), "67584 x 16 x 4");
  const Loop transposed{.iterations = 8'000'000, .inner = 100, .scattered = true};
  EXPECT_EQ(shape_of({}, transposed), "8000000 x 2 x 32") << "one after another through memory";
}

TEST(LoopShape, OfAReductionIsWhatTheDeviceHolds) {
  const Loop sum{.iterations = 1L << 30, .level = Level::gang_vector, .reduction = true};
  EXPECT_EQ(shape_of({}, sum), "1056 x 8 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 1000, .level = Level::gang_vector, .reduction = true}),
            "32 x 1 x 32");
  const auto rows = [](long n) {
    return shape_of({}, {.iterations = n, .inner = 500, .reduction = true});
  };
  EXPECT_EQ(rows(1000), "1000 x 8 x 32");
  EXPECT_EQ(rows(1100), "550 x 8 x 32") << "two rows each, rather than two for a few of them";
  EXPECT_EQ(rows(8190), "1024 x 8 x 32");
  const auto long_rows = [](long inner) {
    return shape_of({}, {.iterations = 16384, .inner = inner, .reduction = true});
  };
  EXPECT_EQ(long_rows(100), "4096 x 2 x 32");
  EXPECT_EQ(long_rows(300), "2048 x 4 x 32");
  EXPECT_EQ(long_rows(16384), "1024 x 8 x 32")
      << "long rows, too: 4096 gangs took a fifth longer in the study halo";
}

TEST(LoopShape, OfAHostHasGangsOfOneThread) {
  for (const Level level : {Level::gang, Level::gang_worker, Level::gang_vector}) {
    EXPECT_EQ(shape_of({}, {.iterations = 1'000'000, .level = level}, two_cores), "32 x 1 x 1");
    EXPECT_EQ(shape_of({.workers = 4, .vector = 32}, {.iterations = 20, .level = level}, two_cores),
              "20 x 1 x 1");
  }
}

TEST(LoopShape, OfNoIterationsHasNoGangs) {
  for (const Capacity& capacity : {h100, two_cores})
    for (const Level level : {Level::gang, Level::gang_worker, Level::gang_vector})
      for (const bool reduction : {false, true})
        EXPECT_EQ(loop_shape({}, {.level = level, .reduction = reduction}, capacity).gangs, 0);
}

TEST(LoopShape, OfMoreIterationsThanALeagueHasMembersIsStillMade) {
  constexpr long many = std::numeric_limits<long>::max() / 4;
  for (const Level level : {Level::gang, Level::gang_worker, Level::gang_vector})
    for (const bool reduction : {false, true}) {
      const Shape shape =
          loop_shape({}, {.iterations = many, .level = level, .reduction = reduction}, h100);
      EXPECT_GT(shape.gangs, 0);
      EXPECT_LE(shape.gangs, std::numeric_limits<int>::max());
    }
}

TEST(LoopShape, RefusesWhatHasNoCounterpart) {
  const auto message = [](const Clauses& clauses, const Loop& loop, const Capacity& capacity) {
    return testing::refusal_of<ClauseError>(
        [&] { static_cast<void>(loop_shape(clauses, loop, capacity)); });
  };
  for (const Capacity& capacity : {h100, two_cores}) {
    expect_words(message({.workers = 4, .vector = 64}, {.iterations = 1}, capacity),
                 {"vector_length(64)", "nearest"});
    expect_words(message({.vector = 64}, {.iterations = 1, .level = Level::gang_worker}, capacity),
                 {"vector_length(64)", "at most 32 lanes", "loop gang"});
    expect_words(message({}, {.iterations = -1}, capacity), {"-1 iterations", "negative"});
    expect_words(message({}, {.iterations = 1, .inner = -2}, capacity), {"-2", "negative"});
  }
}

// Loops: every iteration once, however many gangs there are.

using Counts = Kokkos::View<int*, DeviceSpace>;

/// Adds 1 for a gang, 10 for a worker and 100 for a lane to the iterations of a loop of each level.
void count_by_policies(const Counts& counts, int n, long gangs, const Clauses& clauses) {
  const int lanes_of_all = std::max(1, clauses.workers) * clauses.vector;
  gangway::parallel_for(
      "loops_test/gang", gang(n).num_gangs(gangs).clauses(clauses),
      KOKKOS_LAMBDA(const Gang<>& gang, int i) {
        single(gang, [&] { Kokkos::atomic_add(&counts(i), 1); });
      });
  gangway::parallel_for(
      "loops_test/gang worker",
      gang_worker(static_cast<std::size_t>(n)).num_gangs(gangs).clauses(clauses),
      KOKKOS_LAMBDA(const Worker<>& worker, std::size_t i) { // of any integral type
        single(worker, [&] { Kokkos::atomic_add(&counts(i), 10); });
      });
  gangway::parallel_for(
      "loops_test/gang vector", gang_vector(n).num_gangs(gangs).vector_length(lanes_of_all),
      KOKKOS_LAMBDA(int i) { Kokkos::atomic_add(&counts(i), 100); });
}

/// The same by the loops within a construct.
void count_in_construct(const Counts& counts, int n, long gangs, const Clauses& clauses) {
  gangway::parallel_for(
      "loops_test/construct", team_policy(gangs).clauses(clauses),
      KOKKOS_LAMBDA(const Parallel<>& parallel) {
        loop_gang(parallel, 5, n + 5, [&](const Gang<>& gang, int i) {
          single(gang, [&] { Kokkos::atomic_add(&counts(i - 5), 1); });
        });
        loop_gang_worker(parallel, 0L, n, [&](const Worker<>& worker, long i) {
          single(worker, [&] { Kokkos::atomic_add(&counts(i), 10); });
        });
        loop_gang_vector(parallel, -3, n - 3,
                         [&](int i) { Kokkos::atomic_add(&counts(i + 3), 100); });
      });
}

/// The same as a device distributes, which a host plays.
void count_as_a_device(const Counts& counts, int n, long gangs, const Clauses& clauses) {
  gangway::parallel_for(
      "loops_test/strided", team_policy(gangs).clauses(clauses), KOKKOS_LAMBDA(const Member& team) {
        detail::over_gangs<true>(team, n, detail::run_of_gang(n, team.league_size()), [&](int i) {
          Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_add(&counts(i), 1); });
        });
        detail::over_workers<true>(
            team, n, detail::run_of_worker(n, team.league_size(), team.team_size()), [&](int i) {
              Kokkos::single(Kokkos::PerThread(team), [&] { Kokkos::atomic_add(&counts(i), 10); });
            });
        detail::over_lanes<true>(team, n, detail::run_of_lanes(n, team.league_size()),
                                 [&](int i) { Kokkos::atomic_add(&counts(i), 100); });
      });
}

using Count = void (*)(const Counts&, int, long, const Clauses&);

void expect_each_once(Count count, int n, long gangs, const Clauses& clauses) {
  SCOPED_TRACE(::testing::Message() << n << " iterations, " << gangs << " gangs of "
                                    << clauses.workers << " x " << clauses.vector);
  const Counts counts("loops_test/counts", n);
  count(counts, n, gangs, clauses);
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(on_host(i), 111) << "iteration " << i;
}

TEST(Loops, VisitEveryIterationOnce) {
  for (const int n : {0, 1, 2, 31, 32, 33, 127, 1000, 4097, 100'000})
    for (const long gangs : {1L, 2L, 7L, 64L, 1000L})
      for (const Clauses& clauses : {Clauses{1, 1}, Clauses{4, 8}, Clauses{4, 32}}) {
        expect_each_once(count_in_construct, n, gangs, clauses);
        expect_each_once(count_as_a_device, n, gangs, clauses);
        expect_each_once(count_by_policies, n, gangs, clauses);
      }
  for (const int n : {0, 1, 33, 4097}) // gangs and shape are the library's choice
    expect_each_once(count_by_policies, n, 0, {});
}

void count_in_vectors(const Counts& counts, int n, long /*gangs*/, const Clauses& /*clauses*/) {
  gangway::parallel_for(
      "loops_test/vector", gang(1).vector_length(lanes<128>),
      KOKKOS_LAMBDA(const Gang<128>& gang, int) {
        loop_vector(gang, 0, n / 3, [&](int i) { Kokkos::atomic_add(&counts(i), 111); });
        loop_vector(gang, static_cast<long>(n / 3), n,
                    [&](long i) { Kokkos::atomic_add(&counts(i), 111); });
      });
}
void count_in_worker_vectors(const Counts& counts, int n, long gangs, const Clauses& /*clauses*/) {
  gangway::parallel_for(
      "loops_test/worker vector",
      gang_worker(3).num_gangs(gangs).num_workers(4).vector_length(lanes<8>),
      KOKKOS_LAMBDA(const Worker<8>& worker, int part) {
        loop_vector(worker, n / 3 * part, part == 2 ? n : n / 3 * (part + 1),
                    [&](int i) { Kokkos::atomic_add(&counts(i), 111); });
      });
}
template <int length, int depth>
void count_as_lanes(const Counts& counts, int n, long /*gangs*/, const Clauses& /*clauses*/) {
  Kokkos::parallel_for(
      "loops_test/lanes", Kokkos::RangePolicy<Device>(0, length), KOKKOS_LAMBDA(int lane) {
        detail::iterations_of_lane<length, depth>(
            0, n, lane, [&](int i) { Kokkos::atomic_add(&counts(i), 111); });
      });
}

TEST(Loops, OfVectorsOfKnownLengthVisitEveryIterationOnce) {
  for (const int n :
       {0, 1, 2, 16, 17, 24, 25, 31, 32, 33, 64, 65, 96, 97, 127, 128, 129, 1000, 4097})
    for (const Count count :
         {Count{count_in_vectors}, Count{count_in_worker_vectors}, Count{count_as_lanes<32, 8>},
          Count{count_as_lanes<8, 4>}, Count{count_as_lanes<32, 4>}, Count{count_as_lanes<128, 1>}})
      expect_each_once(count, n, 2, {});
}

template <class Policy>
void count_by_any(const Policy& policy) {
  const int n = 4 * policy.extent();
  const Counts counts("loops_test/counts", n);
  gangway::parallel_for(
      "loops_test/any handle", policy, KOKKOS_LAMBDA(const typename Policy::Handle& handle, int i) {
        loop_vector(handle, 4 * i, 4 * i + 4, [&](int j) { Kokkos::atomic_add(&counts(j), 1); });
      });
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  for (int j = 0; j < n; ++j)
    EXPECT_EQ(on_host(j), 1) << j;
}

TEST(Loops, OfEitherLevelTakeTheSameBody) {
  count_by_any(gang(500));
  count_by_any(gang_worker(500).num_workers(4).vector_length(8));
  count_by_any(gang(500).vector_length(lanes<128>));
  count_by_any(gang_worker(500).num_workers(4).vector_length(lanes<8>));
}

/// What a worker of a league calls its body with, as on a device.
template <class Index>
std::vector<long> turns_of(Index n, long gangs, long workers, long gang, long worker) {
  std::vector<long> visited;
  const auto count = static_cast<long>(n);
  const auto turns = detail::turns_of_worker<Index>(
      count, detail::run_of_worker(count, gangs, workers), gangs, workers, gang, worker);
  for (auto first = turns.first; first < turns.end && visited.size() < 100; first += turns.stride)
    for (auto i = first; i < first + turns.span; i += turns.workers)
      if (i < turns.end)
        visited.push_back(static_cast<long>(i));
  return visited;
}

/// A member of a team, as far as its share of a loop depends on it.
struct Ranked {
  long gangs, rank;
  [[nodiscard]] KOKKOS_FUNCTION long league_size() const { return gangs; }
  [[nodiscard]] KOKKOS_FUNCTION long league_rank() const { return rank; }
};

TEST(Loops, OfHostsGiveEachThreadAsMuch) {
  for (const long n : {0L, 1L, 31L, 400L, 401L, 1L << 62}) {
    SCOPED_TRACE(n);
    long next = 0;
    for (long rank = 0; rank < 32; ++rank) {
      const auto share = detail::share_of(Ranked{32, rank}, n);
      EXPECT_EQ(share.first, next);
      EXPECT_TRUE(share.last - share.first == n / 32 || share.last - share.first == n / 32 + 1);
      next = share.last;
      if (rank == 15) {
        EXPECT_EQ(next, n / 2) << "two threads have 16 gangs each";
      }
    }
    EXPECT_EQ(next, n);
  }
  constexpr long most = std::numeric_limits<int>::max();
  const auto last = detail::share_of(Ranked{most, most - 1}, std::numeric_limits<long>::max());
  EXPECT_EQ(last.last, std::numeric_limits<long>::max());
}

TEST(Loops, OfWorkersTakeSomeInARowAndThenStride) {
  EXPECT_EQ(turns_of(40, 2, 4, 0, 1), (std::vector<long>{1, 5, 17, 21, 33, 37}));
  EXPECT_EQ(turns_of(40, 2, 4, 1, 3), (std::vector<long>{11, 15, 27, 31}));
  EXPECT_EQ(turns_of(31, 4, 4, 3, 2), (std::vector<long>{14, 30})) << "too few for two in a row";
  const std::vector<long> many = turns_of(1000, 1, 2, 0, 1);
  EXPECT_EQ(many[15], 31) << "sixteen in a row";
  EXPECT_EQ(many[16], 33);
}

TEST(Loops, OfWorkersStayWithinTheirNumbers) {
  constexpr long gangs = std::numeric_limits<int>::max();
  constexpr long workers = 512;
  for (const long gang : {0L, 1L, 2L, gangs / 2, 1L << 23, gangs - 1})
    for (const long worker : {0L, 99L, 511L}) {
      SCOPED_TRACE(::testing::Message() << "gang " << gang << ", worker " << worker);
      const long own = gang * workers + worker;
      const std::vector<long> few = own < 600 ? std::vector{own} : std::vector<long>{};
      EXPECT_EQ(turns_of<int>(600, gangs, workers, gang, worker), few);
      EXPECT_EQ(turns_of<unsigned>(600, gangs, workers, gang, worker), few);
      EXPECT_EQ(turns_of<std::int16_t>(600, gangs, workers, gang, worker), few);
      EXPECT_EQ(turns_of<long>(600, gangs, workers, gang, worker), few);
    }
  constexpr int most = std::numeric_limits<int>::max();
  constexpr long half = 1L << 30; // workers: each has two turns, but for the last
  EXPECT_EQ(turns_of<int>(most, half / 512, 512, half / 512 - 1, 510),
            (std::vector<long>{half - 2, most - 1}));
  EXPECT_EQ(turns_of<int>(most, half / 512, 512, half / 512 - 1, 511), std::vector<long>{half - 1});
  EXPECT_EQ(turns_of<unsigned>(4'000'000'000, half / 512, 512, 0, 7),
            (std::vector<long>{7, 7 + half, 7 + 2 * half, 7 + 3 * half}));
}

// What reductions call, because nvcc takes no lambda of a kernel in the body of a test

struct Found {
  long sum = 5;
  double largest = 2.5;
  int bits = 8;
};

Found found_by_lanes(long n) {
  Found found;
  gangway::parallel_reduce(
      "loops_test/lanes", gang_vector(n),
      KOKKOS_LAMBDA(long i, long& sum, double& largest, int& bits) {
        sum += i;
        largest = Kokkos::max(largest, static_cast<double>(i));
        bits ^= static_cast<int>(i % 2);
      },
      found.sum, reduction::max(found.largest), reduction::bit_xor(found.bits));
  return found;
}
Found found_by_workers(long n) {
  Found found;
  gangway::parallel_reduce(
      "loops_test/workers", gang_worker(n).num_workers(2).vector_length(lanes<8>),
      KOKKOS_LAMBDA(const Worker<8>& worker, long i, long& sum, double& largest, int& bits) {
        loop_vector(worker, 0, i, [&](long, long& ones) { ++ones; }, sum);
        largest = Kokkos::max(largest, static_cast<double>(i));
        bits ^= static_cast<int>(i % 2);
      },
      found.sum, reduction::max(found.largest), reduction::bit_xor(found.bits));
  return found;
}
Found found_by_gangs(long n) {
  Found found;
  gangway::parallel_reduce(
      "loops_test/gangs", gang(n),
      KOKKOS_LAMBDA(const Gang<>& gang, long i, long& sum, double& largest, int& bits) {
        loop_vector(
            gang, i, i + 1,
            [&](long k, double& most) { most = Kokkos::max(most, static_cast<double>(k)); },
            reduction::max(largest));
        sum += i;
        bits ^= static_cast<int>(i % 2);
      },
      found.sum, reduction::max(found.largest), reduction::bit_xor(found.bits));
  return found;
}

long sum_of_lanes(long n, int vector) {
  long sum = 0;
  gangway::parallel_reduce(
      "loops_test/sum", gang_vector(n).vector_length(vector),
      KOKKOS_LAMBDA(long i, long& partial) { partial += i; }, sum);
  return sum;
}

double largest_of(int n, double value) {
  double largest = -std::numeric_limits<double>::infinity();
  gangway::parallel_reduce(
      "loops_test/largest", gang_vector(n),
      KOKKOS_LAMBDA(int, double& most) { most = Kokkos::max(most, value); },
      reduction::max(largest));
  return largest;
}

struct EveryOperator {
  KOKKOS_FUNCTION void operator()(int i, int& all, int& bits, long& product) const {
    all = all && i != 3;
    bits &= i == 2 ? 6 : 7;
    product *= i + 1;
  }
};
struct Parabola {
  KOKKOS_FUNCTION void operator()(int i, Kokkos::ValLocScalar<int, int>& lowest) const {
    if ((i - 20) * (i - 20) < lowest.val) {
      lowest.val = (i - 20) * (i - 20);
      lowest.loc = i;
    }
  }
};
struct ThreeBins {
  KOKKOS_FUNCTION void operator()(const Worker<>& /*worker*/, int i, Elements<int, 3>& bins) const {
    ++bins[i % 3];
  }
};
struct Ones {
  KOKKOS_FUNCTION void operator()(long /*i*/, long& total) const { ++total; }
  KOKKOS_FUNCTION void operator()(const Worker<>& /*worker*/, int /*i*/, long& total) const {
    ++total;
  }
  KOKKOS_FUNCTION void operator()(const Gang<>& /*gang*/, int /*i*/, long& total) const { ++total; }
  KOKKOS_FUNCTION void operator()(const Member& team, long& total) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] { ++total; });
  }
};
struct SumAndLargest {
  KOKKOS_FUNCTION void operator()(long i, long& sum, double& largest) const {
    ++sum;
    largest = Kokkos::max(largest, static_cast<double>(i));
  }
};
struct OfAnyLevel {
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index /*i*/) const {}
  template <class Handle, class Index>
  KOKKOS_FUNCTION void operator()(const Handle& /*handle*/, Index /*i*/) const {}
};

TEST(Loops, AreNotedAsTheyAreLaunched) {
  clear_launches();
  const auto here = std::source_location::current();
  static_cast<void>(sum_of_lanes(1000, 64));
  ASSERT_EQ(launches().size(), 1U);
  EXPECT_EQ(launches()[0].requested, (Clauses{.vector = 64}));
  EXPECT_STREQ(launches()[0].where.file_name(), here.file_name());
  clear_launches();
  count_by_policies(Counts("loops_test/counts", 0), 0, 7, {});
  for (const Shape& shape : launches())
    EXPECT_EQ(shape.gangs, 0) << "no iterations, no gangs, whatever num_gangs says";
}

// Reductions

TEST(Reductions, JoinWithTheValueThatTheVariableHeld) {
  for (const long n : {0L, 1L, 33L, 1000L, 100'000L}) {
    SCOPED_TRACE(::testing::Message() << n << " iterations");
    const long expected = n * (n - 1) / 2;
    for (const Found& found : {found_by_lanes(n), found_by_workers(n), found_by_gangs(n)}) {
      EXPECT_EQ(found.sum, 5 + expected);
      EXPECT_EQ(found.largest, n > 3 ? static_cast<double>(n - 1) : 2.5);
      EXPECT_EQ(found.bits, 8 ^ (n % 4 >= 2 ? 1 : 0));
    }
  }
}

TEST(Reductions, OfInfinitiesAreInfinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(largest_of(3, -infinity), -infinity);
  EXPECT_EQ(largest_of(0, -infinity), -infinity);
  EXPECT_EQ(largest_of(3, 1), 1);
}

TEST(Reductions, OfEveryOperatorAndOfReducersOfKokkos) {
  int both = 1;
  int bits = 7;
  long product = 1;
  gangway::parallel_reduce("loops_test/operators", gang_vector(5), EveryOperator(),
                           reduction::logical_and(both), reduction::bit_and(bits),
                           reduction::product(product));
  EXPECT_EQ(both, 0);
  EXPECT_EQ(bits, 6);
  EXPECT_EQ(product, 120);
  Kokkos::MinLoc<int, int>::value_type place{100, -1};
  gangway::parallel_reduce("loops_test/place", gang_vector(50), Parabola(),
                           Kokkos::MinLoc<int, int>(place));
  EXPECT_EQ(place.loc, 20);
  EXPECT_EQ(place.val, 0);
  Elements<int, 3> bins{{1, 1, 1}};
  gangway::parallel_reduce("loops_test/bins", gang_worker(31), ThreeBins(), reduction::sum(bins));
  EXPECT_EQ(bins[0] + bins[1] + bins[2], 3 + 31);
  EXPECT_EQ(bins[0], 1 + 11);
}

TEST(Reductions, IntoAViewJoinAndStayThere) {
  const Kokkos::View<long, DeviceSpace> total("loops_test/total");
  Kokkos::deep_copy(total, 1000L);
  for (const long n : {0L, 1L, 500L})
    gangway::parallel_reduce("loops_test/view", gang_vector(n), Ones(), total);
  gangway::parallel_reduce("loops_test/view", gang_worker(10), Ones(), total);
  gangway::parallel_reduce("loops_test/view", gang(10), Ones(), reduction::sum(total));
  gangway::parallel_reduce("loops_test/view", team_policy(10), Ones(), reduction::max(total));
  long result = 0;
  Kokkos::deep_copy(result, total);
  EXPECT_EQ(result, 1000 + 501 + 20);
}

TEST(Reductions, OfAHostIntoMemoryThatADeviceSharesJoin) {
  const Kokkos::View<long, Kokkos::SharedHostPinnedSpace> total("loops_test/shared total");
  total() = 1000;
  gangway::parallel_reduce("loops_test/shared",
                           gang_vector(Kokkos::DefaultHostExecutionSpace(), 10L), Ones(), total);
  Kokkos::fence();
  EXPECT_EQ(total(), 1010);
}

TEST(Reductions, IntoAViewAndAVariableAtOnceJoin) {
  const Kokkos::View<long, DeviceSpace> total("loops_test/total");
  const auto held = [&] {
    long value = 0;
    Kokkos::deep_copy(value, total);
    return value;
  };
  double largest = 4;
  Kokkos::deep_copy(total, 1000L);
  gangway::parallel_reduce("loops_test/both", gang_vector(10L), SumAndLargest(), total,
                           reduction::max(largest));
  gangway::parallel_reduce("loops_test/both", Kokkos::RangePolicy<Device>(0, 10), SumAndLargest(),
                           reduction::sum(total), reduction::max(largest));
  gangway::parallel_reduce("loops_test/range", Kokkos::RangePolicy<Device>(0, 10), Ones(), total);
  EXPECT_EQ(held(), 1030);
  EXPECT_EQ(largest, 9);
}

/// By Kokkos, which does not ask what the View held.
void reduce_by_kokkos(const Kokkos::View<long, DeviceSpace>& total) {
  const auto body = KOKKOS_LAMBDA(const Member& team, long& sum) {
    Kokkos::single(Kokkos::PerTeam(team), [&] { sum += team.league_rank(); });
  };
  const auto policy = team_policy(100).num_workers(4).vector_length(8);
  Kokkos::parallel_reduce("loops_test/by Kokkos",
                          policy.for_kernel(body, Kokkos::ParallelReduceTag()), body, total);
}

TEST(Reductions, ByKokkosTakeAPolicyForTheirKernel) {
  const Kokkos::View<long, DeviceSpace> total("loops_test/total");
  for (int times = 0; times < 2; ++times)
    reduce_by_kokkos(total);
  long found = 0;
  Kokkos::deep_copy(found, total);
  EXPECT_EQ(found, 4950);
}

TEST(Reductions, OfAConstructAndOfAPolicyOfKokkosJoin) {
  long sum = 3;
  gangway::parallel_reduce("loops_test/team", team_policy(8), Ones(), sum);
  EXPECT_EQ(sum, 11);
  double largest = 4;
  gangway::parallel_reduce("loops_test/range", Kokkos::RangePolicy<Device>(0, 10), SumAndLargest(),
                           sum, reduction::max(largest));
  EXPECT_EQ(sum, 21);
  EXPECT_EQ(largest, 9);
}

// Vectors that reduce, in every lane of a gang or a worker

/// `policy` with a vector of `length`, which handles know or only the launch does.
template <int length, bool known, class Policy>
auto with_vector(Policy policy) {
  if constexpr (known)
    return policy.vector_length(lanes<length>);
  else
    return policy.vector_length(length);
}

template <int length, bool known>
void sums_of_gangs(const Counts& sums, int n) {
  gangway::parallel_for(
      "loops_test/vector", with_vector<length, known>(gang(3).num_gangs(3)),
      KOKKOS_LAMBDA(const Gang<known ? length : 0>& gang, int i) {
        int sum = i;
        int largest = -1;
        loop_vector(gang, 1, n, [&](int k, int& partial) { partial += k; }, sum);
        loop_vector(
            gang, 1L, n, [&](long k, int& most) { most = Kokkos::max(most, static_cast<int>(k)); },
            reduction::max(largest));
        const int of_all = sum * 10000 + largest; // which every lane has
        const int all = 64;
        loop_vector(gang, 0, all, [&](int lane) { sums(i * 64 + lane) = of_all; });
      });
}
template <int length, bool known>
void sums_of_workers(const Counts& sums, int n) {
  gangway::parallel_for(
      "loops_test/worker vector", with_vector<length, known>(gang_worker(3).num_workers(2)),
      KOKKOS_LAMBDA(const Worker<known ? length : 0>& worker, int i) {
        int sum = i;
        int largest = -1;
        loop_vector(
            worker, 1, n,
            [&](int k, int& partial, int& most) {
              partial += k;
              most = Kokkos::max(most, k);
            },
            sum, reduction::max(largest));
        const int of_all = sum * 10000 + largest;
        loop_vector(worker, 0, 64, [&](int lane) { sums(i * 64 + lane) = of_all; });
      });
}
void sums_of_any(const Counts& sums, int n) {
  gangway::parallel_for(
      "loops_test/workers of a gang", gang(3).num_workers(4).vector_length(8),
      KOKKOS_LAMBDA(const Gang<>& gang, int i) {
        int sum = i;
        int largest = -1;
        loop_worker(
            gang, 1, n,
            [&](const Worker<>& worker, int k, int& partial, int& most) {
              loop_vector(worker, 0, k, [&](int, int& ones) { ++ones; }, partial);
              most = Kokkos::max(most, k);
            },
            sum, reduction::max(largest));
        const int of_all = sum * 10000 + largest;
        loop_worker(gang, 0, 64, [&](const Worker<>& worker, int place) {
          single(worker, [&] { sums(i * 64 + place) = of_all; });
        });
      });
}

TEST(Loops, OfVectorsReduceInEveryLane) {
  using Vectors = void (*)(const Counts&, int);
  for (const int n : {1, 2, 33, 100, 500})
    for (const Vectors vectors :
         {Vectors{sums_of_gangs<1, true>}, Vectors{sums_of_gangs<8, true>},
          Vectors{sums_of_gangs<32, true>}, Vectors{sums_of_gangs<128, true>},
          Vectors{sums_of_gangs<1, false>}, Vectors{sums_of_gangs<8, false>},
          Vectors{sums_of_gangs<32, false>}, Vectors{sums_of_gangs<128, false>},
          Vectors{sums_of_workers<1, true>}, Vectors{sums_of_workers<8, true>},
          Vectors{sums_of_workers<32, true>}, Vectors{sums_of_workers<1, false>},
          Vectors{sums_of_workers<8, false>}, Vectors{sums_of_workers<32, false>},
          Vectors{sums_of_any}}) {
      const Counts sums("loops_test/sums", 3 * 64);
      vectors(sums, n);
      const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
      for (int place = 0; place < 3 * 64; ++place)
        ASSERT_EQ(on_host(place), (place / 64 + n * (n - 1) / 2) * 10000 + (n > 1 ? n - 1 : -1))
            << n << ", place " << place;
    }
}

void sums_of_narrow(const Counts& sums) {
  gangway::parallel_for(
      "loops_test/narrow", gang(1).vector_length(128), KOKKOS_LAMBDA(const Gang<>& gang, int) {
        int sum = 0;
        loop_vector(
            gang, static_cast<unsigned char>(120), static_cast<unsigned char>(127),
            [&](unsigned char k, int& partial) { partial += k; }, sum);
        single(gang, [&] { sums(0) = sum; });
        int of_worker = 0;
        loop_worker(gang, 0, 1, [&](const Worker<>& worker, int) {
          loop_vector(
              worker, static_cast<unsigned char>(0), static_cast<unsigned char>(250),
              [&](unsigned char k, int& partial) { partial += k; }, of_worker);
          single(worker, [&] { sums(1) = of_worker; });
        });
      });
}

TEST(Loops, OfNumbersThatHoldFewerThanThereAreLanesReduce) {
  const Counts sums("loops_test/sums", 2);
  sums_of_narrow(sums);
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  EXPECT_EQ(on_host(0), 861);
  EXPECT_EQ(on_host(1), 31125);
}

// Bad input

TEST(Loops, RefusalsBeginWithTheCallersLine) {
  const auto message = [](const auto& policy) {
    return testing::refusal_of<ClauseError>(
        [&] { gangway::parallel_for("loops_test/refused", policy, OfAnyLevel()); });
  };
  const auto before = std::source_location::current();
  const std::string here =
      std::string(before.file_name()) + ":" + std::to_string(before.line() + 3) + ": ";
  expect_words(message(gang(10).vector_length(33)), {here, "nearest", "vector_length(32)"});
  expect_words(message(gang(-1)), {"loops_test.cpp:", "-1 iterations", "negative"});
  expect_words(message(gang_vector(-1)), {"loops_test.cpp:", "-1 iterations", "negative"});
  expect_words(message(gang_worker(3).vector_length(64)), {"at most 32 lanes", "loop gang"});
  expect_words(message(gang(3).num_gangs(5'000'000'000)), {"num_gangs(5000000000)"});
  expect_words(message(gang(3).num_workers(2000)), {"num_workers(2000)", "1024", "nearest"});
  const auto scratch = [](int level, std::size_t of_gang, std::size_t of_worker) {
    return testing::refusal_of<ClauseError>(
        [&] { static_cast<void>(gang(3).scratch(level, of_gang, of_worker)); });
  };
  constexpr std::size_t too_many = (std::size_t{1} << 32) + 8; // 8, as an int
  expect_words(scratch(2, 8, 0), {"loops_test.cpp:", "level 2", "0 and 1"});
  expect_words(scratch(-1, 8, 0), {"level -1"});
  expect_words(scratch(1, too_many, 0), {"loops_test.cpp:", "4294967304 bytes", "2147483647"});
  expect_words(scratch(0, 0, too_many), {"4294967304 bytes"});
}

/// What each lane of each worker hears from the next lane, the last one from the first.
template <int length>
Kokkos::View<int***> heard_by_lanes(int gangs, int workers) {
  const int threads = has_device ? workers : 1; // a host's gang is one thread
  const Kokkos::View<int***> heard("loops_test/heard", gangs, threads, length);
  gangway::parallel_for(
      "loops_test/from_lane", team_policy(gangs).num_workers(workers).vector_length(lanes<length>),
      KOKKOS_LAMBDA(const Parallel<length>& gang) {
        const Member& team = gang.member();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, team.team_size()), [&](int worker) {
          const int all = length; // a range takes a reference
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, all), [&](int lane) {
            const int own = (team.league_rank() * 100 + worker) * 100 + lane;
            heard(team.league_rank(), worker, lane) = from_lane<length>(own, lane + 1);
          });
        });
      });
  return heard;
}

template <int length>
void expect_the_next_lane_is_heard() {
  const auto heard =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), heard_by_lanes<length>(3, 4));
  for (int gang = 0; gang < 3; ++gang)
    for (int worker = 0; worker < static_cast<int>(heard.extent(1)); ++worker)
      for (int lane = 0; lane < length; ++lane)
        EXPECT_EQ(heard(gang, worker, lane), (gang * 100 + worker) * 100 + (lane + 1) % length)
            << length << " lanes: gang " << gang << ", worker " << worker << ", lane " << lane;
}

TEST(Loops, LanesHearFromTheNext) {
  expect_the_next_lane_is_heard<1>();
  if constexpr (has_device) {
    expect_the_next_lane_is_heard<8>();
    expect_the_next_lane_is_heard<32>();
  }
}

} // namespace
} // namespace gangway
