// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/csr.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

/// What the OpenACC variants of `spmv` work out once for a matrix, on the host.
namespace gangway::spmv {

/// Of a gang of `row-blocks`, and of a worker of `merge-path`.
inline constexpr int lanes = 32;

/// Products that a gang of `row-blocks` stages: eight for each of its lanes, 2 KB.
inline constexpr int staged = 8 * lanes;

/// Whole rows in blocks of at most so many non-zeros; a longer row is a block of its own. A plan's
/// array is on the host and, until the plan ends, on the device.
struct RowBlocks {
  std::vector<int> first_rows; ///< of each block, and one past the last row

  [[nodiscard]] int count() const { return static_cast<int>(first_rows.size()) - 1; }
};

/// Empty rows have no non-zeros to fill a block with, but each costs a store.
inline constexpr int most_rows = 4 * staged;

inline std::vector<int> first_rows_of_blocks(const sparse::Csr& matrix) {
  std::vector<int> first{0};
  for (int row = 1; row < matrix.rows; ++row)
    if (matrix.row_offsets[row + 1] - matrix.row_offsets[first.back()] > staged ||
        row - first.back() >= most_rows)
      first.push_back(row);
  if (matrix.rows > 0)
    first.push_back(matrix.rows);
  return first;
}

// The merge path: the way down the rows and along the non-zeros, which takes a step for each of
// both. A chunk of it is a worker's, a piece of the chunk a lane's.

/// Steps of a piece: as many doubles as a line of 128 bytes holds, for what a lane fetches is to be
/// its own to use.
inline constexpr int piece = 16;
inline constexpr int chunk = lanes * piece;

/// The arrays are on the device; of these on the host only the addresses are used.
struct MergePath {
  explicit MergePath(long path)
      : chunks(std::max(1, static_cast<int>((path + chunk - 1) / chunk))), pieces(chunks * lanes),
        first_rows(std::make_unique_for_overwrite<int[]>(static_cast<std::size_t>(chunks) + 1)),
        end_rows(std::make_unique_for_overwrite<int[]>(static_cast<std::size_t>(pieces))),
        carries(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(pieces))),
        chunk_carries(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(chunks))) {}

  int chunks;
  int pieces;
  std::unique_ptr<int[]> first_rows;       ///< not ended where a chunk begins; chunks + 1
  std::unique_ptr<int[]> end_rows;         ///< the row that a piece's end cuts; pieces
  std::unique_ptr<double[]> carries;       ///< what a piece has of that row; pieces
  std::unique_ptr<double[]> chunk_carries; ///< the same of chunks
};

/// What suits the matrix, and its plan.
struct Auto {
  enum class Sharing { row_per_thread, rows_per_worker, row_blocks, merge_path } sharing;
  void* plan;
};

/// As Kokkos' `auto` decides (src/sparse/rows.cpp). But a private array of a gang is cheap only
/// where the compiler does not copy it each time the gang's lanes are set to work, as GCC does:
/// there short rows are a lane's each, and others a worker's.
inline Auto::Sharing sharing_for(const sparse::Csr& matrix) {
#ifdef __NVCOMPILER
  constexpr bool stages = true;
#else
  constexpr bool stages = false;
#endif
  constexpr double lanes_in_flight = 1 << 18; // of a large GPU
  if (matrix.rows == 0)
    return Auto::Sharing::row_per_thread;
  double squares = 0;
  int longest = 0;
  for (int row = 0; row < matrix.rows; ++row) {
    const int length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
    squares += static_cast<double>(length) * length;
    longest = std::max(longest, length);
  }
  const double mean = static_cast<double>(matrix.nonzeros()) / matrix.rows;
  const double deviation = std::sqrt(std::max(0.0, squares / matrix.rows - mean * mean));
  const double fair_share = matrix.nonzeros() / (8 * lanes_in_flight);
  if (longest > std::max(fair_share, 32 * (mean + 1)) || deviation > 4 * (mean + 1))
    return Auto::Sharing::merge_path;
  if (stages && longest <= staged / 2) // so that blocks are at least half full
    return Auto::Sharing::row_blocks;
  // A vector has 32 lanes: with fewer non-zeros than half of that most of them would idle.
  return mean < 16 ? Auto::Sharing::row_per_thread : Auto::Sharing::rows_per_worker;
}

} // namespace gangway::spmv
