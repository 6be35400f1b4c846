// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/plan.hpp"

namespace gangway::port {

/// With `queues` each queue of `async` becomes an instance of its own; without, everything is on
/// one, in the order of the source.
[[nodiscard]] Plan decide(const Unit& unit, bool queues = false);

} // namespace gangway::port
