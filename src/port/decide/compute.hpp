// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>

/// Compute constructs, and the kernels made of them.
namespace gangway::port {

/// Decides a compute construct with everything in it.
void decide_compute(Decisions& all, std::size_t id);

} // namespace gangway::port
