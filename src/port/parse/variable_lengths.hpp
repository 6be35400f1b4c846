// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// C's pointers to arrays of variable length, such as `double (*a)[n]`, in C++.
namespace gangway::port {

/// Returns whether a pointer leads to arrays of variable length.
[[nodiscard]] bool is_variable_length_pointer(clang::QualType type);

/// Notes where the statement gives a value to such a pointer: compilers of C++ take two of the same
/// length for different types.
void note_lengths(Reading& reading, const clang::Stmt* statement);

/// Notes the parameters whose types C++ does not have. Each becomes a pointer to elements, and a
/// body begins with the pointer to arrays.
void note_parameters(Reading& reading, const clang::FunctionDecl* function);

/// Returns the length as the source has it, if it still says that after the declaration; otherwise
/// nothing.
[[nodiscard]] std::string lasting_length(const Reading& reading, const clang::Expr* length);

} // namespace gangway::port
