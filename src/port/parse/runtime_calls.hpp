// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Calls of OpenACC's runtime library, and the names of its device types.
namespace gangway::port {

/// Notes the call in the unit if it calls OpenACC's runtime library.
void note_runtime_call(Reading& reading, const clang::CallExpr* call, const Parents& parents);

/// Notes the name in the unit if it is a device type or a queue of openacc.h.
void note_runtime_name(Reading& reading, const clang::DeclRefExpr* reference,
                       const Parents& parents);

} // namespace gangway::port
