// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Variables that references in the code refer to, and their types.
namespace gangway::port {

/// Returns a name for what a reference refers to, the same for each reference to it; empty if
/// there is none.
[[nodiscard]] std::string key_of(const Reading& reading, const clang::Expr* expression);

/// Returns the variable from which a member is reached, or the variable itself; null if none.
[[nodiscard]] const clang::VarDecl* base_of(const clang::Expr* expression);

/// Returns the number in the unit of what a reference refers to, or none.
[[nodiscard]] std::size_t variable_of(Reading& reading, const clang::Expr* expression);

} // namespace gangway::port
