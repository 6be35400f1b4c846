// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// Sources to translate, folders of them, and how they are compiled.
namespace gangway::port {

struct Input {
  std::filesystem::path file;
  std::filesystem::path name; ///< under which it is written: of a folder's sources the way from it
  std::string directory;      ///< from which its flags are to be read
  std::vector<std::string> flags; ///< of the compiler
};

struct Inputs {
  std::vector<Input> sources;
  std::vector<std::filesystem::path> headers; ///< in the folders, with directives in them
  std::size_t without = 0; ///< sources in the folders that do not ask for OpenACC
  std::vector<std::filesystem::path> fortran; ///< likewise, which another program reads
};

/// Finds the sources to translate. It searches folders recursively for sources that ask for
/// OpenACC, but not `output` nor what begins with a dot. `commands` is a compile_commands.json, its
/// folder, or empty: it gives each source its flags, and lists the sources if none is named.
/// `flags` come after those. Errors: UsageError, also if Fortran is named beside C or C++.
[[nodiscard]] Inputs find_inputs(const std::vector<std::string>& named, std::string commands,
                                 const std::vector<std::string>& flags, const std::string& output);

} // namespace gangway::port
