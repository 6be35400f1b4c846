// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string_view>

namespace gangway::base {

/// Errors: UsageError when `path` could not be written; call before long work, so that it is not
/// lost.
void require_writable(const std::filesystem::path& path);

/// Writes the file whole or not at all: beside its place first, then renamed into it; where `path`
/// is a symbolic link, into the place it leads to. What is no file (a pipe, /dev/stdout) is written
/// to as it stands. Errors: UsageError.
void write_whole(const std::filesystem::path& path, std::string_view content);

/// Whether write_whole would put both into one file, so that the second replaces the first. A pipe
/// or a device is none: both are written to it.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

} // namespace gangway::base
