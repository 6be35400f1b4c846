// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gangway::port {

enum class Outcome { translated, assumed, refused };
[[nodiscard]] std::string_view name_of(Outcome outcome);

/// What becomes of a construct or a clause: the table that decisions, the report and docs/port.md
/// share.
struct Rule {
  std::string_view word; ///< `parallel loop`, `copyin`
  bool clause = false;
  Outcome outcome = Outcome::translated; ///< what it can be at best
  std::string_view becomes;
  std::string_view row; ///< of the guide: the anchor of its heading
};

[[nodiscard]] const std::vector<Rule>& rules();
/// The rule of a construct or of a clause, or null.
[[nodiscard]] const Rule* rule_of(std::string_view word, bool clause);
/// The table in Markdown.
[[nodiscard]] std::string rules_table();

} // namespace gangway::port
