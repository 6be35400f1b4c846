// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Calls in kernels and in functions.
namespace gangway::port {

/// Notes a call in the construct around it, or in the function, and any obstacle to it.
void note_call(Reading& reading, const clang::CallExpr* call, const Walk& walk);

} // namespace gangway::port
