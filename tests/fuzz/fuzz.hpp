// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

/// A target, under the name by which libFuzzer knows it: reads one input, of any bytes, and returns
/// 0. What must not be ends the process (`gangway::fuzz::require`, a sanitizer, an exception).
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gangway::fuzz {

/// Ends the process, and so the fuzzing, unless `holds`.
inline void require(bool holds, std::string_view what, std::string_view about = {}) {
  if (holds)
    return;
  const std::string said = "not so: " + std::string(what) + "\n" + std::string(about) + "\n";
  static_cast<void>(std::fputs(said.c_str(), stderr));
  std::abort();
}

/// Nothing that would steer a terminal or begin a line of its own: ASCII, and the dots that
/// messages have where they leave something out.
inline bool is_printable(std::string text) {
  constexpr std::string_view dots = "…";
  for (auto at = text.find(dots); at != std::string::npos; at = text.find(dots))
    text.erase(at, dots.size());
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// A file in memory, for what reads files by their names.
class MemoryFile {
public:
  MemoryFile() : _file(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (_file < 0)
      throw std::system_error(errno, std::generic_category(), "memfd_create");
    _path = "/proc/self/fd/" + std::to_string(_file);
  }
  ~MemoryFile() { close(_file); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Makes these all that the file holds.
  void assign(std::string_view bytes) {
    const bool done = ftruncate(_file, 0) == 0 && pwrite(_file, bytes.data(), bytes.size(), 0) ==
                                                      static_cast<ssize_t>(bytes.size());
    if (!done)
      throw std::system_error(errno, std::generic_category(), "a file in memory");
  }
  [[nodiscard]] const std::filesystem::path& path() const { return _path; }
  [[nodiscard]] int descriptor() const { return _file; }

private:
  int _file;
  std::filesystem::path _path;
};

/// Sends standard error, to which reports go, to a file for a while.
class ErrorsTo {
public:
  explicit ErrorsTo(int file) : _before(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    dup2(file, STDERR_FILENO);
  }
  ~ErrorsTo() {
    dup2(_before, STDERR_FILENO);
    close(_before);
  }
  ErrorsTo(const ErrorsTo&) = delete;
  ErrorsTo& operator=(const ErrorsTo&) = delete;

private:
  int _before;
};

} // namespace gangway::fuzz
