// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/gangway.hpp"
#include "studies/halo/cells.hpp"
#include "studies/jacobi/temporal_pass.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

/// The sweeps of the variants `wide` and `temporal` of halo and halo_blocks, in Kokkos: of any
/// rectangle of cells.
namespace gangway::halo {

/// Means and largest change of some cells of a plate: a gang has a block of rows_each x
/// columns_each of them, and a lane goes down its column of the block with the loads of all rows in
/// flight.
template <class T>
struct BlockSweep {
  static constexpr int rows_each = 8;
  static constexpr long columns_each = has_device ? 256 : 16384;
  /// A change by its bits, which for what is not negative are in the same order: integers have a
  /// maximum that hosts can vectorise.
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

  DeviceView<const T, 2> from;
  DeviceView<T, 2> to;        ///< of the same extents
  DeviceView<double> largest; ///< of each sweep, at first 0
  Cells cells;
  int sweep;

  /// Returns where the blocks begin: at a multiple of columns_each from the arrays' first column.
  [[nodiscard]] KOKKOS_FUNCTION long first_block() const {
    return cells.first_column / columns_each;
  }
  [[nodiscard]] KOKKOS_FUNCTION long blocks_across() const {
    return (cells.end_column + columns_each - 1) / columns_each - first_block();
  }
  [[nodiscard]] long gangs() const {
    return (cells.rows() + rows_each - 1) / rows_each * blocks_across();
  }

  template <int rows>
  [[nodiscard]] KOKKOS_FUNCTION Bits column_of(long i, long j) const {
    T column[rows + 2];
    T left[rows];
    T right[rows];
    for (int k = 0; k < rows + 2; ++k)
      column[k] = from(i - 1 + k, j);
    for (int k = 0; k < rows; ++k) {
      left[k] = from(i + k, j - 1);
      right[k] = from(i + k, j + 1);
    }
    Bits change = 0;
    for (int k = 0; k < rows; ++k) {
      const T mean = T(0.25) * (column[k + 2] + column[k] + right[k] + left[k]);
      to(i + k, j) = mean;
      change = Kokkos::max(change, Kokkos::bit_cast<Bits>(Kokkos::abs(mean - column[k + 1])));
    }
    return change;
  }

  KOKKOS_FUNCTION void operator()(const Member& gang) const {
    const long across = blocks_across();
    const long row = cells.first_row + gang.league_rank() / across * rows_each;
    const long row_end = Kokkos::min(row + rows_each, cells.end_row);
    const long column = (first_block() + gang.league_rank() % across) * columns_each;
    const long column_end = Kokkos::min(column + columns_each, cells.end_column);
    const long first = Kokkos::max(column, cells.first_column);
    Bits change = 0;
    if constexpr (has_device) {
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(gang, first, column_end),
          [&](long j, Bits& mine) {
            if (row + rows_each == row_end)
              mine = Kokkos::max(mine, column_of<rows_each>(row, j));
            else
              for (long i = row; i < row_end; ++i)
                mine = Kokkos::max(mine, column_of<1>(i, j));
          },
          Kokkos::Max<Bits>(change));
    } else { // one thread, which goes along the rows: its vectors are of neighbours
      for (long i = row; i < row_end; ++i)
        for (long j = first; j < column_end; ++j)
          change = Kokkos::max(change, column_of<1>(i, j));
    }
    Kokkos::single(Kokkos::PerTeam(gang), [&] {
      if (change > 0) {
        // A GPU has an atomic maximum of integers; that of doubles is a loop of exchanges, which
        // all gangs would be in at a time.
        const auto value = static_cast<double>(Kokkos::bit_cast<T>(change));
        Kokkos::atomic_max(reinterpret_cast<std::int64_t*>(&largest(sweep)),
                           Kokkos::bit_cast<std::int64_t>(value));
      }
    });
  }
};

/// Sweeps on a queue; returns at once. Without cells it launches no kernel.
template <class T>
void launch(const char* label, const Kokkos::DefaultExecutionSpace& queue,
            const BlockSweep<T>& sweep) {
  if (!sweep.cells.empty())
    gangway::parallel_for(label, team_policy(queue, sweep.gangs()).num_workers(8).vector_length(32),
                          sweep);
}

/// Two plates and the largest changes, where kernels find them.
template <class T>
struct Plates {
  DeviceView<T, 2> from;
  DeviceView<T, 2> to;        ///< of the same extents
  DeviceView<double> largest; ///< of each sweep, at first 0

  /// Counts the sweeps of the next kernel of a round that has so many left: `of_pass`, or one.
  template <int of_pass>
  [[nodiscard]] int next_of(int left) const {
    static_assert(of_pass == 1 || of_pass == jacobi::temporal_sweeps);
    return of_pass > 1 && left >= of_pass && jacobi::fits_pass(from) ? of_pass : 1;
  }

  /// Launches one kernel that does `count` sweeps of some cells, the first of which is sweep s.
  /// `inside` are the cells inside the plate's edges: where the arrays have no edge, up to their
  /// end.
  void sweep(const char* label, const Kokkos::DefaultExecutionSpace& queue, const Cells& cells,
             const Cells& inside, int s, int count) const {
    if (cells.empty())
      return;
    if (count == 1) {
      launch(label, queue, BlockSweep<T>{from, to, largest, cells, s});
      return;
    }
    jacobi::launch_pass<T>(label, queue, from, to,
                           reinterpret_cast<std::int64_t*>(largest.data()) + s,
                           {.first_row = static_cast<int>(cells.first_row),
                            .end_row = static_cast<int>(cells.end_row),
                            .first_column = static_cast<int>(cells.first_column),
                            .end_column = static_cast<int>(cells.end_column),
                            .edge_above = static_cast<int>(inside.first_row) - 1,
                            .edge_below = static_cast<int>(inside.end_row),
                            .edge_left = static_cast<int>(inside.first_column) - 1,
                            .edge_right = static_cast<int>(inside.end_column)});
  }

  /// Copies `from` to a plate, if it is not that one.
  void put_result(const DeviceView<T, 2>& plate) const {
    if (plate.data() != from.data())
      Kokkos::deep_copy(plate, from);
  }

  /// Fetches the changes of the sweeps from `begin` to `end`, which are done, on a queue, and joins
  /// them over all ranks.
  template <class Ranks>
  void fetch(const Kokkos::DefaultExecutionSpace& queue, const Ranks& ranks, int begin, int end,
             double* changes) const {
    if (begin == end)
      return;
    const Kokkos::View<double*, Kokkos::HostSpace> on_host(changes + begin, end - begin);
    Kokkos::deep_copy(queue, on_host, Kokkos::subview(largest, std::pair(begin, end)));
    queue.fence("halo: the changes are on the host");
    ranks.largest(changes + begin, end - begin);
  }
};

} // namespace gangway::halo
