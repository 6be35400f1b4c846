// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

namespace gangway::port {

/// Decides which constructs are held against their originals, and notes why others are not.
void decide_verified(Decisions& all);

} // namespace gangway::port
