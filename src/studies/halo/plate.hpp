// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"
#include "gangway/device.hpp"
#include "harness/problem.hpp"
#include "ranks/blocks.hpp"
#include "ranks/session.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

/// The plate that halo and halo_blocks cut, and what its sweeps come to without an exchange.
namespace gangway::halo {

/// The cell (i, j) of the plate before the first sweep, edges included: left and top 0, right from
/// 0 at the top to 100, bottom from 0 at the left to 100.
template <class T>
[[nodiscard]] T before(long rows, long columns, long i, long j) {
  const auto part_of_100 = [](long step, long steps) {
    return static_cast<T>(100.0 * static_cast<double>(step) /
                          static_cast<double>(std::max(steps, 1L)));
  };
  if (i == rows + 1)
    return part_of_100(j, columns);
  return j == columns + 1 ? part_of_100(i, rows) : T(0);
}

/// Fills a part of the plate before the first sweep, with so many rows above and below it and
/// columns beside it: row-major. Cells beyond the plate's edges become NaN.
template <class T>
void fill(long rows, long columns, const ranks::Block& part, long rows_around, long columns_around,
          T* plate) {
  const long stride = part.columns.count() + 2 * columns_around;
  const long first_column = part.columns.begin + 1 - columns_around;
  const auto edge = [&](long j) { return std::clamp(j - first_column, 0L, stride); };
  const auto fill_row = [&](long row) {
    T* const cells = plate + row * stride;
    const long i = part.rows.begin + 1 - rows_around + row;
    if (i < 0 || i > rows + 1) {
      std::fill_n(cells, stride, harness::poison<T>);
      return;
    }
    // Cells beyond the left edge, the plate, and cells beyond the right edge.
    const long begin = edge(0);
    const long end = edge(columns + 2);
    std::fill_n(cells, begin, harness::poison<T>);
    std::fill(cells + end, cells + stride, harness::poison<T>);
    if (i == rows + 1) {
      for (long k = begin; k < end; ++k)
        cells[k] = before<T>(rows, columns, i, first_column + k);
    } else {
      std::fill(cells + begin, cells + end, T(0));
      if (const long last = columns + 1 - first_column; last >= begin && last < end)
        cells[last] = before<T>(rows, columns, i, columns + 1);
    }
  };
  // A thread fills the rows that begin in its part.
  base::parallel_ranges((part.rows.count() + 2 * rows_around) * stride, [&](long begin, long end) {
    for (long row = (begin + stride - 1) / stride; row * stride < end; ++row)
      fill_row(row);
  });
}

/// Returns the part from which values reach `own` within so many sweeps.
[[nodiscard]] inline ranks::Part reached(const ranks::Part& own, long all, long sweeps) {
  return {std::max(own.begin - sweeps, 0L), std::min(own.end + sweeps, all)};
}

/// Values that a rank's cells come to.
template <class T>
struct Reference {
  ranks::Block part;           ///< these cells, and those that can reach them
  base::HostArray<T> plate;    ///< of the part and what is around it; right for the rank's own
  std::vector<double> changes; ///< the largest of each sweep, of all ranks

  /// The cell (row, column) of the whole plate, counted without edges.
  [[nodiscard]] const T* at(long row, long column) const {
    return plate.data() + (row - part.rows.begin + 1) * (part.columns.count() + 2) + column -
           part.columns.begin + 1;
  }
};

/// True if kernels of a space use the host's memory.
template <class Space>
inline constexpr bool is_on_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

/// Sweeps the cells of `swept` once on a space of Kokkos, and returns the largest change of the
/// rank's `own` cells. Both plates have the part `all` and what is around it.
template <class Space, class T>
double sweep_alone(const Kokkos::View<const T*, Space>& old, const Kokkos::View<T*, Space>& next,
                   const ranks::Block& all, const ranks::Block& swept, const ranks::Block& own) {
  /// A change by its bits, which for what is not negative are in the same order.
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using Policy = Kokkos::TeamPolicy<typename Space::execution_space>;
  Bits largest = 0;
  const long stride = all.columns.count() + 2;
  if (swept.cells() > 0)
    Kokkos::parallel_reduce(
        "halo/reference",
        is_on_host<Space> ? Policy(static_cast<int>(swept.rows.count()), 1)
                          : Policy(static_cast<int>(swept.rows.count()), 8, 32),
        KOKKOS_LAMBDA(const typename Policy::member_type& team, Bits& of_rows) {
          const long row = swept.rows.begin + team.league_rank();
          const long begin = (row - all.rows.begin + 1) * stride + 1 - all.columns.begin;
          Bits of_row = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamVectorRange(team, swept.columns.begin, swept.columns.end),
              [&](long column, Bits& mine) {
                const long k = begin + column;
                const T mean =
                    T(0.25) * (old(k + stride) + old(k - stride) + old(k + 1) + old(k - 1));
                next(k) = mean;
                const auto change = Kokkos::bit_cast<Bits>(Kokkos::abs(mean - old(k)));
                const bool counts = column >= own.columns.begin && column < own.columns.end;
                mine = Kokkos::max(mine, counts ? change : Bits{0});
              },
              Kokkos::Max<Bits>(of_row));
          if (row >= own.rows.begin && row < own.rows.end)
            of_rows = Kokkos::max(of_rows, of_row);
        },
        Kokkos::Max<Bits>(largest));
  return static_cast<double>(Kokkos::bit_cast<T>(largest));
}

/// Sweeps without an exchange on a space of Kokkos, so it proves the exchanges, too. It sweeps the
/// rank's own cells and, of each side, as many more as can reach them, one fewer in each sweep. All
/// ranks call it.
template <class T, class Space>
[[nodiscard]] Reference<T> swept_alone_on(long rows, long columns, const ranks::Block& own,
                                          int sweeps) {
  const auto around = [&](long left) {
    return own.cells() > 0
               ? ranks::Block{reached(own.rows, rows, left), reached(own.columns, columns, left)}
               : own;
  };
  Reference<T> result;
  const ranks::Block all = result.part = around(sweeps);
  const long stride = all.columns.count() + 2;
  result.plate = base::HostArray<T>(static_cast<std::size_t>((all.rows.count() + 2) * stride));
  fill(rows, columns, all, 1, 1, result.plate.data());
  const Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> on_host(
      result.plate.data(), result.plate.size());
  Kokkos::View<T*, Space> plate;
  if constexpr (is_on_host<Space>) {
    plate = Kokkos::View<T*, Space>(result.plate.data(), result.plate.size());
  } else {
    plate = Kokkos::View<T*, Space>(
        Kokkos::view_alloc("halo/reference", Kokkos::WithoutInitializing), on_host.size());
    Kokkos::deep_copy(plate, on_host);
  }
  Kokkos::View<T*, Space> next(
      Kokkos::view_alloc("halo/reference, next", Kokkos::WithoutInitializing), on_host.size());
  Kokkos::deep_copy(next, plate);
  for (int s = 0; s < sweeps; ++s) {
    result.changes.push_back(sweep_alone<Space, T>(plate, next, all, around(sweeps - 1 - s), own));
    std::swap(plate, next);
  }
  ranks::world().largest(result.changes);
  Kokkos::deep_copy(on_host, plate);
  return result;
}

/// Checks that two spaces sweep a small plate to the same bits. All ranks call it. Errors:
/// std::runtime_error.
template <class T, class Space, class Trusted>
void require_same_sweeps(long rows, long columns, int sweeps) {
  const ranks::Block all{{0, std::min(rows, 200L)}, {0, std::min(columns, 300L)}};
  const int few = std::min(sweeps, 100);
  const Reference<T> found = swept_alone_on<T, Space>(all.rows.end, all.columns.end, all, few);
  const Reference<T> right = swept_alone_on<T, Trusted>(all.rows.end, all.columns.end, all, few);
  if (found.changes != right.changes ||
      !std::equal(found.plate.data(), found.plate.data() + found.plate.size(), right.plate.data()))
    throw std::runtime_error("this device sweeps a small plate to other bits than the host; what "
                             "it would be checked against at full size is wrong");
}

/// Sweeps a rank's cells where kernels run: on a host the reference of a large plate would take
/// longer than all that is measured. A device's own sweeps are first compared with the host's, on a
/// small plate. All ranks call it.
template <class T>
[[nodiscard]] Reference<T> swept_alone(long rows, long columns, const ranks::Block& own,
                                       int sweeps) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  if constexpr (has_device)
    require_same_sweeps<T, Kokkos::DefaultExecutionSpace::device_type, Host::device_type>(
        rows, columns, sweeps);
  return swept_alone_on<T, Kokkos::DefaultExecutionSpace::device_type>(rows, columns, own, sweeps);
}

} // namespace gangway::halo
