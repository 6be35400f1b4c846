// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/reading.hpp"

#include "port/source_text.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenACC.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cctype>

namespace gangway::port {

using namespace clang;

namespace {

bool is_operation(const Expr* expression) {
  const Expr* const plain = expression->IgnoreImpCasts();
  return isa<BinaryOperator>(plain) || isa<AbstractConditionalOperator>(plain) ||
         isa<CXXOperatorCallExpr>(plain);
}

} // namespace

Reading::Reading(ASTContext& of_source, Unit& into)
    : context(of_source), sources(context.getSourceManager()), language(context.getLangOpts()),
      print(context.getLangOpts()), unit(into) {
  print.Bool = true;
  print.SuppressTagKeyword = language.CPlusPlus;
  unit.is_c = !language.CPlusPlus;
  unit.text = sources.getBufferData(sources.getMainFileID()).str();
}

bool Reading::is_here(SourceLocation at) const {
  return sources.getFileID(sources.getExpansionLoc(at)) == sources.getMainFileID();
}

unsigned Reading::offset(SourceLocation at) const {
  return sources.getFileOffset(sources.getExpansionLoc(at));
}

Place Reading::place(SourceLocation at) const {
  return {sources.getExpansionLineNumber(at), sources.getExpansionColumnNumber(at)};
}

Span Reading::span(SourceRange range) const {
  CharSourceRange characters =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range), sources, language);
  if (characters.isInvalid())
    characters = Lexer::getAsCharRange(sources.getExpansionRange(range), sources, language);
  return {sources.getFileOffset(characters.getBegin()), sources.getFileOffset(characters.getEnd())};
}

Span Reading::statement_span(const Stmt* statement) const {
  if (isa<OpenACCConstructStmt>(statement)) {
    Span whole = pragma_span(statement->getBeginLoc(), statement->getEndLoc());
    if (const Stmt* const inner = associated(statement))
      whole.end = statement_span(inner).end;
    return whole;
  }
  Span whole = span(statement->getSourceRange());
  const Stmt* tail = nullptr;
  if (const auto* counted = dyn_cast<ForStmt>(statement))
    tail = counted->getBody();
  else if (const auto* loop = dyn_cast<WhileStmt>(statement))
    tail = loop->getBody();
  else if (const auto* ranged = dyn_cast<CXXForRangeStmt>(statement))
    tail = ranged->getBody();
  else if (const auto* branch = dyn_cast<IfStmt>(statement))
    tail = branch->getElse() != nullptr ? branch->getElse() : branch->getThen();
  if (tail != nullptr)
    whole.end = std::max(whole.end, statement_span(tail).end);
  else if (!isa<CompoundStmt>(statement)) {
    unsigned at = whole.end;
    while (at < unit.text.size() && std::isspace(static_cast<unsigned char>(unit.text[at])) != 0)
      ++at;
    if (unit.text[whole.end - 1] != ';' && at < unit.text.size() && unit.text[at] == ';')
      whole.end = at + 1;
  }
  return whole;
}

Span Reading::pragma_span(SourceLocation first, SourceLocation last) const {
  unsigned begin = offset(first);
  unsigned end = std::max(offset(last), begin);
  while (begin > 0 && unit.text[begin - 1] != '\n')
    --begin;
  return lines_from(begin, end, unit.text);
}

std::string Reading::text(Span span) const {
  return unit.text.substr(span.begin, span.end - span.begin);
}

std::string Reading::text(const Expr* expression) const {
  const CharSourceRange characters = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(expression->getSourceRange()), sources, language);
  if (characters.isValid() && is_here(expression->getBeginLoc()) &&
      !in_macro_body(expression->getBeginLoc())) {
    const std::string written = text(span(expression->getSourceRange()));
    // Operators beside a macro's name would split the operation that the macro stands for.
    const bool is_macro = expression->getBeginLoc().isMacroID() &&
                          sources.getExpansionLoc(expression->getBeginLoc()) ==
                              sources.getExpansionLoc(expression->getEndLoc());
    return is_macro && is_operation(expression) ? "(" + written + ")" : written;
  }
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  expression->IgnoreParenImpCasts()->printPretty(stream, nullptr, print);
  return printed;
}

std::string Reading::operand(const Expr* expression) const {
  const Expr* const plain = expression->IgnoreImpCasts();
  const auto* operation = dyn_cast<BinaryOperator>(plain);
  const bool binds =
      !is_operation(plain) ||
      (operation != nullptr && (operation->isMultiplicativeOp() || operation->isAdditiveOp()));
  return binds ? text(expression) : in_parentheses(text(expression));
}

bool Reading::is_local(const Stmt* expression) const {
  if (expression == nullptr || is_unevaluated(expression))
    return true;
  if (isa<MemberExpr>(expression) || isa<CXXThisExpr>(expression) || isa<CallExpr>(expression) ||
      isa<ArraySubscriptExpr>(expression) || isa<CXXDependentScopeMemberExpr>(expression) ||
      isa<OverloadExpr>(expression))
    return false;
  if (const auto* unary = dyn_cast<UnaryOperator>(expression);
      unary != nullptr && unary->getOpcode() == UO_Deref)
    return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression))
    if (const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
        variable != nullptr && variable->hasGlobalStorage() &&
        !variable->isUsableInConstantExpressions(context))
      return false;
  for (const Stmt* child : const_cast<Stmt*>(expression)->children())
    if (!is_local(child))
      return false;
  return true;
}

bool Reading::in_macro_body(SourceLocation at) const {
  if (!at.isMacroID() || sources.isMacroArgExpansion(at))
    return false;
  // A macro that is the whole expression, such as a constant's name, is read as it is written.
  return !Lexer::isAtStartOfMacroExpansion(at, sources, language);
}

bool Reading::is_of_macro(SourceLocation at) const {
  while (at.isMacroID()) {
    if (!sources.isMacroArgExpansion(at))
      return true;
    at = sources.getImmediateSpellingLoc(at);
  }
  return false;
}

std::string Reading::type_text(QualType type) const {
  // A name in the deduced type may have no meaning where `auto` stands.
  if (type->getContainedDeducedType() != nullptr && isa<BuiltinType>(type.getCanonicalType()))
    type = type.getCanonicalType();
  return type.getUnqualifiedType().getAsString(print);
}

bool Reading::is_zero(const Expr* expression) const {
  return value_of(expression) == "0";
}

std::string Reading::value_of(const Expr* expression) const {
  if (expression->isValueDependent())
    return "";
  const auto value = expression->getIntegerConstantExpr(context);
  return value ? std::to_string(value->getExtValue()) : "";
}

const Stmt* associated(const Stmt* construct) {
  if (isa<OpenACCWaitConstruct>(construct) || isa<OpenACCCacheConstruct>(construct))
    return nullptr;
  for (const Stmt* child : const_cast<Stmt*>(construct)->children())
    return child;
  return nullptr;
}

bool is_unevaluated(const Stmt* statement) {
  const auto* const size = dyn_cast<UnaryExprOrTypeTraitExpr>(statement);
  return size != nullptr && !size->getTypeOfArgument()->isVariablyModifiedType();
}

const Stmt* alone(const Stmt* statement) {
  while (const auto* block = dyn_cast<CompoundStmt>(statement)) {
    if (block->size() != 1)
      return statement;
    statement = block->body_front();
  }
  return statement;
}

} // namespace gangway::port
