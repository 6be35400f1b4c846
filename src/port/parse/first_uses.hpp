// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Which scalars a statement sets before it reads them.
namespace gangway::port {

/// The scalars of the directive's that a statement sets before it reads them.
[[nodiscard]] std::vector<std::size_t>
set_first_in(const Reading& reading, const clang::Stmt* statement, std::size_t directive);

} // namespace gangway::port
