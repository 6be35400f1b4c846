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

/// base^(1/divisor) for base >= 1. std::pow may differ in the last bit between libraries, and a row
/// length with it. This uses only single IEEE operations whose results feed no addition, so that
/// fused multiply-add cannot change them either; about 40 bits are right.
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
  const Diagonals diagonals = guide_diagonals(n);
  const auto rows = static_cast<std::int32_t>(guide_matrix_rows(n));
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
  if (nx < 1 || ny < 1 || nz < 1)
    throw InputError("grid matrix: a grid of " + std::to_string(nx) + " x " + std::to_string(ny) +
                     " x " + std::to_string(nz) + " points has no points: use 1 or more each way");
  if (points != 7 && points != 27)
    throw InputError("grid matrix: a stencil of " + std::to_string(points) +
                     " points is not known: use 7 or 27");
  // Each factor is below 2^31, so neither product overflows once the first is checked.
  require_index_range(static_cast<long>(nx) * ny, "rows of a grid matrix");
  const long rows = static_cast<long>(nx) * ny * nz;
  require_index_range(rows, "rows of a grid matrix");

  // Calls visit(column, is_diagonal) for each entry of a row, columns ascending.
  const auto for_each_entry = [=](long row, const auto& visit) {
    const long plane = static_cast<long>(nx) * ny;
    const int x = static_cast<int>(row % nx);
    const int y = static_cast<int>(row / nx % ny);
    const int z = static_cast<int>(row / plane);
    for (int dz = z > 0 ? -1 : 0; dz <= (z < nz - 1 ? 1 : 0); ++dz)
      for (int dy = y > 0 ? -1 : 0; dy <= (y < ny - 1 ? 1 : 0); ++dy)
        for (int dx = x > 0 ? -1 : 0; dx <= (x < nx - 1 ? 1 : 0); ++dx) {
          const int distance = dx * dx + dy * dy + dz * dz;
          if (points == 27 || distance <= 1)
            visit(row + dz * plane + dy * static_cast<long>(nx) + dx, distance == 0);
        }
  };
  const double diagonal = points - 1;
  return assemble(
      rows,
      [&](long row) {
        int length = 0;
        for_each_entry(row, [&](long, bool) { ++length; });
        return length;
      },
      [&](long row, std::int32_t* columns, double* values) {
        for_each_entry(row, [&](long column, bool is_diagonal) {
          *columns++ = static_cast<std::int32_t>(column);
          *values++ = is_diagonal ? diagonal : -1.0;
        });
      });
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
  const std::uint64_t key = mix(mix(seed));
  return assemble(
      rows, [&](long row) { return lengths[static_cast<std::size_t>(row)]; },
      [&](long row, std::int32_t* columns, double* values) {
        const std::int64_t length = lengths[static_cast<std::size_t>(row)];
        const std::uint64_t row_key = mix(key ^ static_cast<std::uint64_t>(row));
        // One column from each of `length` equal parts of the row: distinct and ascending as drawn.
        for (std::int64_t entry = 0; entry < length; ++entry) {
          const std::int64_t begin = entry * rows / length;
          const std::int64_t end = (entry + 1) * rows / length;
          const std::uint64_t hash = mix(row_key ^ static_cast<std::uint64_t>(entry));
          columns[entry] = static_cast<std::int32_t>(begin + below(end - begin, hash));
          // 53 bits of a second hash, scaled by a power of two: exact, then one subtraction.
          values[entry] = static_cast<double>(mix(hash) >> 11) * 0x1p-52 - 1.0;
        }
      });
}

} // namespace gangway::inputs
