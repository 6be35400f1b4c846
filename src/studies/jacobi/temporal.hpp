// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernels/packs.hpp"
#include "studies/jacobi/solver.hpp"

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

/// Four sweeps from one plate to another. A worker's row is `packs` times as many columns as it has
/// lanes times `width`: pack after pack, and in a pack lane after lane `width` columns side by
/// side, which are one load. With a width of two, both plates need rows of an even number of
/// columns, the edges counted, and addresses that are multiples of 16 bytes.
///
/// changes(first + 0 … 3) are made the largest changes of the four sweeps. Where one of the four
/// before them is not above the tolerance, nothing is done, and they stay zero.
template <int packs, int width>
struct TemporalPass {
  static constexpr int sweeps = temporal_sweeps;
  static constexpr int lanes = has_device ? 32 : 1;
  /// Columns that a strip brings, and of them those whose last mean is right. Both are even, so
  /// that strips begin where packs of two do.
  static constexpr int brought = lanes * packs * width;
  static constexpr int kept = brought - 2 * sweeps;

  ConstPlate from;
  Plate to;
  Changes changes;
  int first;
  double tolerance;
  int rows_each; ///< of a worker
  int workers;   ///< of a gang, at strips side by side

  [[nodiscard]] KOKKOS_FUNCTION int rows() const { return static_cast<int>(from.extent(0)) - 2; }
  [[nodiscard]] KOKKOS_FUNCTION int columns() const { return static_cast<int>(from.extent(1)) - 2; }
  /// The first strip keeps the edge's column 0, and so on.
  [[nodiscard]] KOKKOS_FUNCTION int strips() const { return columns() / kept + 1; }
  [[nodiscard]] KOKKOS_FUNCTION int gangs_across() const {
    return (strips() + workers - 1) / workers;
  }
  [[nodiscard]] long gangs() const {
    return static_cast<long>((rows() + rows_each - 1) / rows_each) * gangs_across();
  }

  KOKKOS_FUNCTION void operator()(const Member& gang) const {
    static_assert(kept > 0 && sweeps <= lanes * width);
    for (int s = 1; s <= sweeps; ++s)
      if (!still_changes(changes, first + 1 - s, tolerance))
        return;
    const int across = gangs_across();
    const int top = gang.league_rank() / across * rows_each + 1;
    const int bottom = Kokkos::min(top + rows_each - 1, rows());
    const int first_strip = gang.league_rank() % across * workers;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, workers), [&](int worker) {
      const int strip = first_strip + worker;
      if (strip >= strips())
        return;
      const int column = strip * kept - sweeps;
      const int all_lanes = lanes; // a range takes a reference, and device code has none to it
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, all_lanes), [&](int lane) {
        if (column >= 0 && column + brought <= columns() + 2 && top > sweeps &&
            bottom + sweeps + 2 + Strip<false>::depth <= rows() + 1)
          Strip<false>(*this, top, bottom, column, lane).run();
        else
          Strip<true>(*this, top, bottom, column, lane).run();
      });
    });
  }

  /// What a lane has of a row.
  struct Row {
    double cell[packs][width];
  };
  struct alignas(sizeof(double) * (width == 2 ? 2 : 1)) Pack {
    double cell[width];
  };

  /// A lane's part of a strip, for the rows `top` to `bottom`. `edge`: the strip reaches the
  /// plate's edge or beyond, above, below or on either side. The edge's cells keep what they have,
  /// and what lies beyond is not there to be loaded.
  template <bool edge>
  class Strip {
  public:
    /// Rows whose loads are under way.
    static constexpr int depth = has_device ? 3 : 1;

    KOKKOS_FORCEINLINE_FUNCTION Strip(const TemporalPass& pass, int top, int bottom, int column,
                                      int lane)
        : _in(pass.from.data()), _out(pass.to.data()), _stride(pass.columns() + 2),
          _last_row(pass.rows() + 1), _top(top), _bottom(bottom), _column(column), _lane(lane),
          _changes(&pass.changes(pass.first)) {
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
          Kokkos::atomic_max(_changes + s, largest);
      }
    }

  private:
    /// Column of the strip at which this lane's part of a pack begins.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int begin_of(int pack) const {
      return (pack * lanes + _lane) * width;
    }
    /// Whether a column of the strip is one whose last mean is right. Only the first and the last
    /// pack have others.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool keeps(int pack, int column) const {
      return (pack > 0 || column >= sweeps) && (pack < packs - 1 || column < brought - sweeps);
    }

    KOKKOS_FORCEINLINE_FUNCTION void load(int i, Row& row) {
      const double* const of_row =
          edge ? _in + static_cast<long>(Kokkos::clamp(i, 0, _last_row)) * _stride : _in;
      for (int v = 0; v < packs; ++v) {
        if constexpr (has_device) {
          const int j =
              edge ? Kokkos::clamp(_column + begin_of(v), 0, _stride - width) : v * lanes * width;
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
      double* const of_row =
          edge ? _out + static_cast<long>(i) * _stride + _column + begin_of(0) : _out;
      for (int v = 0; v < packs; ++v) {
        if constexpr (has_device) {
          if (keeps(v, begin_of(v)) && (!edge || _column + begin_of(v) < _stride)) {
            Pack pack;
            for (int p = 0; p < width; ++p)
              pack.cell[p] = row.cell[v][p];
            *reinterpret_cast<Pack*>(of_row + v * lanes * width) = pack;
          }
        } else {
          const int end = edge ? Kokkos::min(width - sweeps, _stride - _column) : width - sweeps;
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
      // Every lane asks, also for what the next lane but one has: shuffles are for all at once.
      double before[packs];
      double after[packs];
      for (int v = 0; v < packs; ++v) {
        before[v] = from_lane<lanes>(centre.cell[v][width - 1], _lane + lanes - 1);
        after[v] = from_lane<lanes>(centre.cell[v][0], _lane + 1);
      }
      for (int v = 0; v < packs; ++v) {
        const double left_of_pack = v > 0 && _lane == 0 ? before[v > 0 ? v - 1 : 0] : before[v];
        const double right_of_pack =
            v < packs - 1 && _lane == lanes - 1 ? after[v < packs - 1 ? v + 1 : v] : after[v];
        Bits mine = largest;
        const auto put = [&](int p, double left, double right) {
          const int j = _column + begin_of(v) + p;
          double value = 0.25 * (down.cell[v][p] + up.cell[v][p] + right + left);
          if (edge && (i <= 0 || i >= _last_row || j <= 0 || j >= _stride - 1))
            value = centre.cell[v][p];
          mean.cell[v][p] = value;
          const Bits change = bits_of_change(centre.cell[v][p], value);
          mine = Kokkos::max(mine, counts && keeps(v, begin_of(v) + p) ? change : Bits{0});
        };
        put(0, left_of_pack, width == 1 ? right_of_pack : centre.cell[v][width == 1 ? 0 : 1]);
        for (int p = 1; p < width - 1; ++p)
          put(p, centre.cell[v][p - 1], centre.cell[v][p + 1]);
        if constexpr (width > 1)
          put(width - 1, centre.cell[v][width - 2], right_of_pack);
        largest = mine;
      }
    }

    /// Sweep t of the row that is t above `row`, whose place in the loop is k. What a worker makes
    /// before its rows are all there counts for nothing.
    template <int k, int t>
    KOKKOS_FORCEINLINE_FUNCTION void sweep(int row, Row& last) {
      constexpr int at = k - t + 3 * sweeps; // not negative
      Row& mean = t < sweeps ? _rows[t % sweeps][at % 3] : last;
      means(row - t, row - _top >= 2 * t - sweeps, _rows[t - 1][(at - 1) % 3], _rows[t - 1][at % 3],
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

    const double* _in;
    double* _out;
    int _stride;
    int _last_row;
    int _top;
    int _bottom;
    int _column;
    int _lane;
    Bits* _changes;
    Row _ahead[depth] = {};
    /// _rows[t][k]: of the plate after t sweeps, in turn.
    Row _rows[sweeps][3] = {};
    Bits _largest[sweeps] = {};
  };
};

/// Packs of two where rows are such, else twice as many of one. Hosts have whole rows in a worker's
/// only lane, as many columns as their caches hold of a dozen rows.
using PassOfPairs = TemporalPass<1, 2>;
using PassOfSingles = TemporalPass<2, 1>;
using PassOfHosts = TemporalPass<1, 512>;

/// Sweeps until `iterations` are done or one changes no cell by more than `tolerance`, as Solver:
/// the same sweeps, plate and change, by passes of four as long as there are four to do.
class TemporalSolver {
public:
  using Outcome = Solver::Outcome;
  static constexpr int sweeps = temporal_sweeps;

  /// `next` needs no content. The result is in `plate`.
  Outcome solve(const Plate& plate, const Plate& next, int iterations, double tolerance) const {
    Plate from = plate;
    Plate to = next;
    Outcome outcome;
    const auto by_single_sweeps = [&](int count) {
      const Outcome rest = _solver.solve(from, to, count, tolerance);
      outcome = {outcome.done + rest.done, rest.change};
    };
    Solver::copy_edges(from, to);
    while (fits(plate) && iterations - outcome.done >= sweeps && outcome.change > tolerance) {
      const int passes = std::min(_solver.ahead() - sweeps + 1, iterations - outcome.done) / sweeps;
      const Bits* const changes = _solver.launch_ahead(sweeps, outcome.change, [&] {
        for (int p = 0; p < passes; ++p)
          launch_pass(_solver.changes(), p % 2 == 0 ? from : to, p % 2 == 0 ? to : from,
                      (p + 1) * sweeps, tolerance);
      });
      for (int p = 0; p < passes && outcome.change > tolerance; ++p) {
        int swept = 0;
        double change = outcome.change;
        while (swept < sweeps && change > tolerance)
          change = Kokkos::bit_cast<double>(changes[(p + 1) * sweeps + swept++]);
        if (swept == sweeps) {
          outcome = {outcome.done + sweeps, change};
          std::swap(from, to);
        } else { // it ends within this pass, and `from` is as it was before
          by_single_sweeps(swept);
        }
      }
    }
    if (outcome.done < iterations && outcome.change > tolerance)
      by_single_sweeps(iterations - outcome.done);
    if (from.data() != plate.data())
      Kokkos::deep_copy(plate, from);
    return outcome;
  }

private:
  /// Passes count rows and columns in `int`.
  static bool fits(const Plate& plate) {
    constexpr std::size_t most = 1U << 30U;
    return plate.extent(0) < most && plate.extent(1) < most;
  }

  static void launch_pass(const Changes& changes, const Plate& from, const Plate& to, int first,
                          double tolerance) {
    if constexpr (has_device) {
      const bool pairs = from.extent(1) % 2 == 0 && kernels::is_pack_aligned(from.data()) &&
                         kernels::is_pack_aligned(to.data());
      (pairs ? launch_pass_of<PassOfPairs> : launch_pass_of<PassOfSingles>)(changes, from, to,
                                                                            first, tolerance);
    } else {
      launch_pass_of<PassOfHosts>(changes, from, to, first, tolerance);
    }
  }

  template <class Pass>
  static void launch_pass_of(const Changes& changes, const Plate& from, const Plate& to, int first,
                             double tolerance) {
    const int workers = has_device ? 4 : 1;
    Pass pass{from, to, changes, first, tolerance, 0, workers};
    pass.rows_each = rows_for(pass.rows(), pass.strips());
    // A multiprocessor has room for four gangs of 128 lanes with 128 registers each, which is what
    // the rows take.
    gangway::parallel_for("jacobi/temporal",
                          team_policy(pass.gangs())
                              .num_workers(workers)
                              .vector_length(Pass::lanes)
                              .launch_bounds(Kokkos::LaunchBounds<128, 4>()),
                          pass);
  }

  /// Rows of a worker: as many as leave four workers for each of the sixteen that a multiprocessor
  /// holds, as the last round is then a small part, and sixteen at least, as eight come on top.
  /// (bench/results/2026-11-24-h200/trials-temporal.txt.)
  static int rows_for(int rows, int strips) {
    constexpr int threads = 2048; // of a multiprocessor
    const long workers =
        has_device ? 64L * std::max(1, Kokkos::DefaultExecutionSpace().concurrency() / threads)
                   : 4L * Kokkos::DefaultExecutionSpace().concurrency();
    const long pieces = std::max(1L, workers / strips);
    return static_cast<int>(
        std::clamp((rows + pieces - 1) / pieces, 16L, std::max(16L, long{rows})));
  }

  Solver _solver;
};

} // namespace gangway::jacobi
