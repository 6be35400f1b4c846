// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/codes.hpp"

#include "port/codes_text.hpp"

#include <algorithm>
#include <cctype>

namespace gangway::port {
namespace {

/// Returns the text of a code in docs/port-codes, without what `explanations` adds from the
/// tables.
std::string_view page_of(std::string_view name) {
  const std::string heading = fmt::format("\n## {}\n", name);
  const std::size_t begin = codes.find(heading);
  if (begin == std::string_view::npos)
    return {};
  const std::string_view rest = codes.substr(begin + heading.size());
  std::string_view page = rest.substr(0, std::min(rest.find("\n## "), rest.find("\n# ")));
  const auto trim = [&page] {
    while (page.starts_with('\n'))
      page.remove_prefix(1);
    while (page.ends_with('\n'))
      page.remove_suffix(1);
  };
  trim();
  for (const std::string_view made : {"**", "By hand: "})
    if (page.starts_with(made)) {
      page.remove_prefix(std::min(page.find("\n\n"), page.size()));
      trim();
    }
  page = page.substr(0, page.rfind("\n[In the guide]("));
  trim();
  return page;
}

std::string_view kind_of(const CodeRule& rule) {
  return rule.outcome == Outcome::translated ? "note" : name_of(rule.outcome);
}

} // namespace

std::string name_of(Code code) {
  return fmt::format("GW{}", static_cast<int>(code));
}

std::string title_of(Code code) {
  std::string title(rule_of(code).text);
  for (std::size_t at = 0; (at = title.find("{}", at)) != std::string::npos;)
    title.replace(at, 2, "…");
  return title;
}

std::string explanation(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  const auto* const rule =
      std::find_if(code_rules.begin(), code_rules.end(),
                   [&](const CodeRule& one) { return name_of(one.code) == upper; });
  if (rule == code_rules.end())
    return "";
  std::string text = fmt::format("{} ({}): {}\n", upper, kind_of(*rule), title_of(rule->code));
  if (!rule->by_hand.empty())
    text += fmt::format("By hand: {}\n", rule->by_hand);
  if (!rule->row.empty())
    text += fmt::format("In the guide: docs/guide/{}\n", place_of(rule->row));
  return fmt::format("{}\n{}\n", text, page_of(upper));
}

std::string explanations() {
  std::string text;
  for (std::size_t at = codes.find("\n# "); at != std::string_view::npos;) {
    const std::size_t next = codes.find("\n# ", at + 1);
    const std::size_t end = codes.find('\n', at + 1);
    text += fmt::format("{}# {}\n", text.empty() ? "" : "\n", codes.substr(at + 3, end - at - 3));
    for (const CodeRule& rule : code_rules) {
      const std::string name = name_of(rule.code);
      const std::size_t heading = codes.find(fmt::format("\n## {}\n", name));
      if (heading < at || heading > next)
        continue;
      text += fmt::format("\n## {}\n\n**{}**: {}\n\n", name, kind_of(rule), title_of(rule.code));
      if (!rule.by_hand.empty())
        text += fmt::format("By hand: {}\n\n", rule.by_hand);
      text += fmt::format("{}\n", page_of(name));
      if (!rule.row.empty())
        text += fmt::format("\n[In the guide](../guide/{})\n", place_of(rule.row));
    }
    at = next;
  }
  return text;
}

} // namespace gangway::port
