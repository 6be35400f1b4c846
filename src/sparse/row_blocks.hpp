// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inputs/csr.hpp"
#include "sparse/staging.hpp"

#include <string>
#include <vector>

namespace gangway::sparse {

/// The first row of each block, and one past the last row: the blocks hold all rows in order, each
/// block as many whole rows as have at most `most_nonzeros` non-zeros together, `longest` being the
/// longest row's, and at most `most_rows` rows. `longest` at most `most_nonzeros`, `most_rows` at
/// least 1.
[[nodiscard]] std::vector<int> first_rows_of_blocks(const Csr& matrix, int longest,
                                                    int most_nonzeros, int most_rows);

/// Whole rows in blocks of about equal numbers of non-zeros, one block per team: the team loads the
/// block's non-zeros side by side and stages the products; then each of its threads sums a row at a
/// time. For rows that are short against a block. (Greathouse and Daga, Efficient sparse
/// matrix-vector multiplication on GPUs using the CSR storage format, SC 2014, call it CSR-Stream.)
class RowBlocks {
public:
  using Rows = Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace>;

  static constexpr int threads = 128; ///< of a team
  static constexpr int staged = most_staged(threads);
  /// A block ends with the row that fills it, so it may lack the longest row's length of what its
  /// team can stage: with rows of up to half of that, a team still has half of its loads to do.
  static constexpr int longest_row = staged / 2;
  /// Empty rows have no non-zeros to fill a block with, but each costs a store.
  static constexpr int most_rows = 4 * staged;

  /// Says why a matrix with rows of these lengths cannot be cut into blocks; empty if it can.
  [[nodiscard]] static std::string why_not(const inputs::RowStatistics& rows);

  /// Cuts a matrix whose rows have these lengths. The labels of its arrays on the device and of its
  /// kernel begin with `label`. Errors: std::invalid_argument that says `why_not`.
  RowBlocks(std::string label, const Csr& matrix, const inputs::RowStatistics& rows);

  [[nodiscard]] int count() const { return _count; }
  /// First row of each block, and one past the last row.
  [[nodiscard]] const Rows& first_rows() const { return _first_rows; }
  /// Policy of a kernel in which each team takes a block and stages its products.
  [[nodiscard]] auto policy() const {
    return staging_policy({.workers = threads, .vector = 1}, _count);
  }

  /// out = A in; of that matrix. Returns before the kernel has ended.
  void operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                  const DeviceView<double>& out) const;

private:
  std::string _label;
  int _count;
  Rows _first_rows;
};

/// The sum of a row whose products are staged, by one thread: they are near, and a vector's
/// reduction would cost more.
KOKKOS_INLINE_FUNCTION double sum_of_row(const StagedProducts& product, const DeviceCsr& a,
                                         int row) {
  double sum = 0;
  for (int j = a.row_offsets(row); j < a.row_offsets(row + 1); ++j)
    sum += product(j);
  return sum;
}

} // namespace gangway::sparse
