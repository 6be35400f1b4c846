// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/levels.hpp"
#include "gangway/reduction.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <source_location>
#include <utility>

namespace gangway {
namespace detail {

/// Throws ClauseError as `tile`, for loops of these extents, outermost first.
void validate_tile(const long* extents, const long* tile, int rank,
                   const std::source_location& where);

/// `body` of a nest of loops, called with the innermost loop's index first.
template <class Body, int rank>
class InnermostFirst {
public:
  explicit InnermostFirst(const Body& body) : _body(body) {}

  template <class... Indices>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... indices) const {
    static_assert(sizeof...(Indices) == rank);
    const long reversed[] = {static_cast<long>(indices)...};
    call_in_order(reversed, std::make_integer_sequence<int, rank>{});
  }

private:
  template <int... r>
  KOKKOS_FORCEINLINE_FUNCTION void call_in_order(const long* reversed,
                                                 std::integer_sequence<int, r...> /*loops*/) const {
    _body(reversed[rank - 1 - r]...);
  }

  Body _body;
};

/// `body` of a nest with results, called with the outermost loop's index first.
template <class Body, int rank, class Value>
class NestReduction {
public:
  using value_type = Value;
  explicit NestReduction(const Body& body) : _body(body) {}
  KOKKOS_FORCEINLINE_FUNCTION void operator()(long i, long j, Value& value) const
    requires(rank == 2)
  {
    call(_body, value, i, j);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(long i, long j, long k, Value& value) const
    requires(rank == 3)
  {
    call(_body, value, i, j, k);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(long i, long j, long k, long l, Value& value) const
    requires(rank == 4)
  {
    call(_body, value, i, j, k, l);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(long i, long j, long k, long l, long m,
                                              Value& value) const
    requires(rank == 5)
  {
    call(_body, value, i, j, k, l, m);
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(long i, long j, long k, long l, long m, long n,
                                              Value& value) const
    requires(rank == 6)
  {
    call(_body, value, i, j, k, l, m, n);
  }

private:
  Body _body;
};

/// The policy of a nest of these extents in such tiles, both outermost first. `innermost_first`:
/// with the loops the other way round, so that the first index of all is the innermost loop's.
template <int rank, class Space, bool innermost_first>
[[nodiscard]] auto nest_policy(const std::array<long, rank>& extents,
                               const std::array<long, rank>& tile, const Space& space) {
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

/// `tile(a, b, …)` of a nest of loops, on every backend: what `tile<rank>` makes, and
/// `gangway::parallel_for` and `gangway::parallel_reduce` run.
///
/// A device runs the tile that was asked for, one thread for each of its iterations, and
/// neighbouring threads along the innermost loop. Kokkos 4 runs a device's neighbouring threads
/// along an `MDRangePolicy`'s first index, whatever `Iterate::Right` says; Kokkos 5 goes by the
/// direction. So Kokkos is given the innermost loop first and `Iterate::Left`, which both run along
/// the first index, and the body's indices are exchanged. A reduction counts through its tiles as
/// the direction says in every version, and is given the loops as they are.
///
/// A host takes the innermost extent whole, because a tile that cuts the stride-1 loop keeps the
/// compiler from vectorising it, unless the access is `scattered`.
template <int rank, class Space = Kokkos::DefaultExecutionSpace>
class TilePolicy {
public:
  /// Extents and tile of each loop, outermost first, as `tile` accepts them.
  TilePolicy(const Space& space, const std::array<long, rank>& extents,
             const std::array<long, rank>& tile, const std::source_location& where)
      : _space(space), _extents(extents), _tile(tile), _where(where) {
    validate_tile(extents.data(), tile.data(), rank, where);
  }

  /// The innermost loop runs across an array, as in a transpose. Such a nest gains little by
  /// vectors, and needs the tile for what it brings to the caches: on a host, too.
  [[nodiscard]] TilePolicy scattered(bool is = true) const {
    TilePolicy policy = *this;
    policy._scattered = is;
    return policy;
  }

  [[nodiscard]] const Space& space() const { return _space; }
  /// The tile that is launched.
  [[nodiscard]] std::array<long, rank> tile() const {
    std::array<long, rank> tiles = _tile;
    if (!on_device && !_scattered) {
      long outer = 1; // iterations of a tile without its innermost loop
      for (int r = 0; r < rank - 1; ++r)
        outer *= _tile[r];
      // Kokkos counts a tile's iterations in an int.
      tiles[rank - 1] = std::clamp(_extents[rank - 1], 1L, std::numeric_limits<int>::max() / outer);
    }
    return tiles;
  }

  /// Calls run(policy of Kokkos', functor), and notes the launch.
  template <class Run, class Body>
  void launch(const Run& run, const Body& body) const {
    note();
    if constexpr (on_device)
      run(nest_policy<rank, Space, true>(_extents, tile(), _space),
          InnermostFirst<Body, rank>(body));
    else
      run(nest_policy<rank, Space, false>(_extents, tile(), _space), body);
  }
  /// Calls run for a reduction into values of this type.
  template <class Run, class Body, class Value>
  void launch_reduction(const Run& run, const Body& body, const Value& /*value*/) const {
    note();
    run(nest_policy<rank, Space, false>(_extents, tile(), _space),
        NestReduction<Body, rank, Value>(body));
  }

private:
  static constexpr bool on_device = detail::is_device<Space>;

  void note() const {
    const std::array<long, rank> tiles = tile();
    Shape shape;
    shape.where = _where;
    shape.tile.assign(tiles.begin(), tiles.end());
    note_launch(std::move(shape));
  }

  Space _space;
  std::array<long, rank> _extents;
  std::array<long, rank> _tile;
  std::source_location _where;
  bool _scattered = false;
};

} // namespace detail

/// `tile(a, b, …)` of `rank` loops, outermost first: the body is called as body(i, j, …). Errors:
/// ClauseError, on every backend alike, for a negative extent, a tile below 1, more than 1024
/// iterations in a tile, or (in nests of three and more) more than 64 of the outermost loop.
template <int rank>
[[nodiscard]] auto tile(const std::array<long, rank>& extents, const std::array<long, rank>& tile,
                        std::source_location where = std::source_location::current()) {
  return detail::TilePolicy<rank>(Kokkos::DefaultExecutionSpace(), extents, tile, where);
}
template <int rank, class Space>
[[nodiscard]] auto tile(const Space& queue, const std::array<long, rank>& extents,
                        const std::array<long, rank>& tile,
                        std::source_location where = std::source_location::current()) {
  return detail::TilePolicy<rank, Space>(queue, extents, tile, where);
}

} // namespace gangway
