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

} // namespace gangway::base
