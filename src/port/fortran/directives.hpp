// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/model.hpp"

#include <flang/Parser/parse-tree.h>
#include <flang/Semantics/semantics.h>

#include <string_view>

namespace gangway::port::fortran {

/// Returns the source's directives and clauses with what Flang knows of their variables, calls of
/// OpenACC's runtime library, and procedures. `program` has passed Flang's checks,
/// and has the file under `path`.
[[nodiscard]] Source source_of(const std::string& file, const std::string& path,
                               const Fortran::parser::Program& program,
                               Fortran::semantics::SemanticsContext& context);

/// Returns how a reduction clause writes the operator.
[[nodiscard]] std::string_view symbol_for(Fortran::parser::ReductionOperator::Operator operation);

} // namespace gangway::port::fortran
