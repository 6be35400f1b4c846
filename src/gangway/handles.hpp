// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/dealing.hpp"
#include "gangway/intrinsics.hpp"
#include "gangway/levels.hpp"
#include "gangway/reduction.hpp"

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

/// The loops within a kernel. A kernel's body is given a handle, which knows its level, and the
/// loops take it: `loop_worker(gang, …)`, `loop_vector(gang, …)`, `loop_vector(worker, …)`.
///
/// `length` is the vector's, if the policy says it by `vector_length(lanes<length>)`; 0 if only the
/// launch knows it. A loop over lanes whose number the compiler knows has several iterations in
/// flight in each lane. `Space` is the policy's execution space.
namespace gangway {

template <int length = 0, class Space = Kokkos::DefaultExecutionSpace>
class Gang;

/// A worker of a gang, with all of its lanes.
template <int length = 0, class Space = Kokkos::DefaultExecutionSpace>
class Worker {
  static_assert(length >= 0 && length <= Clauses::most_worker_lanes && (length & (length - 1)) == 0,
                "gangway: a worker's vector is a power of two of at most 32 lanes");

public:
  using Member = typename Kokkos::TeamPolicy<Space>::member_type; ///< Kokkos' handle of the team
  /// Makes a handle in a team. `alone`: the vector is one lane, which loops without Kokkos' range.
  /// A kernel that asks has both loops, and more registers, so only `gang_worker` asks: there the
  /// library may have chosen one lane.
  KOKKOS_INLINE_FUNCTION explicit Worker(const Member& member, bool alone = false)
      : _member(member), _alone(alone) {}
  /// Forgets the length, for a function that serves every worker.
  template <int known>
    requires(length == 0 && known > 0)
  KOKKOS_INLINE_FUNCTION Worker(const Worker<known, Space>& worker) : _member(worker.member()) {}

  /// Kokkos' member of the team.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const Member& member() const { return _member; }
  /// True if the vector is one lane, as far as the handle was told.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_alone() const { return length == 0 && _alone; }

private:
  const Member& _member;
  bool _alone = false;
};

/// A gang, with all of its workers and lanes.
template <int length, class Space>
class Gang {
  static_assert(length >= 0 && length <= Clauses::most_gang_threads &&
                    (length % Clauses::most_worker_lanes == 0 ||
                     (length < Clauses::most_worker_lanes && (length & (length - 1)) == 0)),
                "gangway: a gang's vector is a power of two up to 32 lanes, or a multiple of 32 up "
                "to 1024");

public:
  using Member = typename Kokkos::TeamPolicy<Space>::member_type; ///< Kokkos' handle of the team
  KOKKOS_INLINE_FUNCTION explicit Gang(const Member& member) : _member(member) {} ///< of the team
  /// Forgets the length, for a function that serves every gang.
  template <int known>
    requires(length == 0 && known > 0)
  KOKKOS_INLINE_FUNCTION Gang(const Gang<known, Space>& gang) : _member(gang.member()) {}

  /// Kokkos' member of the team.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION const Member& member() const { return _member; }

private:
  const Member& _member;
};

/// A `parallel` construct, whose gangs all run the body: what `team_policy` gives it. Loops with
/// `gang` are for these alone, and all else that a gang can do a Parallel can.
template <int length = 0, class Space = Kokkos::DefaultExecutionSpace>
class Parallel : public Gang<length, Space> {
public:
  using Gang<length, Space>::Gang;
};

namespace detail {
template <class Space>
inline constexpr bool strides = detail::is_device<Space>;

/// The type that counts from a Begin to an End. A narrow one need not hold the number of lanes.
template <class Begin, class End>
using Counter = std::common_type_t<Begin, End, int>;

/// Reduces over a range of Kokkos into `results`, whose values join.
template <class Range, class Visit, class... Results>
KOKKOS_INLINE_FUNCTION void reduce_range(const Range& range, const Visit& visit,
                                         Results&... results) {
  using Reducer = reducer_of_results<Results...>;
  typename Reducer::value_type value;
  Kokkos::parallel_reduce(range, visit, Reducer(value));
  join_into_all(value, results...);
}
} // namespace detail

// Loops over gangs

/// `loop gang`: body(gang, i) for each i of begin … end - 1, by all workers and lanes of one gang.
template <int length, class Space, std::integral Begin, std::integral End, class Body>
KOKKOS_INLINE_FUNCTION void loop_gang(const Parallel<length, Space>& parallel, Begin begin, End end,
                                      const Body& body) {
  using Index = detail::Counter<Begin, End>;
  const auto n = static_cast<long>(end) - static_cast<long>(begin);
  const Gang<length, Space> gang(parallel.member());
  detail::over_gangs<detail::strides<Space>>(
      gang.member(), n, detail::run_of_gang(n, gang.member().league_size()),
      [&](long i) { body(gang, static_cast<Index>(begin + i)); });
}
/// `loop gang worker`: body(worker, i) for each i, by all lanes of one worker.
template <int length, class Space, std::integral Begin, std::integral End, class Body>
KOKKOS_INLINE_FUNCTION void loop_gang_worker(const Parallel<length, Space>& parallel, Begin begin,
                                             End end, const Body& body) {
  using Index = detail::Counter<Begin, End>;
  const auto& member = parallel.member();
  const auto n = static_cast<long>(end) - static_cast<long>(begin);
  const Worker<length, Space> worker(member);
  detail::over_workers<detail::strides<Space>>(
      member, n, detail::run_of_worker(n, member.league_size(), member.team_size()),
      [&](long i) { body(worker, static_cast<Index>(begin + i)); });
}
/// `loop gang vector`: body(i) for each i, in one lane.
template <int length, class Space, std::integral Begin, std::integral End, class Body>
KOKKOS_INLINE_FUNCTION void loop_gang_vector(const Parallel<length, Space>& parallel, Begin begin,
                                             End end, const Body& body) {
  using Index = detail::Counter<Begin, End>;
  const auto& member = parallel.member();
  const auto n = static_cast<long>(end) - static_cast<long>(begin);
  detail::over_lanes<detail::strides<Space>>(member, n,
                                             detail::run_of_lanes(n, member.league_size()),
                                             [&](long i) { body(static_cast<Index>(begin + i)); });
}
/// `loop gang vector reduction`: body(i, partial) over this gang's iterations, into `result` of
/// each of its lanes; the gangs' results are the kernel's to reduce.
template <int length, class Space, std::integral Begin, std::integral End, class Body, class Result>
KOKKOS_INLINE_FUNCTION void loop_gang_vector(const Parallel<length, Space>& parallel, Begin begin,
                                             End end, const Body& body, Result&& result) {
  using Index = detail::Counter<Begin, End>;
  using Reducer = detail::reducer_of_results<Result>;
  using Value = typename Reducer::value_type;
  const auto n = static_cast<long>(end) - static_cast<long>(begin);
  Value value;
  detail::reduce_lanes<detail::strides<Space>, Value>(
      parallel.member(), n,
      [&](long i, Value& partial) { body(static_cast<Index>(begin + i), partial); },
      Reducer(value));
  detail::join_into_all(value, result);
}

// Loops over workers

/// `loop worker`: body(worker, i) for each i of begin … end - 1, by all lanes of one worker.
template <int length, class Space, std::integral Begin, std::integral End, class Body>
KOKKOS_INLINE_FUNCTION void loop_worker(const Gang<length, Space>& gang, Begin begin, End end,
                                        const Body& body) {
  using Index = detail::Counter<Begin, End>;
  const Worker<length, Space> worker(gang.member());
  Kokkos::parallel_for(
      Kokkos::TeamThreadRange(gang.member(), static_cast<Index>(begin), static_cast<Index>(end)),
      [&](Index i) { body(worker, i); });
}
/// `loop worker reduction`: body(worker, i, partial…) by all lanes of one worker, each with a copy
/// of `partial`. The results' values join, and all lanes of the gang get the results.
template <int length, class Space, std::integral Begin, std::integral End, class Body, class First,
          class... Results>
KOKKOS_INLINE_FUNCTION void loop_worker(const Gang<length, Space>& gang, Begin begin, End end,
                                        const Body& body, First&& first, Results&&... results) {
  using Index = detail::Counter<Begin, End>;
  using Value = typename detail::reducer_of_results<First, Results...>::value_type;
  const Worker<length, Space> worker(gang.member());
  detail::reduce_range(
      Kokkos::TeamThreadRange(gang.member(), static_cast<Index>(begin), static_cast<Index>(end)),
      [&](Index i, Value& partial) { detail::call(body, partial, worker, i); }, first, results...);
}
template <int length, class Space, class... Arguments>
KOKKOS_INLINE_FUNCTION void loop_worker(const Worker<length, Space>& /*worker*/,
                                        Arguments&&... /*arguments*/) {
  static_assert(length < 0, "gangway: a worker has no workers: loop_worker takes a Gang");
}

// Loops over lanes

/// `loop vector` of a worker: body(i) for each i of begin … end - 1, in one lane. If the length is
/// known, a lane has eight iterations in flight, because few workers may run at a time.
template <int length, class Space, std::integral Begin, std::integral End, class Body>
KOKKOS_INLINE_FUNCTION void loop_vector(const Worker<length, Space>& worker, Begin begin, End end,
                                        const Body& body) {
  using Index = detail::Counter<Begin, End>;
  const auto first = static_cast<Index>(begin);
  const auto last = static_cast<Index>(end);
  if constexpr (length > 0 && detail::strides<Space>) {
    const int lanes = length; // a range takes a reference, and device code has none to constants
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(worker.member(), lanes), [&](int lane) {
      detail::iterations_of_lane<length, 8>(first, last, lane, body);
    });
  } else {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(worker.member(), first, last), body);
  }
}
/// `loop vector` of a gang whose vector is all of its lanes: body(i) in one lane. If the length is
/// known, the compiler sees how far a lane's iterations are apart: where they read what they write,
/// it may load several before it stores the first. A host's gang of one thread does without the
/// range over a team, whose division counts beside a short row.
template <int length, class Space, std::integral Begin, std::integral End, class Body>
KOKKOS_INLINE_FUNCTION void loop_vector(const Gang<length, Space>& gang, Begin begin, End end,
                                        const Body& body) {
  using Index = detail::Counter<Begin, End>;
  const auto first = static_cast<Index>(begin);
  const auto last = static_cast<Index>(end);
  if constexpr (length > 0 && detail::strides<Space>) {
    const int lanes = length;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang.member(), lanes), [&](int lane) {
      detail::iterations_of_lane<length, 1>(first, last, lane, body);
    });
  } else if (!detail::strides<Space> && gang.member().team_size() == 1) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang.member(), first, last), body);
  } else {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang.member(), first, last), body);
  }
}

namespace detail {
/// True if lanes exchange a value by a shuffle.
template <class Value>
inline constexpr bool is_shuffled = std::is_arithmetic_v<Value> && sizeof(Value) >= sizeof(int);

/// Iterations that a gang's lane has in flight if only the launch knows the vector's length. In a
/// sparse product three take 32 registers, four 40. There long rows took 0.70 to 0.77 of the time
/// of Kokkos' range, short ones 0.93 to 0.95 (H200). A largest change mostly comes with a sweep
/// that stores, which no load may pass: with three, `halo` took 1.10 to 1.25 of the time with one.
/// A worker keeps Kokkos' range: with three, `matmul`'s `three-level` of 5000 x 5000 took 4.5 times
/// as long, though the translation of the same stage took 0.78 of its time.
template <class Reducer>
inline constexpr int in_flight = 1;
template <class Scalar, class Space>
inline constexpr int in_flight<Partial<Kokkos::Sum<Scalar, Space>>> = 3;
} // namespace detail

/// `loop vector reduction` of a worker: body(i, partial…) for each i of begin … end - 1. The
/// results' values join, and all lanes of the worker get the results. If the length is known, a
/// lane has four iterations in flight, and lanes reduce by the fewest shuffles. A lane that is
/// alone loops without Kokkos' range, whose stride only the launch knows: nvcc has several of its
/// loads in flight. Errors: a device aborts the program if the launch's vector has another length
/// than the handle says.
template <int length, class Space, std::integral Begin, std::integral End, class Body, class First,
          class... Results>
KOKKOS_INLINE_FUNCTION void loop_vector(const Worker<length, Space>& worker, Begin begin, End end,
                                        const Body& body, First&& first_result,
                                        Results&&... results) {
  using Index = detail::Counter<Begin, End>;
  using Reducer = detail::reducer_of_results<First, Results...>;
  using Value = typename Reducer::value_type;
  const auto first = static_cast<Index>(begin);
  const auto last = static_cast<Index>(end);
  if constexpr (length > 0 && detail::strides<Space> && detail::is_shuffled<Value>) {
    const auto value =
        detail::reduce_worker<length, Reducer>(worker.member(), [&](int lane, Value& partial) {
          detail::iterations_of_lane<length, 4>(first, last, lane,
                                                [&](Index i) { detail::call(body, partial, i); });
        });
    detail::join_into_all(value, first_result, results...);
  } else {
    const auto visit = [&](Index i, Value& partial) { detail::call(body, partial, i); };
    if (worker.is_alone()) {
      Value value;
      Reducer(value).init(value);
      for (Index i = first; i < last; ++i)
        visit(i, value);
      detail::join_into_all(value, first_result, results...);
    } else {
      detail::reduce_range(Kokkos::ThreadVectorRange(worker.member(), first, last), visit,
                           first_result, results...);
    }
  }
}
/// `loop vector reduction` of a gang whose vector is all of its lanes, which get the results. On
/// NVIDIA's and AMD's devices warps reduce by shuffles, and a gang of one warp does not wait for a
/// team. Errors: as of a worker.
template <int length, class Space, std::integral Begin, std::integral End, class Body, class First,
          class... Results>
KOKKOS_INLINE_FUNCTION void loop_vector(const Gang<length, Space>& gang, Begin begin, End end,
                                        const Body& body, First&& first_result,
                                        Results&&... results) {
  using Index = detail::Counter<Begin, End>;
  using Reducer = detail::reducer_of_results<First, Results...>;
  using Value = typename Reducer::value_type;
  const auto first = static_cast<Index>(begin);
  const auto last = static_cast<Index>(end);
  const auto visit = [&](Index i, Value& partial) { detail::call(body, partial, i); };
  const auto of_lane = [&](int lane, Value& partial) {
    const auto of_iteration = [&](Index i) { visit(i, partial); };
    if constexpr (length > 0)
      detail::iterations_of_lane<length, 4>(first, last, lane, of_iteration);
    else
      detail::iterations_of_lane<detail::in_flight<Reducer>>(
          first, last, lane, static_cast<int>(detail::lanes_of(gang.member())), of_iteration);
  };
  if constexpr (detail::strides<Space> && detail::is_shuffled<Value>) {
    const auto value = detail::reduce_gang<length, Reducer>(gang.member(), of_lane);
    detail::join_into_all(value, first_result, results...);
  } else if constexpr (length > 0 && detail::strides<Space>) {
    const int lanes = length;
    detail::reduce_range(Kokkos::TeamVectorRange(gang.member(), lanes), of_lane, first_result,
                         results...);
  } else if (gang.member().team_size() == 1) {
    detail::reduce_range(Kokkos::ThreadVectorRange(gang.member(), first, last), visit, first_result,
                         results...);
  } else {
    detail::reduce_range(Kokkos::TeamVectorRange(gang.member(), first, last), visit, first_result,
                         results...);
  }
}

/// Calls body() once a worker, in one of its lanes. A lane that is alone does not work out which
/// lanes wait for it.
template <int length, class Space, class Body>
KOKKOS_INLINE_FUNCTION void single(const Worker<length, Space>& worker, const Body& body) {
  if (worker.is_alone())
    body();
  else
    Kokkos::single(Kokkos::PerThread(worker.member()), body);
}
/// Calls body() once a gang, in one of its lanes.
template <int length, class Space, class Body>
KOKKOS_INLINE_FUNCTION void single(const Gang<length, Space>& gang, const Body& body) {
  Kokkos::single(Kokkos::PerTeam(gang.member()), body);
}

/// The value that lane `lane` of this worker has; lanes beyond the last count from the first again.
/// A worker's vector is `length` lanes long, and all of them ask at the same time, within a
/// `ThreadVectorRange` of `length` iterations. No directive says this. Elsewhere than on NVIDIA's
/// and AMD's devices a worker must have one lane.
template <int length, class Value>
KOKKOS_INLINE_FUNCTION Value from_lane(Value value, int lane) {
  static_assert(length >= 1 && length <= Clauses::most_worker_lanes &&
                (length & (length - 1)) == 0);
  static_assert(detail::is_shuffled<Value>);
  return detail::value_of_lane<length>(value, lane);
}

} // namespace gangway
