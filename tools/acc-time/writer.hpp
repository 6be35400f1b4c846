// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gangway::acc_time {

/// Text to a file descriptor with nothing but write(2): no malloc, no locale, no stdio, so that it
/// can be used within a signal handler. What does not fit the buffer is written in between, which a
/// line of GANGWAY_ACC_NOTIFY never needs.
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

  /// 1234567 as "1,234,567".
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
