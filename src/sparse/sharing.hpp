// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/csr.hpp"

#include <algorithm>
#include <cmath>

namespace gangway::sparse {

// Standard C++ only: this header is also read by the OpenACC compiler.

/// Ways to share out the rows of a matrix.
enum class Sharing {
  row_per_thread,  ///< one row per iteration of a flat range
  rows_per_worker, ///< some rows per worker, the non-zeros of a row over its vector
  row_blocks,      ///< blocks of whole rows, one per team
  merge_path       ///< equal pieces of rows and non-zeros together
};

/// Facts beside the matrix that decide: the device, and what a model does well on it.
struct SharedBy {
  int threads;         ///< that run at a time
  long longest_row;    ///< of a matrix that is cut into blocks of rows; -1: none is
  double fewest_lanes; ///< with fewer non-zeros per row on average, each thread takes a row
};

/// Returns true if rows are so uneven that sharing out rows is not sharing out work. The longest
/// row would keep one worker, or one of a device's `threads`, busy longer than a fair share of the
/// whole matrix takes.
[[nodiscard]] inline bool is_skewed(const inputs::RowStatistics& rows, long nonzeros, int threads) {
  const double fair = static_cast<double>(nonzeros) / std::max(1, 8 * threads);
  return static_cast<double>(rows.maximum) > std::max(fair, 32 * (rows.mean + 1)) ||
         rows.standard_deviation > 4 * (rows.mean + 1);
}

/// Chooses what suits rows of these lengths.
[[nodiscard]] inline Sharing sharing_for(const inputs::RowStatistics& rows, long nonzeros,
                                         const SharedBy& by) {
  if (is_skewed(rows, nonzeros, by.threads))
    return Sharing::merge_path;
  if (rows.maximum <= by.longest_row)
    return Sharing::row_blocks;
  return rows.mean < by.fewest_lanes ? Sharing::row_per_thread : Sharing::rows_per_worker;
}

/// The lengths of the rows of `matrix`, but for `minimum` and `empty`, on one thread.
[[nodiscard]] inline inputs::RowStatistics lengths_of_rows(const Csr& matrix) {
  inputs::RowStatistics lengths;
  if (matrix.rows == 0)
    return lengths;
  double squares = 0;
  for (int row = 0; row < matrix.rows; ++row) {
    const long length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
    squares += static_cast<double>(length * length);
    lengths.maximum = std::max(lengths.maximum, length);
  }
  lengths.mean = static_cast<double>(matrix.nonzeros()) / matrix.rows;
  lengths.standard_deviation =
      std::sqrt(std::max(0.0, squares / matrix.rows - lengths.mean * lengths.mean));
  return lengths;
}

} // namespace gangway::sparse
