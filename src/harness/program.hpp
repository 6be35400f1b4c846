// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gangway::harness {

/// The facts of a program with studies. `gangway_add_studies` (cmake/studies.cmake) adds a source
/// to each that sets them before `main` begins. Without it, as in tests, they are those of
/// `gangway`.
struct Program {
  /// Its name, with which messages begin; its OpenACC side is called lib NAME _openacc.so.
  std::string name = "gangway";
  std::string compiler; ///< of its studies; empty: the referee's
  std::string flags;    ///< with that compiler
  /// The folder of make_report.py; empty: where the command itself has it.
  std::string report;
};

/// Returns the facts of this program, at any time, also while objects of namespaces are made.
[[nodiscard]] Program& program();

} // namespace gangway::harness
