// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// The statements of a block, and their tightly nested loops.
namespace gangway::port {

/// Reads a statement of the block of a directive, or of a function's body.
[[nodiscard]] Piece piece_of(Reading& reading, const clang::Stmt* statement,
                             const clang::Stmt* block, std::size_t id);

/// Reads the statements of a construct's block into it. `body` is that of the function around.
void read_pieces(Reading& reading, std::size_t id, const clang::Stmt* block,
                 const clang::Stmt* body);

} // namespace gangway::port
