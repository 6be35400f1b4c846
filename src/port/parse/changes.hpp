// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

namespace clang {
class VarDecl;
} // namespace clang

/// Where variables may change.
namespace gangway::port {

/// Returns whether `parents` may write the variable instead of reading its value: by an assignment,
/// `&`, or a reference that is bound to it, as std::swap does.
[[nodiscard]] bool may_be_written(const Parents& parents);

/// Returns whether the statement may write the variable; captures of lambdas are no writes.
[[nodiscard]] bool writes(const clang::Stmt* statement, const clang::VarDecl* variable);

/// Returns whether a function that is called after `place`, in the function around it, may write
/// the global variable.
[[nodiscard]] bool calls_change(const Reading& reading, const clang::VarDecl* variable,
                                unsigned place);

} // namespace gangway::port
