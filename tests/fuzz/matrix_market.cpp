// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix Market files, plain and gzip: what is read keeps every promise of a matrix, a plain file
// and the same one packed are the same matrix, and what is refused is refused in one line.
#include "fuzz.hpp"

#include "inputs/matrix_market.hpp"

#include <zlib.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

namespace {

using namespace gangway;
using fuzz::require;

/// Sizes beyond this only take time: memory is asked for before, which other tests look at.
constexpr long most_rows = 100000;

std::string packed(std::string_view text) {
  z_stream stream{};
  constexpr int gzip = 16 + MAX_WBITS;
  require(deflateInit2(&stream, 1, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// What `read` gives, or why it refuses, without the file's name.
template <class Value, class Read>
std::optional<Value> value_or_refusal(const fuzz::MemoryFile& file, const Read& read,
                                      std::string& refusal) {
  try {
    return read(file.path());
  } catch (const inputs::InputError& error) {
    const std::string name = file.path().string();
    refusal = error.what();
    require(refusal.starts_with(name + ":"), "it begins with the file", refusal);
    refusal.erase(0, name.size());
    require(refusal.find("; ") != std::string::npos, "it says what would be right", refusal);
    require(fuzz::is_printable(refusal) && refusal.size() < 1000, "it is a line", refusal);
  }
  return std::nullopt;
}

void require_sound(const inputs::CsrMatrix& matrix, const inputs::DeclaredSize& declared) {
  require(matrix.rows == declared.rows && matrix.columns == declared.columns, "size as declared");
  // Of what is symmetric the diagonal counts as full.
  require(matrix.nonzeros() <= declared.nonzeros + declared.rows, "no more entries than declared");
  require(matrix.row_offsets.size() == static_cast<std::size_t>(matrix.rows) + 1, "offsets");
  require(matrix.row_offsets.front() == 0, "the first offset");
  require(static_cast<std::size_t>(matrix.row_offsets.back()) == matrix.values.size() &&
              matrix.column_indices.size() == matrix.values.size(),
          "the last offset");
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    require(matrix.row_offsets[row] <= matrix.row_offsets[row + 1], "offsets ascend");
    std::int32_t before = -1;
    for (auto at = static_cast<std::size_t>(matrix.row_offsets[row]);
         at < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++at) {
      require(matrix.column_indices[at] > before && matrix.column_indices[at] < matrix.columns,
              "columns ascend and are the matrix's");
      require(std::isfinite(matrix.values[at]), "values are finite");
      before = matrix.column_indices[at];
    }
  }
}

template <class Array>
bool same_bytes(const Array& a, const Array& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

/// Whether the first lines have a number of so many digits that a vector would be long.
bool may_be_long(std::string_view text) {
  int digits = 0;
  for (const char c : text.substr(0, 2000)) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 6)
      return true;
  }
  return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile plain_file;
  static fuzz::MemoryFile packed_file;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  plain_file.assign(text);
  packed_file.assign(packed(text));
  // Within a stream nobody looks for another.
  const bool is_stream = text.starts_with("\x1f\x8b");

  std::string refusal;
  std::string packed_refusal;
  const auto declared =
      value_or_refusal<inputs::DeclaredSize>(plain_file, inputs::declared_size, refusal);
  if (declared && std::max(declared->rows, declared->columns) <= most_rows) {
    const auto matrix =
        value_or_refusal<inputs::CsrMatrix>(plain_file, inputs::read_matrix_market, refusal);
    if (matrix)
      require_sound(*matrix, *declared);
    if (!is_stream) {
      const auto unpacked = value_or_refusal<inputs::CsrMatrix>(
          packed_file, inputs::read_matrix_market, packed_refusal);
      require(matrix.has_value() == unpacked.has_value() && refusal == packed_refusal,
              "packed it is refused as it is plain", refusal + " / " + packed_refusal);
      require(!matrix || (same_bytes(matrix->row_offsets, unpacked->row_offsets) &&
                          same_bytes(matrix->column_indices, unpacked->column_indices) &&
                          same_bytes(matrix->values, unpacked->values)),
              "packed it is the same matrix");
    }
  }
  if (is_stream || may_be_long(text))
    return 0;
  refusal.clear();
  packed_refusal.clear();
  const auto vector =
      value_or_refusal<std::vector<double>>(plain_file, inputs::read_vector_matrix_market, refusal);
  const auto unpacked = value_or_refusal<std::vector<double>>(
      packed_file, inputs::read_vector_matrix_market, packed_refusal);
  require(vector.has_value() == unpacked.has_value() && refusal == packed_refusal,
          "packed it is refused as it is plain", refusal + " / " + packed_refusal);
  if (!vector)
    return 0;
  require(same_bytes(*vector, *unpacked), "packed it is the same vector");
  for (const double value : *vector)
    require(std::isfinite(value), "values are finite");
  return 0;
}
