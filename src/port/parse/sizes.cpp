// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/sizes.hpp"

#include "port/source_text.hpp"

#include <algorithm>

namespace gangway::port {

using namespace clang;

namespace {

/// Returns whether the statement names a variable that is declared outside of `where`.
bool names_outer(const Reading& reading, const Stmt* statement, Span where) {
  if (statement == nullptr)
    return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
    if (const auto* variable = dyn_cast<VarDecl>(reference->getDecl()))
      return !reading.is_here(variable->getLocation()) ||
             reading.offset(variable->getLocation()) < where.begin ||
             reading.offset(variable->getLocation()) >= where.end;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return names_outer(reading, child, where); });
}

/// Returns the value of a constant expression as a number of its type; empty if it is not known.
std::string literal(const Reading& reading, const Expr* expression) {
  if (expression->isValueDependent() || expression->isTypeDependent())
    return "";
  const auto value = expression->getIntegerConstantExpr(reading.context);
  if (!value)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << *value;
  const QualType type = expression->getType().getCanonicalType().getUnqualifiedType();
  if (type->isSpecificBuiltinType(BuiltinType::ULong))
    return text + "UL";
  return type->isSpecificBuiltinType(BuiltinType::Int)
             ? text
             : "static_cast<" + reading.type_text(type) + ">(" + text + ")";
}

/// Returns the largest expression that one use of a macro writes, from its first word to its last.
const Expr* written_by_macro(const Reading& reading, const Expr* part, const Parents& parents) {
  const SourceLocation use = reading.sources.getExpansionLoc(part->getBeginLoc());
  const Expr* largest = nullptr;
  const auto look = [&](const Expr* one) {
    if (!one->getBeginLoc().isMacroID() || !one->getEndLoc().isMacroID() ||
        reading.sources.getExpansionLoc(one->getBeginLoc()) != use ||
        reading.sources.getExpansionLoc(one->getEndLoc()) != use)
      return false;
    if (!isa<ImplicitCastExpr>(one))
      largest = one;
    return true;
  };
  look(part);
  for (auto up = parents.rbegin(); up != parents.rend(); ++up)
    if (const auto* around = dyn_cast<Expr>(*up); around == nullptr || !look(around))
      break;
  return largest;
}

} // namespace

void note_size(Reading& reading, const UnaryExprOrTypeTraitExpr* size, const Parents& parents,
               const Walk& walk) {
  if (walk.kernel == none || size->isArgumentType() ||
      !names_outer(reading, size->getArgumentExpr(), walk.kernel_statement))
    return;
  Directive& directive = reading.unit.directives[walk.kernel];
  const auto add = [&](Span span, std::string text) {
    if (std::none_of(directive.sizes.begin(), directive.sizes.end(), [&](const Size& known) {
          return known.span.begin == span.begin && known.span.end == span.end;
        }))
      directive.sizes.push_back({span, std::move(text)});
  };
  const QualType type = size->getTypeOfArgument();
  if (reading.is_of_macro(size->getBeginLoc())) {
    const Expr* const whole = written_by_macro(reading, size, parents);
    const std::string value = whole == nullptr ? "" : literal(reading, whole);
    if (!value.empty())
      add(reading.span(whole->getSourceRange()), value);
    else if (type->isArrayType())
      directive.obstacles.push_back({reading.place(size->getBeginLoc()),
                                     reading.span(size->getSourceRange()),
                                     say<Code::size>("a macro takes", "")});
    return;
  }
  const std::string named = reading.type_text(type);
  if (type->isSpecificBuiltinType(BuiltinType::Dependent) || named.find('(') != std::string::npos)
    return; // it has no name
  const Span span = reading.span(size->getSourceRange());
  const std::string written = reading.text(span);
  const auto keyword =
      std::find_if_not(written.begin(), written.end(), [](char c) { return is_word(c); });
  add(span, std::string(written.begin(), keyword) + "(" + named + ")");
}

} // namespace gangway::port
