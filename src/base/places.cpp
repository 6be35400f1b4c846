// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/places.hpp"

#include <system_error>

namespace gangway::base {

std::filesystem::path program_file() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

std::filesystem::path installed_libraries() {
  return (program_file().parent_path() / GANGWAY_LIBRARIES_FROM_PROGRAM).lexically_normal();
}

std::filesystem::path loaded_library(const std::string& file) {
  const auto built = program_file().parent_path() / file;
  const auto installed = installed_libraries() / file;
  std::error_code error;
  const bool elsewhere =
      !std::filesystem::exists(built, error) && std::filesystem::exists(installed, error);
  return elsewhere ? installed : built;
}

} // namespace gangway::base
