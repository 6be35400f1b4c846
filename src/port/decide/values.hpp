// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

/// Scalars that no data clause names: captured, copied, private, or refused.
namespace gangway::port {

/// Decides the scalars of all kernels, once arrays and reductions are known.
void find_values(Around& around);

/// Requires that no code reads a scalar's value from a kernel that has the scalar as its own.
/// Errors: Refusal if later code of the construct reads it.
void require_no_values_handed_on(const Around& around);

} // namespace gangway::port
