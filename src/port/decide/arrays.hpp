// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

/// Ways in which kernels reach arrays, and whatever a data clause names.
namespace gangway::port {

/// Decides how kernels reach the variables in the construct's data clauses or a `deviceptr` around.
void bind_named(Around& around);

/// Decides for each other variable that kernels use how they reach it.
void bind_others(Around& around);

} // namespace gangway::port
