// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>

/// The places of the running program and of its files, found from the program itself: somebody may
/// have moved it since it was built or installed.
namespace gangway::base {

/// Returns the running program; empty if the system does not say.
[[nodiscard]] std::filesystem::path program_file();
/// Returns the folder of the libraries that it loads, if it was installed.
[[nodiscard]] std::filesystem::path installed_libraries();
/// Returns a library that the program loads, such as "libgangway_openacc.so": beside the program,
/// as it is built, or where it is installed. If it is at neither place, the first of them.
[[nodiscard]] std::filesystem::path loaded_library(const std::string& file);

} // namespace gangway::base
