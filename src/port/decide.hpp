// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/plan.hpp"

namespace gangway::port {

/// With `queues` each queue of `async` becomes an instance of its own; without, everything is on
/// one, in the order of the source. With `verify` each construct's original is written beside it,
/// where it can be.
[[nodiscard]] Plan decide(const Unit& unit, bool queues = false, bool verify = false);

} // namespace gangway::port
