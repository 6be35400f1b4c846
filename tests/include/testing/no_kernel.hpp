// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace gangway::testing {

/// The body of a team kernel that does nothing, on any space: for tests of policies, because nvcc
/// takes no lambda of a kernel in the body of a test.
struct NoKernel {
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& /*team*/) const {}
};

} // namespace gangway::testing
