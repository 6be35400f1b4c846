// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// The bounds of a loop.
namespace gangway::port {

/// Reads a loop in that construct; its `problem` says why it is no range.
[[nodiscard]] Loop read_loop(Reading& reading, const clang::ForStmt* statement,
                             std::size_t construct);

} // namespace gangway::port
