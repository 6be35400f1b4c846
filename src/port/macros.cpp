// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/macros.hpp"

#include "port/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace gangway::port {
namespace {

/// Name as the translation writes it, `Kokkos::max` or `data.copy`: its place and its parts.
struct Name {
  unsigned begin = 0;
  unsigned end = 0;
  std::vector<std::string> parts;
};

unsigned behind_text(std::string_view text, unsigned at) {
  if (text.substr(at).starts_with("//"))
    return static_cast<unsigned>(std::min(text.find('\n', at), text.size()));
  if (text.substr(at).starts_with("/*"))
    return static_cast<unsigned>(std::min(text.find("*/", at + 2), text.size() - 2) + 2);
  if (text[at] == '"' || text[at] == '\'') {
    unsigned end = at + 1;
    while (end < text.size() && text[end] != text[at])
      end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, static_cast<unsigned>(text.size()));
  }
  return at;
}

unsigned behind_word(std::string_view text, unsigned at) {
  while (at < text.size() && is_word(text[at]))
    ++at;
  return at;
}

/// Returns the names in a part of the text that begin with a library's name or with one of the
/// translation's own.
std::vector<Name> names_in(std::string_view text, Span part, const Unit& unit) {
  std::vector<Name> names;
  for (unsigned at = part.begin; at < part.end;) {
    if (const unsigned behind = behind_text(text, at); behind != at) {
      at = behind;
      continue;
    }
    if (!is_word(text[at]) || (at > 0 && is_word(text[at - 1]))) {
      ++at;
      continue;
    }
    Name name{at, behind_word(text, at), {}};
    name.parts.emplace_back(text.substr(at, name.end - at));
    const std::string first = name.parts.front();
    const bool is_library = first == "Kokkos" || first == "gangway";
    // `{.iterations = n`
    const bool is_member =
        at > 1 && text[at - 1] == '.' && (text[at - 2] == '{' || text[at - 2] == ' ');
    while (name.end + 2 < text.size()) {
      const std::size_t joint = text.substr(name.end).starts_with("::") ? 2
                                : text[name.end] == '.'                 ? 1
                                                                        : 0;
      const unsigned next = name.end + static_cast<unsigned>(joint);
      if (joint == 0 || !is_word(text[next]))
        break;
      name.end = behind_word(text, next);
      name.parts.emplace_back(text.substr(next, name.end - next));
    }
    if (is_library || is_member ||
        (name.parts.size() > 1 && !unit.words.contains(first) &&
         std::isdigit(static_cast<unsigned char>(first.front())) == 0))
      names.push_back(name);
    at = name.end;
  }
  return names;
}

} // namespace

std::vector<std::string> keep_from_macros(Edits::Result& result, const Unit& unit) {
  std::map<unsigned, char> brackets; ///< by where they are put
  std::set<std::string> taken;
  for (const Span& part : result.changed)
    for (const Name& name : names_in(result.text, part, unit)) {
      for (const std::string& word : name.parts)
        if (const auto macro = unit.macros.find(word);
            macro != unit.macros.end() && !macro->second.takes_arguments)
          taken.insert(word);
      const auto macro = unit.macros.find(name.parts.back());
      if (macro != unit.macros.end() && macro->second.takes_arguments &&
          name.end < result.text.size() && result.text[name.end] == '(') {
        brackets[name.begin] = '(';
        brackets[name.end] = ')';
      }
    }
  if (!brackets.empty()) {
    std::string text;
    unsigned from = 0;
    for (const auto& [at, bracket] : brackets) {
      text.append(result.text, from, at - from);
      text += bracket;
      from = at;
    }
    text.append(result.text, from);
    result.text = std::move(text);
    const auto moved = [&](unsigned at, bool with) {
      const auto before = with ? brackets.upper_bound(at) : brackets.lower_bound(at);
      return at + static_cast<unsigned>(std::distance(brackets.begin(), before));
    };
    for (Span& part : result.changed)
      part = {moved(part.begin, false), moved(part.end, true)};
    for (Edits::Kept& kept : result.kept)
      kept.begin = moved(kept.begin, true);
  }
  return {taken.begin(), taken.end()};
}

} // namespace gangway::port
