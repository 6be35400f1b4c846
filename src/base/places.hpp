// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>

/// Where the running program lies, and what belongs to it: found from the program itself, which may
/// have been carried elsewhere since it was built or installed.
namespace gangway::base {

/// The running program; empty if the system does not say.
[[nodiscard]] std::filesystem::path program_file();
/// Where the libraries that it loads are, if it was installed.
[[nodiscard]] std::filesystem::path installed_libraries();
/// A library that the program loads, such as "libgangway_openacc.so": beside the program, as it is
/// built, or where it is installed. If it is at neither place, the first of them.
[[nodiscard]] std::filesystem::path loaded_library(const std::string& file);

} // namespace gangway::base
