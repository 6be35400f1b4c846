// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Visit of a function's body that finds directives, and the names that their kernels use.
namespace gangway::port {

/// Reads the directives of a function, and the messages about them, into the unit.
void read_body(Reading& reading, const clang::FunctionDecl* function);

} // namespace gangway::port
