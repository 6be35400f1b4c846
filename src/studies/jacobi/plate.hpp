// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"

#include <algorithm>

/// The plate that the study and the program `heat` begin with.
namespace gangway::jacobi {

/// Temperatures of the edges.
enum class Setup {
  document, ///< left and top 0; right from 0 at the top to 100, bottom from 0 at the left to 100
  guide     ///< top 1, the others 0
};

/// `count` rows of the plate before the first sweep, from row `first` on; its edges are the rows 0
/// and rows + 1. Inside 0, its edges as the set-up has them.
inline void fill(Setup setup, long rows, long columns, long first, long count, double* plate) {
  const long stride = columns + 2;
  base::parallel_ranges(count * stride,
                        [&](long begin, long end) { std::fill(plate + begin, plate + end, 0.0); });
  double* const top = first == 0 ? plate : nullptr;
  double* const bottom = first + count == rows + 2 ? plate + (count - 1) * stride : nullptr;
  if (setup == Setup::guide) {
    if (top != nullptr)
      std::fill(top, top + stride, 1.0);
    return;
  }
  const auto part_of_100 = [](long step, long steps) {
    return 100.0 * static_cast<double>(step) / static_cast<double>(std::max(steps, 1L));
  };
  for (long i = 0; i < count; ++i)
    plate[i * stride + columns + 1] = part_of_100(first + i, rows);
  if (bottom != nullptr)
    for (long j = 0; j <= columns + 1; ++j)
      bottom[j] = part_of_100(j, columns);
}

/// All rows of it.
inline void fill(Setup setup, long rows, long columns, double* plate) {
  fill(setup, rows, columns, 0, rows + 2, plate);
}

} // namespace gangway::jacobi
