// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gangway::port {

/// Reads `file` as Clang does with `flags` in `directory`. If Clang finds errors, they go to
/// standard error, and there is no unit.
[[nodiscard]] std::optional<Unit> parse(const std::string& file, const std::string& directory,
                                        const std::vector<std::string>& flags);

/// Returns whether Clang takes the file as C of 1989 with GNU's additions.
[[nodiscard]] bool is_older_c(const std::string& file, const std::string& directory,
                              std::vector<std::string> flags);

} // namespace gangway::port
