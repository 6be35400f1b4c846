// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The loop surface of 0.2, until everything speaks the one of parallel.hpp.
#include "gangway/parallel.hpp"

namespace gangway {

using detail::Capacity;
using detail::in_a_row;
using detail::in_a_row_of_worker;
using detail::Level;
using detail::Loop;
using detail::loop_shape;
using detail::most_rounds;

/// device_type(nvidia) … device_type(radeon) … and the clauses of all others.
struct DeviceClauses {
  Clauses nvidia;
  Clauses radeon;
  Clauses other;
};
template <class Space = Kokkos::DefaultExecutionSpace>
[[nodiscard]] constexpr Clauses for_device(const DeviceClauses& clauses) {
  switch (device_type<Space>()) {
  case DeviceType::nvidia:
    return clauses.nvidia;
  case DeviceType::radeon:
    return clauses.radeon;
  default:
    return clauses.other;
  }
}

/// The policy of a compute construct with these clauses and `gangs` gangs, on `space`.
/// Errors: ClauseError as `validate`.
template <class Space>
[[nodiscard]] Kokkos::TeamPolicy<Space>
team_policy(const Space& space, const Clauses& clauses, long gangs,
            std::source_location where = std::source_location::current()) {
  Shape shape = effective_shape<Space>(clauses, gangs);
  shape.where = where;
  auto policy = detail::make_policy<Kokkos::TeamPolicy<Space>>(space, shape);
  note_launch(std::move(shape));
  return policy;
}

/// As above on the default execution space.
[[nodiscard]] inline Kokkos::TeamPolicy<>
team_policy(const Clauses& clauses, long gangs,
            std::source_location where = std::source_location::current()) {
  return team_policy(Kokkos::DefaultExecutionSpace{}, clauses, gangs, where);
}

/// The policy for `body`, with what the clauses leave open resolved by Kokkos for this very kernel
/// (`Tag`: Kokkos::ParallelForTag or Kokkos::ParallelReduceTag), so that the shape noted is the one
/// launched. Errors: ClauseError also when the kernel needs more registers or scratch than a team
/// of the requested size can have; the message names the largest team that fits.
template <class Body, class Tag>
[[nodiscard]] Kokkos::TeamPolicy<>
team_policy(const Clauses& clauses, long gangs, const Body& body, const Tag& tag,
            std::source_location where = std::source_location::current()) {
  using Space = Kokkos::DefaultExecutionSpace;
  Shape shape = effective_shape<Space>(clauses, gangs);
  shape.where = where;
  auto policy = detail::make_policy<Kokkos::TeamPolicy<Space>>(Space{}, shape);
  if (shape.team_size == 0) {
    shape.team_size = policy.team_size_recommended(body, tag);
    policy = detail::make_policy<Kokkos::TeamPolicy<Space>>(Space{}, shape);
  } else {
    detail::require_team(shape, policy.team_size_max(body, tag));
  }
  note_launch(std::move(shape));
  return policy;
}

/// How a tiled nest goes through memory.
enum class Access {
  along,    ///< the innermost loop runs along all arrays, or stays where it is
  scattered ///< along one it does not, as in a transpose: what it jumps over is for the other loops
};

template <int Rank, class Space>
[[nodiscard]] auto tile_policy(const Space& space, const std::array<long, Rank>& extents,
                               const std::array<long, Rank>& tile, Access access = Access::along,
                               std::source_location where = std::source_location::current()) {
  return TilePolicy<Rank, Space>(space, extents, tile, where)
      .scattered(access == Access::scattered);
}
template <int Rank, class Space = Kokkos::DefaultExecutionSpace>
[[nodiscard]] auto tile_policy(const std::array<long, Rank>& extents,
                               const std::array<long, Rank>& tile, Access access = Access::along,
                               std::source_location where = std::source_location::current()) {
  return tile_policy<Rank>(Space(), extents, tile, access, where);
}

/// `reduction(max)`, `reduction(min)`: begin with the infinities, where the type has them. Kokkos'
/// begin with the lowest and the largest finite value, which is what is left of no iterations, or
/// of infinities.
template <class T>
struct Max : Kokkos::Max<T> {
  using reducer = Max;
  using Kokkos::Max<T>::Max;
  KOKKOS_INLINE_FUNCTION void init(T& value) const { value = least; }

private:
  static constexpr T least = std::numeric_limits<T>::has_infinity
                                 ? -std::numeric_limits<T>::infinity()
                                 : std::numeric_limits<T>::lowest();
};
template <class T>
struct Min : Kokkos::Min<T> {
  using reducer = Min;
  using Kokkos::Min<T>::Min;
  KOKKOS_INLINE_FUNCTION void init(T& value) const { value = largest; }

private:
  static constexpr T largest = std::numeric_limits<T>::has_infinity
                                   ? std::numeric_limits<T>::infinity()
                                   : std::numeric_limits<T>::max();
};

/// The policy of a construct with these clauses over this loop, on `queue`. Errors: ClauseError as
/// `loop_shape`.
[[nodiscard]] inline Kokkos::TeamPolicy<>
loop_policy(const Device& queue, const Clauses& clauses, const Loop& loop,
            std::source_location where = std::source_location::current()) {
  Shape shape = loop_shape(clauses, loop, Capacity::of(queue));
  shape.where = where;
  auto policy = detail::make_policy<Kokkos::TeamPolicy<>>(queue, shape);
  note_launch(std::move(shape));
  return policy;
}
/// The same on the default execution space.
[[nodiscard]] inline Kokkos::TeamPolicy<>
loop_policy(const Clauses& clauses, const Loop& loop,
            std::source_location where = std::source_location::current()) {
  return loop_policy(Device(), clauses, loop, where);
}

/// The policy for `body` (`Tag`: Kokkos::ParallelForTag or Kokkos::ParallelReduceTag): a team that
/// was left open is no larger than the kernel allows. Errors: ClauseError also when the kernel
/// needs more registers or scratch than a team of the requested size can have; the message names
/// the largest team that fits.
template <class Body, class Tag>
[[nodiscard]] Kokkos::TeamPolicy<>
loop_policy(const Device& queue, const Clauses& clauses, const Loop& loop, const Body& body,
            const Tag& tag, std::source_location where = std::source_location::current()) {
  const Capacity capacity = Capacity::of(queue);
  Shape shape = loop_shape(clauses, loop, capacity);
  auto policy = detail::make_policy<Kokkos::TeamPolicy<>>(queue, shape);
  const int most = policy.team_size_max(body, tag);
  if (shape.team_size > most && clauses.workers == 0 && clauses.vector == 0) {
    // The same loop with a smaller team, which needs more gangs.
    Clauses smaller{.workers = most, .vector = shape.vector_length};
    if (loop.level != Level::gang_worker)
      smaller = {.workers = 1, .vector = most * shape.vector_length};
    shape = loop_shape(smaller, loop, capacity);
    shape.requested = clauses;
    policy = detail::make_policy<Kokkos::TeamPolicy<>>(queue, shape);
  } else {
    detail::require_team(shape, most);
  }
  shape.where = where;
  note_launch(std::move(shape));
  return policy;
}
/// The same on the default execution space.
template <class Body, class Tag>
[[nodiscard]] Kokkos::TeamPolicy<>
loop_policy(const Clauses& clauses, const Loop& loop, const Body& body, const Tag& tag,
            std::source_location where = std::source_location::current()) {
  return loop_policy(Device(), clauses, loop, body, tag, where);
}

/// `loop gang`: calls body(i) for the iterations i of 0 … count - 1 that are this gang's, with all
/// of its workers and lanes.
template <bool strided = has_device, std::integral Index, class Body>
KOKKOS_INLINE_FUNCTION void loop_gang(const Member& gang, Index count, const Body& body) {
  const long n = static_cast<long>(count);
  if constexpr (strided) {
    const long gangs = gang.league_size();
    const long run = detail::run_of_gang(n, gangs);
    for (long first = gang.league_rank() * run; first < n; first += gangs * run)
      for (long i = first; i < Kokkos::min(first + run, n); ++i)
        body(static_cast<Index>(i));
  } else {
    const detail::Share share = detail::share_of(gang, n);
    for (long i = share.first; i < share.last; ++i)
      body(static_cast<Index>(i));
  }
}

/// `loop gang worker`: calls body(i) for each i of 0 … count - 1, with all lanes of one worker.
template <bool strided = has_device, std::integral Index, class Body>
KOKKOS_INLINE_FUNCTION void loop_gang_worker(const Member& gang, Index count, const Body& body) {
  const long n = static_cast<long>(count);
  if constexpr (strided) {
    // By hand, for TeamThreadRange takes longer than a short iteration.
    const auto turns = detail::turns_of_worker<Index>(
        n, detail::run_of_worker(n, gang.league_size(), gang.team_size()), gang.league_size(),
        gang.team_size(), gang.league_rank(), gang.team_rank());
    for (auto first = turns.first; first < turns.end; first += turns.stride)
      for (auto i = first; i < first + turns.span; i += turns.workers)
        if (i < turns.end)
          body(static_cast<Index>(i));
  } else {
    const detail::Share share = detail::share_of(gang, n);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, share.first, share.last),
                         [&](long i) { body(static_cast<Index>(i)); });
  }
}

/// `loop gang vector`: calls body(i) for each i of 0 … count - 1, in one lane.
template <bool strided = has_device, std::integral Index, class Body>
KOKKOS_INLINE_FUNCTION void loop_gang_vector(const Member& gang, Index count, const Body& body) {
  const long n = static_cast<long>(count);
  if constexpr (strided) {
    constexpr long most_in_a_row = 4096;
    const long gangs = gang.league_size();
    // Whole warps, so that the next gang's lanes begin with a line of the memory.
    const long run = Kokkos::min((n + gangs - 1) / gangs + 31, most_in_a_row) / 32 * 32;
    for (long first = gang.league_rank() * run; first < n; first += gangs * run)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + run, n)),
                           [&](long i) { body(static_cast<Index>(i)); });
  } else {
    const detail::Share share = detail::share_of(gang, n);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, share.first, share.last),
                         [&](long i) { body(static_cast<Index>(i)); });
  }
}

namespace detail {
template <class Result>
struct ValueOf {
  using type = Result;
};
template <class Result>
  requires Kokkos::is_reducer_v<Result>
struct ValueOf<Result> {
  using type = typename Result::value_type;
};

} // namespace detail

/// `loop gang vector reduction`: what body(i, partial) makes of this gang's iterations, in
/// `result`, a variable for a sum or a reducer of Kokkos; all lanes of the gang get it. To be
/// joined with the other gangs' by one of them:
///
///     double of_gang = 0;
///     loop_gang_vector(gang, n, [&](long i, double& partial) { partial += x(i); }, of_gang);
///     Kokkos::single(Kokkos::PerTeam(gang), [&] { total += of_gang; });
///
/// On a device the lanes of all gangs stride over the loop together, and each has four iterations
/// under way: loads do not wait for one another.
template <bool strided = has_device, std::integral Index, class Body, class Result>
KOKKOS_INLINE_FUNCTION void loop_gang_vector(const Member& gang, Index count, const Body& body,
                                             Result&& result) {
  const long n = static_cast<long>(count);
  using Value = typename detail::ValueOf<std::remove_cvref_t<Result>>::type;
  if constexpr (strided) {
    constexpr long depth = 4;
    const long lanes = detail::lanes_of(gang);
    const long stride = gang.league_size() * lanes;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, lanes),
        [&](long lane, Value& partial) {
          long i = gang.league_rank() * lanes + lane;
          for (; i + (depth - 1) * stride < n; i += depth * stride)
            for (int d = 0; d < depth; ++d)
              body(static_cast<Index>(i + d * stride), partial);
          for (; i < n; i += stride)
            body(static_cast<Index>(i), partial);
        },
        std::forward<Result>(result));
  } else {
    const detail::Share share = detail::share_of(gang, n);
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, share.first, share.last),
        [&](long i, Value& partial) { body(static_cast<Index>(i), partial); },
        std::forward<Result>(result));
  }
}

/// `loop vector` within `loop gang`, of a gang whose vector is `length` lanes long: body(i) for
/// begin … end - 1. What the compiler knows here and not of a range over a team, how far a lane's
/// iterations lie apart, shows it that they touch different elements: where they read what they
/// write, it may load several before it stores the first.
template <int length, bool strided = has_device, std::integral Index, class Body>
KOKKOS_INLINE_FUNCTION void loop_vector(const Member& gang, Index begin, Index end,
                                        const Body& body) {
  if constexpr (strided) {
    const int lanes = length; // a range takes a reference, and device code has none to constants
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
      detail::iterations_of_lane<length, 1>(begin, end, lane, body);
    });
  } else {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, begin, end), body);
  }
}

/// `loop vector` within `loop gang worker` or `loop worker`, of workers whose vector is `length`
/// lanes long, up to 32: the same by all lanes of this worker. A lane has eight iterations under
/// way, as in what GCC makes of such a loop, for of workers only few may run at a time.
template <int length, bool strided = has_device, std::integral Index, class Body>
KOKKOS_INLINE_FUNCTION void loop_worker_vector(const Member& gang, Index begin, Index end,
                                               const Body& body) {
  static_assert(length >= 1 && length <= thread_vector_limit);
  if constexpr (strided) {
    const int lanes = length;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, lanes), [&](int lane) {
      detail::iterations_of_lane<length, 8>(begin, end, lane, body);
    });
  } else {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, begin, end), body);
  }
}

/// `loop vector reduction` within `loop gang`: what body(i, partial) makes of begin … end - 1, in
/// `result`, by all lanes of the gang; all get it. A gang of one worker joins by shuffles alone,
/// where a range over a team also waits for the team.
template <std::integral Index, class Body, class Result>
KOKKOS_INLINE_FUNCTION void loop_vector(const Member& gang, Index begin, Index end,
                                        const Body& body, Result&& result) {
  if (gang.team_size() == 1)
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(gang, begin, end), body,
                            std::forward<Result>(result));
  else
    Kokkos::parallel_reduce(Kokkos::TeamVectorRange(gang, begin, end), body,
                            std::forward<Result>(result));
}

namespace detail {
/// A reduction's result: a reducer of Kokkos, or a variable for a sum.
template <class Value, class Result>
KOKKOS_INLINE_FUNCTION Value identity_of([[maybe_unused]] const Result& result) {
  Value value{};
  if constexpr (Kokkos::is_reducer_v<Result>)
    result.init(value);
  return value;
}
template <class Value, class Result>
KOKKOS_INLINE_FUNCTION void join_into([[maybe_unused]] const Result& result, Value& value,
                                      const Value& other) {
  if constexpr (Kokkos::is_reducer_v<Result>)
    result.join(value, other);
  else
    value += other;
}

} // namespace detail

/// `loop vector reduction` within `loop gang worker`, or within the `loop gang` of gangs of one
/// worker, where a worker's vector is `length` lanes long, a power of two up to 32: what
/// body(i, partial) makes of begin … end - 1, in `result`, numbers of four or eight bytes; all
/// lanes of the worker get it. As with the length known above, a lane may have several loads under
/// way, four iterations here; and NVIDIA's and AMD's lanes join by as many shuffles as that takes
/// and no question between them. Errors: on these devices the program is aborted if the worker has
/// another number of lanes.
template <int length, bool strided = has_device, std::integral Index, class Body, class Result>
KOKKOS_INLINE_FUNCTION void loop_worker_vector(const Member& gang, Index begin, Index end,
                                               const Body& body, Result&& result) {
  static_assert(length >= 1 && length <= thread_vector_limit && (length & (length - 1)) == 0);
  using Value = typename detail::ValueOf<std::remove_cvref_t<Result>>::type;
  static_assert(std::is_arithmetic_v<Value> && sizeof(Value) >= sizeof(int));
  if constexpr (strided) {
    const auto of_lane = [&](int lane, Value& partial) {
      detail::iterations_of_lane<length, 4>(begin, end, lane, [&](Index i) { body(i, partial); });
    };
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    // A way for other lengths, beside this one, would take eight registers more.
    if (blockDim.x != length)
      Kokkos::abort("gangway::loop_worker_vector: the worker's vector has another length");
    Value value = detail::identity_of<Value>(result);
    of_lane(static_cast<int>(threadIdx.x), value);
    for (int bits = length / 2; bits > 0; bits /= 2)
      detail::join_into(result, value, detail::from_other_lane<length>(value, bits));
    if constexpr (Kokkos::is_reducer_v<std::remove_cvref_t<Result>>)
      result.reference() = value;
    else
      result = value;
#else
    const int lanes = length;
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(gang, lanes), of_lane,
                            std::forward<Result>(result));
#endif
  } else {
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(gang, begin, end), body,
                            std::forward<Result>(result));
  }
}

/// `loop vector reduction` within `loop gang`, of a gang of one worker whose vector is `length`
/// lanes long: the same of all lanes of the gang, and of up to 32 with the same conditions.
template <int length, bool strided = has_device, std::integral Index, class Body, class Result>
KOKKOS_INLINE_FUNCTION void loop_vector(const Member& gang, Index begin, Index end,
                                        const Body& body, Result&& result) {
  if constexpr (length <= thread_vector_limit) {
    loop_worker_vector<length, strided>(gang, begin, end, body, std::forward<Result>(result));
  } else if constexpr (strided) {
    using Value = typename detail::ValueOf<std::remove_cvref_t<Result>>::type;
    const int lanes = length;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, lanes),
        [&](int lane, Value& partial) {
          detail::iterations_of_lane<length, 4>(begin, end, lane,
                                                [&](Index i) { body(i, partial); });
        },
        std::forward<Result>(result));
  } else {
    Kokkos::parallel_reduce(Kokkos::TeamVectorRange(gang, begin, end), body,
                            std::forward<Result>(result));
  }
}

namespace detail {
/// A loop's body as that of a construct: deals the iterations of `level` out.
template <Level level, class Body>
class OldDealt {
public:
  OldDealt(long iterations, const Body& body) : _iterations(iterations), _body(body) {}

  KOKKOS_FUNCTION void operator()(const Member& gang) const {
    if constexpr (level == Level::gang)
      loop_gang(gang, _iterations, [&](long i) { _body(gang, i); });
    else if constexpr (level == Level::gang_worker)
      loop_gang_worker(gang, _iterations, [&](long i) { _body(gang, i); });
    else
      loop_gang_vector(gang, _iterations, [&](long i) { _body(i); });
  }

private:
  long _iterations;
  Body _body;
};

template <Level level, class Body>
void launch_loop(const std::string& label, const Clauses& clauses, Loop loop, const Body& body,
                 std::source_location where) {
  loop.level = level;
  const OldDealt<level, Body> dealt(loop.iterations, body);
  Kokkos::parallel_for(label, loop_policy(clauses, loop, dealt, Kokkos::ParallelForTag{}, where),
                       dealt);
}
} // namespace detail

/// `parallel loop gang` in one call: body(gang, i) for each i of 0 … loop.iterations - 1, with all
/// workers and lanes of a gang. `loop.level` need not be said, here and below. Errors: ClauseError
/// as `loop_policy`.
template <class Body>
void for_gangs(const std::string& label, const Clauses& clauses, const Loop& loop, const Body& body,
               std::source_location where = std::source_location::current()) {
  detail::launch_loop<Level::gang>(label, clauses, loop, body, where);
}
/// `parallel loop gang worker` in one call: body(gang, i) with all lanes of one worker.
template <class Body>
void for_workers(const std::string& label, const Clauses& clauses, const Loop& loop,
                 const Body& body, std::source_location where = std::source_location::current()) {
  detail::launch_loop<Level::gang_worker>(label, clauses, loop, body, where);
}
/// `parallel loop gang vector` in one call: body(i) in one lane.
template <class Body>
void for_lanes(const std::string& label, const Clauses& clauses, const Loop& loop, const Body& body,
               std::source_location where = std::source_location::current()) {
  detail::launch_loop<Level::gang_vector>(label, clauses, loop, body, where);
}

} // namespace gangway

namespace Kokkos {
template <int rank, class Space, class Body>
void parallel_for(const std::string& label, const gangway::TilePolicy<rank, Space>& policy,
                  const Body& body) {
  gangway::parallel_for(label, policy, body);
}
template <int rank, class Space, class Body, class... Results>
void parallel_reduce(const std::string& label, const gangway::TilePolicy<rank, Space>& policy,
                     const Body& body, Results&&... results) {
  policy.launch_reduction(
      [&](const auto& nest, const auto& /*visit*/) {
        parallel_reduce(label, nest, body, std::forward<Results>(results)...);
      },
      body, 0);
}
} // namespace Kokkos
