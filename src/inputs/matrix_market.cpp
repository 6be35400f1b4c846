// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_market.hpp"

#include "base/output_file.hpp"
#include "base/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

namespace gangway::inputs {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view banner_example = "'%%MatrixMarket matrix coordinate real general'";

/// Text from a file, in quotes and fit for a terminal: short, and printable ASCII.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  for (const char c : text.substr(0, longest))
    result += c >= ' ' && c <= '~' ? c : (c == '\t' ? ' ' : '?');
  return result + (text.size() > longest ? "...'" : "'");
}

/// The bytes of a file: as they are, or what its gzip streams hold. zlib's gzread does the same,
/// but where a stream ends together with one of its buffers, it takes a whole one for cut off, or
/// one that is cut off for whole.
class ByteReader {
public:
  ByteReader() : _in(std::make_unique_for_overwrite<unsigned char[]>(capacity)) {}
  ~ByteReader() {
    if (_inflating)
      inflateEnd(&_stream);
    if (_file >= 0)
      close(_file);
  }
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  /// Opens the file. False, and why in errno, where it cannot be opened.
  [[nodiscard]] bool open(const fs::path& path) {
    _file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    return _file >= 0;
  }

  /// Reads up to `size` bytes (1 or more). Returns 0 at the end, -1 and fault() where that cannot
  /// be reached.
  [[nodiscard]] long read(char* to, std::size_t size) {
    for (;;) {
      if (_stream.avail_in < 2 && !refill())
        return -1;
      if (_how == How::unknown && !choose())
        return -1;
      if (_how == How::ended || (_how == How::plain && _stream.avail_in == 0))
        return 0;
      if (_how == How::plain) {
        const std::size_t count = std::min<std::size_t>(size, _stream.avail_in);
        std::memcpy(to, _stream.next_in, count);
        _stream.next_in += count;
        _stream.avail_in -= static_cast<unsigned>(count);
        return static_cast<long>(count);
      }
      if (_stream.avail_in == 0)
        return fail("unexpected end of file");
      _stream.next_out = reinterpret_cast<unsigned char*>(to);
      _stream.avail_out = static_cast<unsigned>(size);
      const int status = inflate(&_stream, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END)
        return fail(_stream.msg != nullptr ? _stream.msg : "compressed data error");
      if (status == Z_STREAM_END)
        _how = How::unknown; // another may follow
      if (const std::size_t count = size - _stream.avail_out; count > 0)
        return static_cast<long>(count);
    }
  }

  /// Goes back to the first byte. False where the file does not go back.
  [[nodiscard]] bool rewind() {
    _how = How::unknown;
    _first = true;
    _stream.avail_in = 0;
    _at_end = false;
    return lseek(_file, 0, SEEK_SET) == 0;
  }

  /// Returns whether the fault is in a gzip stream, and not in reading the file.
  [[nodiscard]] bool stream_is_damaged() const { return _damaged; }
  [[nodiscard]] const std::string& fault() const { return _fault; }

private:
  enum class How { unknown, plain, gzip, ended };

  long fail(const char* why) {
    _fault = why;
    _damaged = true;
    return -1;
  }

  /// Moves the unread bytes to the buffer's begin and reads after them. False on an error.
  [[nodiscard]] bool refill() {
    if (_stream.avail_in > 0)
      std::memmove(_in.get(), _stream.next_in, _stream.avail_in);
    _stream.next_in = _in.get();
    while (!_at_end && _stream.avail_in < 2) {
      const ssize_t got = ::read(_file, _in.get() + _stream.avail_in, capacity - _stream.avail_in);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0) {
        _fault = std::strerror(errno);
        _damaged = false;
        return false;
      }
      _at_end = got == 0;
      _stream.avail_in += static_cast<unsigned>(got);
    }
    return true;
  }

  /// Chooses how to read the next bytes, at the file's begin or after a gzip stream. Other bytes
  /// after a stream are left alone, as gzip does. False when memory ran out.
  [[nodiscard]] bool choose() {
    const bool stream =
        _stream.avail_in >= 2 && _stream.next_in[0] == 0x1f && _stream.next_in[1] == 0x8b;
    _how = stream ? How::gzip : _first ? How::plain : How::ended;
    _first = false;
    if (!stream)
      return true;
    constexpr int gzip_only = 16 + MAX_WBITS;
    const int status = _inflating ? inflateReset(&_stream) : inflateInit2(&_stream, gzip_only);
    _inflating = _inflating || status == Z_OK;
    if (status == Z_OK)
      return true;
    _fault = "out of memory";
    _damaged = false;
    return false;
  }

  static constexpr std::size_t capacity = 1 << 18;
  int _file = -1;
  std::unique_ptr<unsigned char[]> _in;
  z_stream _stream{}; ///< next_in and avail_in also of a plain file
  How _how = How::unknown;
  bool _first = true;      ///< no byte was taken yet
  bool _at_end = false;    ///< of the file
  bool _inflating = false; ///< _stream is set up
  bool _damaged = false;
  std::string _fault;
};

/// A text file, plain or gzip, line by line.
class LineReader {
public:
  explicit LineReader(const fs::path& path) : _name(path.string()) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
      fail_file("no such file", "give the path of a Matrix Market file");
    if (error)
      fail_file("cannot be looked at: " + error.message(), "check its path and permissions");
    if (status.type() == fs::file_type::directory)
      fail_file("is a directory", "give a Matrix Market file inside it");
    if (status.type() != fs::file_type::regular)
      fail_file("is not a regular file", "give a Matrix Market file on disk (it is read twice)");
    if (!_file.open(path))
      fail_file(std::string("cannot be opened: ") + std::strerror(errno), "check its permissions");
  }

  /// The number of the current line, from 1; after the end, of the last line.
  [[nodiscard]] long line_number() const { return _line_number; }

  /// Puts the next line, without its line end, in line(). False at the end of the file.
  bool next() {
    for (;;) {
      char* const begin = _buffer.get() + _begin;
      const std::size_t size = _end - _begin;
      if (auto* const found = static_cast<char*>(std::memchr(begin, '\n', size))) {
        take(begin, found);
        _begin = static_cast<std::size_t>(found - _buffer.get()) + 1;
        return true;
      }
      if (_ended) {
        if (size == 0)
          return false;
        _unterminated = true;
        take(begin, begin + size);
        _begin = _end;
        return true;
      }
      refill();
    }
  }

  /// Puts the next line that is neither blank nor a comment in line(). False at the end of the
  /// file.
  bool next_with_content() {
    while (next()) {
      const auto first = _line.find_first_not_of(" \t");
      if (first != std::string_view::npos && _line[first] != '%') {
        _line.remove_prefix(first);
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::string_view line() const { return _line; }
  [[nodiscard]] const std::string& name() const { return _name; }

  /// Starts again after the line with this number.
  void rewind_to_after(long line_number) {
    if (!_file.rewind())
      fail_file("cannot be read a second time", "give a Matrix Market file on disk");
    _begin = _end = 0;
    _line_number = 0;
    _ended = _unterminated = false;
    while (_line_number < line_number && next()) {
    }
  }

  /// Throws an InputError about the current line.
  [[noreturn]] void fail(const std::string& found, std::string_view right) const {
    throw InputError(_name + ":" + std::to_string(_line_number) + ": " + found + "; " +
                     std::string(right) +
                     (_unterminated ? " (this is the file's last line: it may be cut off)" : ""));
  }

  /// Throws an InputError about the file.
  [[noreturn]] void fail_file(const std::string& found, std::string_view right) const {
    throw InputError(_name + ": " + found + "; " + std::string(right));
  }

private:
  void take(const char* begin, const char* end) {
    ++_line_number;
    if (end != begin && end[-1] == '\r')
      --end;
    _line = {begin, static_cast<std::size_t>(end - begin)};
  }

  void refill() {
    std::memmove(_buffer.get(), _buffer.get() + _begin, _end - _begin);
    _end -= _begin;
    _begin = 0;
    if (_end == capacity) {
      ++_line_number;
      fail("the line is longer than 1 MiB", "a line of a Matrix Market file holds one entry");
    }
    const long got = _file.read(_buffer.get() + _end, capacity - _end);
    if (got < 0)
      fail_bytes();
    if (got == 0)
      _ended = true;
    else
      _end += static_cast<std::size_t>(got);
  }

  [[noreturn]] void fail_bytes() const {
    const std::string place = _name + ":" + std::to_string(_line_number + 1) + ": ";
    if (!_file.stream_is_damaged())
      throw InputError(place + "cannot be read: " + _file.fault() +
                       "; check the file and its disk");
    throw InputError(place + "the gzip stream is corrupt or cut off (" + _file.fault() +
                     "); fetch the file again, and test it with 'gzip -t'");
  }

  std::string _name;
  ByteReader _file;
  static constexpr std::size_t capacity = 1 << 20;
  std::unique_ptr<char[]> _buffer = std::make_unique_for_overwrite<char[]>(capacity);
  std::size_t _begin = 0; ///< of what is not yet taken
  std::size_t _end = 0;   ///< of what was read
  std::string_view _line;
  long _line_number = 0;
  bool _ended = false;        ///< nothing is left to read into the buffer
  bool _unterminated = false; ///< the current line is the last and has no line end
};

/// Takes the fields of one line from left to right.
class Fields {
public:
  explicit Fields(std::string_view line) : _next(line.data()), _end(line.data() + line.size()) {
    skip_blanks();
  }

  [[nodiscard]] bool empty() const { return _next == _end; }

  /// The next field as a word, empty at the end.
  std::string_view word() {
    const char* const begin = _next;
    while (_next != _end && *_next != ' ' && *_next != '\t')
      ++_next;
    const std::string_view result(begin, static_cast<std::size_t>(_next - begin));
    skip_blanks();
    return result;
  }

  /// The next field as a number; anything but success leaves the field where it is.
  template <class T>
  std::errc number(T& value) {
    const char* begin = _next;
    if (_end - begin > 1 && *begin == '+' && begin[1] != '-')
      ++begin;
    const auto [stop, error] = std::from_chars(begin, _end, value);
    if (error != std::errc())
      return error;
    if (stop != _end && *stop != ' ' && *stop != '\t')
      return std::errc::invalid_argument;
    _next = stop;
    skip_blanks();
    return {};
  }

private:
  void skip_blanks() {
    while (_next != _end && (*_next == ' ' || *_next == '\t'))
      ++_next;
  }

  const char* _next;
  const char* _end;
};

enum class Format { coordinate, array };
enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew_symmetric };

struct Header {
  Format format = Format::coordinate;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t entries = 0; ///< as declared; for an array, rows * columns
  long size_line = 0;       ///< the number of the line with the three
};

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The banner, as far as it is the same for matrices and vectors.
Header read_banner(LineReader& reader) {
  if (!reader.next())
    reader.fail_file("is empty", "a Matrix Market file begins with " + std::string(banner_example));
  Fields fields(reader.line());
  if (lower(fields.word()) != "%%matrixmarket")
    reader.fail("the first line is " + in_quotes(reader.line()),
                "a Matrix Market file begins with " + std::string(banner_example));

  const auto refuse = [&](std::string_view what, const std::string& word, std::string_view right) {
    if (word.empty())
      reader.fail("the banner ends before its " + std::string(what),
                  "write five words like " + std::string(banner_example));
    reader.fail("the " + std::string(what) + " " + in_quotes(word) + " is not supported",
                "use " + std::string(right));
  };
  Header header;
  if (const std::string object = lower(fields.word()); object != "matrix")
    refuse("object", object, "'matrix'");

  const std::string format = lower(fields.word());
  if (format == "array")
    header.format = Format::array;
  else if (format != "coordinate")
    refuse("format", format, "'coordinate'");

  const std::string field = lower(fields.word());
  if (field == "integer")
    header.field = Field::integer;
  else if (field == "pattern")
    header.field = Field::pattern;
  else if (field != "real")
    refuse("field", field, "'real', 'integer' or 'pattern'");

  const std::string symmetry = lower(fields.word());
  if (symmetry == "symmetric")
    header.symmetry = Symmetry::symmetric;
  else if (symmetry == "skew-symmetric")
    header.symmetry = Symmetry::skew_symmetric;
  else if (symmetry != "general")
    refuse("symmetry", symmetry, "'general', 'symmetric' or 'skew-symmetric'");

  if (!fields.empty())
    reader.fail("the banner goes on after its symmetry with " + in_quotes(fields.word()),
                "write five words like " + std::string(banner_example));
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric)
    reader.fail("a pattern has no values that could be skew-symmetric",
                "use 'symmetric' or 'general', or give the values as 'real'");
  return header;
}

void read_size_line(LineReader& reader, Header& header) {
  const bool array = header.format == Format::array;
  const std::string_view right =
      array ? "the size line is 'rows columns'" : "the size line is 'rows columns entries'";
  if (!reader.next_with_content())
    reader.fail("the file ends before its size line", right);
  header.size_line = reader.line_number();

  Fields fields(reader.line());
  const auto count = [&](const char* what, long least) {
    if (fields.empty())
      reader.fail("the size line " + in_quotes(reader.line()) + " ends before the number of " +
                      what,
                  right);
    long value = 0;
    const std::errc error = fields.number(value);
    if (error == std::errc::invalid_argument)
      reader.fail("the number of " + std::string(what) + " is " + in_quotes(fields.word()) +
                      ", not a whole number",
                  right);
    if (error != std::errc() || value < least || value > max_count)
      reader.fail("the number of " + std::string(what) + " in " + in_quotes(reader.line()) +
                      " is out of range",
                  "use " + std::to_string(least) + " to 2147483647 (2^31 - 1)");
    return static_cast<std::int32_t>(value);
  };
  header.rows = count("rows", 1);
  header.columns = count("columns", 1);
  if (!array)
    header.entries = count("entries", 0);
  if (!fields.empty())
    reader.fail("the size line goes on with " + in_quotes(fields.word()), right);
}

/// The banner and the size line of a matrix.
Header read_matrix_header(LineReader& reader) {
  Header header = read_banner(reader);
  if (header.format == Format::array)
    reader.fail("the format 'array' is not supported for a matrix",
                "use 'coordinate', the format of sparse matrices");
  read_size_line(reader, header);
  if (header.symmetry != Symmetry::general && header.rows != header.columns)
    reader.fail("the matrix is " + std::to_string(header.rows) + " by " +
                    std::to_string(header.columns) + ", and not 'general'",
                "only a square matrix can be symmetric or skew-symmetric");
  return header;
}

/// Advances to the next entry's line; false after the last. Holds the file to its declared count.
bool next_entry(LineReader& reader, const Header& header, std::int32_t seen) {
  const auto declared = [&] {
    return std::to_string(header.entries) + " entries are declared in line " +
           std::to_string(header.size_line);
  };
  if (!reader.next_with_content()) {
    if (seen < header.entries)
      reader.fail("the file ends after " + std::to_string(seen) + " entries, but " + declared(),
                  "the file is cut off, or its size line is wrong");
    return false;
  }
  if (seen == header.entries)
    reader.fail("more entries than declared: " + declared() + ", and here is " +
                    in_quotes(reader.line()),
                "correct the size line, or remove what follows the last entry");
  return true;
}

/// A row or a column, counted from 0.
inline std::int32_t read_index(const LineReader& reader, Fields& fields, const char* what,
                               std::int32_t count) {
  long value = 0;
  const std::errc error = fields.number(value);
  if (error == std::errc() && value >= 1 && value <= count) [[likely]]
    return static_cast<std::int32_t>(value - 1);
  if (fields.empty() && error == std::errc::invalid_argument)
    reader.fail("the entry " + in_quotes(reader.line()) + " ends before its " + what,
                "an entry is 'row column value', or 'row column' in a pattern");
  if (error == std::errc::invalid_argument)
    reader.fail("the " + std::string(what) + " is " + in_quotes(fields.word()),
                "write a whole number from 1 to " + std::to_string(count));
  reader.fail("the " + std::string(what) + " in " + in_quotes(reader.line()) + " is out of range",
              "it is counted from 1 to " + std::to_string(count));
}

double read_value(const LineReader& reader, Fields& fields, Field field) {
  if (fields.empty())
    reader.fail("the entry " + in_quotes(reader.line()) + " ends before its value",
                "an entry without a value belongs in a 'pattern' file");
  if (field == Field::integer) {
    std::int64_t value = 0;
    if (const std::errc error = fields.number(value); error != std::errc())
      reader.fail("the value is " + in_quotes(fields.word()),
                  error == std::errc::result_out_of_range
                      ? "use integers of at most 64 bits, or declare the file 'real'"
                      : "write a whole number, or declare the file 'real'");
    return static_cast<double>(value);
  }
  double value = 0;
  std::errc error = fields.number(value);
  if (error == std::errc::result_out_of_range) {
    // Too small is not too large: it rounds to zero, or to what is nearest to it.
    long double wide = 0;
    if (Fields(fields).number(wide) == std::errc() && std::fabs(wide) < 1) {
      error = fields.number(wide);
      value = static_cast<double>(wide);
    }
  }
  if (error == std::errc::result_out_of_range)
    reader.fail("the value " + in_quotes(fields.word()) + " is out of a double's range",
                "scale the matrix: the largest is about 1.8e308");
  if (error != std::errc())
    reader.fail("the value is " + in_quotes(fields.word()), "write a decimal number like -1.5e+03");
  if (!std::isfinite(value))
    reader.fail("the value in " + in_quotes(reader.line()) + " is not finite",
                "every value must be a finite number");
  return value;
}

void require_line_end(const LineReader& reader, Fields& fields) {
  if (!fields.empty())
    reader.fail("the entry " + in_quotes(reader.line()) + " goes on with " +
                    in_quotes(fields.word()),
                "a line holds one entry and nothing else");
}

struct Place {
  std::int32_t row;
  std::int32_t column;

  /// One word of a sum that tells whether two passes saw the same places.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t x = static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(column);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    return x ^ (x >> 27);
  }
};

Place read_place(const LineReader& reader, Fields& fields, const Header& header) {
  const std::int32_t row = read_index(reader, fields, "row", header.rows);
  const std::int32_t column = read_index(reader, fields, "column", header.columns);
  if (header.symmetry != Symmetry::general && column > row)
    reader.fail("the entry " + in_quotes(reader.line()) + " is above the diagonal",
                "a file that is not 'general' holds the lower triangle only: row >= column");
  return {row, column};
}

/// Marks the entries after the last of a row that summed duplicates made shorter.
constexpr std::int32_t gap = -1;

/// Sorts each row's columns and sums duplicates in the order they had, leaving gaps at the ends of
/// rows. Returns whether there are any.
bool sort_rows(const LineReader& reader, CsrMatrix& matrix) {
  struct Key {
    std::int32_t column;
    std::int32_t position;
    double value;
  };
  std::atomic<bool> any_gaps = false;
  base::parallel_ranges(matrix.rows, [&](long begin, long end) {
    std::vector<Key> keys;
    for (long row = begin; row < end; ++row) {
      const std::int32_t start = matrix.row_offsets.data()[row];
      const std::int32_t length = matrix.row_offsets.data()[row + 1] - start;
      std::int32_t* const columns = matrix.column_indices.data() + start;
      double* const values = matrix.values.data() + start;
      // Most files come ordered by column, and then their rows are filled in order.
      if (std::adjacent_find(columns, columns + length, std::greater_equal<>()) == columns + length)
        continue;
      keys.clear();
      for (std::int32_t entry = 0; entry < length; ++entry)
        keys.push_back({columns[entry], entry, values[entry]});
      std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
        return a.column != b.column ? a.column < b.column : a.position < b.position;
      });
      std::int32_t kept = 0;
      for (const Key& key : keys) {
        if (kept == 0 || columns[kept - 1] != key.column) {
          columns[kept] = key.column;
          values[kept++] = key.value;
          continue;
        }
        values[kept - 1] += key.value;
        if (!std::isfinite(values[kept - 1]))
          reader.fail_file("the entries at row " + std::to_string(row + 1) + ", column " +
                               std::to_string(key.column + 1) +
                               " add up to more than a double can hold",
                           "duplicate entries are summed: store each place once");
      }
      if (kept != length) {
        std::fill(columns + kept, columns + length, gap);
        any_gaps = true;
      }
    }
  });
  return any_gaps;
}

/// Moves the rows together over the gaps.
void close_gaps(CsrMatrix& matrix) {
  std::size_t to = 0;
  std::size_t from = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    matrix.row_offsets[row] = static_cast<std::int32_t>(to);
    for (const auto end = static_cast<std::size_t>(matrix.row_offsets[row + 1]); from < end; ++from)
      if (matrix.column_indices[from] != gap) {
        matrix.column_indices[to] = matrix.column_indices[from];
        matrix.values[to++] = matrix.values[from];
      }
  }
  matrix.row_offsets.back() = static_cast<std::int32_t>(to);
  matrix.column_indices.resize(to);
  matrix.values.resize(to);
}

/// The first pass: checks every place, and leaves the number of entries of row r, both halves of a
/// symmetric matrix included, in offsets[r]. Returns a sum over the places' hashes.
std::uint64_t count_entries(LineReader& reader, const Header& header, std::int32_t* offsets) {
  std::uint64_t hash = 0;
  for (std::int32_t seen = 0; next_entry(reader, header, seen); ++seen) {
    Fields fields(reader.line());
    const Place place = read_place(reader, fields, header);
    hash += place.hash();
    ++offsets[place.row];
    if (header.symmetry != Symmetry::general && place.row != place.column)
      ++offsets[place.column];
  }
  return hash;
}

/// The second pass. offsets[r] is where row r begins, and afterwards where it ends.
std::uint64_t fill_entries(LineReader& reader, const Header& header, CsrMatrix& matrix) {
  const auto store = [&](std::int32_t row, std::int32_t column, double value) {
    const std::int32_t position = matrix.row_offsets.data()[row]++;
    if (position >= matrix.nonzeros()) // only if the file was changed meanwhile
      reader.fail_file("changed while it was read", "read it again when it is complete");
    matrix.column_indices.data()[position] = column;
    matrix.values.data()[position] = value;
  };
  std::uint64_t hash = 0;
  for (std::int32_t seen = 0; next_entry(reader, header, seen); ++seen) {
    Fields fields(reader.line());
    const Place place = read_place(reader, fields, header);
    const double value =
        header.field == Field::pattern ? 1.0 : read_value(reader, fields, header.field);
    require_line_end(reader, fields);
    hash += place.hash();
    store(place.row, place.column, value);
    if (header.symmetry == Symmetry::general)
      continue;
    const bool skew = header.symmetry == Symmetry::skew_symmetric;
    if (place.row != place.column)
      store(place.column, place.row, skew ? -value : value);
    else if (skew && value != 0)
      reader.fail("the entry " + in_quotes(reader.line()) + " is on the diagonal",
                  "the diagonal of a 'skew-symmetric' matrix is zero");
  }
  return hash;
}

[[noreturn]] void fail_path(const fs::path& path, const std::string& found,
                            const std::string& right) {
  throw InputError(path.string() + ": " + found + "; " + right);
}

/// Returns the place of a vector for `path`. A link is followed, so that its target is replaced and
/// not the link. A device or a pipe is refused, because the rename would put a file in its place.
fs::path vector_target(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  if (error)
    fail_path(path, "cannot be written: " + error.message(), "give a path in a folder that exists");
  if (const fs::file_status status = fs::status(target, error);
      status.type() == fs::file_type::directory)
    fail_path(path, "is a directory", "give the path of a file");
  else if (fs::exists(status) && status.type() != fs::file_type::regular)
    fail_path(path, "is not a regular file", "give the path of a file on disk");
  return target;
}

} // namespace

DeclaredSize declared_size(const fs::path& path) {
  LineReader reader(path);
  const Header header = read_matrix_header(reader);
  const long entries = header.entries;
  const bool halves = header.symmetry != Symmetry::general;
  return {header.rows, header.columns,
          halves ? 2 * entries - std::min<long>(entries, header.rows) : entries};
}

CsrMatrix read_matrix_market(const fs::path& path) {
  LineReader reader(path);
  const Header header = read_matrix_header(reader);

  CsrMatrix matrix;
  matrix.rows = header.rows;
  matrix.columns = header.columns;
  require_memory((header.rows + 1L) * static_cast<long>(sizeof(std::int32_t)),
                 reader.name() + ": a matrix of " + std::to_string(header.rows) + " rows");
  matrix.row_offsets.resize(static_cast<std::size_t>(header.rows) + 1);
  std::int32_t* const offsets = matrix.row_offsets.data();
  const auto set_zero = [](auto& array) {
    base::parallel_ranges(static_cast<long>(array.size()), [&](long begin, long end) {
      std::fill(array.data() + begin, array.data() + end, 0);
    });
  };
  set_zero(matrix.row_offsets);
  const std::uint64_t counted = count_entries(reader, header, offsets);

  long nonzeros = 0;
  for (long row = 0; row <= header.rows; ++row) {
    const long begin = nonzeros;
    nonzeros += offsets[row];
    if (nonzeros > max_count)
      reader.fail_file("has more than 2^31 - 1 entries when both halves are stored",
                       "32-bit indices cannot number them: use a smaller matrix");
    offsets[row] = static_cast<std::int32_t>(begin);
  }
  require_memory(nonzeros * static_cast<long>(sizeof(std::int32_t) + sizeof(double)),
                 reader.name() + ": a matrix of " + std::to_string(nonzeros) + " entries");
  matrix.column_indices.resize(static_cast<std::size_t>(nonzeros));
  matrix.values.resize(static_cast<std::size_t>(nonzeros));
  // Threads do not follow the file's order, so the first touch is made here.
  set_zero(matrix.column_indices);
  set_zero(matrix.values);

  reader.rewind_to_after(header.size_line);
  if (fill_entries(reader, header, matrix) != counted)
    reader.fail_file("changed while it was read", "read it again when it is complete");
  std::copy_backward(offsets, offsets + header.rows, offsets + header.rows + 1);
  offsets[0] = 0;

  if (sort_rows(reader, matrix))
    close_gaps(matrix);
  return matrix;
}

std::vector<double> read_vector_matrix_market(const fs::path& path) {
  LineReader reader(path);
  Header header = read_banner(reader);
  if (header.field == Field::pattern)
    reader.fail("the field 'pattern' is not supported for a vector", "use 'real' or 'integer'");
  if (header.symmetry != Symmetry::general)
    reader.fail("a vector cannot be symmetric", "use 'general'");
  read_size_line(reader, header);
  if (header.columns != 1)
    reader.fail("the vector has " + std::to_string(header.columns) + " columns",
                "a vector has one: use 'n 1'");
  require_memory(header.rows * static_cast<long>(sizeof(double)),
                 reader.name() + ": a vector of " + std::to_string(header.rows) + " values");

  std::vector<double> vector;
  const bool array = header.format == Format::array;
  if (array) {
    header.entries = header.rows;
    vector.reserve(static_cast<std::size_t>(header.rows));
  } else {
    vector.resize(static_cast<std::size_t>(header.rows));
  }
  for (std::int32_t seen = 0; next_entry(reader, header, seen); ++seen) {
    Fields fields(reader.line());
    const Place place = array ? Place{seen, 0} : read_place(reader, fields, header);
    const double value = read_value(reader, fields, header.field);
    require_line_end(reader, fields);
    if (array) {
      vector.push_back(value);
      continue;
    }
    double& sum = vector[static_cast<std::size_t>(place.row)];
    sum += value;
    if (!std::isfinite(sum))
      reader.fail("the entries at row " + std::to_string(place.row + 1) +
                      " add up to more than a double can hold",
                  "duplicate entries are summed: store each place once");
  }
  return vector;
}

void require_vector_file(const fs::path& path) {
  static_cast<void>(vector_target(path));
}

void write_vector_matrix_market(const fs::path& path, std::span<const double> vector) {
  const auto fail = [&](const std::string& found, const std::string& right) {
    fail_path(path, found, right);
  };
  if (vector.empty() || vector.size() > static_cast<std::size_t>(max_count))
    fail("a vector of " + std::to_string(vector.size()) + " values cannot be written",
         "use 1 to 2147483647 (2^31 - 1)");
  for (std::size_t index = 0; index < vector.size(); ++index)
    if (!std::isfinite(vector[index]))
      fail("value " + std::to_string(index + 1) + " of the vector is not finite",
           "a Matrix Market file holds finite numbers only");

  base::NewFile file(vector_target(path));
  if (!file.error().empty())
    fail("cannot be written: " + file.error(),
         "give a path in a folder that exists and can be written to");
  file.write("%%MatrixMarket matrix array real general\n" + std::to_string(vector.size()) + " 1\n");
  std::array<char, 32> text{};
  for (const double value : vector) {
    char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    *end = '\n';
    file.write({text.data(), end + 1});
  }
  file.put_in_place();
  if (!file.error().empty())
    fail("cannot be written: " + file.error(), "check the space on its disk, and its permissions");
}

} // namespace gangway::inputs
