// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Statements of atomics.
namespace gangway::port {

/// Reads an atomic's statement into the directive with that number.
void read_atomic(Reading& reading, const clang::OpenACCAtomicConstruct* construct, std::size_t id);

} // namespace gangway::port
