// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"
#include "harness/problem.hpp"
#include "ranks/blocks.hpp"
#include "ranks/session.hpp"

#include <mutex>

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

/// A part of the plate before the first sweep, with so many rows above and below it and columns
/// beside it: row-major. What is no part of the plate, behind its edges, is no number.
template <class T>
void fill(long rows, long columns, const ranks::Block& part, long rows_around, long columns_around,
          T* plate) {
  const long stride = part.columns.count() + 2 * columns_around;
  base::parallel_ranges((part.rows.count() + 2 * rows_around) * stride, [&](long begin, long end) {
    for (long cell = begin; cell < end; ++cell) {
      const long i = part.rows.begin + 1 - rows_around + cell / stride;
      const long j = part.columns.begin + 1 - columns_around + cell % stride;
      const bool is_part = i >= 0 && i <= rows + 1 && j >= 0 && j <= columns + 1;
      plate[cell] = is_part ? before<T>(rows, columns, i, j) : harness::poison<T>;
    }
  });
}

/// What can reach a part within so many sweeps.
[[nodiscard]] inline ranks::Part reached(const ranks::Part& own, long all, long sweeps) {
  return {std::max(own.begin - sweeps, 0L), std::min(own.end + sweeps, all)};
}

/// What a rank's cells come to.
template <class T>
struct Reference {
  ranks::Block part;           ///< they, and what can reach them
  base::HostArray<T> plate;    ///< of the part and what is around it; right for the rank's own
  std::vector<double> changes; ///< the largest of each sweep, of all ranks

  /// The cell (row, column) of the whole plate, counted without edges.
  [[nodiscard]] const T* at(long row, long column) const {
    return plate.data() + (row - part.rows.begin + 1) * (part.columns.count() + 2) + column -
           part.columns.begin + 1;
  }
};

/// Sweeps without an exchange: the rank's own cells and, of each side, as many more as can reach
/// them, one fewer in each sweep. So it proves the exchanges, too. Of all ranks.
template <class T>
[[nodiscard]] Reference<T> swept_alone(long rows, long columns, const ranks::Block& own,
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
  base::HostArray<T> next(result.plate.size());
  fill(rows, columns, all, 1, 1, result.plate.data());
  fill(rows, columns, all, 1, 1, next.data());
  for (int s = 0; s < sweeps; ++s) {
    const ranks::Block swept = around(sweeps - 1 - s);
    double largest = 0;
    std::mutex join;
    base::parallel_ranges(swept.rows.count(), [&](long begin, long end) {
      T mine = 0;
      for (long row = swept.rows.begin + begin; row < swept.rows.begin + end; ++row) {
        const bool own_row = row >= own.rows.begin && row < own.rows.end;
        const T* const old = result.plate.data() + (row - all.rows.begin + 1) * stride;
        T* const mean = next.data() + (row - all.rows.begin + 1) * stride;
        for (long column = swept.columns.begin; column < swept.columns.end; ++column) {
          const long j = column - all.columns.begin + 1;
          mean[j] = T(0.25) * (old[j + stride] + old[j - stride] + old[j + 1] + old[j - 1]);
          if (own_row && column >= own.columns.begin && column < own.columns.end)
            mine = std::max(mine, std::abs(mean[j] - old[j]));
        }
      }
      const std::lock_guard lock(join);
      largest = std::max(largest, static_cast<double>(mine));
    });
    result.changes.push_back(ranks::world().largest(largest));
    result.plate.swap(next);
  }
  return result;
}

} // namespace gangway::halo
