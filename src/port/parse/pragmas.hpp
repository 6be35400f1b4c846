// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Directives of other kinds than OpenACC's.
namespace gangway::port {

/// Finds the pragmas that concern the loop after them, or threads. Clang reads none of them here.
void find_other_pragmas(Reading& reading);

} // namespace gangway::port
