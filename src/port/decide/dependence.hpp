// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

#include <string>

/// Tests of which loops of `kernels` may be parallel.
namespace gangway::port {

/// Returns why the scalars that a loop of the piece sets keep its iterations in order, whatever a
/// clause promises; empty if they do not.
[[nodiscard]] std::string why_in_order(const Around& around, const Piece& piece, const Loop& loop,
                                       const Directive* own);

/// Returns why a loop of the piece cannot be taken to be parallel; empty if it can.
[[nodiscard]] std::string dependence(const Around& around, const Piece& piece, const Loop& loop,
                                     const Directive* own);

} // namespace gangway::port
