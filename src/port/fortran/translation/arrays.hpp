// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/model.hpp"

namespace gangway::port::fortran::translation {

/// Rewrites assignments of arrays and sections in compute constructs as loops over their elements,
/// and sums and other reductions of arrays likewise. An assignment that needs a copy of its right
/// side stays.
void expand_arrays(Program& program);

} // namespace gangway::port::fortran::translation
