// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// The declarations of a source: its functions, and the directives among them.
namespace gangway::port {

/// Returns the number in the unit of a function that this file defines, or none.
[[nodiscard]] std::size_t function_of(Reading& reading, const clang::FunctionDecl* function);
/// Returns the number in the unit of a function that this file declares and another one may
/// define, or none.
[[nodiscard]] std::size_t outside_of(Reading& reading, const clang::FunctionDecl* function);

/// Reads a directive in place of a declaration; `outermost`: in a function's outermost block.
void read_declarative(Reading& reading, const clang::OpenACCConstructDecl* construct,
                      std::size_t function = none, bool outermost = false);

/// Adds functions to the unit, and their bodies to those still to be read.
void read_declarations(Reading& reading, const clang::DeclContext* scope);

} // namespace gangway::port
