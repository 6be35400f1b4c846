// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/model.hpp"

#include <functional>
#include <vector>

namespace gangway::port::fortran::translation {

/// Adds the procedures of other sources that the program calls in compute constructs, and those
/// that these call.
void add_procedures(Program& program, const std::vector<const Program*>& others);

/// Calls `change` for the statements of each compute construct, and of procedures that kernels may
/// call.
void for_kernels(Program& program, const std::function<void(std::vector<Statement>&)>& change);

} // namespace gangway::port::fortran::translation
