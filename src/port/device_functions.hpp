// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <string>

namespace gangway::port {

/// Returns the name that a function of the system has in Kokkos, `sqrt` for `sqrtf`; empty for any
/// other function, whatever its name, and if Kokkos has none.
[[nodiscard]] std::string device_function(const Call& call);

/// Returns whether the compilers of devices have the function under its own name.
[[nodiscard]] bool is_everywhere(const Call& call);

/// Returns whether a declaration before a call makes it mean Kokkos' function; the text of a call
/// in a macro stays. The declaration is `using Kokkos::sqrt;`, or, if C converts to double, a
/// function object of that name.
[[nodiscard]] bool fits_by_using(const Call& call);

} // namespace gangway::port
