// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>

#ifndef GANGWAY_SOURCES_FROM_PROGRAMS // a compiler's look at a test, outside a build
#define GANGWAY_SOURCES_FROM_PROGRAMS "../../.."
#endif

namespace gangway::testing {

/// A file of the build, such as "fake/host.so", seen from the folder of the running program: a
/// build may be carried elsewhere, so no test knows where it was made.
inline std::filesystem::path beside_program(const std::filesystem::path& file) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path() / file).lexically_normal();
}

/// A file of the source tree, such as "src/gangway/runtime.hpp", which is carried along in its
/// place.
inline std::filesystem::path source_file(const std::filesystem::path& file) {
  return beside_program(std::filesystem::path(GANGWAY_SOURCES_FROM_PROGRAMS) / file);
}

} // namespace gangway::testing
