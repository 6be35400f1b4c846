// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// A way through a function's body, which finds directives and what their kernels name.
namespace gangway::port {

/// Directives, and what is said of them, into the unit.
void read_body(Reading& reading, const clang::FunctionDecl* function);

} // namespace gangway::port
