// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <string>

namespace gangway::port {

/// The name that a function of the system's has in Kokkos, `sqrt` for `sqrtf`; empty of any other
/// function, whatever its name, and where Kokkos has none.
[[nodiscard]] std::string device_function(const Call& call);

/// Whether a call that a macro writes, whose text stays, means Kokkos' function by a declaration
/// before it: `using Kokkos::sqrt;`, or where C converts to double a function object of that name.
[[nodiscard]] bool fits_by_using(const Call& call);

} // namespace gangway::port
