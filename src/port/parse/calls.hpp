// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// What kernels call.
namespace gangway::port {

/// Into the construct around, or the function; also what speaks against it.
void note_call(Reading& reading, const clang::CallExpr* call, const Walk& walk);

} // namespace gangway::port
