// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/rules.hpp"

#include <string>
#include <string_view>

/// Tables of what becomes of OpenACC's directives, clauses and routines in Fortran. Rows of
/// the guide are those of `port::rule_of`.
namespace gangway::port::fortran {

struct FortranRule {
  Outcome outcome = Outcome::translated; ///< what it can be at best
  std::string_view becomes;
};

[[nodiscard]] FortranRule fortran_rule_of(Construct construct);
[[nodiscard]] FortranRule fortran_rule_of(ClauseKind clause);
[[nodiscard]] FortranRule fortran_rule_of(Routine routine);

/// Returns the tables in Markdown.
[[nodiscard]] std::string rules_table();

} // namespace gangway::port::fortran
