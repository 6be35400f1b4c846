// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"

#include <algorithm>

/// The plate that the study and the program `heat` begin with.
namespace gangway::jacobi {

/// How hot the edges are.
enum class Setup {
  document, ///< left and top 0; right from 0 at the top to 100, bottom from 0 at the left to 100
  guide     ///< top 1, the others 0
};

/// The plate before the first sweep: inside 0, its edges as the set-up has them.
inline void fill(Setup setup, long rows, long columns, double* plate) {
  const long stride = columns + 2;
  base::parallel_ranges((rows + 2) * stride,
                        [&](long begin, long end) { std::fill(plate + begin, plate + end, 0.0); });
  if (setup == Setup::guide) {
    std::fill(plate, plate + stride, 1.0);
    return;
  }
  const auto part_of_100 = [](long step, long steps) {
    return 100.0 * static_cast<double>(step) / static_cast<double>(std::max(steps, 1L));
  };
  for (long i = 0; i <= rows + 1; ++i)
    plate[i * stride + columns + 1] = part_of_100(i, rows);
  for (long j = 0; j <= columns + 1; ++j)
    plate[(rows + 1) * stride + j] = part_of_100(j, columns);
}

} // namespace gangway::jacobi
