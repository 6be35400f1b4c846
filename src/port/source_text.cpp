// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/source_text.hpp"

#include <algorithm>
#include <cctype>

namespace gangway::port {

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos;
       at += word.size()) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_word(text[at + word.size()]);
    if (begins && ends)
      return true;
  }
  return false;
}

Span lines_from(unsigned begin, unsigned end, const std::string& text) {
  const auto continues = [&](unsigned newline) {
    unsigned before = newline;
    if (before > begin && text[before - 1] == '\r')
      --before;
    return before > begin && text[before - 1] == '\\';
  };
  while (end < text.size() && !(text[end] == '\n' && !continues(end)))
    ++end;
  return {begin, end < text.size() ? end + 1 : end};
}

std::string joined(const std::string& lines) {
  std::string text;
  bool space = false;
  for (const char c : lines) {
    if (c == '\\' || std::isspace(static_cast<unsigned char>(c)) != 0) {
      space = true;
      continue;
    }
    if (space && !text.empty())
      text += ' ';
    space = false;
    text += c;
  }
  for (const std::string_view prefix : {"#", " ", "pragma", " "})
    if (text.starts_with(prefix))
      text.erase(0, prefix.size());
  return text;
}

bool is_directive(std::string_view line) {
  const auto skip_spaces = [&] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t'))
      line.remove_prefix(1);
  };
  const auto take = [&](std::string_view word) {
    skip_spaces();
    if (!line.starts_with(word))
      return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!take("#") || !take("pragma") || line.empty() ||
      (line.front() != ' ' && line.front() != '\t') || !take("acc"))
    return false;
  return line.empty() || std::isspace(static_cast<unsigned char>(line.front())) != 0 ||
         line.front() == '\\';
}

std::string in_parentheses(const std::string& text) {
  if (std::all_of(text.begin(), text.end(), is_word))
    return text;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0 && at + 1 == text.size())
      return text; // they are there
    if (depth == 0)
      break;
  }
  return "(" + text + ")";
}

} // namespace gangway::port
