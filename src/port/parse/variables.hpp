// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// What a reference refers to, and of which type that is.
namespace gangway::port {

/// A name for what a reference refers to that is the same for each reference to it; empty where
/// there is none.
[[nodiscard]] std::string key_of(const Reading& reading, const clang::Expr* expression);

/// The variable that a member is reached from, or the variable itself; null where there is none.
[[nodiscard]] const clang::VarDecl* base_of(const clang::Expr* expression);

/// The number in the unit of what a reference refers to, or none.
[[nodiscard]] std::size_t variable_of(Reading& reading, const clang::Expr* expression);

} // namespace gangway::port
