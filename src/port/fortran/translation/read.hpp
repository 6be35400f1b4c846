// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/model.hpp"

#include <flang/Semantics/semantics.h>

namespace gangway::port::fortran::translation {

/// Returns the model of a source that has passed Flang's checks.
[[nodiscard]] Program program_of(const Fortran::parser::Program& tree,
                                 Fortran::semantics::SemanticsContext& context, bool is_fixed_form);

} // namespace gangway::port::fortran::translation
