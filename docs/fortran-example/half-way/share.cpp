// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gangway/openacc.hpp>

extern "C" void share_with_openacc() {
  gangway::share_with_openacc();
}
