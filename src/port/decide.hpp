// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/plan.hpp"

#include <vector>

namespace gangway::port {

/// Makes a plan for each source of a program; kernels of one may call functions of another. With
/// `queues` each queue of `async` becomes an instance of its own; without, one instance runs all in
/// source order. With `verify` a construct's original is written beside it, where it can be.
[[nodiscard]] std::vector<Plan> decide(const std::vector<Unit>& units, bool queues = false,
                                       bool verify = false);

} // namespace gangway::port
