// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gangway::acc_time {

/// Returns the bytes of the UTF-8 character that begins here; 0 if none does, as at the end of the
/// text.
inline int utf8_length(const char* text) {
  const auto at = [text](int i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char c = at(0);
  if (c < 0x80)
    return c == 0 ? 0 : 1;
  const int length = c >= 0xC2 && c < 0xE0   ? 2
                     : c >= 0xE0 && c < 0xF0 ? 3
                     : c >= 0xF0 && c < 0xF5 ? 4
                                             : 0;
  for (int i = 1; i < length; ++i)
    if ((at(i) & 0xC0U) != 0x80U)
      return 0; // also at the end of the text
  if ((c == 0xE0 && at(1) < 0xA0) || (c == 0xED && at(1) > 0x9F) || (c == 0xF0 && at(1) < 0x90) ||
      (c == 0xF4 && at(1) > 0x8F))
    return 0;
  return length;
}

/// Writer of text to a file descriptor that uses only write(2): no malloc, no locale, no stdio, so
/// that a signal handler can use it. It writes each full buffer at once; a line of
/// GANGWAY_ACC_NOTIFY fills one only with names of thousands of characters.
class Writer {
public:
  explicit Writer(int file) : _file(file) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { flush(); }

  Writer& operator<<(char c) {
    if (_used == _buffer.size())
      flush();
    _buffer[_used++] = c;
    return *this;
  }
  Writer& operator<<(std::string_view text) {
    for (const char c : text)
      *this << c;
    return *this;
  }
  Writer& operator<<(const char* text) { return *this << std::string_view(text); }
  Writer& operator<<(std::uint64_t number) {
    std::array<char, 20> digits{};
    std::size_t n = 0;
    do {
      digits[n++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (n > 0)
      *this << digits[--n];
    return *this;
  }
  Writer& operator<<(std::int64_t number) {
    if (number < 0)
      *this << '-';
    return *this << (number < 0 ? ~static_cast<std::uint64_t>(number) + 1
                                : static_cast<std::uint64_t>(number));
  }
  Writer& operator<<(int number) { return *this << static_cast<std::int64_t>(number); }

  /// Writes a name of the program's in a line for people: a control character, which could end the
  /// line or steer the terminal, and what is not UTF-8 become '?'.
  Writer& printable(const char* text) {
    while (*text != '\0') {
      const int length = utf8_length(text);
      const auto first = static_cast<unsigned char>(text[0]);
      const bool control =
          length == 0 || first < 0x20 || first == 0x7F ||
          (first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0); // U+0080 to U+009F
      if (control)
        *this << '?';
      else
        *this << std::string_view(text, static_cast<std::size_t>(length));
      text += length == 0 ? 1 : length;
    }
    return *this;
  }

  /// Writes 1234567 as "1,234,567".
  Writer& commas(std::uint64_t number) {
    std::array<char, 27> digits{};
    std::size_t n = 0;
    int group = 0;
    do {
      if (group == 3) {
        digits[n++] = ',';
        group = 0;
      }
      digits[n++] = static_cast<char>('0' + number % 10);
      number /= 10;
      ++group;
    } while (number != 0);
    while (n > 0)
      *this << digits[--n];
    return *this;
  }
  Writer& spaces(int n) {
    for (; n > 0; --n)
      *this << ' ';
    return *this;
  }

  void flush() {
    std::size_t written = 0;
    while (written < _used) {
      const ssize_t n = ::write(_file, _buffer.data() + written, _used - written);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0) {
        _good = false;
        break;
      }
      written += static_cast<std::size_t>(n);
    }
    _used = 0;
  }
  [[nodiscard]] bool good() const { return _good; }

private:
  int _file;
  bool _good = true;
  std::size_t _used = 0;
  std::array<char, 4096> _buffer;
};

} // namespace gangway::acc_time
