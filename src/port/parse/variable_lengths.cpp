// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/variable_lengths.hpp"

#include "port/parse/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// Returns the type of the elements of arrays, and of arrays in them.
QualType element_of(const Reading& reading, QualType type) {
  return reading.context.getBaseElementType(type);
}

bool binds_tightly(const Expr* expression) {
  return isa<DeclRefExpr>(expression) || isa<ParenExpr>(expression) || isa<CallExpr>(expression) ||
         isa<ArraySubscriptExpr>(expression) || isa<MemberExpr>(expression) ||
         isa<CStyleCastExpr>(expression);
}

/// Converts the value to the type, in place of its own conversion if it has one.
void convert(Reading& reading, const Expr* value, const std::string& type) {
  const Expr* const written = value->IgnoreImpCasts();
  if (const auto* own = dyn_cast<CStyleCastExpr>(written);
      own != nullptr && is_variable_length_pointer(own->getType()) &&
      !own->getLParenLoc().isMacroID() && !own->getRParenLoc().isMacroID()) {
    reading.unit.for_cpp.emplace_back(
        Span{reading.offset(own->getLParenLoc()) + 1, reading.offset(own->getRParenLoc())}, type);
    return;
  }
  const Span span = reading.span(written->getSourceRange());
  const bool plain = binds_tightly(written) && !written->getBeginLoc().isMacroID();
  reading.unit.for_cpp.emplace_back(Span{span.begin, span.begin},
                                    "(" + type + ")" + (plain ? "" : "("));
  if (!plain)
    reading.unit.for_cpp.emplace_back(Span{span.end, span.end}, ")");
}

/// Returns the parameter's type as it is written.
QualType written_type(const ParmVarDecl* parameter) {
  const auto* decayed = parameter->getType()->getAs<DecayedType>();
  return decayed == nullptr ? parameter->getType() : decayed->getOriginalType();
}

bool has_words_in_brackets(const Reading& reading, QualType type) {
  const ArrayType* const array = reading.context.getAsArrayType(type);
  return array != nullptr && (array->getSizeModifier() != ArraySizeModifier::Normal ||
                              array->getIndexTypeCVRQualifiers() != 0);
}

std::string flat_type(const Reading& reading, QualType pointer) {
  std::string type = "*";
  element_of(reading, pointer->getPointeeType()).getAsStringInternal(type, reading.print);
  return type;
}

/// Returns how a pointer of that name, with those qualifiers, is declared in C++.
std::string declared(const Reading& reading, QualType to, Qualifiers own, const std::string& name) {
  std::string text = (own.hasRestrict() ? "__restrict " : "") + name;
  own.removeRestrict();
  reading.context.getQualifiedType(reading.context.getPointerType(to), own)
      .getAsStringInternal(text, reading.print);
  return text;
}

/// Returns whether the expression reads a variable that is written after `place`, there or in what
/// is called there.
bool changes_after(const Reading& reading, const Stmt* expression, unsigned place) {
  if (expression == nullptr)
    return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    const auto found = reading.last_writes.find(reference->getDecl()->getCanonicalDecl());
    if (found != reading.last_writes.end() && found->second > place)
      return true;
    const auto* const variable = dyn_cast<VarDecl>(reference->getDecl());
    return variable != nullptr && variable->hasGlobalStorage() &&
           !variable->getType().isConstQualified() && calls_change(reading, variable, place);
  }
  const auto children = const_cast<Stmt*>(expression)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return changes_after(reading, child, place); });
}

} // namespace

bool is_variable_length_pointer(QualType type) {
  return type->isPointerType() && type->getPointeeType()->isArrayType() &&
         type.getCanonicalType()->isVariablyModifiedType();
}

void note_lengths(Reading& reading, const Stmt* statement) {
  if (const auto* declarations = dyn_cast<DeclStmt>(statement)) {
    for (const Decl* declaration : declarations->decls())
      if (const auto* variable = dyn_cast<VarDecl>(declaration);
          variable != nullptr && variable->getInit() != nullptr &&
          is_variable_length_pointer(variable->getType()))
        convert(reading, variable->getInit(), "decltype(" + variable->getNameAsString() + ")");
  } else if (const auto* set = dyn_cast<BinaryOperator>(statement)) {
    if (set->getOpcode() == BO_Assign && is_variable_length_pointer(set->getLHS()->getType()))
      convert(reading, set->getRHS(), "decltype(" + reading.text(set->getLHS()) + ")");
  } else if (const auto* call = dyn_cast<CallExpr>(statement)) {
    const FunctionDecl* const callee = call->getDirectCallee();
    if (callee == nullptr || std::none_of(callee->redecls_begin(), callee->redecls_end(),
                                          [&](const FunctionDecl* declared_there) {
                                            return reading.is_here(declared_there->getLocation());
                                          }))
      return;
    for (unsigned i = 0; i < std::min(call->getNumArgs(), callee->getNumParams()); ++i)
      if (const QualType type = callee->getParamDecl(i)->getType();
          is_variable_length_pointer(type))
        convert(reading, call->getArg(i), flat_type(reading, type));
  }
}

void note_parameters(Reading& reading, const FunctionDecl* function) {
  const bool has_body = function->isThisDeclarationADefinition() && function->getBody() != nullptr;
  for (const ParmVarDecl* parameter : function->parameters()) {
    const QualType written = written_type(parameter);
    const QualType type = parameter->getType();
    if (!type->isPointerType() ||
        (!written->isVariablyModifiedType() && !has_words_in_brackets(reading, written)))
      continue;
    const std::string name = parameter->getNameAsString();
    std::string text;
    if (is_variable_length_pointer(type)) {
      const std::string flat = name.empty() ? "" : reading.unit.fresh(name + "_elements");
      text = declared(reading, element_of(reading, type->getPointeeType()), type.getQualifiers(),
                      flat);
      if (has_body && !name.empty()) {
        const unsigned at = reading.offset(function->getBody()->getBeginLoc()) + 1;
        reading.unit.for_cpp.emplace_back(
            Span{at, at}, fmt::format("\nauto {} = ({}){};", name,
                                      type.getUnqualifiedType().getAsString(reading.print), flat));
      }
    } else {
      text = declared(reading, type->getPointeeType(), type.getQualifiers(), name);
    }
    reading.unit.for_cpp.emplace_back(reading.span(parameter->getSourceRange()), std::move(text));
  }
}

std::string lasting_length(const Reading& reading, const Expr* length) {
  return changes_after(reading, length, reading.offset(length->getBeginLoc()))
             ? ""
             : reading.text(length);
}

} // namespace gangway::port
