// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// The body of a loop over gangs, as a team would execute it.
namespace gangway::port {

/// Returns whether the statement contains a loop that workers or lanes share out.
[[nodiscard]] bool shares(const clang::Stmt* statement);

/// Reads a step from a statement in `body`, the body of a loop over gangs in the construct `id`.
[[nodiscard]] Step step_of(Reading& reading, const clang::Stmt* statement, const clang::Stmt* body,
                           std::size_t id);

} // namespace gangway::port
