// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

/// Scalars that no data clause names: captured, copied, private, or refused.
namespace gangway::port {

/// Those of all kernels, once arrays and reductions are known.
void find_values(Around& around);

/// A scalar of the host's that is a kernel's own in one kernel brings nothing to what comes after
/// it.
void require_no_values_handed_on(const Around& around);

} // namespace gangway::port
