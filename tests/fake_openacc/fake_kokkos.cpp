// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_kokkos.hpp"

int gangway::fake_openacc::Kokkos::initialized = 0;
