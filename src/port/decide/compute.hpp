// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>

/// Compute constructs: which kernels become of them.
namespace gangway::port {

/// A compute construct, with all that stands in it.
void decide_compute(Decisions& all, std::size_t id);

} // namespace gangway::port
