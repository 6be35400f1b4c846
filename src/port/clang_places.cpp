// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/clang_places.hpp"

#include "port/build_info.hpp"

#include <filesystem>

namespace gangway::port {

std::string clang_resources() {
  return GANGWAY_PORT_CLANG_RESOURCES;
}

std::string openacc_headers() {
  std::error_code error;
  const std::filesystem::path folder = GANGWAY_PORT_OPENACC_HEADERS;
  return std::filesystem::exists(folder / "openacc.h", error) ? folder.string() : "";
}

} // namespace gangway::port
