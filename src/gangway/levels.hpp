// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Gang, worker and vector in Kokkos.
///
/// | OpenACC                         | Kokkos                                               |
/// |---------------------------------|------------------------------------------------------|
/// | gang                            | one member of the league                             |
/// | worker                          | one thread of the team (`TeamThreadRange`)           |
/// | vector, length V <= 32          | the lanes of a thread (`ThreadVectorRange`)          |
/// | vector, length V > 32, 1 worker | the whole team, V/32 x 32 lanes (`TeamVectorRange`)  |
///
/// `team_policy` turns the clauses of a compute construct into a `Kokkos::TeamPolicy`, refuses what
/// has no Kokkos counterpart with a message that names the nearest shape, and notes the shape that
/// will really be launched: what `-Minfo` tells an OpenACC programmer.
namespace gangway {

/// Where kernels run unless another space is named, and the member of its teams: a gang.
using Device = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

/// A clause that cannot be honoured; `what()` says which, why, and what would be accepted.
class ClauseError : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

/// num_workers and vector_length of a compute construct. Zero means "not given": the backend
/// chooses. num_gangs is the league size, the second argument of `team_policy`.
struct Clauses {
  int workers = 0;
  int vector = 0;
  friend bool operator==(const Clauses&, const Clauses&) = default;
};

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

/// The largest vector that is one Kokkos thread; longer vectors are made of whole teams.
inline constexpr int thread_vector_limit = 32;
/// Threads in one gang: workers x vector. The limit of CUDA and HIP, and of OpenACC compilers on
/// them.
inline constexpr int gang_thread_limit = 1024;

/// The shape of a launch: league size, threads of a team and lanes of a thread as Kokkos gets them,
/// beside the clauses that asked for it. A zero is a choice left to Kokkos (`Kokkos::AUTO`).
struct Shape {
  Clauses requested;
  long gangs = 0;
  int team_size = 0;
  int vector_length = 0;
  std::vector<long> tile; ///< of an MDRange, outermost first; empty for teams
  std::source_location where =
      {}; ///< the call that made the policy, such as of `team_policy`; line 0: not known

  /// "gangs x team x lanes", such as "1000 x 4 x 32", or "tile 8 x 32".
  [[nodiscard]] std::string text() const;
};

/// Throws ClauseError unless the clauses have a counterpart in Kokkos, on every backend alike, so
/// that what runs on a host also runs on a device: vector a power of two up to 32 or a multiple of
/// 32 up to 1024, workers x vector <= 1024, more than one worker only with vectors up to 32, gangs
/// >= 0 and < 2^31. The message names the nearest clauses that would be accepted.
void validate(const Clauses& clauses, long gangs);

/// The shapes launched by this thread since the last `clear_launches`, oldest first; at most 64 are
/// kept.
[[nodiscard]] const std::vector<Shape>& launches();
void clear_launches();

/// Adds to `launches()` and, when a Kokkos tool listens, declares the shape to it as metadata
/// "gangway.shape" just before the kernel it belongs to: its text, and behind it the clauses that
/// were given, such as "1000 x 4 x 32 requested 1 x 128" or "… requested auto x 128".
void note_launch(Shape shape);

namespace detail {
/// Team and lanes of these clauses on a device, into `shape`.
void shape_on_device(Shape& shape, const Clauses& clauses);
} // namespace detail

/// What Kokkos is given for these clauses on `Space`. On hosts a team is one thread of one lane.
template <class Space = Kokkos::DefaultExecutionSpace>
[[nodiscard]] Shape effective_shape(const Clauses& clauses, long gangs) {
  validate(clauses, gangs);
  Shape shape{clauses, gangs, 1, 1, {}};
  if constexpr (DeviceTraits<Space>::is_device)
    detail::shape_on_device(shape, clauses);
  return shape;
}

namespace detail {
template <class Policy>
Policy make_policy(const typename Policy::execution_space& space, const Shape& shape) {
  const int league = static_cast<int>(shape.gangs);
  return shape.team_size == 0 ? Policy(space, league, Kokkos::AUTO, shape.vector_length)
                              : Policy(space, league, shape.team_size, shape.vector_length);
}

/// Throws ClauseError unless a kernel that allows teams of at most `most` threads can have this
/// shape.
void require_team(const Shape& shape, int most);
} // namespace detail

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

namespace detail {
/// Throws ClauseError as `tile_policy`, for loops of these extents, outermost first.
void validate_tile(const long* extents, const long* tile, int rank);
} // namespace detail

namespace detail {
/// `body` of a nest of loops, called with the innermost loop's index first.
template <class Body, int rank>
class InnermostFirst {
public:
  explicit InnermostFirst(const Body& body) : _body(body) {}

  template <class... Indices>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... indices) const {
    static_assert(sizeof...(Indices) == rank);
    const long reversed[] = {static_cast<long>(indices)...};
    call(reversed, std::make_integer_sequence<int, rank>{});
  }

private:
  template <int... r>
  KOKKOS_FORCEINLINE_FUNCTION void call(const long* reversed,
                                        std::integer_sequence<int, r...> /*loops*/) const {
    _body(reversed[rank - 1 - r]...);
  }

  Body _body;
};

/// The policy of a nest of these extents in such tiles, both outermost first. `innermost_first`:
/// with the loops the other way round, so that the first index of all is the innermost loop's.
template <int rank, class Space, bool innermost_first>
[[nodiscard]] auto nest_policy(const std::array<long, rank>& extents,
                               const std::array<long, rank>& tile, const Space& space = Space()) {
  constexpr auto order = innermost_first ? Kokkos::Iterate::Left : Kokkos::Iterate::Right;
  using Policy =
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<rank, order, order>, Kokkos::IndexType<long>>;
  typename Policy::point_type begin{};
  typename Policy::point_type end{};
  typename Policy::tile_type tiles{};
  for (int r = 0; r < rank; ++r) {
    const int loop = innermost_first ? rank - 1 - r : r;
    end[r] = extents[loop];
    tiles[r] = tile[loop];
  }
  return Policy(space, begin, end, tiles);
}
} // namespace detail

/// What `tile_policy` makes for a device: `Kokkos::parallel_for` and `Kokkos::parallel_reduce` take
/// it as they take an `MDRangePolicy`, and call the body with the indices outermost first.
///
/// Up to Kokkos 4 an `MDRangePolicy` runs a device's neighbouring threads along its first index,
/// whatever `Iterate::Right` says; Kokkos 5 goes by the direction. So the policy that Kokkos gets
/// has the innermost loop first and `Iterate::Left`, which both run along the first index, and the
/// body's indices are exchanged. A reduction counts through its tiles in every version as the
/// direction says, and gets the loops as they are.
template <int rank, class Space = Kokkos::DefaultExecutionSpace>
class TilePolicy {
public:
  /// Extents and tile of each loop, outermost first, as `tile_policy` accepts them.
  TilePolicy(const std::array<long, rank>& extents, const std::array<long, rank>& tile,
             const Space& space = Space())
      : _extents(extents), _tile(tile), _space(space) {}

  /// The `MDRangePolicy` with the innermost loop first, for `innermost_first(body)`.
  [[nodiscard]] auto innermost_first() const {
    return detail::nest_policy<rank, Space, true>(_extents, _tile, _space);
  }
  /// The `MDRangePolicy` with the outermost loop first, for a reduction.
  [[nodiscard]] auto outermost_first() const {
    return detail::nest_policy<rank, Space, false>(_extents, _tile, _space);
  }

private:
  std::array<long, rank> _extents;
  std::array<long, rank> _tile;
  Space _space;
};

/// How a tiled nest goes through memory.
enum class Access {
  along,    ///< the innermost loop runs along all arrays, or stays where it is
  scattered ///< along one it does not, as in a transpose: what it jumps over is for the other loops
};

/// `tile(a, b, …)` of a nest of `Rank` loops, outermost first. On a device the tile is what is
/// asked for, one thread for each of its iterations, neighbouring threads along the innermost loop:
/// a `TilePolicy`. On a host it is a `Kokkos::MDRangePolicy`, and the innermost extent is taken
/// whole: a tile that cuts the stride-1 loop keeps the compiler from vectorising it. A nest whose
/// access is scattered gains little by vectors, and needs the tile for what it brings to the cache:
/// there it is what is asked for on a host, too.
/// Errors: ClauseError, on every backend alike, for a negative extent, a tile below 1, more than
/// 1024 iterations in a tile, or (in nests of three and more) more than 64 of the outermost loop.
template <int Rank, class Space>
[[nodiscard]] auto tile_policy(const Space& space, const std::array<long, Rank>& extents,
                               const std::array<long, Rank>& tile, Access access = Access::along,
                               std::source_location where = std::source_location::current()) {
  detail::validate_tile(extents.data(), tile.data(), Rank);
  constexpr bool on_device = DeviceTraits<Space>::is_device;
  std::array<long, Rank> tiles = tile;
  if (!on_device && access == Access::along) {
    long outer = 1; // iterations of a tile without its innermost loop
    for (int r = 0; r < Rank - 1; ++r)
      outer *= tile[r];
    // Kokkos counts a tile's iterations in an int.
    tiles[Rank - 1] = std::clamp(extents[Rank - 1], 1L, std::numeric_limits<int>::max() / outer);
  }
  Shape shape;
  shape.where = where;
  shape.tile.assign(tiles.begin(), tiles.end());
  note_launch(std::move(shape));
  if constexpr (on_device)
    return TilePolicy<Rank, Space>(extents, tiles, space);
  else
    return detail::nest_policy<Rank, Space, false>(extents, tiles, space);
}

/// As above on a space's default instance.
template <int Rank, class Space = Kokkos::DefaultExecutionSpace>
[[nodiscard]] auto tile_policy(const std::array<long, Rank>& extents,
                               const std::array<long, Rank>& tile, Access access = Access::along,
                               std::source_location where = std::source_location::current()) {
  return tile_policy<Rank>(Space(), extents, tile, access, where);
}

} // namespace gangway

/// Beside Kokkos' own, so that a loop is written the same with `tile_policy` on every backend.
namespace Kokkos {

template <int rank, class Space, class Body>
void parallel_for(const std::string& label, const gangway::TilePolicy<rank, Space>& policy,
                  const Body& body) {
  parallel_for(label, policy.innermost_first(), gangway::detail::InnermostFirst<Body, rank>(body));
}
template <int rank, class Space, class Body, class... Results>
void parallel_reduce(const std::string& label, const gangway::TilePolicy<rank, Space>& policy,
                     const Body& body, Results&&... results) {
  parallel_reduce(label, policy.outermost_first(), body, std::forward<Results>(results)...);
}

} // namespace Kokkos
