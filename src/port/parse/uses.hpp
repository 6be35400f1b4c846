// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Places where code names a variable, and what it does to it.
namespace gangway::port {

/// Notes what the expression names, and returns whether the caller must still visit its children.
bool note_use(Reading& reading, const clang::Expr* expression, Parents& parents, const Walk& walk);

} // namespace gangway::port
