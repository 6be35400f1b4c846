// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/policy.hpp"

#include "gangway/dealing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace gangway::detail {
namespace {

long divided_up(long n, long by) {
  return (n + by - 1) / by;
}

/// The fewest lanes, a power of two from `fewest` to `most`, of which none has more than so many of
/// the inner loop's iterations.
int lanes_for(long inner, long iterations, int fewest, int most) {
  int lanes = fewest;
  while (lanes < most && iterations * lanes < inner)
    lanes *= 2;
  return lanes;
}

/// How many percent of a device's lanes work, on average, while gangs of so many lanes take a row
/// of `inner` iterations each: lanes idle in the last round of a row, and multiprocessors in the
/// last wave of gangs. Kernels of 32 registers fill the device, those of 40 three quarters of it;
/// the kernel's number is not known here.
int percent_busy(const Loop& loop, int lanes, long threads) {
  const auto filled = [](double parts) { return parts / std::ceil(parts); };
  const double waves = static_cast<double>(loop.iterations) * lanes / static_cast<double>(threads);
  const double of_waves = (filled(waves) + filled(waves / 0.75)) / 2;
  const double rounds = static_cast<double>(loop.inner) / lanes;
  return static_cast<int>(std::lround(100 * filled(rounds) * of_waves));
}

/// Lanes of a worker. One lane takes up to eight iterations, because more lanes would wait for one
/// another; more lanes take four each.
int lanes_of_worker(long inner) {
  return inner <= 8 ? 1 : lanes_for(inner, 4, 1, Clauses::most_worker_lanes);
}

/// The most lanes, up to 32, that so many workers of a gang can have.
int lanes_beside(int workers) {
  int lanes = Clauses::most_worker_lanes;
  while (workers * lanes > Clauses::most_gang_threads)
    lanes /= 2;
  return lanes;
}

/// Returns the clauses, with those that they leave open chosen for a device.
Clauses chosen(const Clauses& clauses, const Loop& loop, long threads) {
  Clauses all = clauses;
  if (loop.level == Level::gang_worker) {
    // A lane that reads a row of five to eight elements needs its cache lines until the last. Those
    // of half as many lanes find room.
    const int of_gang = loop.inner > 4 && loop.inner <= 8 ? 32 : 64;
    constexpr int unknown = 4; // workers
    // Their neighbouring elements, of 4 or 8 bytes, fill the sectors that a lane's load brings.
    constexpr int scattered = 16;
    if (loop.scattered && all == Clauses{})
      return {.workers = scattered,
              .vector = loop.inner == 0 ? Clauses::most_worker_lanes
                                        : lanes_for(loop.inner, 1, 1, Clauses::most_worker_lanes)};
    if (all.vector == 0) {
      all.vector =
          std::min(loop.inner == 0 ? Clauses::most_worker_lanes : lanes_of_worker(loop.inner),
                   lanes_beside(all.workers));
    }
    if (all.workers == 0)
      all.workers = loop.inner == 0 ? unknown : std::max(1, of_gang / all.vector);
    return all;
  }
  if (all.vector == 0 && all.workers != 0)
    all.vector = lanes_beside(all.workers);
  if (all.vector != 0)
    return all;
  all = {.workers = 1, .vector = loop.reduction || loop.scattered ? 256 : 128};
  const auto halve_while = [&](auto too_long) {
    while (all.vector > Clauses::most_worker_lanes && too_long())
      all.vector /= 2;
  };
  if (loop.level == Level::gang_vector) {
    // Few iterations are spread over all multiprocessors, each of which holds about 2048 threads.
    halve_while([&] { return loop.iterations / all.vector < threads / 2048; });
  } else if (loop.scattered && loop.inner != 0) {
    halve_while([&] { return all.vector > loop.inner; });
  } else if (loop.inner != 0) {
    // A multiprocessor holds 32 gangs, which fill it if they have 64 lanes. With 512 instead of 256
    // a reduction of long rows took 0.95 of the time where it only reads, and 1.2 where it updates.
    const int fewest = loop.inner <= Clauses::most_worker_lanes ? Clauses::most_worker_lanes : 64;
    if (loop.reduction) {
      all.vector = lanes_for(loop.inner, 3, fewest, 256);
    } else if (loop.iterations > 0) {
      // On an H200 of 3000 rows of 3000 elements, of 3000 terms each, gangs of 128 lanes took 1.33
      // times as long as those of 256 and 512: a second wave of them filled less than half of it.
      const auto busy = [&](int lanes) { return percent_busy(loop, lanes, threads); };
      const int shortest = lanes_for(loop.inner, 1, fewest, 128);
      all.vector = shortest;
      for (int lanes = 2 * shortest; lanes <= 512 && lanes / 2 < loop.inner; lanes *= 2)
        if (busy(lanes) >= busy(all.vector) && busy(lanes) >= busy(shortest) + 3)
          all.vector = lanes;
    }
  }
  if (loop.level == Level::gang && loop.inner != 0) {
    // Gangs that are too few for the device have longer vectors.
    while (all.vector < Clauses::most_gang_threads && all.vector < loop.inner &&
           2 * loop.iterations * all.vector <= threads)
      all.vector *= 2;
  }
  return all;
}

long gangs_on_device(const Loop& loop, int team_size, int vector_length, long threads) {
  const long size = std::max(1L, static_cast<long>(team_size) * vector_length);
  // A multiprocessor, which holds about 2048 threads, has room for 32 gangs, however small.
  constexpr long smallest = 64;
  const long held = std::max(1L, threads / std::max(size, smallest));
  // That one gang takes at a time.
  const long together = loop.level == Level::gang_worker   ? std::max(1, team_size)
                        : loop.level == Level::gang_vector ? size
                                                           : 1;
  const long needed = divided_up(loop.iterations, together);
  if (needed == 0)
    return 0;
  if (loop.reduction)
    // Lanes that stride count through all iterations together, gangs through theirs alone.
    return loop.level == Level::gang_vector ? std::min(needed, held)
                                            : divided_up(needed, divided_up(needed, held));
  if (loop.level == Level::gang_vector || loop.scattered)
    return std::min<long>(needed, std::numeric_limits<int>::max());
  const long bounded =
      loop.level == Level::gang_worker
          ? (vector_length < Clauses::most_worker_lanes ? 16 : 8) * held
          : std::max(8 * held, divided_up(loop.iterations, most_rounds * in_a_row));
  return std::min<long>({needed, bounded, std::numeric_limits<int>::max()});
}

} // namespace

void require_scratch(const std::source_location& where, int of_level, std::size_t gang,
                     std::size_t worker) {
  if (of_level != 0 && of_level != 1)
    refuse_at(where, ClauseError("scratch of level " + std::to_string(of_level) +
                                 ": Kokkos has the levels 0 and 1"));
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (const std::size_t bytes = std::max(gang, worker); bytes > most)
    refuse_at(where, ClauseError("scratch of " + std::to_string(bytes) +
                                 " bytes: a gang has at most " + std::to_string(most) +
                                 ", and so has a worker; a View has room for more"));
}

Shape loop_shape(const Clauses& clauses, const Loop& loop, const Capacity& capacity) {
  if (loop.iterations < 0 || loop.inner < 0)
    throw ClauseError("a loop of " + std::to_string(loop.iterations) + " iterations with " +
                      std::to_string(loop.inner) + " in the inner loop: neither may be negative");
  validate(clauses, 0);
  if (loop.level == Level::gang_worker && clauses.vector > Clauses::most_worker_lanes)
    throw ClauseError("vector_length(" + std::to_string(clauses.vector) +
                      "): the vector of a worker in a loop gang worker has at most " +
                      std::to_string(Clauses::most_worker_lanes) +
                      " lanes in Kokkos; nearest: " + "vector_length(" +
                      std::to_string(Clauses::most_worker_lanes) + "), or loop gang");
  Shape shape{clauses, 0, 1, 1, {}};
  if (!capacity.is_device) {
    shape.gangs = std::min(loop.iterations, 16 * std::max(1L, capacity.threads));
    return shape;
  }
  const Clauses all = chosen(clauses, loop, capacity.threads);
  validate(all, 0);
  detail::shape_on_device(shape, all);
  shape.gangs = gangs_on_device(loop, shape.team_size, shape.vector_length, capacity.threads);
  return shape;
}

} // namespace gangway::detail
