// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Fortran sources, folders of them, and how they are compiled.
namespace gangway::port::fortran {

struct Input {
  std::filesystem::path file;
  std::filesystem::path name; ///< under which it is written: of a folder's sources the way from it
  std::filesystem::path directory; ///< from which its flags are to be read
  bool wanted = true; ///< the report is about it; another one may only have modules that those use
  bool fixed_form = false;
  int columns = 72; ///< of fixed form
  int real_kind = 4;
  int integer_kind = 4;
  std::vector<std::string> folders; ///< of included files, and of Flang's module files
  std::vector<std::pair<std::string, std::optional<std::string>>> macros; ///< without a value: -U
};

struct Inputs {
  std::vector<Input> sources;
  std::size_t without = 0; ///< sources in folders and lists that do not ask for OpenACC
};

/// Finds the sources as `port::find_inputs` does. Sources that do not ask for OpenACC are among
/// them if they are in a folder or list, because others may use their modules. Errors: UsageError,
/// also for a flag of `flags` that is not known here.
[[nodiscard]] Inputs find_inputs(const std::vector<std::string>& named, std::string commands,
                                 const std::vector<std::string>& flags, const std::string& output);

} // namespace gangway::port::fortran
