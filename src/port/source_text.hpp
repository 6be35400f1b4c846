// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <string>
#include <string_view>

/// The text of a source, whatever compiler reads it.
namespace gangway::port {

/// Returns the span from `begin`, which begins a line, to the end of the line that holds `end`,
/// including lines that backslashes continue.
[[nodiscard]] Span lines_from(unsigned begin, unsigned end, const std::string& text);
/// Returns a directive's lines as one, without `#pragma`.
[[nodiscard]] std::string joined(const std::string& lines);
/// Returns whether a line begins an OpenACC directive.
[[nodiscard]] bool is_directive(std::string_view line);

/// Returns whether a name may have the character in it.
[[nodiscard]] bool is_word(char c);
/// Returns whether `text` contains `word` as a word of its own.
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);
/// Returns whether the text is a whole number without a sign, or empty.
[[nodiscard]] bool is_number(std::string_view text);
/// Puts the text in parentheses, unless it is a name, a number, or has them.
[[nodiscard]] std::string in_parentheses(const std::string& text);

} // namespace gangway::port
