// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

/// The plate that halo and halo_blocks cut.
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

} // namespace gangway::halo
