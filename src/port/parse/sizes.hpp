// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// `sizeof` in kernels.
namespace gangway::port {

/// Notes the text that replaces a `sizeof` in a kernel if it names what is declared outside. The
/// kernel may have a pointer under an array's name, and its size is another.
void note_size(Reading& reading, const clang::UnaryExprOrTypeTraitExpr* size,
               const Parents& parents, const Walk& walk);

} // namespace gangway::port
