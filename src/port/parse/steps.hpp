// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// The body of a loop over gangs, as a team would do it.
namespace gangway::port {

/// Whether there is a loop in it that workers or lanes share out.
[[nodiscard]] bool shares(const clang::Stmt* statement);

/// Of a statement in `body`, which is that of a loop over gangs in the construct `id`.
[[nodiscard]] Step step_of(Reading& reading, const clang::Stmt* statement, const clang::Stmt* body,
                           std::size_t id);

} // namespace gangway::port
