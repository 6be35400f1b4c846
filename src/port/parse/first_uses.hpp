// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Scalars that a statement sets before it reads them, and those that are read after it.
namespace gangway::port {

/// Returns the scalars of the directive's that a statement sets before it reads them.
[[nodiscard]] std::vector<std::size_t>
set_first_in(const Reading& reading, const clang::Stmt* statement, std::size_t directive);

/// Returns the scalars of the directive's that a statement sets, and that may be read after it
/// before they are set again. `body` is that of the function around.
[[nodiscard]] std::vector<std::size_t> read_behind(const Reading& reading, const clang::Stmt* body,
                                                   const clang::Stmt* statement,
                                                   std::size_t directive);

} // namespace gangway::port
