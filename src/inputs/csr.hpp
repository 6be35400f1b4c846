// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gangway::inputs {

/// An input that cannot be used. The message says what was wrong, where, and what would be right.
class InputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The most rows, columns and non-zeros a matrix may have: what a 32-bit index can say.
inline constexpr long max_count = std::numeric_limits<std::int32_t>::max();

/// A sparse matrix in compressed sparse rows. Every function of this folder that returns one
/// leaves the columns of each row distinct and ascending.
struct CsrMatrix {
  int rows = 0;
  int columns = 0;
  base::HostArray<std::int32_t>
      row_offsets; ///< rows + 1; row r holds [row_offsets[r], row_offsets[r+1])
  base::HostArray<std::int32_t> column_indices; ///< one per non-zero, in [0, columns)
  base::HostArray<double> values;               ///< one per non-zero

  [[nodiscard]] long nonzeros() const { return static_cast<long>(values.size()); }

  /// Bytes of the three arrays.
  [[nodiscard]] long bytes() const {
    return static_cast<long>(row_offsets.size() * sizeof(std::int32_t) +
                             column_indices.size() * sizeof(std::int32_t) +
                             values.size() * sizeof(double));
  }
};

/// Lengths of a matrix's rows, in non-zeros. All zero for a matrix without rows.
struct RowStatistics {
  long minimum = 0;
  long maximum = 0;
  double mean = 0;
  double standard_deviation = 0; ///< of the population: divided by rows, not by rows - 1
  long empty = 0;                ///< rows without a non-zero
};

[[nodiscard]] RowStatistics row_statistics(const CsrMatrix& matrix);

/// Returns why a matrix is none for conjugate gradients, with the first entry that shows it; empty
/// if it is one. Looks at shape and symmetry (to 10 digits), not at definiteness.
[[nodiscard]] std::string why_not_symmetric(const CsrMatrix& matrix);

/// Throws InputError when `count`, the number of `what`, exceeds max_count.
void require_index_range(long count, std::string_view what);

/// Throws InputError when `bytes` more than is allocated now would not fit in this machine's
/// memory. Systems promise more memory than there is, and kill a process that then touches it
/// without a word: so this asks before.
void require_memory(long bytes, std::string_view what);

} // namespace gangway::inputs
