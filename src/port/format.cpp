// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/format.hpp"

#include <clang/Format/Format.h>
#include <clang/Tooling/Core/Replacement.h>

#include <vector>

namespace gangway::port {

std::string format(const Edits::Result& result, const std::string& file) {
  if (result.changed.empty())
    return result.text;
  auto style = clang::format::getStyle("file", file, "LLVM", result.text);
  if (!style) {
    llvm::consumeError(style.takeError());
    style = clang::format::getLLVMStyle();
  }
  style->SortIncludes.Enabled = false;
  std::vector<clang::tooling::Range> ranges;
  // Those of one line are one: clang-format looks at each for each line.
  for (const Span& changed : result.changed) {
    const unsigned before =
        ranges.empty() ? 0 : ranges.back().getOffset() + ranges.back().getLength();
    const auto newline = result.text.find('\n', before);
    if (!ranges.empty() && newline >= changed.begin)
      ranges.back() = {ranges.back().getOffset(), changed.end - ranges.back().getOffset()};
    else
      ranges.emplace_back(changed.begin, changed.end - changed.begin);
  }
  const auto replacements = clang::format::reformat(*style, result.text, ranges, file);
  auto formatted = clang::tooling::applyAllReplacements(result.text, replacements);
  if (!formatted) {
    llvm::consumeError(formatted.takeError());
    return result.text;
  }
  return *formatted;
}

} // namespace gangway::port
