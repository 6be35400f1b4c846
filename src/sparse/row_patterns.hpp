// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inputs/csr.hpp"
#include "sparse/device_csr.hpp"
#include "sparse/on_device.hpp"
#include "sparse/patterns.hpp"
#include "sparse/staging.hpp"

#include <cstdint>
#include <string>

namespace gangway::sparse {

/// A product that reads no column indices: a row's pattern says where its non-zeros are, in 4 bytes
/// a row instead of 4 a non-zero and 4 a row. A team takes a block of whole rows; it loads the
/// block's values side by side into scratch, and then each of its threads sums a row: neighbouring
/// rows, whose elements of the vector are neighbours, too. (Compression of indices: Kourtis,
/// Goumas and Koziris, Optimizing sparse matrix-vector multiplication using index and value
/// compression, CF 2008. Theirs are differences within a row.)
///
/// For matrices with few patterns and rows that are short against a block, `why_not` of others.
class RowPatterns {
public:
  static constexpr int threads = 128; ///< of a team
  static constexpr int longest_row = threads * staged_per_thread / 2;
  static constexpr int most_rows =
      threads * staged_per_thread; ///< of a block; where rows are empty

  /// Returns how many values a thread stages, for rows of this mean length. For longer rows it is
  /// twice as many, so that more of a team's threads have a row to sum.
  [[nodiscard]] static constexpr int staged_each(double mean) {
    return mean > 12 ? 2 * staged_per_thread : staged_per_thread;
  }

  /// Plans products with `matrix`. The labels of its arrays on the device and of its kernel begin
  /// with `label`. Errors: std::invalid_argument that says `why_not`.
  /// `staging`: by blocks as above; false: one row per thread, for hosts, because their threads
  /// read a row's values one after another anyway.
  RowPatterns(std::string label, const Csr& matrix, const inputs::RowStatistics& rows,
              bool staging = has_device);

  /// Says why these patterns of a matrix whose rows have these lengths do not fit; empty if they
  /// fit.
  [[nodiscard]] static std::string why_not(const Patterns& patterns,
                                           const inputs::RowStatistics& rows);

  /// out = A in; of that matrix, whose values may have changed since. Returns before the kernel has
  /// ended.
  void operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                  const DeviceView<double>& out) const;

  /// Data that a kernel reads beside the matrix.
  struct Plan {
    int blocks;
    int staged_each;          ///< values per thread of a team
    List<int> first_rows;     ///< of each block, and one past the last
    List<std::uint32_t> rows; ///< pattern, and from bit 16 on where the row begins in its block
    List<int> first;          ///< of Patterns
    List<int> offsets;        ///< of Patterns
  };

private:
  std::string _label;
  bool _staging;
  Plan _plan;
};

} // namespace gangway::sparse
