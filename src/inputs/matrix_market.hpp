// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "csr.hpp"

#include <filesystem>
#include <span>
#include <vector>

namespace gangway::inputs {

/// Reads a sparse matrix from a Matrix Market file, plain or gzip
/// (https://math.nist.gov/MatrixMarket/formats.html): coordinate; real, integer, or pattern (every
/// value 1); general, symmetric or skew-symmetric (both expanded to all their entries). Duplicate
/// entries are summed, in the order of the file. Zeros that the file stores stay stored. The file
/// may have no entries at all, but not zero rows or columns.
///
/// More lenient than the format: comments and blank lines anywhere after the banner, a leading '+'
/// on numbers, either kind of line end. As strict as the format: an entry above the diagonal of a
/// symmetric matrix, a non-zero on the diagonal of a skew-symmetric one, a missing, surplus or
/// malformed entry, and a value that is not finite are errors.
///
/// The file is read twice, to count and to fill: peak memory is that of the matrix, plus 16 bytes
/// per entry of the longest row whose columns are not ascending.
///
/// Throws InputError, whose message begins with the file and, where there is one, the line.
[[nodiscard]] CsrMatrix read_matrix_market(const std::filesystem::path& path);

/// The size that the first lines of a matrix's file declare.
struct DeclaredSize {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  /// Non-zeros of the matrix that is read, unless the file stores places twice. A symmetric matrix
  /// counts with both its halves, and its diagonal as full.
  long nonzeros = 0;
};

/// Reads no further than the size line, so that memory can be asked for before anything is
/// allocated. Throws InputError like read_matrix_market.
[[nodiscard]] DeclaredSize declared_size(const std::filesystem::path& path);

/// Reads a vector (of a right-hand side, say): real or integer, general, one column; array, or
/// coordinate, where missing entries are zero and duplicates are summed. Plain or gzip.
/// Throws InputError like read_matrix_market.
[[nodiscard]] std::vector<double> read_vector_matrix_market(const std::filesystem::path& path);

/// Throws InputError where write_vector_matrix_market would refuse to write at `path`: a folder,
/// and what is no file, such as a pipe or a device. For programs that compute long before they
/// write.
void require_vector_file(const std::filesystem::path& path);

/// Writes a vector as `array real general` with one column, each value in the fewest digits that
/// read back to the same bits. The file is written whole or not at all: what was at `path` stays
/// until the new file is complete. Throws InputError when the file cannot be written, and when a
/// value is not finite, which the format cannot say.
void write_vector_matrix_market(const std::filesystem::path& path, std::span<const double> vector);

} // namespace gangway::inputs
