// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Directives beside OpenACC's.
namespace gangway::port {

/// Those that ask for a loop behind them, or for threads. Clang reads none of them here.
void find_other_pragmas(Reading& reading);

} // namespace gangway::port
