// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/model.hpp"

#include <vector>

namespace gangway::port::fortran::translation {

/// Adds the procedures of other sources that the program calls in compute constructs, and those
/// that these call.
void add_procedures(Program& program, const std::vector<const Program*>& others);

} // namespace gangway::port::fortran::translation
