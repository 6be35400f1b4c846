// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gangway::port {

/// Command that compiles a source.
struct Command {
  std::filesystem::path file; ///< absolute
  std::string directory;      ///< where the compiler runs
  std::vector<std::string>
      flags; ///< that decide what the source says: -I, -D, -std= and their like
};

/// Reads the commands of a compile_commands.json; for a source with several only the first.
/// Errors: UsageError for a file that cannot be read, or is no such list.
[[nodiscard]] std::vector<Command> read_commands(const std::filesystem::path& list);

} // namespace gangway::port
