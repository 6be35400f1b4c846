// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gangway::port {

enum class Outcome { translated, assumed, refused };
[[nodiscard]] std::string_view name_of(Outcome outcome);

enum class Kind {
  construct,
  clause,
  code,   ///< what the source does with what it names
  routine ///< of the runtime library
};

/// What becomes of a construct, of a clause, or of code in kernels: the table that decisions, the
/// report and docs/port.md share.
struct Rule {
  std::string_view word; ///< `parallel loop`, `copyin`
  Kind kind = Kind::construct;
  Outcome outcome = Outcome::translated; ///< what it can be at best
  std::string_view becomes;
  std::string_view row; ///< of the guide: the anchor of its heading
};

[[nodiscard]] const std::vector<Rule>& rules();
/// The rule, or null.
[[nodiscard]] const Rule* rule_of(std::string_view word, Kind kind);
/// The table in Markdown.
[[nodiscard]] std::string rules_table();

} // namespace gangway::port
