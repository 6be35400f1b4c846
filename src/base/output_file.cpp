// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/output_file.hpp"

#include "base/errors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace gangway::base {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw UsageError(fmt::format("cannot write {}: {}", path.string(), reason));
}

/// Returns whether `path` is a pipe or a device, which no new file replaces.
bool is_special(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

/// Returns the file's place: where a symbolic link leads, even to a file that does not exist yet.
std::filesystem::path place_of(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
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

void NewFile::sync() {
  if (_file != nullptr && (std::fflush(_file) != 0 || fsync(fileno(_file)) != 0))
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

WholeFile::WholeFile(const std::filesystem::path& path) : _path(path) {
  errno = 0;
  if (is_special(path))
    _special.open(path, std::ios::binary);
  else
    _new.emplace(place_of(path));
  require_good();
}

void WholeFile::require_good() const {
  if (_new && !_new->error().empty())
    refuse(_path, _new->error());
  if (!_new && !_special)
    refuse(_path, std::strerror(errno));
}

void WholeFile::write(std::string_view bytes) {
  errno = 0;
  if (_new)
    _new->write(bytes);
  else
    _special.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  require_good();
}

void WholeFile::write(std::span<const double> numbers) {
  write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

void WholeFile::finish_on_disk() {
  if (_new)
    _new->sync();
  finish();
}

void WholeFile::finish() {
  errno = 0;
  if (_new)
    _new->put_in_place();
  else
    _special.close();
  require_good();
}

void write_whole(const std::filesystem::path& path, std::string_view content) {
  WholeFile file(path);
  file.write(content);
  file.finish();
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
