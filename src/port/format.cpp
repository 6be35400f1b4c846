// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/format.hpp"

#include <clang/Basic/LangOptions.h>
#include <clang/Format/Format.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Core/Replacement.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace gangway::port {
namespace {

using Ranges = std::vector<clang::tooling::Range>;

unsigned end_of(const clang::tooling::Range& range) {
  return range.getOffset() + range.getLength();
}

/// Merges ranges that have at most `lines` ends of lines between them.
Ranges joined(const Ranges& ranges, std::string_view text, std::ptrdiff_t lines) {
  Ranges fewer;
  for (const clang::tooling::Range& range : ranges) {
    const std::string_view between =
        fewer.empty() ? ""
                      : text.substr(end_of(fewer.back()), range.getOffset() - end_of(fewer.back()));
    if (!fewer.empty() && std::count(between.begin(), between.end(), '\n') <= lines)
      fewer.back() = {fewer.back().getOffset(), end_of(range) - fewer.back().getOffset()};
    else
      fewer.push_back(range);
  }
  return fewer;
}

/// Returns the new parts of the text, merged over at most one end of line.
Ranges ranges_of(const Edits::Result& result) {
  Ranges ranges;
  for (const Span& changed : result.changed)
    ranges.emplace_back(changed.begin, changed.end - changed.begin);
  return joined(ranges, result.text, 1);
}

/// Returns the position after each line that begins with a closing brace: the end of a function or
/// of more.
std::vector<unsigned> ends_of_functions(std::string_view text, const clang::LangOptions& language) {
  std::vector<unsigned> ends;
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(), text.data(),
                     text.data() + text.size());
  for (clang::Token token; !lexer.LexFromRawLexer(token);) {
    const auto end = static_cast<std::size_t>(lexer.getBufferLocation() - text.data());
    if (token.isNot(clang::tok::r_brace) || (end > 1 && text[end - 2] != '\n'))
      continue;
    const std::size_t newline = end < text.size() && text[end] == '\r' ? end + 1 : end;
    if (newline < text.size() && text[newline] == '\n')
      ends.push_back(static_cast<unsigned>(newline + 1));
  }
  return ends;
}

/// Merges close ranges, because clang-format looks at each range for each token. In a text with
/// very many ranges it lays out the lines between close ones, too.
std::string laid_out(const clang::format::FormatStyle& style, const std::string& text,
                     Ranges ranges, const std::string& file) {
  constexpr std::size_t most = 500;
  for (std::ptrdiff_t lines = 2; ranges.size() > most; lines *= 2)
    ranges = joined(ranges, text, lines);
  auto formatted = clang::tooling::applyAllReplacements(
      text, clang::format::reformat(style, text, ranges, file));
  if (formatted)
    return *formatted;
  llvm::consumeError(formatted.takeError());
  return text;
}

} // namespace

std::string format(const Edits::Result& result, const std::string& file) {
  if (result.changed.empty())
    return result.text;
  auto style = clang::format::getStyle("file", file, "LLVM", result.text);
  if (!style) {
    llvm::consumeError(style.takeError());
    style = clang::format::getLLVMStyle();
  }
  style->SortIncludes.Enabled = false;
  const Ranges ranges = ranges_of(result);
  // The time grows with the text's length times the number of ranges. If there are many, we lay out
  // so many at a time, with the functions around them.
  constexpr std::size_t at_a_time = 64;
  if (ranges.size() <= at_a_time)
    return laid_out(*style, result.text, ranges, file);
  std::string text;
  unsigned begin = 0;
  auto next = ranges.begin();
  const auto lay_out_until = [&](unsigned end) {
    Ranges here;
    for (; next != ranges.end() && end_of(*next) <= end; ++next)
      here.emplace_back(next->getOffset() - begin, next->getLength());
    const std::string part = result.text.substr(begin, end - begin);
    text += here.empty() ? part : laid_out(*style, part, here, file);
    begin = end;
  };
  std::size_t taken = 0;
  for (const unsigned end :
       ends_of_functions(result.text, clang::format::getFormattingLangOpts(*style))) {
    while (taken < ranges.size() && end_of(ranges[taken]) <= end)
      ++taken;
    const bool cuts = taken < ranges.size() && ranges[taken].getOffset() < end;
    if (!cuts && taken - static_cast<std::size_t>(next - ranges.begin()) >= at_a_time)
      lay_out_until(end);
  }
  lay_out_until(static_cast<unsigned>(result.text.size()));
  return text;
}

} // namespace gangway::port
