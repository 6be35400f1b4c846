// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/plan.hpp"

#include <string>
#include <vector>

namespace gangway::port {

/// Source with its plan, and where its translation was written.
struct Translation {
  Unit unit;
  Plan plan;
  std::string output = {};  ///< where it was written; empty where it was not
  std::string kernels = {}; ///< of Fortran where its kernels were written; empty likewise
};

/// Returns a line for each directive, with what it became, what is assumed and what is refused, and
/// the counts of these.
[[nodiscard]] std::string text_report(const std::vector<Translation>& translations);
/// Returns the report for programs: `{"schema": 2, "files": [{"file", "output", "directives": […],
/// "remarks": […]}], "counts"}`; of Fortran with kernels a file has `"kernels"`, too.
[[nodiscard]] std::string json_report(const std::vector<Translation>& translations);
/// Returns the report in the Static Analysis Results Interchange Format, 2.1.0.
[[nodiscard]] std::string sarif_report(const std::vector<Translation>& translations);
/// Returns the report as a self-contained page in the style of the referee's.
[[nodiscard]] std::string html_report(const std::vector<Translation>& translations);

} // namespace gangway::port
