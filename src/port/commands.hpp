// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gangway::port {

/// How a source is compiled.
struct Command {
  std::filesystem::path file; ///< absolute
  std::string directory;      ///< where the compiler runs
  std::vector<std::string>
      flags; ///< that decide what the source says: -I, -D, -std= and their like
};

/// What a compile_commands.json lists; of sources that are compiled more than once the first.
/// Errors: UsageError for a file that cannot be read, or is no such list.
[[nodiscard]] std::vector<Command> read_commands(const std::filesystem::path& list);

} // namespace gangway::port
