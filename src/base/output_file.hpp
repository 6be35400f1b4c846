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

/// Errors: UsageError when `path` could not be written; call before long work, so that it is not
/// lost.
void require_writable(const std::filesystem::path& path);

/// What is to be the file at a place once it is whole, and until then a new one beside it. In a
/// folder where others may write too, nothing that they put there under its name is written into,
/// nor what a link of theirs leads to. Removed unless it was put in place.
class NewFile {
public:
  explicit NewFile(const std::filesystem::path& place);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view content);
  /// What was written is on the disk when this returns.
  void sync();
  /// Renames it, if nothing failed.
  void put_in_place();
  /// Why the first that failed did, in the system's words; empty: nothing has.
  [[nodiscard]] const std::string& error() const { return _error; }

private:
  void note_error();

  std::filesystem::path _place;
  std::filesystem::path _beside;
  std::FILE* _file = nullptr;
  std::string _error;
};

/// A file that is written piece by piece, and is there whole or not at all: beside its place first,
/// then renamed into it; where `path` is a symbolic link, into the place it leads to. What is no
/// file (a pipe, /dev/stdout) is written to as it stands.
class WholeFile {
public:
  /// Errors of all: UsageError.
  explicit WholeFile(const std::filesystem::path& path);

  void write(std::string_view bytes);
  void write(std::span<const double> numbers); ///< as they are in memory
  /// Now it is whole. What was written is on the disk before it takes the old file's place: a
  /// machine that fails leaves the one or the other.
  void finish_on_disk();
  /// The same of a file that can be made again: the system writes it to the disk when it likes.
  void finish();

private:
  void require_good() const;

  std::filesystem::path _path;
  std::optional<NewFile> _new; ///< of what is a file
  std::ofstream _special;      ///< of what is none
};

/// Writes a WholeFile at once.
void write_whole(const std::filesystem::path& path, std::string_view content);

/// Whether write_whole would put both into one file, so that the second replaces the first. A pipe
/// or a device is none: both are written to it.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

} // namespace gangway::base
