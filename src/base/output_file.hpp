// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gangway::base {

/// Checks that `path` can be written; called before long work, so that it is not lost. Errors:
/// UsageError if it cannot.
void require_writable(const std::filesystem::path& path);

/// A new file beside its place, which is renamed into the place once it is whole. It neither writes
/// into a file that others put there under its name, nor follows their link. The destructor removes
/// it unless it was put in place.
class NewFile {
public:
  explicit NewFile(const std::filesystem::path& place);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view content);
  /// Writes the content to the disk, and returns when it is there.
  void sync();
  /// Renames it into its place, if no step failed.
  void put_in_place();
  /// Returns why the first step that failed did, in the system's words; empty if none has.
  [[nodiscard]] const std::string& error() const { return _error; }

private:
  void note_error();

  std::filesystem::path _place;
  std::filesystem::path _beside;
  std::FILE* _file = nullptr;
  std::string _error;
};

/// A file that is written piece by piece, and is there whole or not at all. It is written beside
/// its place, then renamed into it; a symbolic link `path` stays, and leads to the new file. If
/// `path` is no regular file (a pipe, /dev/stdout), it is written to directly.
class WholeFile {
public:
  /// Errors of all functions: UsageError.
  explicit WholeFile(const std::filesystem::path& path);

  void write(std::string_view bytes);
  void write(std::span<const double> numbers); ///< as they are in memory
  /// Completes the file, and writes it to the disk before it takes the old file's place: a machine
  /// that fails leaves the one or the other.
  void finish_on_disk();
  /// Completes a file that can be made again: the system writes it to the disk when it likes.
  void finish();

private:
  void require_good() const;

  std::filesystem::path _path;
  std::optional<NewFile> _new; ///< if it is a regular file
  std::ofstream _special;      ///< if it is none
};

/// Writes a WholeFile at once.
void write_whole(const std::filesystem::path& path, std::string_view content);

/// Returns whether write_whole would put both into one file, so that the second replaces the first.
/// False for a pipe or a device: both are written to it.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

} // namespace gangway::base
