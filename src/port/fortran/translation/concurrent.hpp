// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/model.hpp"

namespace gangway::port::fortran::translation {

/// Rewrites `do concurrent` in compute constructs, and in procedures that kernels may call, as
/// nested loops: the first index is the innermost one, as with gfortran. A mask becomes an `if`,
/// and what is local gets variables of its own. One whose mask or bounds need what its iterations
/// set becomes a statement that kernels cannot have.
void expand_concurrent(Program& program);

} // namespace gangway::port::fortran::translation
