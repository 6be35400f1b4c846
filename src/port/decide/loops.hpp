// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

/// The loops that a kernel's policy is made of.
namespace gangway::port {

/// Adds a kernel whose policy is made of the outermost loops of the piece.
void add_loops(Around& around, const Piece& piece, const Directive* own);

} // namespace gangway::port
