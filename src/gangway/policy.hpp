// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/handles.hpp"
#include "gangway/levels.hpp"

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

/// What `gangway::parallel_for` and `gangway::parallel_reduce` run: a policy says the level of a
/// loop and its extent, and setters with OpenACC's names say the clauses.
///
///     gang(rows)                                   loop gang
///     gang_worker(rows).num_workers(4)             loop gang worker num_workers(4)
///     gang_vector(queue, n).vector_length(256)     loop gang vector async vector_length(256)
///     team_policy(gangs)                           parallel num_gangs(gangs), without a loop
///
/// An execution space instance may come first: the queue of `async`. Clauses that are not given are
/// chosen for the device and the loop.
namespace gangway {

namespace detail {
template <int length>
struct Lanes {};
} // namespace detail

/// The number of lanes, known when compiling: `vector_length(lanes<32>)`.
template <int length>
inline constexpr detail::Lanes<length> lanes{};

namespace detail {

/// The level that takes an iteration of a policy's loop.
enum class Level {
  team,        ///< no loop: every gang runs the body
  gang,        ///< a gang, with all its workers and lanes
  gang_worker, ///< a worker, with all its lanes
  gang_vector  ///< a lane
};

/// The facts that a loop states about itself.
struct Loop {
  long iterations = 0; ///< of the loop; of collapsed ones, of all together
  Level level = Level::gang;
  long inner = 0; ///< typical iterations of the vector loop within one of these; 0: not known
  bool reduction = false;
  bool scattered = false; ///< neighbouring lanes read or write far apart
};

/// Where a loop runs, as far as its shape depends on it.
struct Capacity {
  bool is_device = false;
  long threads = 1; ///< that run at a time

  template <class Space>
  [[nodiscard]] static Capacity of(const Space& space) {
    return {detail::is_device<Space>, static_cast<long>(space.concurrency())};
  }
};

/// The shape of a loop with these clauses. `requested` is what the clauses say. Errors: ClauseError
/// as `validate`; for more iterations than a league of gangs could have only where each needs one;
/// and for a `gang worker` loop with vectors of more than 32 lanes.
[[nodiscard]] Shape loop_shape(const Clauses& clauses, const Loop& loop, const Capacity& capacity);

/// Adds where the call is to a ClauseError.
[[noreturn]] void refuse_at(const std::source_location& where, const ClauseError& error);

/// Errors: ClauseError for a level that Kokkos' scratch does not have, and for more bytes than an
/// int counts, which is the type that Kokkos 4.6 has for them.
void require_scratch(const std::source_location& where, int of_level, std::size_t gang,
                     std::size_t worker);

template <class Trait>
inline constexpr int length_of = 0;
template <int length>
inline constexpr int length_of<Lanes<length>> = length;

/// Kokkos' policy for these traits, without those that are Gangway's.
template <class Policy, class... Traits>
struct KokkosPolicy {
  using type = Policy;
};
template <class... Own, class Trait, class... Traits>
struct KokkosPolicy<Kokkos::TeamPolicy<Own...>, Trait, Traits...>
    : KokkosPolicy<Kokkos::TeamPolicy<Own..., Trait>, Traits...> {};
template <class... Own, int length, class... Traits>
struct KokkosPolicy<Kokkos::TeamPolicy<Own...>, Lanes<length>, Traits...>
    : KokkosPolicy<Kokkos::TeamPolicy<Own...>, Traits...> {};

/// Bytes of Kokkos' scratch of one level.
struct Scratch {
  std::size_t gang = 0;
  std::size_t worker = 0;
  friend bool operator==(const Scratch&, const Scratch&) = default;
};

/// A loop over gangs, or the gangs of a construct without a loop. Made by `gang`, `gang_worker`,
/// `gang_vector` and `team_policy`. Each setter gives a policy with the clause, and leaves this one
/// as it is. `Traits` are Kokkos' (`Kokkos::LaunchBounds`, `Kokkos::Schedule`) and `Lanes`.
template <class Space, Level kind, std::integral Index, class... Traits>
class LoopPolicy {
public:
  using execution_space = Space;
  using index_type = Index;
  using team_policy_type = typename KokkosPolicy<Kokkos::TeamPolicy<Space>, Traits...>::type;
  static constexpr Level level = kind;
  /// Lanes of a vector, if `lanes<…>` said so; else 0.
  static constexpr int length = (0 + ... + length_of<Traits>);
  /// The body of a `gang` or `gang_worker` loop takes it: for a kernel that serves policies of
  /// either level, and of any length, `KOKKOS_LAMBDA(const typename Policy::Handle& handle, …)`.
  using Handle = std::conditional_t<level == Level::gang_worker,
                                    Worker<level == Level::gang_worker ? length : 0, Space>,
                                    Gang<length, Space>>;

  LoopPolicy(const Space& space, Index extent, const std::source_location& where)
      : _space(space), _extent(extent), _where(where) {}

  /// `num_gangs`: how many gangs share the iterations; chosen unless it is given.
  [[nodiscard]] LoopPolicy num_gangs(long gangs) const {
    static_assert(kind != Level::team,
                  "gangway: team_policy(gangs) has its number of gangs already");
    LoopPolicy policy = *this;
    policy._gangs = gangs;
    return policy;
  }
  /// `num_workers`: threads of Kokkos' team, one for each worker.
  [[nodiscard]] LoopPolicy num_workers(int workers) const {
    static_assert(kind != Level::gang_vector,
                  "gangway: a gang_vector loop has lanes only: say its vector_length");
    LoopPolicy policy = *this;
    policy._clauses.workers = workers;
    return policy;
  }
  /// `vector_length`: a power of two up to 32, or, of gangs of one worker, a multiple of 32 up to
  /// 1024.
  [[nodiscard]] LoopPolicy vector_length(int lanes) const {
    static_assert(length == 0, "gangway: vector_length is known already, by lanes<>");
    LoopPolicy policy = *this;
    policy._clauses.vector = lanes;
    return policy;
  }
  /// The same, known when compiling: the body takes a Gang<known> or a Worker<known>.
  template <int known>
  [[nodiscard]] auto vector_length(Lanes<known> /*lanes*/) const {
    static_assert(length == 0, "gangway: vector_length is known already, by lanes<>");
    static_assert(kind != Level::gang_worker || known <= Clauses::most_worker_lanes,
                  "gangway: the vector of a worker has at most 32 lanes");
    static_assert(known >= 1 && known <= Clauses::most_gang_threads &&
                      (known % Clauses::most_worker_lanes == 0 ||
                       (known < Clauses::most_worker_lanes && (known & (known - 1)) == 0)),
                  "gangway: a vector is a power of two up to 32 lanes, or a multiple of 32 up to "
                  "1024");
    auto policy = with(Lanes<known>());
    policy._clauses.vector = known;
    return policy;
  }
  /// `device_type(type) num_workers(…)`, `device_type(type) vector_length(…)`: for that device
  /// only. Of two clauses for a device the later one counts.
  [[nodiscard]] LoopPolicy num_workers(DeviceType type, int workers) const {
    return type == device_type<Space>() ? num_workers(workers) : *this;
  }
  [[nodiscard]] LoopPolicy vector_length(DeviceType type, int lanes) const {
    return type == device_type<Space>() ? vector_length(lanes) : *this;
  }
  /// num_workers and vector_length at once, such as a sweep's; of a `gang_vector` loop the lanes
  /// are both together.
  [[nodiscard]] LoopPolicy clauses(const Clauses& clauses) const {
    static_assert(length == 0, "gangway: vector_length is known already, by lanes<>");
    LoopPolicy policy = *this;
    policy._clauses = clauses;
    return policy;
  }

  /// How many iterations the loop within one of these has, typically. The loop's shape depends on
  /// it. If a few have many times as many as the others, a vector of 32 lanes suits both.
  [[nodiscard]] LoopPolicy inner(long iterations) const {
    LoopPolicy policy = *this;
    policy._inner = iterations;
    return policy;
  }
  /// Neighbouring lanes read or write far apart, as in a transpose: what a lane brings to the
  /// caches besides its own element is for workers and gangs that run at the same time.
  [[nodiscard]] LoopPolicy scattered(bool is = true) const {
    LoopPolicy policy = *this;
    policy._scattered = is;
    return policy;
  }

  /// Scratch of Kokkos' level `of_level` (0 or 1): bytes for each gang, and for each worker.
  /// Errors: ClauseError for another level, and for more bytes than an int counts.
  [[nodiscard]] LoopPolicy scratch(int of_level, std::size_t gang, std::size_t worker = 0) const {
    require_scratch(_where, of_level, gang, worker);
    LoopPolicy policy = *this;
    policy._scratch[of_level == 0 ? 0 : 1] = {gang, worker};
    return policy;
  }
  /// Bounds of the kernel's registers, such as `Kokkos::LaunchBounds<256, 4>()`.
  template <unsigned threads, unsigned gangs>
  [[nodiscard]] auto launch_bounds(Kokkos::LaunchBounds<threads, gangs> bounds) const {
    return with(bounds);
  }
  /// Any trait of a Kokkos team policy, such as `Kokkos::Schedule<Kokkos::Dynamic>()`.
  template <class Trait>
  [[nodiscard]] auto with(Trait /*trait*/) const {
    LoopPolicy<Space, kind, Index, Traits..., Trait> policy(_space, _extent, _where);
    policy._clauses = _clauses;
    policy._gangs = _gangs;
    policy._inner = _inner;
    policy._scattered = _scattered;
    policy._scratch[0] = _scratch[0];
    policy._scratch[1] = _scratch[1];
    return policy;
  }

  [[nodiscard]] const Space& space() const { return _space; }
  /// Iterations of the loop, or gangs.
  [[nodiscard]] Index extent() const { return _extent; }
  /// The call that made the policy.
  [[nodiscard]] const std::source_location& where() const { return _where; }

  /// Kokkos' policy of a team kernel, for `Kokkos::parallel_for`, a graph, and what else takes one:
  /// with the shape that `parallel_for` would launch `body` in. `Tag` is
  /// `Kokkos::ParallelReduceTag` for `Kokkos::parallel_reduce`. Errors: ClauseError as there.
  template <class Body, class Tag = Kokkos::ParallelForTag>
  [[nodiscard]] team_policy_type for_kernel(const Body& body, const Tag& tag = Tag()) const {
    static_assert(kind == Level::team, "gangway: only team_policy has a policy of Kokkos'");
    return resolve(std::is_same_v<Tag, Kokkos::ParallelReduceTag>, body, tag).policy;
  }

  /// The policy that is launched.
  struct Resolved {
    team_policy_type policy;
    Shape shape;
  };
  /// The shape and policy for this very kernel; notes the launch. `arguments` are what Kokkos'
  /// `team_size_max` takes: the functor, its reducer, a tag. Errors: ClauseError, with the place of
  /// the call that made the policy, for clauses without a counterpart, extents beyond a league and
  /// negative ones, and if the kernel needs more registers or scratch than a team of the requested
  /// size can have; the message names what would be accepted.
  template <class... Arguments>
  [[nodiscard]] Resolved resolve(bool reduction, const Arguments&... arguments) const {
    try {
      Shape shape = shape_for(_clauses, reduction);
      team_policy_type policy = made(shape);
      if (shape.team_size == 0) {
        shape.team_size = policy.team_size_recommended(arguments...);
        policy = made(shape);
      } else if (const int most = most_threads(policy, shape, arguments...);
                 shape.team_size > most) {
        if (_clauses.workers != 0 || _clauses.vector != 0)
          require_team(shape, most);
        // A smaller team for this loop, which needs more gangs.
        Clauses smaller{.workers = most, .vector = shape.vector_length};
        if (kind != Level::gang_worker)
          smaller = {.workers = 1, .vector = most * shape.vector_length};
        shape = shape_for(smaller, reduction);
        shape.requested = _clauses;
        policy = made(shape);
      }
      shape.where = _where;
      note_launch(shape);
      return {policy, shape};
    } catch (const ClauseError& error) {
      refuse_at(_where, error);
    }
  }
  /// Notes the launch of a flat range instead, and gives its extent. Errors: ClauseError if it is
  /// negative.
  [[nodiscard]] Index flat() const {
    if (std::cmp_less(_extent, 0))
      refuse_at(_where, ClauseError("a loop of " + std::to_string(_extent) +
                                    " iterations: the extent may not be negative"));
    Shape shape;
    shape.gangs = static_cast<long>(_extent);
    shape.where = _where;
    shape.flat = true;
    note_launch(std::move(shape));
    return _extent;
  }
  /// Returns whether only the extent was said, so that a loop over lanes may as well be flat. A
  /// loop with an inner one may not, because a flat range puts few iterations on few
  /// multiprocessors.
  [[nodiscard]] bool is_plain() const {
    return _clauses == Clauses{} && _gangs == 0 && _inner == 0 && !_scattered &&
           sizeof...(Traits) == 0 &&
           _scratch[0].gang + _scratch[0].worker + _scratch[1].gang + _scratch[1].worker == 0;
  }

private:
  template <class, Level, std::integral, class...>
  friend class LoopPolicy;

  [[nodiscard]] Shape shape_for(const Clauses& clauses, bool reduction) const {
    if constexpr (kind == Level::team) {
      return effective_shape<Space>(clauses, static_cast<long>(_extent));
    } else {
      Shape shape = loop_shape(clauses,
                               {.iterations = static_cast<long>(_extent),
                                .level = kind,
                                .inner = _inner,
                                .reduction = reduction,
                                .scattered = _scattered},
                               Capacity::of(_space));
      if (_gangs != 0 && shape.gangs != 0) {
        validate(clauses, _gangs);
        shape.gangs = _gangs;
      }
      return shape;
    }
  }
  /// Threads that a team of this kernel can have. Asked for once, because a device's runtime takes
  /// microseconds to say it, and again if the vector or the scratch is another. A functor that says
  /// its own scratch (`team_shmem_size`) may say another each time.
  template <class... Arguments>
  [[nodiscard]] int most_threads(const team_policy_type& policy, const Shape& shape,
                                 const Arguments&... arguments) const {
    if constexpr ((requires { arguments.team_shmem_size(1); } || ...))
      return policy.team_size_max(arguments...);
    struct Known {
      int vector_length = 0;
      Scratch gang_and_worker[2]; // NOLINT(modernize-avoid-c-arrays)
      int most = 0;
    };
    thread_local Known known;
    if (known.vector_length != shape.vector_length || known.gang_and_worker[0] != _scratch[0] ||
        known.gang_and_worker[1] != _scratch[1])
      known = {shape.vector_length, {_scratch[0], _scratch[1]}, policy.team_size_max(arguments...)};
    return known.most;
  }
  [[nodiscard]] team_policy_type made(const Shape& shape) const {
    auto policy = make_policy<team_policy_type>(_space, shape);
    for (int of_level = 0; of_level < 2; ++of_level)
      if (const auto& bytes = _scratch[of_level]; bytes.gang + bytes.worker != 0)
        policy.set_scratch_size(of_level, Kokkos::PerTeam(static_cast<int>(bytes.gang)),
                                Kokkos::PerThread(static_cast<int>(bytes.worker)));
    return policy;
  }

  Space _space;
  Index _extent;
  std::source_location _where;
  Clauses _clauses;
  long _gangs = 0;
  long _inner = 0;
  bool _scattered = false;
  Scratch _scratch[2]; // NOLINT(modernize-avoid-c-arrays)
};

template <Level level, class Space, class Index>
[[nodiscard]] auto loop_policy_of(const Space& space, Index extent,
                                  const std::source_location& where) {
  static_assert(Kokkos::is_execution_space_v<Space>,
                "gangway: the first of two arguments is an execution space, such as a queue");
  static_assert(std::integral<Index>, "gangway: a loop's extent is an integer");
  if constexpr (std::integral<Index>)
    return LoopPolicy<Space, level, Index>(space, extent, where);
}
template <int nothing>
void needs_extent() {
  static_assert(nothing != 0, "gangway: a policy needs its extent, such as gang(n)");
}
} // namespace detail

/// `loop gang` of `extent` iterations: the body is called as body(gang, i), by all workers and
/// lanes of one gang.
template <class Index>
[[nodiscard]] auto gang(Index extent,
                        std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::gang>(Kokkos::DefaultExecutionSpace(), extent,
                                                     where);
}
template <class Space, class Index>
[[nodiscard]] auto gang(const Space& queue, Index extent,
                        std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::gang>(queue, extent, where);
}
template <int nothing = 0>
auto gang() {
  detail::needs_extent<nothing>();
}

/// `loop gang worker`: the body is called as body(worker, i), by all lanes of one worker.
template <class Index>
[[nodiscard]] auto gang_worker(Index extent,
                               std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::gang_worker>(Kokkos::DefaultExecutionSpace(), extent,
                                                            where);
}
template <class Space, class Index>
[[nodiscard]] auto gang_worker(const Space& queue, Index extent,
                               std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::gang_worker>(queue, extent, where);
}
template <int nothing = 0>
auto gang_worker() {
  detail::needs_extent<nothing>();
}

/// `loop gang vector`, `loop gang worker vector`: the body is called as body(i), in one lane.
template <class Index>
[[nodiscard]] auto gang_vector(Index extent,
                               std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::gang_vector>(Kokkos::DefaultExecutionSpace(), extent,
                                                            where);
}
template <class Space, class Index>
[[nodiscard]] auto gang_vector(const Space& queue, Index extent,
                               std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::gang_vector>(queue, extent, where);
}
template <int nothing = 0>
auto gang_vector() {
  detail::needs_extent<nothing>();
}

/// `parallel num_gangs(gangs)` without a loop: the body of a team kernel written by hand is called
/// as body(parallel), with a `Parallel`, or body(member), with Kokkos' member of the team.
template <class Index>
[[nodiscard]] auto team_policy(Index gangs,
                               std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::team>(Kokkos::DefaultExecutionSpace(), gangs, where);
}
template <class Space, class Index>
  requires Kokkos::is_execution_space_v<Space>
[[nodiscard]] auto team_policy(const Space& queue, Index gangs,
                               std::source_location where = std::source_location::current()) {
  return detail::loop_policy_of<detail::Level::team>(queue, gangs, where);
}
template <int nothing = 0>
auto team_policy() {
  detail::needs_extent<nothing>();
}

} // namespace gangway
