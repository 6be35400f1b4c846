// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// A directive's lines, its clauses and the sections in them.
namespace gangway::port {

/// Adds a directive to the unit, and returns its number there.
[[nodiscard]] std::size_t add_directive(Reading& reading, clang::SourceRange range,
                                        Construct construct,
                                        llvm::ArrayRef<const clang::OpenACCClause*> clauses);

} // namespace gangway::port
