// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/rows.hpp"

#include "sparse/row_blocks.hpp"

#include <algorithm>

namespace gangway::sparse {

int lanes_for(double mean_length) {
  int lanes = 2;
  while (lanes < 32 && 3 * lanes < mean_length)
    lanes *= 2;
  return lanes;
}

kernels::Mapping rows_per_worker_mapping(const inputs::RowStatistics& rows) {
  const int lanes = lanes_for(rows.mean);
  return {{.workers = 64 / lanes, .vector = lanes}, 4};
}

bool is_skewed(const inputs::RowStatistics& rows, long nonzeros, int threads) {
  const double fair = static_cast<double>(nonzeros) / std::max(1, 8 * threads);
  return static_cast<double>(rows.maximum) > std::max(fair, 32 * (rows.mean + 1)) ||
         rows.standard_deviation > 4 * (rows.mean + 1);
}

Sharing sharing_for(const inputs::RowStatistics& rows, long nonzeros, int threads,
                    bool wide_teams) {
  if (is_skewed(rows, nonzeros, threads))
    return Sharing::merge_path;
  if (!wide_teams)
    return Sharing::row_per_thread;
  return RowBlocks::why_not(rows).empty() ? Sharing::row_blocks : Sharing::rows_per_worker;
}

} // namespace gangway::sparse
