// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Calls of OpenACC's runtime library, and the names of its device types.
namespace gangway::port {

/// Into the unit, where it is one.
void note_runtime_call(Reading& reading, const clang::CallExpr* call, const Parents& parents);

/// Likewise.
void note_runtime_name(Reading& reading, const clang::DeclRefExpr* reference,
                       const Parents& parents);

} // namespace gangway::port
