// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

/// How kernels reach arrays, and whatever a data clause names.
namespace gangway::port {

/// What the construct's own data clauses name.
void bind_named(Around& around);

/// Decides, for each variable that kernels use, how they reach it.
void bind_others(Around& around);

} // namespace gangway::port
