// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/keywords.hpp"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <string_view>

namespace gangway::port {

using namespace clang;

namespace {

/// Keywords of C++ that are names in C; those of stdbool.h may be its macros.
bool is_keyword(std::string_view name, bool has_bool) {
  if (name == "bool" || name == "false" || name == "true")
    return !has_bool;
  static const std::set<std::string_view> keywords{
      "and",          "and_eq",    "bitand",     "bitor",    "catch",           "class",
      "co_await",     "co_return", "co_yield",   "compl",    "concept",         "consteval",
      "constexpr",    "constinit", "const_cast", "decltype", "delete",          "explicit",
      "dynamic_cast", "export",    "friend",     "mutable",  "namespace",       "new",
      "noexcept",     "not",       "not_eq",     "nullptr",  "operator",        "or",
      "or_eq",        "private",   "protected",  "public",   "requires",        "static_cast",
      "template",     "this",      "throw",      "try",      "typeid",          "typename",
      "using",        "virtual",   "xor",        "xor_eq",   "reinterpret_cast"};
  return keywords.contains(name);
}

} // namespace

WithoutKeywords without_keywords(const std::string& c, bool has_bool) {
  WithoutKeywords made;
  LangOptions language;
  language.LineComment = true;
  Lexer lexer(SourceLocation(), language, c.data(), c.data(), c.data() + c.size());
  std::size_t kept = 0;
  bool is_pragma = false; // whose words are names in parentheses only
  bool is_include = false;
  bool begins = false; // a line of the preprocessor's
  int depth = 0;
  Token token;
  for (bool ends = false; !ends;) {
    ends = lexer.LexFromRawLexer(token);
    if (token.isAtStartOfLine()) {
      is_pragma = is_include = false;
      begins = token.is(tok::hash);
      depth = 0;
    }
    depth += token.is(tok::l_paren) ? 1 : token.is(tok::r_paren) ? -1 : 0;
    if (token.isNot(tok::raw_identifier))
      continue;
    const std::string name = token.getRawIdentifier().str();
    if (begins) {
      is_pragma = name == "pragma";
      is_include = name.starts_with("include") || name == "import";
      begins = false;
      continue;
    }
    const auto end = static_cast<std::size_t>(lexer.getBufferLocation() - c.data());
    if (is_include || (is_pragma && depth == 0) || !is_keyword(name, has_bool))
      continue;
    made.text.append(c, kept, end - kept).append("_");
    made.renamed.insert(name);
    kept = end;
  }
  made.text.append(c, kept);
  return made;
}

} // namespace gangway::port
