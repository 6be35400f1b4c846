// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// What is to be translated: sources, folders of them, and how they are compiled.
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
};

/// Folders are searched, down to the last, for sources that ask for OpenACC; what begins with a
/// dot, and `output`, is left alone. `commands` is a compile_commands.json or the folder of one, or
/// empty: each source gets its flags there, and without a name all of them are meant. `flags` come
/// behind those. Errors: UsageError.
[[nodiscard]] Inputs find_inputs(const std::vector<std::string>& named, std::string commands,
                                 const std::vector<std::string>& flags, const std::string& output);

} // namespace gangway::port
