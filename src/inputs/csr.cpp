// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr.hpp"

#include "base/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <mutex>
#include <string>

#include <unistd.h>

namespace gangway::inputs {

namespace {

/// Returns how many bytes can still be allocated without swapping, as far as the system says; a
/// container's limit counts too.
long available_memory() {
  long available = sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);

  // Free pages leave out the page cache, which is given back on demand: Linux's own estimate.
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    if (long kibibytes = 0; key == "MemAvailable:" && meminfo >> kibibytes) {
      available = kibibytes * 1024;
      break;
    }
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  if (long bytes = 0; limit >> bytes)
    available = std::min(available, bytes);
  return available;
}

} // namespace

RowStatistics row_statistics(const CsrMatrix& matrix) {
  RowStatistics result;
  if (matrix.rows == 0)
    return result;

  const auto* const offsets = matrix.row_offsets.data();
  result.minimum = max_count;
  result.mean = static_cast<double>(matrix.nonzeros()) / matrix.rows;

  double squares = 0;
  std::mutex join;
  base::parallel_ranges(matrix.rows, [&](long begin, long end) {
    RowStatistics part{.minimum = max_count};
    double part_squares = 0;
    for (long row = begin; row < end; ++row) {
      const long length = offsets[row + 1] - offsets[row];
      part.minimum = std::min(part.minimum, length);
      part.maximum = std::max(part.maximum, length);
      part.empty += length == 0;
      const double deviation = static_cast<double>(length) - result.mean;
      part_squares += deviation * deviation;
    }
    const std::lock_guard lock(join);
    result.minimum = std::min(result.minimum, part.minimum);
    result.maximum = std::max(result.maximum, part.maximum);
    result.empty += part.empty;
    squares += part_squares;
  });
  result.standard_deviation = std::sqrt(squares / matrix.rows);
  return result;
}

void require_index_range(long count, std::string_view what) {
  if (count > max_count)
    throw InputError(std::to_string(count) + " " + std::string(what) +
                     " are more than 32-bit indices can number: at most 2147483647 (2^31 - 1)");
}

void require_memory(long bytes, std::string_view what) {
  const long available = available_memory();
  if (bytes > available)
    throw InputError(std::string(what) + " needs " + std::to_string(bytes >> 20) +
                     " MiB, but this machine has " + std::to_string(available >> 20) +
                     " MiB to give: choose a smaller size");
}

std::string why_not_symmetric(const CsrMatrix& matrix) {
  const auto at = [](long index) { return static_cast<std::size_t>(index); };
  if (matrix.rows != matrix.columns)
    return fmt::format("it has {} rows and {} columns", matrix.rows, matrix.columns);
  // Report the fault of the first row that has one.
  std::mutex guard;
  long worst_row = matrix.rows;
  std::string fault;
  base::parallel_ranges(matrix.rows, [&](long begin, long end) {
    for (long row = begin; row < end; ++row)
      for (auto j = at(matrix.row_offsets[at(row)]); j < at(matrix.row_offsets[at(row + 1)]); ++j) {
        const int column = matrix.column_indices[j];
        const auto first = matrix.column_indices.begin() + matrix.row_offsets[at(column)];
        const auto last = matrix.column_indices.begin() + matrix.row_offsets[at(column + 1)];
        const auto mirrored = std::lower_bound(first, last, static_cast<int>(row));
        const double value = matrix.values[j];
        const double other = mirrored != last && *mirrored == row
                                 ? matrix.values[at(mirrored - matrix.column_indices.begin())]
                                 : 0.0;
        if (std::abs(value - other) <= 1e-10 * std::max(std::abs(value), std::abs(other)))
          continue;
        const std::lock_guard lock(guard);
        if (row < worst_row) {
          worst_row = row;
          fault = fmt::format("entry ({}, {}) is {} and entry ({}, {}) is {}", row + 1, column + 1,
                              value, column + 1, row + 1, other);
        }
        return;
      }
  });
  return fault;
}

} // namespace gangway::inputs
