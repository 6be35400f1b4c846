// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inputs/csr.hpp"
#include "kernels/mapping.hpp"

namespace gangway::sparse {

/// How the rows of a matrix are shared out.
enum class Sharing {
  row_per_thread,  ///< one row an iteration of a flat range
  rows_per_worker, ///< some rows a worker, the non-zeros of a row over its vector
  row_blocks,      ///< blocks of whole rows, one a team: `RowBlocks`
  merge_path       ///< equal pieces of rows and non-zeros together: `MergePath`
};

/// Lanes for the non-zeros of a row, from the mean number of them: the fewest of 2, 4, 8, 16 and 32
/// that leave a lane at most three. With more, lanes idle and the sum takes more steps to join;
/// with fewer, neighbouring lanes load from far apart.
[[nodiscard]] int lanes_for(double mean_length);

/// Clauses and rows a worker for such rows: `lanes_for` the mean, gangs of 64 threads, four rows a
/// worker.
[[nodiscard]] kernels::Mapping rows_per_worker_mapping(const inputs::RowStatistics& rows);

/// Rows so uneven that sharing out rows is not sharing out work: the longest row would keep one
/// worker, or one of a device's `threads`, busy longer than a fair share of the whole matrix takes.
[[nodiscard]] bool is_skewed(const inputs::RowStatistics& rows, long nonzeros, int threads);

/// What suits rows of these lengths on a device that runs `threads` threads at a time and has
/// `wide_teams`, or on a host, where a team is one thread.
[[nodiscard]] Sharing sharing_for(const inputs::RowStatistics& rows, long nonzeros, int threads,
                                  bool wide_teams);

} // namespace gangway::sparse
