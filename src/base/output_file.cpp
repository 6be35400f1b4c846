// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/output_file.hpp"

#include "harness/problem.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace gangway::base {
namespace {

std::filesystem::path beside(const std::filesystem::path& path) {
  return path.string() + fmt::format(".{}.partial", getpid());
}

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

/// Empty if all of it was written.
std::string write_to(const std::filesystem::path& path, std::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  return file ? "" : std::strerror(errno);
}

} // namespace

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
  const auto probe = beside(place_of(path));
  if (const std::string reason = write_to(probe, ""); !reason.empty())
    refuse(path, reason);
  std::filesystem::remove(probe, error);
}

void write_whole(const std::filesystem::path& path, std::string_view content) {
  if (is_special(path)) {
    if (const std::string reason = write_to(path, content); !reason.empty())
      refuse(path, reason);
    return;
  }
  const auto place = place_of(path);
  const auto partial = beside(place);
  std::error_code ignored;
  if (const std::string reason = write_to(partial, content); !reason.empty()) {
    std::filesystem::remove(partial, ignored);
    refuse(path, reason);
  }
  std::error_code error;
  std::filesystem::rename(partial, place, error);
  if (error) {
    std::filesystem::remove(partial, ignored);
    refuse(path, error.message());
  }
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
