// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gangway::apps {

/// Files of a new study, and the commands to go on with.
struct NewStudy {
  std::vector<std::filesystem::path> files;
  std::string next; ///< commands
};

/// Writes the study `name`, of one kernel that is right, into a new folder of its name in
/// `directory`; with a CMakeLists.txt that makes a program of it, unless `directory` is
/// src/studies of Gangway's own sources, where every folder is built. There a README.md, which
/// Gangway's studies have, comes with it. Errors: UsageError, before anything is written, for a
/// name that is no identifier or that is one of `taken`, the studies of this program, and for a
/// folder that is there already; and where it cannot be written.
[[nodiscard]] NewStudy new_study(const std::string& name, const std::filesystem::path& directory,
                                 const std::vector<std::string>& taken);

} // namespace gangway::apps
