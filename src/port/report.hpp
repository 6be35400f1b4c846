// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/plan.hpp"

#include <string>
#include <vector>

namespace gangway::port {

/// A source and what became of it.
struct Translation {
  Unit unit;
  Plan plan;
  std::string output; ///< where it was written; empty where it was not
};

/// A line for each directive, with what it became, what is assumed and what is refused, and the sum
/// of them.
[[nodiscard]] std::string text_report(const std::vector<Translation>& translations);
/// The same for programs: `{"schema": 2, "files": [{"file", "output", "directives": […], "remarks":
/// […]}], "counts"}`.
[[nodiscard]] std::string json_report(const std::vector<Translation>& translations);
/// The same in the Static Analysis Results Interchange Format, 2.1.0.
[[nodiscard]] std::string sarif_report(const std::vector<Translation>& translations);
/// The same as a page that needs nothing beside it, in the style of the referee's.
[[nodiscard]] std::string html_report(const std::vector<Translation>& translations);

} // namespace gangway::port
