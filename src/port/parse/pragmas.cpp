// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/pragmas.hpp"

#include "port/source_text.hpp"

#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gangway::port {

using namespace clang;

namespace {

/// Words of the code from one place on, without preprocessor lines.
class Words {
public:
  Words(const Reading& reading, unsigned from)
      : _text(reading.unit.text), _lexer(SourceLocation(), reading.language, _text.data(),
                                         _text.data() + from, _text.data() + _text.size()),
        _after(from) {}

  /// Returns the next word; empty at the end of the text.
  [[nodiscard]] std::string_view next() {
    Token token;
    while (!_lexer.LexFromRawLexer(token)) {
      _end = static_cast<unsigned>(_lexer.getBufferLocation() - _text.data());
      const unsigned begin = _end - token.getLength();
      if (begin < _after)
        continue;
      if (token.is(tok::hash) && token.isAtStartOfLine()) {
        _after = lines_from(begin, begin, _text).end;
        continue;
      }
      return std::string_view(_text).substr(begin, token.getLength());
    }
    return {};
  }
  /// Returns the position after the last word.
  [[nodiscard]] unsigned end() const { return _end; }

private:
  const std::string& _text;
  Lexer _lexer;
  unsigned _after;
  unsigned _end = 0;
};

/// Reads up to the bracket that closes the one just read.
void close(Words& words) {
  int depth = 1;
  for (std::string_view word = words.next(); !word.empty() && depth > 0;) {
    depth += word == "(" || word == "{" ? 1 : word == ")" || word == "}" ? -1 : 0;
    if (depth > 0)
      word = words.next();
  }
}

/// Returns the end of the statement that begins at `from`: a block, a loop, or up to a semicolon.
unsigned end_of_statement(const Reading& reading, unsigned from) {
  Words words(reading, from);
  std::string_view word = words.next();
  while (word == "for" || word == "while" || word == "if") {
    word = words.next();
    if (word == "(")
      close(words);
    word = words.next();
  }
  while (!word.empty() && word != ";" && word != "{") {
    if (word == "(")
      close(words);
    word = words.next();
  }
  if (word == "{")
    close(words);
  return words.end();
}

/// Returns the text after `#pragma` in the line; empty if it is no pragma.
std::string pragma_of(const std::string& lines) {
  std::string_view line = lines;
  const auto skip = [&] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t'))
      line.remove_prefix(1);
  };
  skip();
  if (!line.starts_with('#'))
    return "";
  line.remove_prefix(1);
  skip();
  if (!line.starts_with("pragma"))
    return "";
  return joined(lines);
}

/// Returns whether the pragma concerns the loop after it, or threads.
bool asks_for_loop(std::string_view pragma) {
  static constexpr std::array<std::string_view, 14> kinds{
      "omp",      "ivdep", "unroll",    "nounroll",   "unroll_and_jam", "simd",       "vector",
      "novector", "loop",  "GCC ivdep", "GCC unroll", "GCC novector",   "clang loop", "nofusion"};
  return std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) {
    return pragma.starts_with(kind) &&
           (pragma.size() == kind.size() || !is_word(pragma[kind.size()]));
  });
}

/// Returns whether several threads execute the statement that the pragma applies to.
bool has_threads(const std::string& pragma) {
  static constexpr std::array<std::string_view, 6> words{"parallel", "teams",    "task",
                                                         "taskloop", "sections", "for"};
  return pragma.starts_with("omp") && !has_word(pragma, "declare") && !has_word(pragma, "end") &&
         std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return has_word(pragma, word); });
}

} // namespace

void find_other_pragmas(Reading& reading) {
  const std::string& text = reading.unit.text;
  unsigned line = 1;
  for (unsigned at = 0; at < text.size();) {
    const Span lines = lines_from(at, at, text);
    const std::string written = text.substr(lines.begin, lines.end - lines.begin);
    if (const std::string pragma = pragma_of(written); asks_for_loop(pragma)) {
      OtherPragma found{{line, 1}, lines, pragma, {}};
      if (has_threads(pragma))
        found.applies = {lines.end, end_of_statement(reading, lines.end)};
      reading.unit.other_pragmas.push_back(std::move(found));
    }
    line += static_cast<unsigned>(std::count(written.begin(), written.end(), '\n'));
    at = lines.end;
  }
}

} // namespace gangway::port
