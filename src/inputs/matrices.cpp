// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices.hpp"

#include "base/parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace gangway::inputs {

namespace {

/// Two passes, both parallel over rows: count(row) gives a row's length, then
/// fill(row, columns, values) writes its entries.
template <class Count, class Fill>
CsrMatrix assemble(long rows, const Count& count, const Fill& fill) {
  CsrMatrix matrix;
  matrix.rows = matrix.columns = static_cast<int>(rows);
  require_memory((rows + 1) * static_cast<long>(sizeof(std::int32_t)), "the matrix's row offsets");
  matrix.row_offsets.resize(static_cast<std::size_t>(rows) + 1);
  auto* const offsets = matrix.row_offsets.data();
  base::parallel_ranges(rows, [&](long begin, long end) {
    for (long row = begin; row < end; ++row)
      offsets[row + 1] = static_cast<std::int32_t>(count(row));
  });

  long nonzeros = 0;
  offsets[0] = 0;
  for (long row = 0; row < rows; ++row) {
    nonzeros += offsets[row + 1];
    offsets[row + 1] = static_cast<std::int32_t>(std::min(nonzeros, max_count));
  }
  require_index_range(nonzeros, "non-zeros");
  require_memory(nonzeros * static_cast<long>(sizeof(std::int32_t) + sizeof(double)),
                 "a matrix of " + std::to_string(nonzeros) + " non-zeros");
  matrix.column_indices.resize(static_cast<std::size_t>(nonzeros));
  matrix.values.resize(static_cast<std::size_t>(nonzeros));
  auto* const columns = matrix.column_indices.data();
  auto* const values = matrix.values.data();
  base::parallel_ranges(rows, [&](long begin, long end) {
    for (long row = begin; row < end; ++row)
      fill(row, columns + offsets[row], values + offsets[row]);
  });
  return matrix;
}

/// The distinct diagonals of the guide's matrix, ascending.
struct Diagonals {
  int count = 0;
  std::array<std::int32_t, 27> offsets{};
  std::array<double, 27> values{};
};

Diagonals guide_diagonals(int n) {
  if (n < 1 || n > max_guide_size)
    throw InputError("guide matrix: size " + std::to_string(n) + " is out of range: use 1 to " +
                     std::to_string(max_guide_size) + " (more gives over 2^31 - 1 non-zeros)");
  std::map<int, double> merged;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int offset = dz * n * n + dy * n + dx;
        merged[offset] += offset == 0 ? 27.0 : -1.0;
      }
  Diagonals result;
  for (const auto& [offset, value] : merged) {
    const auto index = static_cast<std::size_t>(result.count++);
    result.offsets[index] = offset;
    result.values[index] = value;
  }
  return result;
}

/// SplitMix64's finaliser (Steele, Lea, Flood 2014) over a counter: random access, so rows can be
/// filled in any order, and integers only, so every machine agrees.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// A number in [0, bound) from the upper half of a hash.
std::int64_t below(std::int64_t bound, std::uint64_t hash) {
  return static_cast<std::int64_t>(((hash >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}

/// Returns base^(1/divisor) for base >= 1. std::pow may differ in the last bit between libraries,
/// and a row length with it. This uses only single IEEE operations whose results feed no addition,
/// so that fused multiply-add cannot change them either; about 40 bits are right.
double root(double base, double divisor) {
  constexpr int bits = 40;

  int exponent = 0;
  double mantissa = 2 * std::frexp(base, &exponent); // in [1, 2)
  std::int64_t logarithm = exponent - 1;             // log2(base) in units of 2^-bits, bit by bit
  for (int bit = 0; bit < bits; ++bit) {
    mantissa *= mantissa;
    logarithm *= 2;
    if (mantissa >= 2) {
      mantissa *= 0.5;
      ++logarithm;
    }
  }

  const double quotient = static_cast<double>(logarithm) / divisor;
  if (quotient >= 1024.0 * (1LL << bits))
    return std::numeric_limits<double>::infinity();
  const auto power = static_cast<std::int64_t>(quotient);
  double result = 1;
  double factor = 2;
  for (int bit = bits - 1; bit >= 0; --bit) {
    factor = std::sqrt(factor); // 2^(2^(bit - bits))
    if ((power >> bit & 1) != 0)
      result *= factor;
  }
  return std::ldexp(result, static_cast<int>(power >> bits));
}

base::HostArray<std::int32_t> power_law_lengths(int rows, double mean, double exponent,
                                                unsigned seed) {
  const std::int32_t longest = std::max(1, rows / 4);
  const int empty = rows / 16;
  const int filled = rows - empty;
  const double wanted = mean * rows;
  const double least = static_cast<double>(longest) + (filled - 1);
  const double most = static_cast<double>(longest) * filled;
  if (!(wanted >= least && wanted <= most))
    throw InputError("power-law matrix: a mean of " + std::to_string(mean) +
                     " non-zeros per row is out of range: with " + std::to_string(rows) +
                     " rows use " + std::to_string(least / rows) + " to " +
                     std::to_string(most / rows));

  // Slot 0 is the longest row; the others follow the law by rank.
  base::HostArray<double> weights(static_cast<std::size_t>(filled));
  base::parallel_ranges(filled, [&](long begin, long end) {
    for (long rank = begin; rank < end; ++rank)
      weights[static_cast<std::size_t>(rank)] =
          root(static_cast<double>(filled) / static_cast<double>(rank + 1), exponent - 1);
  });
  const auto length = [&](double scale, long rank) {
    if (rank == 0)
      return longest;
    const double ideal = scale * weights[static_cast<std::size_t>(rank)];
    // The first comparison comes before the conversion, which must not overflow.
    return ideal >= longest ? longest : std::max(1, static_cast<std::int32_t>(ideal));
  };
  const auto total = [&](double scale) {
    std::int64_t sum = 0;
    for (long rank = 0; rank < filled; ++rank)
      sum += length(scale, rank);
    return sum;
  };
  double low = 0;
  double high = longest;
  for (int step = 0; step < 48; ++step) {
    const double middle = (low + high) / 2;
    if (static_cast<double>(total(middle)) < wanted)
      low = middle;
    else
      high = middle;
  }

  base::HostArray<std::int32_t> lengths(static_cast<std::size_t>(rows));
  for (long rank = 0; rank < rows; ++rank)
    lengths[static_cast<std::size_t>(rank)] = rank < filled ? length(high, rank) : 0;
  // Fisher-Yates, from the end.
  const std::uint64_t key = mix(seed);
  for (int last = rows - 1; last > 0; --last)
    std::swap(lengths[static_cast<std::size_t>(last)],
              lengths[static_cast<std::size_t>(
                  below(last + 1, mix(key ^ static_cast<std::uint64_t>(last))))]);
  return lengths;
}

/// The points of a grid, x fastest, and the neighbours that a stencil of 7 or 27 couples them with.
struct Grid {
  int nx;
  int ny;
  int nz;
  int points;

  /// Calls visit(neighbour, is_itself) for each of a point's neighbours, itself included,
  /// ascending.
  template <class Visit>
  void for_each_neighbour(long point, const Visit& visit) const {
    const long plane = static_cast<long>(nx) * ny;
    const int x = static_cast<int>(point % nx);
    const int y = static_cast<int>(point / nx % ny);
    const int z = static_cast<int>(point / plane);
    for (int dz = z > 0 ? -1 : 0; dz <= (z < nz - 1 ? 1 : 0); ++dz)
      for (int dy = y > 0 ? -1 : 0; dy <= (y < ny - 1 ? 1 : 0); ++dy)
        for (int dx = x > 0 ? -1 : 0; dx <= (x < nx - 1 ? 1 : 0); ++dx) {
          const int distance = dx * dx + dy * dy + dz * dz;
          if (points == 27 || distance <= 1)
            visit(point + dz * plane + dy * static_cast<long>(nx) + dx, distance == 0);
        }
  }
  [[nodiscard]] int neighbours(long point) const {
    int count = 0;
    for_each_neighbour(point, [&](long, bool) { ++count; });
    return count;
  }
};

/// Returns the number of points. Errors: InputError where there are none, or with so many rows each
/// more than an index can say.
long count_points(int nx, int ny, int nz, int rows_each, const std::string& matrix) {
  if (nx < 1 || ny < 1 || nz < 1)
    throw InputError(matrix + ": a grid of " + std::to_string(nx) + " x " + std::to_string(ny) +
                     " x " + std::to_string(nz) + " points has no points: use 1 or more each way");
  // Each factor is below 2^31, so no product overflows once the one before it is checked.
  long rows = static_cast<long>(nx) * ny;
  require_index_range(rows, "rows of a " + matrix);
  rows *= nz;
  require_index_range(rows, "rows of a " + matrix);
  require_index_range(rows * rows_each, "rows of a " + matrix);
  return rows;
}

/// Rows of length(row) non-zeros, whose columns are spread over the whole width.
template <class Length>
CsrMatrix scattered_matrix(int rows, const Length& length, unsigned seed) {
  const std::uint64_t key = mix(mix(seed));
  return assemble(rows, length, [&](long row, std::int32_t* columns, double* values) {
    const std::int64_t count = length(row);
    const std::uint64_t row_key = mix(key ^ static_cast<std::uint64_t>(row));
    // One column from each of `count` equal parts of the row: distinct and ascending as drawn.
    for (std::int64_t entry = 0; entry < count; ++entry) {
      const std::int64_t begin = entry * rows / count;
      const std::int64_t end = (entry + 1) * rows / count;
      const std::uint64_t hash = mix(row_key ^ static_cast<std::uint64_t>(entry));
      columns[entry] = static_cast<std::int32_t>(begin + below(end - begin, hash));
      // 53 bits of a second hash, scaled by a power of two: exact, then one subtraction.
      values[entry] = static_cast<double>(mix(hash) >> 11) * 0x1p-52 - 1.0;
    }
  });
}

} // namespace

long guide_matrix_rows(int n) {
  static_cast<void>(guide_diagonals(n)); // for its check
  const long side = n + 1L;
  return side * side * side;
}

long guide_matrix_nonzeros(int n) {
  const Diagonals diagonals = guide_diagonals(n);
  const long rows = guide_matrix_rows(n);
  long result = 0;
  for (int index = 0; index < diagonals.count; ++index)
    result += rows - std::abs(diagonals.offsets[static_cast<std::size_t>(index)]);
  return result;
}

CsrMatrix guide_matrix(int n) {
  static_cast<void>(guide_diagonals(n)); // for its check
  return guide_matrix(n, n + 1);
}

CsrMatrix guide_matrix(int n, int planes) {
  const Diagonals diagonals = guide_diagonals(n);
  const long rows = count_points(n + 1, n + 1, planes, 1, "guide matrix");
  const auto* const begin = diagonals.offsets.begin();
  const auto* const end = begin + diagonals.count;
  // The diagonals are ascending, so those that stay inside at a row are neighbours.
  const auto first = [&](long row) { return std::lower_bound(begin, end, -row) - begin; };
  const auto last = [&](long row) { return std::lower_bound(begin, end, rows - row) - begin; };
  return assemble(
      rows, [&](long row) { return last(row) - first(row); },
      [&](long row, std::int32_t* columns, double* values) {
        const auto skip = first(row);
        const auto length = last(row) - skip;
        for (std::ptrdiff_t entry = 0; entry < length; ++entry) {
          columns[entry] = static_cast<std::int32_t>(row) + begin[skip + entry];
          values[entry] = diagonals.values[static_cast<std::size_t>(skip + entry)];
        }
      });
}

CsrMatrix grid_matrix(int nx, int ny, int nz, int points) {
  const long rows = count_points(nx, ny, nz, 1, "grid matrix");
  if (points != 7 && points != 27)
    throw InputError("grid matrix: a stencil of " + std::to_string(points) +
                     " points is not known: use 7 or 27");
  const Grid grid{nx, ny, nz, points};
  const double diagonal = points - 1;
  return assemble(
      rows, [&](long row) { return grid.neighbours(row); },
      [&](long row, std::int32_t* columns, double* values) {
        grid.for_each_neighbour(row, [&](long column, bool is_diagonal) {
          *columns++ = static_cast<std::int32_t>(column);
          *values++ = is_diagonal ? diagonal : -1.0;
        });
      });
}

CsrMatrix elements_matrix(int nx, int ny, int nz, int unknowns) {
  if (unknowns < 1 || unknowns > 64)
    throw InputError("elements matrix: " + std::to_string(unknowns) +
                     " unknowns at each point are out of range: use 1 to 64");
  const long points = count_points(nx, ny, nz, unknowns, "elements matrix");
  const Grid grid{nx, ny, nz, 27};
  return assemble(
      points * unknowns, [&](long row) { return grid.neighbours(row / unknowns) * unknowns; },
      [&](long row, std::int32_t* columns, double* values) {
        grid.for_each_neighbour(row / unknowns, [&](long neighbour, bool is_itself) {
          const double entry = is_itself ? 26.0 : -1.0;
          for (long unknown = 0; unknown < unknowns; ++unknown) {
            *columns++ = static_cast<std::int32_t>(neighbour * unknowns + unknown);
            *values++ = unknown == row % unknowns ? entry : entry / 4;
          }
        });
      });
}

CsrMatrix dense_rows_matrix(int rows, int each, int dense, unsigned seed) {
  if (rows < 1)
    throw InputError("dense-rows matrix: " + std::to_string(rows) +
                     " rows are too few: use 1 or more");
  for (const int count : {each, dense})
    if (count < 0 || count > rows)
      throw InputError("dense-rows matrix: " + std::to_string(count) +
                       (count == each ? " non-zeros a row" : " dense rows") +
                       " are out of range: with " + std::to_string(rows) + " rows use 0 to " +
                       std::to_string(rows));
  const long longest = std::max(1, rows / 4);
  // The k-th of them is row k * rows / dense: a row is one if a multiple of rows lies in its step.
  const auto is_dense = [=](long row) {
    return dense > 0 && (row * dense + rows - 1) / rows * rows < (row + 1) * dense;
  };
  return scattered_matrix(rows, [&](long row) { return is_dense(row) ? longest : each; }, seed);
}

CsrMatrix power_law_matrix(int rows, double mean, double exponent, unsigned seed) {
  if (rows < 1)
    throw InputError("power-law matrix: " + std::to_string(rows) +
                     " rows are too few: use 1 or more");
  if (!(exponent > 1) || !std::isfinite(exponent))
    throw InputError("power-law matrix: exponent " + std::to_string(exponent) +
                     " is out of range: use more than 1 (2 to 3 is usual)");
  require_memory(rows * static_cast<long>(2 * sizeof(std::int32_t) + sizeof(double)),
                 "the matrix's row lengths");
  const base::HostArray<std::int32_t> lengths = power_law_lengths(rows, mean, exponent, seed);
  return scattered_matrix(
      rows, [&](long row) { return lengths[static_cast<std::size_t>(row)]; }, seed);
}

} // namespace gangway::inputs
