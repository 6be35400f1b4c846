// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/gangway.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

/// Several sweeps in one pass through memory: temporal blocking, the plate streamed through the
/// registers of the lanes.
///
/// A worker goes down a strip of the plate, a row at a time. It keeps three rows of the plate as it
/// was, three as it is after one sweep, and so on; each row that comes in makes the one before it
/// known after the first sweep, the one before that after the second, and one row leaves for
/// memory. A mean has the neighbours' values of the sweep before on all four sides, in the same
/// order as everywhere else: the results are the same bits.
///
/// A strip loses a column on either side, and a worker's rows one above and one below, with each
/// sweep. Those are computed twice, by two workers.
namespace gangway::jacobi {

/// Sweeps of a pass.
inline constexpr int temporal_sweeps = 4;

/// The cells that a pass makes, and where the plate ends, by rows and columns of the arrays.
struct PassCells {
  int first_row;
  int end_row;
  int first_column;
  int end_column;
  int edge_above; ///< the row that is the plate's edge, and keeps its values; -1 if there is none
  int edge_below; ///< likewise; the arrays' number of rows if there is none
  int edge_left;  ///< the column; -1 if there is none
  int edge_right; ///< likewise; the arrays' number of columns if there is none

  /// All cells inside the edges of arrays that are the plate; the first column is the edge's.
  template <class Plate>
  [[nodiscard]] static PassCells whole(const Plate& plate) {
    const auto rows = static_cast<int>(plate.extent(0));
    const auto columns = static_cast<int>(plate.extent(1));
    return {1, rows - 1, 0, columns - 1, 0, rows - 1, 0, columns - 1};
  }
};

/// Four sweeps of some cells from one plate to another. On each side of these cells the plates have
/// four rows or columns of the same sweep, or the plate's edge. A worker's row is `packs` times as
/// many columns as it has lanes times `width`: pack after pack, and in a pack lane after lane
/// `width` columns side by side, which are one load. With a width of two, both plates need rows of
/// an even number of columns, and addresses that are multiples of two cells' size. A store of two
/// may write a column next to the cells.
///
/// The pass raises changes[0 … 3], in the device's memory and of bits of doubles, to the largest
/// changes of the four sweeps. A change counts by its bits, which are in the same order as numbers
/// that are not negative. Integers have an atomic maximum in hardware, and hosts can vectorise
/// theirs. A NaN counts as larger than all. Rows that a worker sweeps beyond its own may count,
/// too: they change as for the worker whose rows they are. Columns beyond the cells do not count.
template <class T, int packs, int width>
struct TemporalPass {
  static constexpr int sweeps = temporal_sweeps;
  static constexpr int lanes = has_device ? 32 : 1;
  /// Columns that a strip brings, and of them those whose last mean is right. Both are even, so
  /// that strips begin where packs of two do.
  static constexpr int brought = lanes * packs * width;
  static constexpr int kept = brought - 2 * sweeps;

  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

  DeviceView<const T, 2> from;
  DeviceView<T, 2> to; ///< of the same extents
  std::int64_t* changes;
  PassCells cells;
  int rows_each; ///< of a worker
  int workers;   ///< of a gang, at strips side by side

  /// Columns of the arrays.
  [[nodiscard]] KOKKOS_FUNCTION int stride() const { return static_cast<int>(from.extent(1)); }
  /// The first strip keeps the columns from here on: packs of two begin at even ones.
  [[nodiscard]] KOKKOS_FUNCTION int first_kept() const {
    return cells.first_column - cells.first_column % 2;
  }
  [[nodiscard]] KOKKOS_FUNCTION int strips() const {
    return (cells.end_column - first_kept() + kept - 1) / kept;
  }
  [[nodiscard]] KOKKOS_FUNCTION int gangs_across() const {
    return (strips() + workers - 1) / workers;
  }
  [[nodiscard]] long gangs() const {
    return static_cast<long>((cells.end_row - cells.first_row + rows_each - 1) / rows_each) *
           gangs_across();
  }

  /// The last row that may be used.
  [[nodiscard]] KOKKOS_FUNCTION int last_row() const {
    return Kokkos::min(Kokkos::min(cells.edge_below, static_cast<int>(from.extent(0)) - 1),
                       cells.end_row - 1 + sweeps);
  }

  /// True if a strip from this column on, for the rows `top` to `bottom`, has no cell of an edge
  /// inside it, loads from the arrays only, and keeps no column beyond the cells.
  [[nodiscard]] KOKKOS_FUNCTION bool is_inside(int top, int bottom, int column) const {
    return column >= Kokkos::max(cells.edge_left, 0) &&
           column + brought <= Kokkos::min(cells.edge_right + 1, stride()) &&
           column + brought - sweeps <= cells.end_column && top - sweeps > cells.edge_above &&
           bottom + sweeps + 2 + Strip<false>::depth <= last_row();
  }

  KOKKOS_FUNCTION void operator()(const Member& gang) const {
    static_assert(kept > 0 && sweeps <= lanes * width);
    const int across = gangs_across();
    const int top = cells.first_row + gang.league_rank() / across * rows_each;
    const int bottom = Kokkos::min(top + rows_each, cells.end_row) - 1;
    const int first_strip = gang.league_rank() % across * workers;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, workers), [&](int worker) {
      const int strip = first_strip + worker;
      if (strip >= strips())
        return;
      const int column = first_kept() + strip * kept - sweeps;
      const int all_lanes = lanes; // a range takes a reference, and device code has none to it
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, all_lanes), [&](int lane) {
        if (is_inside(top, bottom, column))
          Strip<false>(*this, top, bottom, column, lane).run();
        else
          Strip<true>(*this, top, bottom, column, lane).run();
      });
    });
  }

  /// A lane's cells of one row.
  struct Row {
    T cell[packs][width];
  };
  struct alignas(sizeof(T) * (width == 2 ? 2 : 1)) Pack {
    T cell[width];
  };

  /// A lane's part of a strip, for the rows `top` to `bottom`. `edge`: the strip reaches the
  /// plate's edge or beyond, above, below or on either side. The edge's cells keep what they have,
  /// and what lies beyond is not there to be loaded.
  template <bool edge>
  class Strip {
  public:
    /// Rows whose loads are in flight.
    static constexpr int depth = has_device ? 3 : 1;

    KOKKOS_FORCEINLINE_FUNCTION Strip(const TemporalPass& pass, int top, int bottom, int column,
                                      int lane)
        : _in(pass.from.data()), _out(pass.to.data()), _stride(pass.stride()), _cells(pass.cells),
          _last_row(pass.last_row()), _top(top), _bottom(bottom), _column(column), _lane(lane),
          _changes(pass.changes) {
      if constexpr (!edge) {
        _in += static_cast<long>(top - sweeps) * _stride + column + lane * width;
        _out += static_cast<long>(top) * _stride + column + lane * width;
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION void run() {
      constexpr std::make_integer_sequence<int, sweeps> all;
      const int begin = _top - sweeps;
      for (int d = 0; d < depth; ++d)
        load(begin + d, _ahead[d]);
      // Up to two rows too many: they cost less than to ask.
      for (int row = begin; row <= _bottom + sweeps; row += 3) {
        step<0>(row, all);
        step<1>(row + 1, all);
        step<2>(row + 2, all);
      }
      for (int s = 0; s < sweeps; ++s) {
        Bits largest = _largest[s];
        for (int bits = lanes / 2; bits > 0; bits /= 2)
          largest = Kokkos::max(largest, from_lane<lanes>(largest, _lane ^ bits));
        if (_lane == 0 && largest > 0)
          Kokkos::atomic_max(_changes + s, Kokkos::bit_cast<std::int64_t>(
                                               static_cast<double>(Kokkos::bit_cast<T>(largest))));
      }
    }

  private:
    /// Column of the strip at which this lane's part of a pack begins.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int begin_of(int pack) const {
      return (pack * lanes + _lane) * width;
    }
    /// Returns true for a column of the strip whose last mean is right. Only the first and the last
    /// pack have others.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool keeps(int pack, int column) const {
      return (pack > 0 || column >= sweeps) && (pack < packs - 1 || column < brought - sweeps);
    }

    /// Kokkos::clamp returns a reference: to choose among a member and others, device compilers put
    /// all of a lane's rows in memory.
    [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION int within(int value, int low, int high) {
      const int at_least = value < low ? low : value;
      return at_least > high ? high : at_least;
    }

    KOKKOS_FORCEINLINE_FUNCTION void load(int i, Row& row) {
      const T* const of_row =
          edge ? _in + static_cast<long>(
                           within(i, _cells.edge_above > 0 ? _cells.edge_above : 0, _last_row)) *
                           _stride
               : _in;
      for (int v = 0; v < packs; ++v) {
        if constexpr (has_device) {
          const int j =
              edge ? within(_column + begin_of(v), 0, _stride - width) : v * lanes * width;
          const Pack pack = *reinterpret_cast<const Pack*>(of_row + j);
          for (int p = 0; p < width; ++p)
            row.cell[v][p] = pack.cell[p];
        } else {
          const int begin = edge ? Kokkos::max(0, -_column) : 0;
          const int end = edge ? Kokkos::min(_stride - _column, width) : width;
          for (int p = begin; p < end; ++p)
            row.cell[v][p] = of_row[edge ? _column + p : p];
        }
      }
      if constexpr (!edge)
        _in += _stride;
    }

    /// The edge's cells are written as well, where they are in a pack of two with others: with what
    /// they had.
    KOKKOS_FORCEINLINE_FUNCTION void store(int i, const Row& row) {
      T* const of_row = edge ? _out + static_cast<long>(i) * _stride + _column + begin_of(0) : _out;
      for (int v = 0; v < packs; ++v) {
        if constexpr (has_device) {
          if (keeps(v, begin_of(v)) && (!edge || _column + begin_of(v) < _cells.end_column)) {
            Pack pack;
            for (int p = 0; p < width; ++p)
              pack.cell[p] = row.cell[v][p];
            *reinterpret_cast<Pack*>(of_row + v * lanes * width) = pack;
          }
        } else {
          const int end =
              edge ? Kokkos::min(width - sweeps, _cells.end_column - _column) : width - sweeps;
          for (int p = sweeps; p < end; ++p)
            of_row[p] = row.cell[v][p];
        }
      }
      if constexpr (!edge)
        _out += _stride;
    }

    /// Row i after a sweep, of the rows around it before.
    KOKKOS_FORCEINLINE_FUNCTION void means(int i, bool counts, const Row& up, const Row& centre,
                                           const Row& down, Row& mean, Bits& largest) const {
      if constexpr (has_device)
        means_of_lane(i, counts, up, centre, down, mean, largest);
      else
        means_of_row(i, counts, up.cell[0], centre.cell[0], down.cell[0], mean.cell[0], largest);
    }

    /// means() of a host, whose only lane has the strip's row: all of it in whole vectors, and then
    /// the edge's cells get back what they had. Cells beyond the edge have any value.
    KOKKOS_FORCEINLINE_FUNCTION void means_of_row(int i, bool counts, const T* up, const T* centre,
                                                  const T* down, T* mean, Bits& largest) const {
      if (edge && (i <= _cells.edge_above || i >= _cells.edge_below)) {
        for (int p = 0; p < width; ++p)
          mean[p] = centre[p];
        return;
      }
      int own = sweeps;
      int end_of_own = width - sweeps;
      if constexpr (edge) {
        own = Kokkos::max(own, Kokkos::max(_cells.first_column, _cells.edge_left + 1) - _column);
        end_of_own = Kokkos::min(end_of_own, _cells.end_column - _column);
      }
      const auto counted = static_cast<unsigned>(counts && own < end_of_own ? end_of_own - own : 0);
      Bits mine = largest;
      for (int p = 1; p < width - 1; ++p) {
        mean[p] = T(0.25) * (down[p] + up[p] + centre[p + 1] + centre[p - 1]);
        const auto change = Kokkos::bit_cast<Bits>(Kokkos::abs(mean[p] - centre[p]));
        // By a mask, because GCC would branch around the subtraction, which may raise a
        // floating-point exception, and it vectorises such a branch for AVX-512 alone.
        mine = Kokkos::max(mine,
                           change & -static_cast<Bits>(static_cast<unsigned>(p - own) < counted));
      }
      largest = mine;
      if constexpr (edge) {
        for (const int p : {_cells.edge_left - _column, _cells.edge_right - _column})
          if (p >= 0 && p < width)
            mean[p] = centre[p];
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION void means_of_lane(int i, bool counts, const Row& up,
                                                   const Row& centre, const Row& down, Row& mean,
                                                   Bits& largest) const {
      // Every lane asks, also for what the next lane but one has: shuffles are for all at once.
      T before[packs];
      T after[packs];
      for (int v = 0; v < packs; ++v) {
        before[v] = from_lane<lanes>(centre.cell[v][width - 1], _lane + lanes - 1);
        after[v] = from_lane<lanes>(centre.cell[v][0], _lane + 1);
      }
      for (int v = 0; v < packs; ++v) {
        const T left_of_pack = v > 0 && _lane == 0 ? before[v > 0 ? v - 1 : 0] : before[v];
        const T right_of_pack =
            v < packs - 1 && _lane == lanes - 1 ? after[v < packs - 1 ? v + 1 : v] : after[v];
        Bits mine = largest;
        const auto put = [&](int p, T left, T right) {
          const int j = _column + begin_of(v) + p;
          T value = T(0.25) * (down.cell[v][p] + up.cell[v][p] + right + left);
          if (edge && (i <= _cells.edge_above || i >= _cells.edge_below || j <= _cells.edge_left ||
                       j >= _cells.edge_right))
            value = centre.cell[v][p];
          mean.cell[v][p] = value;
          const auto change = Kokkos::bit_cast<Bits>(Kokkos::abs(value - centre.cell[v][p]));
          const bool is_own = keeps(v, begin_of(v) + p) &&
                              (!edge || (j >= _cells.first_column && j < _cells.end_column));
          mine = Kokkos::max(mine, counts && is_own ? change : Bits{0});
        };
        put(0, left_of_pack, width == 1 ? right_of_pack : centre.cell[v][width == 1 ? 0 : 1]);
        if constexpr (width == 2)
          put(1, centre.cell[v][0], right_of_pack);
        largest = mine;
      }
    }

    /// Does sweep t of the row that is t above `row`, whose place in the loop is k. Means that a
    /// worker makes before its rows are all there do not count, nor those of rows that are not.
    template <int k, int t>
    KOKKOS_FORCEINLINE_FUNCTION void sweep(int row, Row& last) {
      constexpr int at = k - t + 3 * sweeps; // not negative
      Row& mean = t < sweeps ? _rows[t % sweeps][at % 3] : last;
      const bool there = row - _top >= 2 * t - sweeps && (!edge || row <= _bottom + sweeps);
      means(row - t, there, _rows[t - 1][(at - 1) % 3], _rows[t - 1][at % 3],
            _rows[t - 1][(at + 1) % 3], mean, _largest[t - 1]);
    }

    template <int k, int... t>
    KOKKOS_FORCEINLINE_FUNCTION void step(int row, std::integer_sequence<int, t...> /*sweeps*/) {
      _rows[0][k] = _ahead[k % depth];
      load(row + depth, _ahead[k % depth]);
      Row last;
      (sweep<k, t + 1>(row, last), ...);
      if (row - sweeps >= _top && row - sweeps <= _bottom)
        store(row - sweeps, last);
    }

    const T* _in;
    T* _out;
    int _stride;
    PassCells _cells;
    int _last_row; ///< that may be used
    int _top;
    int _bottom;
    int _column;
    int _lane;
    std::int64_t* _changes;
    Row _ahead[depth] = {};
    /// _rows[t][k]: of the plate after t sweeps, in turn.
    Row _rows[sweeps][3] = {};
    Bits _largest[sweeps] = {};
  };
};

/// Packs of two where rows are such, else twice as many of one: what a worker keeps of a row takes
/// four registers a lane. Hosts have whole rows in a worker's only lane, as many columns as their
/// caches hold of a dozen rows.
template <class T>
using PassOfPairs = TemporalPass<T, sizeof(T) == 4 ? 2 : 1, 2>;
template <class T>
using PassOfSingles = TemporalPass<T, sizeof(T) == 4 ? 4 : 2, 1>;
template <class T>
using PassOfHosts = TemporalPass<T, 1, 4096 / sizeof(T)>;

/// Passes count rows and columns in `int`.
template <class Plate>
[[nodiscard]] bool fits_pass(const Plate& plate) {
  constexpr std::size_t most = 1U << 30U;
  return plate.extent(0) < most && plate.extent(1) < most;
}

/// Rows of a worker: as many as leave four workers for each of the sixteen that a multiprocessor
/// holds, as the last round is then a small part, and sixteen at least, as eight come on top. On
/// a host 256 at most, because with a few long pieces some threads would wait for the others.
[[nodiscard]] inline int pass_rows_for(int rows, int strips) {
  constexpr int threads = 2048; // of a multiprocessor
  constexpr int fewest = 16;
  constexpr int most = has_device ? std::numeric_limits<int>::max() : 256;
  const long workers =
      has_device ? 64L * std::max(1, Kokkos::DefaultExecutionSpace().concurrency() / threads)
                 : 4L * Kokkos::DefaultExecutionSpace().concurrency();
  const auto pieces = static_cast<int>(std::clamp(workers / strips, 1L, long{std::max(rows, 1)}));
  return std::clamp((rows + pieces - 1) / pieces, fewest, std::clamp(rows, fewest, most));
}

/// Calls launch(pass) with the pass that suits plates of this type and size.
template <class T, class Launch>
void with_pass(const DeviceView<const T, 2>& from, const DeviceView<T, 2>& to,
               std::int64_t* changes, const PassCells& cells, const Launch& launch) {
  const auto launch_of = [&]<class Pass>(std::type_identity<Pass>) {
    Pass pass{from, to, changes, cells, 0, has_device ? 4 : 1};
    pass.rows_each = pass_rows_for(cells.end_row - cells.first_row, pass.strips());
    launch(pass);
  };
  if constexpr (has_device) {
    const auto aligned = [](const T* first) {
      return reinterpret_cast<std::uintptr_t>(first) % (2 * sizeof(T)) == 0;
    };
    if (from.extent(1) % 2 == 0 && aligned(from.data()) && aligned(to.data()))
      launch_of(std::type_identity<PassOfPairs<T>>());
    else
      launch_of(std::type_identity<PassOfSingles<T>>());
  } else {
    launch_of(std::type_identity<PassOfHosts<T>>());
  }
}

/// The policy of a pass, or of what wraps one. A multiprocessor has room for four gangs of 128
/// lanes with 128 registers each, which is what the rows take.
template <class Pass>
[[nodiscard]] auto policy_of(const Kokkos::DefaultExecutionSpace& queue, const Pass& pass) {
  return team_policy(queue, pass.gangs())
      .num_workers(pass.workers)
      .vector_length(Pass::lanes)
      .launch_bounds(Kokkos::LaunchBounds<128, 4>());
}

/// Launches a pass on a queue; returns at once. Without cells nothing is launched.
template <class T>
void launch_pass(const char* label, const Kokkos::DefaultExecutionSpace& queue,
                 const DeviceView<const T, 2>& from, const DeviceView<T, 2>& to,
                 std::int64_t* changes, const PassCells& cells) {
  if (cells.first_row < cells.end_row && cells.first_column < cells.end_column)
    with_pass<T>(from, to, changes, cells, [&](const auto& pass) {
      gangway::parallel_for(label, policy_of(queue, pass), pass);
    });
}

} // namespace gangway::jacobi
