// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/variables.hpp"

#include "port/parse/variable_lengths.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// Returns whether a structure contains pointers or references, also in its members.
bool holds_pointers(QualType type) {
  const RecordDecl* const record = type->getAsRecordDecl();
  if (record == nullptr || record->getDefinition() == nullptr)
    return false;
  for (const FieldDecl* field : record->getDefinition()->fields()) {
    QualType held = field->getType();
    while (const ArrayType* const array = held->getAsArrayTypeUnsafe())
      held = array->getElementType();
    if (held->isAnyPointerType() || held->isReferenceType() || holds_pointers(held))
      return true;
  }
  return false;
}

void read_type(Reading& reading, QualType type, Variable& variable) {
  variable.type = "$";
  type.getUnqualifiedType().getAsStringInternal(variable.type, reading.print);
  variable.shape = Shape::scalar;
  if (type->isPointerType()) {
    if (const auto* const parameter = type->getAs<DecayedType>()) {
      const QualType written = parameter->getOriginalType();
      if (const auto* const array = reading.context.getAsConstantArrayType(written))
        variable.length = std::to_string(array->getSize().getZExtValue());
      else if (const auto* const other = reading.context.getAsVariableArrayType(written);
               other != nullptr && other->getSizeExpr() != nullptr)
        variable.length = lasting_length(reading, other->getSizeExpr());
    }
    variable.shape = Shape::pointer;
    type = type->getPointeeType();
  }
  while (const ArrayType* array = reading.context.getAsArrayType(type)) {
    if (variable.shape == Shape::scalar)
      variable.shape = Shape::array;
    if (const auto* constant = dyn_cast<ConstantArrayType>(array))
      variable.extents.push_back(std::to_string(constant->getSize().getZExtValue()));
    else if (const auto* of_variable_length = dyn_cast<VariableArrayType>(array);
             of_variable_length != nullptr && of_variable_length->getSizeExpr() != nullptr) {
      variable.variable_rows =
          variable.variable_rows || variable.shape == Shape::pointer || !variable.extents.empty();
      variable.extents.push_back(lasting_length(reading, of_variable_length->getSizeExpr()));
    } else
      variable.extents.emplace_back();
    type = array->getElementType();
  }
  variable.element_const = type.isConstQualified();
  variable.element_volatile = type.isVolatileQualified();
  variable.element = reading.type_text(type);
  variable.holds_pointers = holds_pointers(type);
  variable.enumeration = type->isEnumeralType() || type->isWideCharType() || type->isChar8Type() ||
                         type->isChar16Type() || type->isChar32Type() ||
                         type->isSpecificBuiltinType(BuiltinType::Int128) ||
                         type->isSpecificBuiltinType(BuiltinType::UInt128);
  if (!type->isDependentType() && !type->isIncompleteType() && !type->isFunctionType())
    variable.element_bytes = reading.context.getTypeSizeInChars(type).getQuantity();
  if (type->isAnyPointerType() || type->isFunctionType()) {
    const QualType led_to = type->isPointerType() ? type->getPointeeType() : QualType();
    variable.table = variable.shape == Shape::pointer && variable.extents.empty() &&
                     !led_to.isNull() && led_to->isArithmeticType() && !type.isConstQualified();
    if (variable.table) {
      variable.element_const = led_to.isConstQualified();
      variable.row_element = reading.type_text(led_to);
    }
    variable.shape = Shape::other;
    variable.copyable = false;
  } else if (type->isRecordType() && variable.shape == Shape::scalar) {
    variable.shape = Shape::other;
    const auto* record = type->getAsCXXRecordDecl();
    variable.copyable =
        record == nullptr || (record->hasDefinition() && record->isTriviallyCopyable());
    variable.numbers = variable.copyable && !type->isUnionType() && !type->isIncompleteType() &&
                       !variable.holds_pointers;
  } else if (type->isVoidType() || type->isAnyComplexType()) {
    variable.shape = Shape::other;
    variable.copyable = type->isVoidType();
  }
}

} // namespace

/// Returns whether the expression names a variable.
bool names_variable(const Stmt* statement) {
  if (const auto* named = dyn_cast<DeclRefExpr>(statement))
    return isa<VarDecl>(named->getDecl());
  return std::any_of(statement->child_begin(), statement->child_end(),
                     [](const Stmt* part) { return part != nullptr && names_variable(part); });
}

/// Returns the number as a literal of its type; empty if there is none.
std::string literal_of(const llvm::APFloat& number, QualType type) {
  const auto* const basic = type->getAs<BuiltinType>();
  if (basic == nullptr || !number.isFinite())
    return "";
  std::string text;
  if (basic->getKind() == BuiltinType::Double)
    text = fmt::format("{}", number.convertToDouble());
  else if (basic->getKind() == BuiltinType::Float)
    text = fmt::format("{}", number.convertToFloat());
  else
    return "";
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return basic->getKind() == BuiltinType::Float ? text + "f" : text;
}

/// Returns what a constant outside of functions is set to: the source's text where it is in this
/// file and names no other variable, whose value C++ would not take; else the number.
std::string initializer_of(const Reading& reading, const Expr* values, bool array) {
  if (reading.is_here(values->getBeginLoc()) && !values->getBeginLoc().isMacroID() &&
      !values->getEndLoc().isMacroID() && (array || !names_variable(values)))
    return reading.text(reading.span(values->getSourceRange()));
  Expr::EvalResult result;
  return !array && values->EvaluateAsRValue(result, reading.context) && result.Val.isFloat()
             ? literal_of(result.Val.getFloat(), values->getType())
             : "";
}

std::string key_of(const Reading& reading, const Expr* expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
    return variable == nullptr ? ""
                               : printed(static_cast<const void*>(variable->getCanonicalDecl()));
  }
  if (const auto* member = dyn_cast<MemberExpr>(expression)) {
    if (!isa<FieldDecl>(member->getMemberDecl()))
      return "";
    const std::string base = key_of(reading, member->getBase());
    return base.empty() ? "" : base + "." + member->getMemberDecl()->getNameAsString();
  }
  return isa<CXXThisExpr>(expression) ? "this" : "";
}

const VarDecl* base_of(const Expr* expression) {
  expression = expression->IgnoreParenImpCasts();
  while (const auto* member = dyn_cast<MemberExpr>(expression))
    expression = member->getBase()->IgnoreParenImpCasts();
  const auto* reference = dyn_cast<DeclRefExpr>(expression);
  return reference == nullptr ? nullptr : dyn_cast<VarDecl>(reference->getDecl());
}

std::size_t variable_of(Reading& reading, const Expr* expression) {
  expression = expression->IgnoreParenImpCasts();
  const std::string key = key_of(reading, expression);
  if (key.empty() || key == "this")
    return none;
  const auto [found, is_new] = reading.variables.emplace(key, reading.unit.variables.size());
  if (!is_new)
    return found->second;
  Variable variable;
  if (reading.is_of_macro(expression->getBeginLoc()) ||
      reading.is_of_macro(expression->getEndLoc())) { // its text is more than the name
    llvm::raw_string_ostream stream(variable.path);
    expression->printPretty(stream, nullptr, reading.context.getPrintingPolicy());
  } else {
    variable.path = reading.text(expression);
  }
  std::erase_if(variable.path, [](unsigned char c) { return std::isspace(c) != 0; });
  QualType type = expression->getType();
  if (const auto* member = dyn_cast<MemberExpr>(expression)) {
    variable.member = true;
    variable.name = member->getMemberDecl()->getNameAsString();
    type = member->getMemberDecl()->getType();
  } else {
    const auto* declaration = cast<VarDecl>(cast<DeclRefExpr>(expression)->getDecl());
    reading.declarations[found->second] = declaration;
    variable.name = declaration->getNameAsString();
    variable.global = declaration->hasGlobalStorage();
    type = declaration->getType();
    variable.constant =
        declaration->isConstexpr() ||
        (type.isConstQualified() && type->isIntegralOrEnumerationType() && declaration->hasInit() &&
         !declaration->isInitCapture() && !declaration->getInit()->isValueDependent() &&
         declaration->getInit()->isEvaluatable(reading.context));
    if (const Expr* const values = declaration->getInit();
        variable.global && !variable.constant && values != nullptr && !type.isVolatileQualified() &&
        reading.context.getBaseElementType(type).isConstQualified() &&
        reading.context.getBaseElementType(type)->isArithmeticType() &&
        !values->isValueDependent() && values->isEvaluatable(reading.context))
      variable.initializer = initializer_of(reading, values, type->isArrayType());
    variable.reference = type->isReferenceType();
    variable.reassigned = reading.written_pointers.contains(key) || variable.reference;
  }
  // A called function may make a member or a global pointer point elsewhere.
  variable.reassigned = variable.reassigned || variable.member || variable.global;
  read_type(reading, type.getNonReferenceType(), variable);
  // The type of the expression is const also if the structure around the member is.
  if (variable.shape == Shape::array || variable.shape == Shape::scalar)
    variable.element_const =
        variable.element_const ||
        reading.context.getBaseElementType(expression->getType()).isConstQualified();
  const std::size_t id = found->second;
  reading.unit.variables.push_back(std::move(variable));
  std::string within;
  while (const auto* member = dyn_cast<MemberExpr>(expression)) {
    within.insert(0, "." + member->getMemberDecl()->getNameAsString());
    expression = member->getBase()->IgnoreParenImpCasts();
    if (member->isArrow())
      break;
  }
  if (!within.empty()) {
    const std::size_t owner = variable_of(reading, expression);
    reading.unit.variables[id].owner = owner;
    reading.unit.variables[id].within = std::move(within);
  }
  return id;
}

} // namespace gangway::port
