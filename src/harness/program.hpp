// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gangway::harness {

/// What a program with studies says of itself. `gangway_add_studies` (cmake/studies.cmake) adds a
/// source to each that does so before `main` begins; where there is none, as in tests, it is the
/// command `gangway`.
struct Program {
  /// As messages begin, and of what its OpenACC side is called: lib NAME _openacc.so.
  std::string name = "gangway";
  std::string compiler; ///< of its studies; empty: the referee's
  std::string flags;    ///< with that compiler
  /// The folder of make_report.py; empty: where the command itself has it.
  std::string report;
};

/// This program's. May be asked at any time, also while objects of namespaces are made.
[[nodiscard]] Program& program();

} // namespace gangway::harness
