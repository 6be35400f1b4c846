// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"
#include "gangway/intrinsics.hpp"

#include <Kokkos_Core.hpp>

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

/// How the iterations of a loop are distributed over gangs, workers and lanes. Measurements tuned
/// these functions; handles.hpp and parallel.hpp are their only callers. `strided` says how a
/// device distributes: a gang takes a few iterations in a row and then strides over the others, so
/// that neighbouring gangs work on neighbouring iterations. Otherwise each gang takes one
/// contiguous block, as a host's threads should.
namespace gangway::detail {

/// Iterations that a device's gang takes in a row, at most, before it strides on.
inline constexpr long in_a_row = 16;
/// How many such runs a gang takes, at most, before the league grows.
inline constexpr long most_rounds = 12;
/// Iterations that a worker of a `gang worker` loop takes in a row, at most.
inline constexpr long in_a_row_of_worker = 16;

/// A gang's contiguous share of n iterations. Shares differ by one iteration at most, and so do
/// equal parts of the league, such as the gangs of one thread: the longer shares are spread evenly.
struct Share {
  long first;
  long last;
};
template <class Member>
KOKKOS_INLINE_FUNCTION Share share_of(const Member& team, long n) {
  const long gangs = team.league_size();
  const long rank = team.league_rank();
  const long each = n / gangs;
  const long more = n % gangs; // so many shares have one more
  if (more == 0)
    return {rank * each, (rank + 1) * each};
  return {rank * each + rank * more / gangs, (rank + 1) * each + (rank + 1) * more / gangs};
}

/// Iterations that each of `takers` takes in a row: few enough that it strides `strides` times, at
/// least one and at most `most`.
KOKKOS_INLINE_FUNCTION long run_length(long n, long takers, long strides, long most) {
  return Kokkos::clamp(n / takers / strides, 1L, most);
}

// The run of each level: `parallel_for` works it out once, on the host.

KOKKOS_INLINE_FUNCTION long run_of_gang(long n, long gangs) {
  return run_length(n, gangs, 8, in_a_row);
}
/// Runs long enough to even out. A gang finds in its cache what its iterations read side by side.
KOKKOS_INLINE_FUNCTION long run_of_worker(long n, long gangs, long workers) {
  return run_length(n, gangs * workers, 2, in_a_row_of_worker);
}
/// Whole warps, so that the next gang's lanes begin with a line of the memory.
KOKKOS_INLINE_FUNCTION long run_of_lanes(long n, long gangs) {
  constexpr long most = 4096;
  return Kokkos::min((n + gangs - 1) / gangs + 31, most) / 32 * 32;
}

/// The iterations of a worker: those below `end` of first, first + workers, …, below first + span,
/// then the same from first + stride on, and so on.
template <class Number>
struct Turns {
  Number first, end, workers, span, stride;
};
/// Counts in 32 bits if they hold what an `Index` does, because registers decide how many gangs of
/// many workers run at a time.
template <std::integral Index>
KOKKOS_INLINE_FUNCTION auto turns_of_worker(long n, long run, long gangs, long workers, long gang,
                                            long worker) {
  using Number = std::conditional_t<(std::numeric_limits<Index>::digits < 32), unsigned, long>;
  const auto number = [n](long of_any) { return static_cast<Number>(Kokkos::min(of_any, n)); };
  // A league with more workers than iterations must not carry a number past its 32 bits.
  return Turns<Number>{.first = number(gang * run * workers + worker),
                       .end = number(n),
                       .workers = static_cast<Number>(workers),
                       .span = static_cast<Number>(run * workers),
                       .stride = number(gangs * run * workers)};
}

/// Calls body(i) for this gang's iterations of 0 … n - 1, with all of its workers and lanes.
/// `runs_of_one`, as reductions have them: what gangs read of neighbouring iterations is in the
/// cache only if they read it at the same time.
template <bool strided, bool runs_of_one = false, std::integral Index, class Member, class Body>
KOKKOS_INLINE_FUNCTION void over_gangs(const Member& team, Index count, [[maybe_unused]] long run,
                                       const Body& body) {
  if constexpr (strided) {
    // In 32 bits if they hold an Index, and with a loop of its own for runs of one, because a
    // compiler has more of the body's loads in flight the simpler the loops around it are.
    using Number = std::conditional_t<(std::numeric_limits<Index>::digits < 32), unsigned, long>;
    const auto n = static_cast<Number>(count);
    const auto gangs = static_cast<Number>(team.league_size());
    const auto rank = static_cast<Number>(team.league_rank());
    if constexpr (!runs_of_one) {
      if (const auto in_a_run = static_cast<Number>(run); in_a_run != 1) {
        for (Number first = rank * in_a_run; first < n; first += gangs * in_a_run) {
          const Number last = Kokkos::min(static_cast<Number>(first + in_a_run), n);
          for (Number i = first; i < last; ++i)
            body(static_cast<Index>(i));
        }
        return;
      }
    }
    for (Number i = rank; i < n; i += gangs)
      body(static_cast<Index>(i));
  } else {
    const Share share = share_of(team, static_cast<long>(count));
    for (long i = share.first; i < share.last; ++i)
      body(static_cast<Index>(i));
  }
}

/// Calls body(i) for each i of 0 … n - 1, with all lanes of one worker.
template <bool strided, std::integral Index, class Member, class Body>
KOKKOS_INLINE_FUNCTION void over_workers(const Member& team, Index count, [[maybe_unused]] long run,
                                         const Body& body) {
  const long n = static_cast<long>(count);
  if constexpr (strided) {
    // Without TeamThreadRange, which takes longer than a short iteration.
    const auto turns = turns_of_worker<Index>(n, run, team.league_size(), team.team_size(),
                                              team.league_rank(), team.team_rank());
    for (auto first = turns.first; first < turns.end; first += turns.stride)
      for (auto i = first; i < first + turns.span; i += turns.workers)
        if (i < turns.end)
          body(static_cast<Index>(i));
  } else {
    const Share share = share_of(team, n);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, share.first, share.last),
                         [&](long i) { body(static_cast<Index>(i)); });
  }
}

/// Calls body(i) for each i of 0 … n - 1, in one lane.
template <bool strided, std::integral Index, class Member, class Body>
KOKKOS_INLINE_FUNCTION void over_lanes(const Member& team, Index count, [[maybe_unused]] long run,
                                       const Body& body) {
  const long n = static_cast<long>(count);
  if constexpr (strided) {
    // The range is outside, of lanes alone: of a matrix product's loads nvcc then has 9 in flight,
    // and 4 with a range of iterations within the loop.
    const long lanes = lanes_of(team);
    const long stride = team.league_size() * run;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, lanes), [&](long lane) {
      for (long first = team.league_rank() * run; first < n; first += stride) {
        const long last = Kokkos::min(first + run, n);
        for (long i = first + lane; i < last; i += lanes)
          body(static_cast<Index>(i));
      }
    });
  } else {
    const Share share = share_of(team, n);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, share.first, share.last),
                         [&](long i) { body(static_cast<Index>(i)); });
  }
}

/// Reduces body(i, partial) over this gang's iterations into `result`, a variable or a reducer; all
/// lanes get it. On a device the lanes of all gangs stride over the loop together, and each has
/// four iterations in flight, so that loads do not wait for one another.
template <bool strided, class Value, std::integral Index, class Member, class Body, class Result>
KOKKOS_INLINE_FUNCTION void reduce_lanes(const Member& team, Index count, const Body& body,
                                         Result&& result) {
  const long n = static_cast<long>(count);
  if constexpr (strided) {
    constexpr long depth = 4;
    const long lanes = lanes_of(team);
    const long stride = team.league_size() * lanes;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, lanes),
        [&](long lane, Value& partial) {
          long i = team.league_rank() * lanes + lane;
          for (; i + (depth - 1) * stride < n; i += depth * stride)
            for (int d = 0; d < depth; ++d)
              body(static_cast<Index>(i + d * stride), partial);
          for (; i < n; i += stride)
            body(static_cast<Index>(i), partial);
        },
        std::forward<Result>(result));
  } else {
    const Share share = share_of(team, n);
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, share.first, share.last),
        [&](long i, Value& partial) { body(static_cast<Index>(i), partial); },
        std::forward<Result>(result));
  }
}

/// visit(i) for this lane's iterations of begin … end - 1, of `lanes` lanes, `depth` at a time. As
/// in a range of Kokkos, an Index must hold a little more than `end`. A short row has a way of its
/// own: its lanes take two at a time, and the long rows' loop keeps its registers.
template <int lanes, int depth, std::integral Index, class Visit>
KOKKOS_INLINE_FUNCTION void iterations_of_lane(Index begin, Index end, int lane,
                                               const Visit& visit) {
  constexpr auto stride = static_cast<Index>(lanes);
  auto i = begin + static_cast<Index>(lane);
  if constexpr (depth == 4) {
    if (end <= begin + (depth - 1) * stride) { // at most three iterations a lane
      if (i + stride < end) {
        visit(static_cast<Index>(i));
        visit(static_cast<Index>(i + stride));
        i += 2 * stride;
      }
      if (i < end)
        visit(static_cast<Index>(i));
      return;
    }
  }
  if constexpr (depth > 1) {
    for (; i + (depth - 1) * stride < end; i += depth * stride)
      for (int d = 0; d < depth; ++d)
        visit(static_cast<Index>(i + d * stride));
  }
  for (; i < end; i += stride)
    visit(static_cast<Index>(i));
}

/// Does the same if only the launch knows how many lanes there are.
template <int depth, std::integral Index, class Visit>
KOKKOS_INLINE_FUNCTION void iterations_of_lane(Index begin, Index end, int lane, int lanes,
                                               const Visit& visit) {
  const auto stride = static_cast<Index>(lanes);
  auto i = begin + static_cast<Index>(lane);
  if constexpr (depth > 1) {
    for (; i + (depth - 1) * stride < end; i += depth * stride)
      for (int d = 0; d < depth; ++d)
        visit(i + static_cast<Index>(d) * stride);
  }
  for (; i < end; i += stride)
    visit(i);
}

} // namespace gangway::detail
