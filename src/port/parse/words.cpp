// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/words.hpp"

#include "port/parse/variable_lengths.hpp"
#include "port/source_text.hpp"

#include <clang/Lex/Lexer.h>

#include <set>

namespace gangway::port {

using namespace clang;

void note_void_cast(Reading& reading, const Stmt* statement) {
  const auto* conversion = dyn_cast<ImplicitCastExpr>(statement);
  if (conversion == nullptr || conversion->getCastKind() != CK_BitCast ||
      conversion->getBeginLoc().isMacroID() || !reading.is_here(conversion->getBeginLoc()))
    return;
  const QualType from = conversion->getSubExpr()->getType();
  const QualType to = conversion->getType();
  if (from->isVoidPointerType() && to->isPointerType() && !to->isVoidPointerType() &&
      !is_variable_length_pointer(to))
    reading.unit.void_casts.emplace_back(reading.span(conversion->getSourceRange()).begin,
                                         to.getUnqualifiedType().getAsString(reading.print));
}

void note_int(Reading& reading, const Stmt* statement) {
  const auto* const size = dyn_cast<UnaryExprOrTypeTraitExpr>(statement);
  if (size == nullptr || size->getKind() != UETT_SizeOf || size->isArgumentType())
    return;
  const Expr* const argument = size->getArgumentExpr();
  const Expr* const value = argument->IgnoreParens();
  const auto* const operation = dyn_cast<BinaryOperator>(value);
  const auto* const opposite = dyn_cast<UnaryOperator>(value);
  if ((isa<CharacterLiteral>(value) ||
       (operation != nullptr && (operation->isComparisonOp() || operation->isLogicalOp())) ||
       (opposite != nullptr && opposite->getOpcode() == UO_LNot)) &&
      !argument->getBeginLoc().isMacroID() && reading.is_here(argument->getBeginLoc()))
    reading.unit.ints.push_back(reading.offset(argument->getBeginLoc()));
}

/// Returns whether a header of the user's has C's keyword `restrict`.
static bool headers_restrict(const Reading& reading) {
  const SourceManager& sources = reading.sources;
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
    const FileID id = sources.translateFile(file->first);
    if (id.isInvalid() || id == sources.getMainFileID() ||
        sources.isInSystemHeader(sources.getLocForStartOfFile(id)))
      continue;
    const auto buffer = sources.getBufferOrNone(id);
    if (!buffer)
      continue;
    Lexer lexer(id, *buffer, sources, reading.language);
    Token token;
    while (!lexer.LexFromRawLexer(token))
      if (token.is(tok::raw_identifier) && token.getRawIdentifier() == "restrict")
        return true;
  }
  return false;
}

void find_restricts(Reading& reading) {
  Lexer lexer(reading.sources.getLocForStartOfFile(reading.sources.getMainFileID()),
              reading.language, reading.unit.text.data(), reading.unit.text.data(),
              reading.unit.text.data() + reading.unit.text.size());
  Token token;
  while (!lexer.LexFromRawLexer(token))
    if (token.is(tok::raw_identifier) &&
        (token.getRawIdentifier() == "restrict" || token.getRawIdentifier() == "_Bool")) {
      const unsigned at = reading.sources.getFileOffset(token.getLocation());
      (token.getRawIdentifier() == "_Bool" ? reading.unit.bools : reading.unit.restricts)
          .push_back({at, at + token.getLength()});
    }
  // The text of headers stays, so C++ is given the word.
  const std::optional<unsigned> at =
      reading.unit.first_macro ? reading.unit.first_macro : reading.unit.first_include;
  if (at && headers_restrict(reading))
    reading.unit.for_cpp.emplace_back(Span{*at, *at}, "#define restrict __restrict\n");
}

void find_names(Reading& reading) {
  Lexer lexer(reading.sources.getLocForStartOfFile(reading.sources.getMainFileID()),
              reading.language, reading.unit.text.data(), reading.unit.text.data(),
              reading.unit.text.data() + reading.unit.text.size());
  Token token;
  bool is_last = false;
  unsigned after = 0;
  while (!is_last) {
    is_last = lexer.LexFromRawLexer(token);
    if (token.is(tok::hash) && token.isAtStartOfLine()) {
      // A preprocessor line has no names of the code.
      const unsigned at = reading.sources.getFileOffset(token.getLocation());
      after = lines_from(at, at, reading.unit.text).end;
    }
    if (token.is(tok::raw_identifier) &&
        reading.sources.getFileOffset(token.getLocation()) >= after)
      reading.unit.names.insert(token.getRawIdentifier().str());
    if (token.is(tok::raw_identifier) && token.getRawIdentifier().starts_with("acc_")) {
      const unsigned at = reading.sources.getFileOffset(token.getLocation());
      reading.unit.runtime_names.push_back({at, at + token.getLength()});
      if (token.getRawIdentifier() == "acc_device_t")
        reading.unit.device_names.push_back({reading.place(token.getLocation()),
                                             reading.unit.runtime_names.back(), "acc_device_t"});
    }
  }
}

void find_words(Reading& reading) {
  std::string word;
  for (const char c : reading.unit.text + " ")
    if (is_word(c))
      word += c;
    else if (!word.empty()) {
      reading.unit.words.insert(word);
      word.clear();
    }
}

void find_strays(Reading& reading) {
  std::set<unsigned> seen;
  for (const Directive& directive : reading.unit.directives)
    seen.insert(directive.pragma.begin);
  unsigned line = 1;
  for (unsigned at = 0; at < reading.unit.text.size(); ++line) {
    const std::size_t newline = reading.unit.text.find('\n', at);
    const unsigned end = newline == std::string::npos
                             ? static_cast<unsigned>(reading.unit.text.size())
                             : static_cast<unsigned>(newline) + 1;
    if (is_directive(std::string_view(reading.unit.text).substr(at, end - at)) &&
        !seen.contains(at))
      reading.unit.strays.push_back({{line, 1}, {at, end}, say<Code::not_compiled>()});
    at = end;
  }
}

} // namespace gangway::port
