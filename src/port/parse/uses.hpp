// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Where code names a variable, and what it does to it.
namespace gangway::port {

/// Notes what the expression names. Whether its children are still to be looked at.
bool note_use(Reading& reading, const clang::Expr* expression, Parents& parents, const Walk& walk);

} // namespace gangway::port
