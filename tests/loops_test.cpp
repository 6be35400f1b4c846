// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/loops.hpp"

#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <source_location>
#include <string>
#include <vector>

namespace gangway {
namespace {

using testing::expect_words;

/// 132 multiprocessors of 2048 threads each, as an H100 and an H200 have.
constexpr Capacity h100{.is_device = true, .threads = 132L * 2048};
constexpr Capacity two_cores{.is_device = false, .threads = 2};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ClauseError& error) {
    return error.what();
  }
  return {};
}

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
        EXPECT_LE(shape.team_size * shape.vector_length, gang_thread_limit);
      }
}

TEST(LoopShape, GoesByTheInnerLoop) {
  EXPECT_EQ(shape_of({}, {.iterations = 2000}), "2000 x 4 x 32") << "nobody knows";
  EXPECT_EQ(shape_of({}, {.iterations = 2000, .inner = 5000}), "2000 x 4 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 2000, .inner = 127}), "2000 x 2 x 32");
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
            "40 x 16 x 4");
  EXPECT_EQ(shape_of({}, {.iterations = 640, .level = Level::gang_worker, .inner = 7}),
            "10 x 64 x 1");
  EXPECT_EQ(shape_of({}, {.iterations = 1'280'000, .level = Level::gang_vector}), "10000 x 4 x 32");
  EXPECT_EQ(shape_of({}, {.iterations = 800, .level = Level::gang_vector}), "25 x 1 x 32")
      << "few iterations, on as many multiprocessors as there can be";
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
    return shape_of({}, {.iterations = n, .inner = 5000, .reduction = true});
  };
  EXPECT_EQ(rows(1000), "1000 x 8 x 32");
  EXPECT_EQ(rows(1100), "550 x 8 x 32") << "two rows each, rather than two for a few of them";
  EXPECT_EQ(rows(8190), "1024 x 8 x 32");
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
    return message_of([&] { static_cast<void>(loop_shape(clauses, loop, capacity)); });
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

TEST(LoopPolicy, IsNotedAsItIsLaunched) {
  clear_launches();
  const auto policy = loop_policy({.vector = 64}, {.iterations = 1000});
  ASSERT_EQ(launches().size(), 1U);
  EXPECT_EQ(launches()[0].requested, (Clauses{.vector = 64}));
  EXPECT_EQ(launches()[0].gangs, policy.league_size());
  EXPECT_EQ(launches()[0].team_size, policy.team_size());
  EXPECT_STREQ(launches()[0].where.file_name(), std::source_location::current().file_name());
}

// Loops: every iteration once, however many gangs there are.

using Counts = Kokkos::View<int*, DeviceSpace>;

template <bool strided>
void count_by_gangs(const Counts& counts, int /*n*/, const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/gang", policy, KOKKOS_LAMBDA(const Member& gang) {
        loop_gang<strided>(gang, counts.extent(0), [&](std::size_t i) { // of any integral type
          Kokkos::single(Kokkos::PerTeam(gang), [&] { Kokkos::atomic_inc(&counts(i)); });
        });
      });
}

template <bool strided>
void count_by_workers(const Counts& counts, int n, const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/gang worker", policy, KOKKOS_LAMBDA(const Member& gang) {
        loop_gang_worker<strided>(gang, n, [&](int i) {
          Kokkos::single(Kokkos::PerThread(gang), [&] { Kokkos::atomic_inc(&counts(i)); });
        });
      });
}

template <bool strided>
void count_by_lanes(const Counts& counts, int n, const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/gang vector", policy, KOKKOS_LAMBDA(const Member& gang) {
        loop_gang_vector<strided>(gang, n, [&](int i) { Kokkos::atomic_inc(&counts(i)); });
      });
}

template <bool strided>
void count_by_reduction(const Counts& counts, int n, const Kokkos::TeamPolicy<>& policy) {
  long sum = 0;
  long most = 0;
  Kokkos::parallel_reduce(
      "loops_test/reduction", policy,
      KOKKOS_LAMBDA(const Member& gang, long& total, long& largest) {
        long of_gang = 0;
        loop_gang_vector<strided>(
            gang, n,
            [&](int i, long& partial) {
              Kokkos::atomic_inc(&counts(i));
              partial += i;
            },
            of_gang);
        long most_of_gang = -1;
        loop_gang_vector<strided>(
            gang, n, [&](int i, long& partial) { partial = Kokkos::max<long>(partial, i); },
            Kokkos::Max<long>(most_of_gang));
        Kokkos::single(Kokkos::PerTeam(gang), [&] {
          total += of_gang;
          largest = Kokkos::max(largest, most_of_gang);
        });
      },
      Kokkos::Sum<long>(sum), Kokkos::Max<long>(most));
  EXPECT_EQ(sum, static_cast<long>(n) * (n - 1) / 2);
  if (n > 0) {
    EXPECT_EQ(most, n - 1);
  }
}

using Count = void (*)(const Counts&, int, const Kokkos::TeamPolicy<>&);

template <bool strided>
constexpr Count all_loops[] = {count_by_gangs<strided>, count_by_workers<strided>,
                               count_by_lanes<strided>, count_by_reduction<strided>};

void expect_each_once(Count count, int n, const Kokkos::TeamPolicy<>& policy) {
  const Counts counts("loops_test/counts", n);
  count(counts, n, policy);
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(on_host(i), 1) << "iteration " << i;
}

/// 100'000 iterations of a gang are so many that a device's lanes have several under way.
TEST(Loops, VisitEveryIterationOnce) {
  for (const int n : {0, 1, 2, 31, 32, 33, 127, 1000, 4097, 100'000})
    for (const long gangs : {1L, 2L, 7L, 64L, 1000L})
      for (const Clauses& clauses : {Clauses{1, 1}, Clauses{3, 8}, Clauses{4, 32}}) {
        SCOPED_TRACE(::testing::Message() << n << " iterations, " << gangs << " gangs of "
                                          << clauses.workers << " x " << clauses.vector);
        for (const Count count : all_loops<true>) // as a device deals them out
          expect_each_once(count, n, team_policy(clauses, gangs));
        if (!has_device)
          for (const Count count : all_loops<false>)
            expect_each_once(count, n, team_policy(clauses, gangs));
      }
}

template <int length, bool strided>
void count_by_vector(const Counts& counts, int n, const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/vector", policy, KOKKOS_LAMBDA(const Member& gang) {
        loop_gang(gang, 1, [&](int) {
          loop_vector<length, strided>(gang, 0, n / 3,
                                       [&](int i) { Kokkos::atomic_inc(&counts(i)); });
          loop_vector<length, strided>(gang, static_cast<long>(n / 3), static_cast<long>(n),
                                       [&](long i) { Kokkos::atomic_inc(&counts(i)); });
        });
      });
}

template <int length, bool strided>
void count_by_worker_vector(const Counts& counts, int n, const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/worker vector", policy, KOKKOS_LAMBDA(const Member& gang) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, 3), [&](int part) {
          loop_worker_vector<length, strided>(gang, n / 3 * part,
                                              part == 2 ? n : n / 3 * (part + 1),
                                              [&](int i) { Kokkos::atomic_inc(&counts(i)); });
        });
      });
}

/// Also where the gang or its workers have fewer or more lanes than the loop was told.
TEST(Loops, OfAVectorOfKnownLengthVisitEveryIterationOnce) {
  for (const int n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1000, 4097})
    for (const Clauses& clauses : {Clauses{1, 1}, Clauses{1, 32}, Clauses{4, 32}, Clauses{8, 32}}) {
      SCOPED_TRACE(::testing::Message()
                   << n << " iterations, " << clauses.workers << " x " << clauses.vector);
      for (const Count count :
           {Count{count_by_vector<32, true>}, Count{count_by_vector<128, true>},
            Count{count_by_vector<128, has_device>}, Count{count_by_worker_vector<32, true>},
            Count{count_by_worker_vector<8, has_device>}})
        expect_each_once(count, n, team_policy(clauses, 1));
    }
}

TEST(Loops, WorkWithThePoliciesMadeForThem) {
  for (const int n : {0, 1, 800, 100'000})
    for (const long inner : {0L, 7L, 27L, 5000L}) {
      SCOPED_TRACE(::testing::Message() << n << " iterations, " << inner << " inner ones");
      const auto policy = [&](Level level, bool reduction) {
        return loop_policy(
            {}, {.iterations = n, .level = level, .inner = inner, .reduction = reduction});
      };
      constexpr auto& loops = all_loops<has_device>;
      expect_each_once(loops[0], n, policy(Level::gang, false));
      expect_each_once(loops[1], n, policy(Level::gang_worker, false));
      expect_each_once(loops[2], n, policy(Level::gang_vector, false));
      expect_each_once(loops[3], n, policy(Level::gang_vector, true));
    }
}

/// What a worker of a league calls its body with, as on a device.
template <class Index>
std::vector<long> turns_of(Index n, long gangs, long workers, long gang, long worker) {
  std::vector<long> visited;
  const auto turns = detail::turns_of_worker<Index>(n, gangs, workers, gang, worker);
  for (auto first = turns.first; first < turns.end && visited.size() < 100; first += turns.stride)
    for (auto i = first; i < first + turns.span; i += turns.workers)
      if (i < turns.end)
        visited.push_back(static_cast<long>(i));
  return visited;
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

void count_in_vectors(const Counts& sums, int n, const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/vector", policy, KOKKOS_LAMBDA(const Member& gang) {
        int sum = 0;
        loop_vector(gang, 1, n, [&](int i, int& partial) { partial += i; }, sum);
        const int of_all = sum; // which every lane has
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, 64),
                             [&](int lane) { sums(gang.league_rank() * 64 + lane) = of_all; });
      });
}

/// In every lane what the workers' vectors make of some iterations: a sum, and the largest.
template <int length, bool strided>
void count_in_worker_vectors(const Counts& found, int begin, int end,
                             const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/worker vector", policy, KOKKOS_LAMBDA(const Member& gang) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, 3), [&](int worker) {
          // Those of each worker end elsewhere.
          const int last = end - worker;
          int sum = -1;
          loop_worker_vector<length, strided>(
              gang, begin, last, [&](int i, int& partial) { partial += i; }, sum);
          double largest = -1;
          loop_worker_vector<length, strided>(
              gang, static_cast<long>(begin), static_cast<long>(last),
              [&](long i, double& partial) {
                partial = Kokkos::max(partial, static_cast<double>(i));
              },
              Kokkos::Max<double>(largest));
          const int of_all = sum; // which every lane has
          const int most = largest < 0 ? -1 : static_cast<int>(largest);
          const int place = (gang.league_rank() * 3 + worker) * 64;
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, 32), [&](int lane) {
            found(place + lane) = of_all;
            found(place + 32 + lane) = most;
          });
        });
      });
}

/// On a host, which plays the lanes, also where a worker has fewer or more than the loop was told.
TEST(Loops, OfWorkersVectorsJoinInEveryLane) {
  using Vectors = void (*)(const Counts&, int, int, const Kokkos::TeamPolicy<>&);
  constexpr int gangs = 3;
  for (const Clauses& clauses : {Clauses{1, 1}, Clauses{1, 32}, Clauses{2, 32}, Clauses{3, 8}})
    for (const int begin : {0, 5})
      for (const int n : {0, 1, 2, 31, 32, 33, 129, 1000})
        for (const auto& [length, vectors] :
             {std::pair<int, Vectors>{32, count_in_worker_vectors<32, true>},
              {8, count_in_worker_vectors<8, true>},
              {1, count_in_worker_vectors<1, true>},
              {32, count_in_worker_vectors<32, has_device>}}) {
          if (has_device && clauses.vector != length)
            continue;
          SCOPED_TRACE(::testing::Message() << clauses.workers << " x " << clauses.vector << ", "
                                            << n << " from " << begin);
          const Counts found("loops_test/found", gangs * 3 * 64);
          vectors(found, begin, begin + n, team_policy(clauses, gangs));
          const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
          for (int place = 0; place < gangs * 3 * 64; ++place) {
            const int last = begin + n - place / 64 % 3;
            int sum = 0;
            for (int i = begin; i < last; ++i)
              sum += i;
            const bool is_sum = place % 64 < 32;
            ASSERT_EQ(on_host(place), is_sum ? sum : last > begin ? last - 1 : -1);
          }
        }
}

template <int length>
void count_in_vectors_of_known_length(const Counts& sums, int n,
                                      const Kokkos::TeamPolicy<>& policy) {
  Kokkos::parallel_for(
      "loops_test/vector", policy, KOKKOS_LAMBDA(const Member& gang) {
        int sum = 0;
        loop_vector<length, true>(gang, 1, n, [&](int i, int& partial) { partial += i; }, sum);
        const int of_all = sum; // which every lane has
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, 64),
                             [&](int lane) { sums(gang.league_rank() * 64 + lane) = of_all; });
      });
}

TEST(Loops, OfVectorsSumInEveryLane) {
  using Vectors = void (*)(const Counts&, int, const Kokkos::TeamPolicy<>&);
  const auto expect = [](Vectors vectors, const Clauses& clauses) {
    for (const int n : {1, 2, 33, 1000}) {
      SCOPED_TRACE(::testing::Message() << clauses.workers << " x " << clauses.vector << ", " << n);
      const Counts sums("loops_test/sums", 3 * 64);
      vectors(sums, n, team_policy(clauses, 3));
      const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
      for (std::size_t i = 0; i < on_host.extent(0); ++i)
        ASSERT_EQ(on_host(i), n * (n - 1) / 2);
    }
  };
  for (const Clauses& clauses : {Clauses{1, 1}, Clauses{1, 32}, Clauses{2, 32}, Clauses{3, 8}})
    expect(count_in_vectors, clauses);
  for (const Clauses& clauses : {Clauses{1, 1}, Clauses{1, 32}, Clauses{1, 128}, Clauses{1, 8}}) {
    if (!has_device || clauses.vector == 32)
      expect(count_in_vectors_of_known_length<32>, clauses);
    expect(count_in_vectors_of_known_length<128>, clauses);
  }
}

void count_in_one_call(const Counts& counts, const Loop& loop) {
  for_gangs(
      "loops_test/in one call", {}, loop, KOKKOS_LAMBDA(const Member& gang, long i) {
        Kokkos::single(Kokkos::PerTeam(gang), [&] { Kokkos::atomic_add(&counts(i), 1); });
      });
  for_workers(
      "loops_test/in one call", {}, loop, KOKKOS_LAMBDA(const Member& gang, long i) {
        Kokkos::single(Kokkos::PerThread(gang), [&] { Kokkos::atomic_add(&counts(i), 10); });
      });
  for_lanes(
      "loops_test/in one call", {}, loop,
      KOKKOS_LAMBDA(long i) { Kokkos::atomic_add(&counts(i), 100); });
}

TEST(Loops, InOneCallVisitEveryIterationOnce) {
  for (const long n : {0L, 1L, 33L, 4097L}) {
    SCOPED_TRACE(::testing::Message() << n << " iterations");
    const Counts counts("loops_test/counts", static_cast<std::size_t>(n));
    count_in_one_call(counts, {.iterations = n, .inner = 5});
    const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
    for (long i = 0; i < n; ++i)
      ASSERT_EQ(on_host(i), 111) << "iteration " << i;
  }
}

/// What each lane of each worker hears from the lane behind it, the last one from the first.
template <int lanes>
Kokkos::View<int***> heard_by_lanes(int gangs, int workers) {
  const int threads = has_device ? workers : 1; // a host's gang is one thread
  const Kokkos::View<int***> heard("loops_test/heard", gangs, threads, lanes);
  Kokkos::parallel_for(
      "loops_test/from_lane", team_policy({.workers = workers, .vector = lanes}, gangs),
      KOKKOS_LAMBDA(const Member& gang) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, gang.team_size()), [&](int worker) {
          const int length = lanes; // a range takes a reference
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, length), [&](int lane) {
            const int own = (gang.league_rank() * 100 + worker) * 100 + lane;
            heard(gang.league_rank(), worker, lane) = from_lane<lanes>(own, lane + 1);
          });
        });
      });
  return heard;
}

template <int lanes>
void expect_the_next_lane_is_heard() {
  const auto heard =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), heard_by_lanes<lanes>(3, 4));
  for (int gang = 0; gang < 3; ++gang)
    for (int worker = 0; worker < static_cast<int>(heard.extent(1)); ++worker)
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(heard(gang, worker, lane), (gang * 100 + worker) * 100 + (lane + 1) % lanes)
            << lanes << " lanes: gang " << gang << ", worker " << worker << ", lane " << lane;
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
