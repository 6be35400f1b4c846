// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// What the statement of an atomic does.
namespace gangway::port {

/// Into the directive with that number.
void read_atomic(Reading& reading, const clang::OpenACCAtomicConstruct* construct, std::size_t id);

} // namespace gangway::port
