// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/output_file.hpp"

#include "harness/problem.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace gangway::base {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw UsageError(fmt::format("cannot write {}: {}", path.string(), reason));
}

/// A pipe or a device: nothing to replace.
bool is_special(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

/// Where the file is to be: where a symbolic link leads, also if there is nothing yet.
std::filesystem::path place_of(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

/// Into a pipe or a device.
void write_special(const std::filesystem::path& path, std::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file)
    refuse(path, std::strerror(errno));
}

} // namespace

NewFile::NewFile(const std::filesystem::path& place)
    : _place(place), _beside(place.string() + fmt::format(".{}.partial", getpid())) {
  std::error_code ignored;
  std::filesystem::remove(_beside, ignored);  // of a process that was killed and had this number
  _file = std::fopen(_beside.c_str(), "wbx"); // x: it makes the file, or fails
  if (_file == nullptr)
    note_error();
}

NewFile::~NewFile() {
  if (_file != nullptr) {
    std::fclose(_file);
    std::error_code ignored;
    std::filesystem::remove(_beside, ignored);
  }
}

void NewFile::write(std::string_view content) {
  if (_file != nullptr && std::fwrite(content.data(), 1, content.size(), _file) < content.size())
    note_error();
}

void NewFile::put_in_place() {
  if (_file == nullptr)
    return;
  if (std::fclose(std::exchange(_file, nullptr)) != 0)
    note_error();
  std::error_code error;
  if (_error.empty()) {
    std::filesystem::rename(_beside, _place, error);
    if (!error)
      return;
    _error = error.message();
  }
  std::filesystem::remove(_beside, error);
}

void NewFile::note_error() {
  if (_error.empty())
    _error = std::strerror(errno);
}

void require_writable(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty())
    throw UsageError("cannot write a file without a name");
  if (std::filesystem::is_directory(path, error))
    refuse(path, "it is a directory; name a file");
  if (is_special(path)) {
    if (access(path.c_str(), W_OK) != 0)
      refuse(path, std::strerror(errno));
    return;
  }
  const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(parent, error))
    refuse(path, fmt::format("there is no directory {}", parent.string()));
  if (const NewFile probe(place_of(path)); !probe.error().empty())
    refuse(path, probe.error());
}

void write_whole(const std::filesystem::path& path, std::string_view content) {
  if (is_special(path)) {
    write_special(path, content);
    return;
  }
  NewFile file(place_of(path));
  file.write(content);
  file.put_in_place();
  if (!file.error().empty())
    refuse(path, file.error());
}

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  const auto resolved = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(place_of(path), ignored),
                                             ignored);
  };
  return !is_special(one) && resolved(one) == resolved(other);
}

} // namespace gangway::base
