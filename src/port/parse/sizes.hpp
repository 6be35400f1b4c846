// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// `sizeof` in kernels.
namespace gangway::port {

/// The kernel may have a pointer under an array's name, whose size is another: what stands in place
/// of a `sizeof` that names what is declared outside of it.
void note_size(Reading& reading, const clang::UnaryExprOrTypeTraitExpr* size,
               const Parents& parents, const Walk& walk);

} // namespace gangway::port
