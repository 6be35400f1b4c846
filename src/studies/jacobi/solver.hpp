// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/gangway.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

/// Sweeps of one kernel each, without a word to the host in between: what `fused`, `cached` and
/// `graph` share, and the heat program.
namespace gangway::jacobi {

using Plate = DeviceView<double, 2>;
using ConstPlate = DeviceView<const double, 2>;

/// A change as the bits of its double. For doubles that are not negative both have the same order;
/// integers have an atomic maximum in hardware, and hosts can vectorise theirs. A NaN counts as
/// larger than all.
using Bits = std::int64_t;
/// changes(s): the largest change of the s-th sweep launched ahead; changes(0) is that of the sweep
/// before.
using Changes = Kokkos::View<Bits*, Kokkos::LayoutRight, DeviceSpace>;

KOKKOS_INLINE_FUNCTION Bits bits_of_change(double before, double after) {
  return Kokkos::bit_cast<Bits>(Kokkos::abs(after - before));
}

/// Returns true if sweep `s` is to be done. Once a sweep has changed too little, all that were
/// launched after it do nothing: they leave their own change at zero, which stops the next one.
KOKKOS_INLINE_FUNCTION bool still_changes(const Changes& changes, int s, double tolerance) {
  return Kokkos::bit_cast<double>(changes(s - 1)) > tolerance;
}

/// One sweep: means and largest change in one pass. A gang has a block of rows_each x columns_each
/// cells; a lane goes down its column of the block with the loads of all rows in flight. With
/// `read_only` it loads the column through the read-only cache, and the neighbours on either side
/// when it needs them: half the registers, and fewer loads in flight.
template <int rows_each, bool read_only = false>
struct FusedSweep {
  ConstPlate from;
  Plate to;
  Changes changes;
  int sweep;
  double tolerance;
  long columns_each;

  /// Blocks begin at multiples of columns_each, edge included, where memory is aligned.
  [[nodiscard]] KOKKOS_FUNCTION long blocks_across() const {
    return (static_cast<long>(from.extent(1)) - 1 + columns_each - 1) / columns_each;
  }
  [[nodiscard]] long gangs() const {
    return (static_cast<long>(from.extent(0)) - 2 + rows_each - 1) / rows_each * blocks_across();
  }

  template <int rows>
  [[nodiscard]] KOKKOS_FUNCTION Bits cells(long i, long j) const {
    double column[rows + 2];
    Bits largest = 0;
    // The column is an argument: nvcc takes what a lambda captures before it is filled for unset.
    const auto put = [&](int k, const double* above, double right, double left) {
      const double mean = 0.25 * (above[2] + above[0] + right + left);
      to(i + k, j) = mean;
      largest = Kokkos::max(largest, bits_of_change(above[1], mean));
    };
    if constexpr (read_only) {
      const Kokkos::View<const double**, Kokkos::LayoutRight, DeviceSpace,
                         Kokkos::MemoryTraits<Kokkos::RandomAccess | Kokkos::Unmanaged>>
          in(from.data(), from.extent(0), from.extent(1));
      for (int k = 0; k < rows + 2; ++k)
        column[k] = in(i - 1 + k, j);
      for (int k = 0; k < rows; ++k)
        put(k, column + k, in(i + k, j + 1), in(i + k, j - 1));
    } else {
      double left[rows];
      double right[rows];
      for (int k = 0; k < rows + 2; ++k)
        column[k] = from(i - 1 + k, j);
      for (int k = 0; k < rows; ++k) {
        left[k] = from(i + k, j - 1);
        right[k] = from(i + k, j + 1);
      }
      for (int k = 0; k < rows; ++k)
        put(k, column + k, right[k], left[k]);
    }
    return largest;
  }

  KOKKOS_FUNCTION void operator()(const Member& gang) const {
    if (!still_changes(changes, sweep, tolerance))
      return;
    const int across = static_cast<int>(blocks_across());
    const long row = gang.league_rank() / across * rows_each + 1;
    const long row_end = Kokkos::min(row + rows_each, static_cast<long>(from.extent(0)) - 1);
    const long column = gang.league_rank() % across * columns_each;
    const long column_end =
        Kokkos::min(column + columns_each, static_cast<long>(from.extent(1)) - 1);
    Bits largest = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, Kokkos::max(column, 1L), column_end),
        [&](long j, Bits& mine) {
          if (rows_each == 1 || row + rows_each == row_end)
            mine = Kokkos::max(mine, cells<rows_each>(row, j));
          else
            for (long i = row; i < row_end; ++i)
              mine = Kokkos::max(mine, cells<1>(i, j));
        },
        Kokkos::Max<Bits>(largest));
    Kokkos::single(Kokkos::PerTeam(gang), [&] {
      if (largest > 0)
        Kokkos::atomic_max(&changes(sweep), largest);
    });
  }
};

/// The shape of fused sweeps: on a GPU gangs of 128 lanes, as of larger ones fewer have room on a
/// multiprocessor. On a host one thread is a gang, and rows must stay stride-1 loops.
inline constexpr Clauses fused_clauses{.workers = 4, .vector = 32};
inline constexpr long fused_columns = has_device ? 128 : 16384;

/// Rows that a lane of a device goes down: eight, sixteen, or sixteen by the read-only cache.
enum class Column { of_8, of_16, of_16_read_only };

/// The column that suits a plate of so many rows and columns inside its edges on a device of so
/// many multiprocessors. A sweep's gangs run in rounds, and as a round takes about as long as its
/// rows, what counts is how full the last one is. A multiprocessor of 65 536 registers holds seven
/// gangs of eight rows (72 registers a lane by nvcc -Xptxas -v) and four of sixteen (128), which
/// are 5 % faster where rounds are full. A sweep of one round waits for its loads alone; there the
/// read-only cache is the fastest, and nowhere else.
[[nodiscard]] inline Column column_for(long rows, long columns, long multiprocessors) {
  constexpr long lanes = static_cast<long>(fused_clauses.workers) * fused_clauses.vector;
  const long across = (columns + lanes) / lanes; // column 0 is in a block, too
  const auto rounds = [&](long rows_each, long held) {
    const long gangs = (rows + rows_each - 1) / rows_each * across;
    return (gangs + held * multiprocessors - 1) / (held * multiprocessors);
  };
  const long of_16 = rounds(16, 4);
  if (of_16 <= 1)
    return Column::of_16_read_only;
  return 105 * 8 * 7 * rounds(8, 7) < 100 * 16 * 4 * of_16 ? Column::of_8 : Column::of_16;
}

/// Calls launch(sweep) with the sweep number `s` that suits this plate.
template <class Launch>
void with_fused_sweep(const ConstPlate& from, const Plate& to, const Changes& changes, int s,
                      double tolerance, const Launch& launch) {
  if constexpr (has_device) {
    constexpr long threads = 2048; // of a multiprocessor
    switch (column_for(static_cast<long>(from.extent(0)) - 2, static_cast<long>(from.extent(1)) - 2,
                       std::max(1L, Kokkos::DefaultExecutionSpace().concurrency() / threads))) {
    case Column::of_8:
      return launch(FusedSweep<8>{from, to, changes, s, tolerance, fused_columns});
    case Column::of_16:
      return launch(FusedSweep<16>{from, to, changes, s, tolerance, fused_columns});
    case Column::of_16_read_only:
      return launch(FusedSweep<16, true>{from, to, changes, s, tolerance, fused_columns});
    }
  } else {
    launch(FusedSweep<1>{from, to, changes, s, tolerance, fused_columns});
  }
}

/// Launches one fused sweep; returns at once.
template <class Sweep>
void launch(const char* label, const Clauses& clauses, const Sweep& sweep) {
  gangway::parallel_for(label, team_policy(sweep.gangs()).clauses(clauses), sweep);
}

/// Sweeps until `iterations` are done or one changes no cell by more than `tolerance`. The sweeps
/// go to and fro between two plates, many are launched ahead, and only then the host looks how far
/// they came.
class Solver {
public:
  struct Outcome {
    int done = 0;
    double change = std::numeric_limits<double>::infinity();
  };

  /// Sets up a solver that launches at most `ahead` sweeps before the host looks; an even number.
  explicit Solver(int ahead = 256)
      : _ahead(ahead), _changes("jacobi/changes", ahead + 1),
        _on_host(Kokkos::create_mirror(_changes)) {}

  [[nodiscard]] int ahead() const { return _ahead; }
  [[nodiscard]] const Changes& changes() const { return _changes; }

  /// Calls `launch()`, whose kernels write changes(before) and on. Those are zero until then; the
  /// ones before hold `change`. Returns all when the launches are done, for the host, until the
  /// next call.
  template <class Launch>
  const Bits* launch_ahead(int before, double change, const Launch& launch) const {
    std::fill_n(_on_host.data(), _on_host.size(), Bits{0});
    std::fill_n(_on_host.data(), before, Kokkos::bit_cast<Bits>(change));
    // The sweeps' queue, so that there is one thing to wait for.
    const Kokkos::DefaultExecutionSpace queue;
    Kokkos::deep_copy(queue, _changes, _on_host);
    launch();
    Kokkos::deep_copy(queue, _on_host, _changes);
    queue.fence("jacobi: how far the sweeps came");
    return _on_host.data();
  }

  /// `launch(n)` launches the sweeps 1 to n on changes(): the odd ones from `plate` to `next`, the
  /// even ones back. `next` needs no content. The result is in `plate`.
  template <class Launch>
  Outcome solve(const Plate& plate, const Plate& next, int iterations, double tolerance,
                const Launch& launch) const {
    copy_edges(plate, next);
    Outcome outcome;
    while (outcome.done < iterations && outcome.change > tolerance) {
      const int sweeps = std::min(_ahead, iterations - outcome.done);
      const Bits* const changes = launch_ahead(1, outcome.change, [&] { launch(sweeps); });
      for (int s = 1; s <= sweeps && outcome.change > tolerance; ++s) {
        outcome.change = Kokkos::bit_cast<double>(changes[s]);
        ++outcome.done;
      }
    }
    if (outcome.done % 2 != 0)
      Kokkos::deep_copy(plate, next);
    return outcome;
  }

  /// Solves by fused sweeps.
  Outcome solve(const Plate& plate, const Plate& next, int iterations, double tolerance) const {
    return solve(plate, next, iterations, tolerance, [&](int sweeps) {
      for (int s = 1; s <= sweeps; ++s)
        with_fused_sweep(s % 2 != 0 ? plate : next, s % 2 != 0 ? next : plate, _changes, s,
                         tolerance,
                         [](const auto& sweep) { launch("jacobi/fused", fused_clauses, sweep); });
    });
  }

  /// The sweeps write the inside only; both plates need the edges.
  static void copy_edges(const Plate& from, const Plate& to);

private:
  int _ahead;
  Changes _changes;
  Changes::host_mirror_type _on_host;
};

inline void Solver::copy_edges(const Plate& from, const Plate& to) {
  const long rows = static_cast<long>(from.extent(0));
  const long columns = static_cast<long>(from.extent(1));
  Kokkos::parallel_for(
      "jacobi/edges",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(
          0, std::max(rows, columns)),
      KOKKOS_LAMBDA(long k) {
        if (k < rows) {
          to(k, 0) = from(k, 0);
          to(k, columns - 1) = from(k, columns - 1);
        }
        if (k < columns) {
          to(0, k) = from(0, k);
          to(rows - 1, k) = from(rows - 1, k);
        }
      });
}

} // namespace gangway::jacobi
