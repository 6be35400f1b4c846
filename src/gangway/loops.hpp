// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/levels.hpp"

#include <Kokkos_Core.hpp>

#include <concepts>
#include <limits>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

/// `loop gang`, `loop gang worker` and `loop gang vector` as OpenACC means them: the compiler
/// chooses how many gangs there are, and deals the iterations out to them.
///
///     #pragma acc parallel loop gang num_workers(4) vector_length(32)
///     for (long i = 0; i < rows; ++i) …
///
///     for_gangs("rows", {.workers = 4, .vector = 32}, {.iterations = rows},
///               KOKKOS_LAMBDA(const Member& gang, long i) { … });
///
/// or, where there is more to a kernel than the loop, as in a reduction,
///
///     Kokkos::parallel_reduce("rows", loop_policy(clauses, {.iterations = rows, .reduction =
///     true}),
///                             KOKKOS_LAMBDA(const Member& gang, double& total) {
///                               loop_gang(gang, rows, [&](long i) { … });
///                             }, sum);
///
/// `loop_policy` chooses the gangs, and where the clauses leave it open their shape, from what the
/// loop says of itself; the `loop_…` functions deal out the iterations of any league. On a device a
/// gang takes some in a row and then strides over the others, so that neighbouring gangs are at
/// neighbouring iterations; on a host it takes one contiguous block. One gang for each iteration,
/// promised, is `team_policy(clauses, iterations)` with `league_rank()` for its number.
/// (`strided` of the functions is for tests: a host that deals out as a device does.)
namespace gangway {

/// Who shares the iterations of a construct's loop out: what stands behind `loop`.
enum class Level {
  gang,        ///< `gang`: a gang takes an iteration, all its workers and lanes are within it
  gang_worker, ///< `gang worker`: a worker takes an iteration, all its lanes are within it
  gang_vector  ///< `gang vector`, `gang worker vector`: a lane takes an iteration
};

/// What a construct's loop says of itself.
struct Loop {
  long iterations = 0; ///< of the loop; of collapsed ones, of all together
  Level level = Level::gang;
  /// Iterations of the vector loop within one of these, the typical number, and where they are very
  /// uneven the largest; 0 where there is none, or nobody knows.
  long inner = 0;
  bool reduction = false; ///< the gangs join their results
  /// Neighbouring lanes read or write far apart, as in a transpose: what a lane brings to the
  /// caches besides its own element is for workers and gangs that run at the same time.
  bool scattered = false;
};

/// Where a loop runs, as far as its shape depends on it.
struct Capacity {
  bool is_device = false;
  long threads = 1; ///< that run at a time

  template <class Space>
  [[nodiscard]] static Capacity of(const Space& space) {
    return {DeviceTraits<Space>::is_device, static_cast<long>(space.concurrency())};
  }
};

/// The shape of a loop with these clauses: what `loop_policy` launches. `requested` is what the
/// clauses say.
///
/// On a device
/// - clauses that are given are kept. Else, of a `gang` or `gang vector` loop, one worker, and a
///   vector of 128, or of 256 where the gangs join results or the inner loop is scattered; no
///   longer than the inner loop; of a `gang worker` loop gangs of 64 threads, with as many lanes
///   for a worker as leave each at most eight of the inner loop's iterations, 32 if nobody knows;
///   where the inner loop is scattered 16 workers, which read what lies side by side;
/// - gangs that join results are as many as the device holds at a time, or fewer with as many
///   iterations each: more of them only take longer to join;
/// - lanes of a `gang vector` loop take one iteration each, as do gangs whose inner loop is
///   scattered: they follow one another through memory as they were started;
/// - of a `gang worker` loop a gang's workers take one iteration each, unless the device would
///   start more than eight times as many gangs as it holds, or sixteen times where workers have
///   fewer than 32 lanes, and so a warp several iterations side by side: then more;
/// - and of other loops a gang takes one iteration, unless the device would start more than eight
///   times as many gangs as it holds: then up to `most_rounds` times `in_a_row`.
///   Starting a gang takes longer than a short iteration; but the fewer gangs there are, the worse
///   uneven ones even out.
///
/// On a host every gang is one thread of one lane, and 16 gangs are made for each thread there is.
/// Errors: ClauseError as `validate`; for more iterations than a league of gangs could have only
/// where each needs one; and for a `gang worker` loop with vectors of more than 32 lanes.
[[nodiscard]] Shape loop_shape(const Clauses& clauses, const Loop& loop, const Capacity& capacity);

/// Iterations that a device's gang takes in a row, at most, before it strides on.
inline constexpr long in_a_row = 16;
/// Times that it takes so many, at most.
inline constexpr long most_rounds = 12;
/// Iterations that a worker of a `gang worker` loop takes, at most, before its gang strides on.
inline constexpr long in_a_row_of_worker = 16;

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

namespace detail {
/// A gang's contiguous share of n iterations.
struct Share {
  long first;
  long last;
};
KOKKOS_INLINE_FUNCTION Share share_of(const Member& gang, long n) {
  const long gangs = gang.league_size();
  const long rank = gang.league_rank();
  const long each = n / gangs;
  const long more = n % gangs; // the first gangs take one more
  const long first = rank * each + Kokkos::min(rank, more);
  return {first, first + each + (rank < more ? 1 : 0)};
}

/// Iterations that one of so many takes in a row: so many that it still strides `strides` times, at
/// least one and at most `most`.
KOKKOS_INLINE_FUNCTION long run_length(long n, long takers, long strides, long most) {
  return Kokkos::clamp(n / takers / strides, 1L, most);
}

/// The iterations of a worker: those below `end` of first, first + workers, …, below first + span,
/// and of the same from first + stride on, and so on.
template <class Number>
struct Turns {
  Number first, end, workers, span, stride;
};
/// In 32 bits where they hold what an `Index` does: registers decide how many gangs of many workers
/// run at a time.
template <std::integral Index>
KOKKOS_INLINE_FUNCTION auto turns_of_worker(long n, long gangs, long workers, long gang,
                                            long worker) {
  using Number = std::conditional_t<(std::numeric_limits<Index>::digits < 32), unsigned, long>;
  // As long as evens out: what a gang's iterations read side by side it then finds in its cache.
  const long run = run_length(n, gangs * workers, 2, in_a_row_of_worker);
  const auto number = [n](long of_any) { return static_cast<Number>(Kokkos::min(of_any, n)); };
  // A league of more workers than iterations must not carry a number past its 32 bits.
  return Turns<Number>{.first = number(gang * run * workers + worker),
                       .end = number(n),
                       .workers = static_cast<Number>(workers),
                       .span = static_cast<Number>(run * workers),
                       .stride = number(gangs * run * workers)};
}
} // namespace detail

/// `loop gang`: calls body(i) for the iterations i of 0 … count - 1 that are this gang's, with all
/// of its workers and lanes.
template <bool strided = has_device, std::integral Index, class Body>
KOKKOS_INLINE_FUNCTION void loop_gang(const Member& gang, Index count, const Body& body) {
  const long n = static_cast<long>(count);
  if constexpr (strided) {
    const long gangs = gang.league_size();
    const long run = detail::run_length(n, gangs, 8, in_a_row);
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
    const auto turns = detail::turns_of_worker<Index>(n, gang.league_size(), gang.team_size(),
                                                      gang.league_rank(), gang.team_rank());
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

/// Lanes of a gang. Kokkos does not tell how many a thread has; where the backend does not either,
/// 32 for each, and a real lane takes several of these in turn.
KOKKOS_INLINE_FUNCTION long lanes_of([[maybe_unused]] const Member& gang) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return static_cast<long>(blockDim.x) * blockDim.y;
#else
  return 32L * gang.team_size();
#endif
}
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

namespace detail {
/// Whether an Index holds n and more. A variable, for nvcc warns of functions of the host's in
/// device code, at each use.
template <std::integral Index, int n>
inline constexpr bool can_hold = std::cmp_less(n, std::numeric_limits<Index>::max());

/// visit(i) for the iterations of begin … end - 1 that are this lane's, of `lanes` ones, `depth`
/// of them at a time. As in a range of Kokkos, an Index must hold a little more than `end`.
template <int lanes, int depth, std::integral Index, class Visit>
KOKKOS_INLINE_FUNCTION void iterations_of_lane(Index begin, Index end, int lane,
                                               const Visit& visit) {
  static_assert(can_hold<Index, depth * lanes>);
  constexpr auto stride = static_cast<Index>(lanes);
  auto i = begin + static_cast<Index>(lane);
  if constexpr (depth > 1) {
    for (; i + (depth - 1) * stride < end; i += depth * stride)
      for (int d = 0; d < depth; ++d)
        visit(static_cast<Index>(i + d * stride));
  }
  for (; i < end; i += stride)
    visit(static_cast<Index>(i));
}
} // namespace detail

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

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#ifdef __CUDA_ARCH__
/// The lanes of this thread, of `lanes`, among those of its warp.
template <int lanes>
__device__ unsigned lanes_of_thread() {
  constexpr unsigned of_first = lanes == 32 ? ~0U : (1U << lanes) - 1;
  const unsigned threads_before = threadIdx.y % (32 / lanes);
  return of_first << (threads_before * lanes % 32);
}
#endif

/// The value of the lane of this thread, of `lanes`, whose number differs in these bits.
template <int lanes, class Value>
__device__ Value from_other_lane(Value value, int bits) {
#ifdef __CUDA_ARCH__
  return __shfl_xor_sync(lanes_of_thread<lanes>(), value, bits);
#else
  return __shfl_xor(value, bits);
#endif
}
#endif
} // namespace detail

/// The value that lane `lane` of this worker has, where a worker's vector is `length` lanes long, a
/// power of two up to 32; lanes beyond the last count from the first again. All lanes of the worker
/// ask at the same time, within a `ThreadVectorRange` of `length` iterations. No directive says
/// this. Elsewhere than on NVIDIA's and AMD's devices a worker must have one lane.
template <int length, class Value>
KOKKOS_INLINE_FUNCTION Value from_lane(Value value, [[maybe_unused]] int lane) {
  static_assert(length >= 1 && length <= thread_vector_limit && (length & (length - 1)) == 0);
  static_assert(std::is_arithmetic_v<Value> && sizeof(Value) >= sizeof(int));
#ifdef __CUDA_ARCH__
  return __shfl_sync(detail::lanes_of_thread<length>(), value, lane, length);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl(value, lane, length);
#else
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  static_assert(length == 1);
#endif
  return value;
#endif
}

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
class Dealt {
public:
  Dealt(long iterations, const Body& body) : _iterations(iterations), _body(body) {}

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
  const Dealt<level, Body> dealt(loop.iterations, body);
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
