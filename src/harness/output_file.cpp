// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/output_file.hpp"

#include "harness/problem.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace gangway::harness {
namespace {

std::filesystem::path beside(const std::filesystem::path& path) {
  return path.string() + fmt::format(".{}.partial", getpid());
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw UsageError(fmt::format("cannot write {}: {}", path.string(), reason));
}

} // namespace

void require_writable(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    refuse(path, "it is a directory; name a file");
  const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(parent, error))
    refuse(path, fmt::format("there is no directory {}", parent.string()));
  const auto probe = beside(path);
  errno = 0;
  if (!std::ofstream(probe))
    refuse(path, std::strerror(errno));
  std::filesystem::remove(probe, error);
}

void write_whole(const std::filesystem::path& path, std::string_view content) {
  const auto partial = beside(path);
  std::error_code error;
  errno = 0;
  std::ofstream file(partial, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    const std::string reason = std::strerror(errno);
    std::filesystem::remove(partial, error);
    refuse(path, reason);
  }
  std::filesystem::rename(partial, path, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    refuse(path, error.message());
  }
}

} // namespace gangway::harness
