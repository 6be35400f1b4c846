// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gangway::fake_openacc {

/// Stands for what a shared Kokkos has, by the name that tells.
struct Kokkos {
  static int initialized; ///< read by the program, and by the library that it loads
};

} // namespace gangway::fake_openacc
