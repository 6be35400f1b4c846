// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/runtime_calls.hpp"

#include <clang/AST/ExprCXX.h>

#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// Type that an expression's context wants of a device type: none, a number or a truth value.
enum class Context { device, number, truth };

bool is_device_type(QualType type) {
  const auto* of = type->getAs<EnumType>();
  return of != nullptr && of->getDecl()->getNameAsString() == "acc_device_t";
}

/// Returns whether the expression is a device type. In C the enumerators have the type int.
bool is_device(const Expr* expression) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression))
    if (const auto* value = dyn_cast<EnumConstantDecl>(reference->getDecl()))
      return value->getNameAsString().starts_with("acc_device_");
  return is_device_type(expression->getType());
}

Context context_of(const Expr* expression, const Parents& parents) {
  QualType type = expression->getType();
  auto up = parents.rbegin();
  for (; up != parents.rend() &&
         (isa<ImplicitCastExpr>(*up) || isa<ParenExpr>(*up) || isa<ConstantExpr>(*up));
       ++up) {
    type = cast<Expr>(*up)->getType();
    if (const auto* conversion = dyn_cast<ImplicitCastExpr>(*up);
        conversion != nullptr && conversion->getCastKind() == CK_IntegralToBoolean)
      return Context::truth;
  }
  if (up != parents.rend()) {
    const auto* operation = dyn_cast<BinaryOperator>(*up);
    if (operation != nullptr && operation->isComparisonOp() && is_device(operation->getLHS()) &&
        is_device(operation->getRHS()))
      return Context::device;
    const auto* negation = dyn_cast<UnaryOperator>(*up);
    if ((operation != nullptr && operation->isLogicalOp()) || isa<IfStmt>(*up) ||
        (negation != nullptr && negation->getOpcode() == UO_LNot))
      return Context::truth; // C converts no operand
  }
  return is_device_type(type) ? Context::device : Context::number;
}

/// Returns the device type or property by name; empty if only the running program knows it.
std::string device_of(const Expr* argument) {
  argument = argument->IgnoreParenCasts();
  if (const auto* reference = dyn_cast<DeclRefExpr>(argument);
      reference != nullptr && isa<EnumConstantDecl>(reference->getDecl()))
    return reference->getDecl()->getNameAsString();
  const auto* call = dyn_cast<CallExpr>(argument);
  const FunctionDecl* const callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getNameAsString() == "acc_get_device_type"
             ? "acc_device_current"
             : "";
}

/// Removes conversions of pointers: returns `&row` for `(void**)&row`.
const Expr* without_pointer_casts(const Expr* argument) {
  const Expr* plain = argument->IgnoreParenImpCasts();
  while (const auto* conversion = dyn_cast<ExplicitCastExpr>(plain)) {
    if (!conversion->getType()->isPointerType())
      break;
    plain = conversion->getSubExpr()->IgnoreParenImpCasts();
  }
  return plain;
}

/// Reads how many elements an address and a number of bytes mean.
void read_bytes(const Reading& reading, QualType address, const Expr* bytes, RuntimeCall& read) {
  QualType element = address->isPointerType() ? address->getPointeeType() : address;
  while (const ArrayType* const array = reading.context.getAsArrayType(element))
    element = array->getElementType();
  if (element->isVoidType()) {
    read.element = element.isConstQualified() ? "const void" : "";
    return;
  }
  read.element = (element.isConstQualified() ? "const " : "") + reading.type_text(element);
  const auto is_size = [&](const Expr* expression) {
    const auto* size = dyn_cast<UnaryExprOrTypeTraitExpr>(expression->IgnoreParenImpCasts());
    return size != nullptr && size->getKind() == UETT_SizeOf &&
           reading.context.hasSameUnqualifiedType(size->getTypeOfArgument(), element);
  };
  if (is_size(bytes)) {
    read.constant = 1;
  } else if (const auto* product = dyn_cast<BinaryOperator>(bytes);
             product != nullptr && product->getOpcode() == BO_Mul) {
    if (is_size(product->getRHS()))
      read.count = reading.span(product->getLHS()->getSourceRange());
    else if (is_size(product->getLHS()))
      read.count = reading.span(product->getRHS()->getSourceRange());
  }
}

} // namespace

void note_runtime_call(Reading& reading, const CallExpr* call, const Parents& parents) {
  const FunctionDecl* const callee = call->getDirectCallee();
  if (callee == nullptr)
    return;
  const std::string name = callee->getNameAsString();
  if (name.starts_with("MPI_Init"))
    reading.unit.uses_mpi = true;
  if (!name.starts_with("acc_") || !reading.is_here(call->getBeginLoc()) ||
      reading.is_here(callee->getLocation()))
    return;
  RuntimeCall read;
  read.place = reading.place(call->getBeginLoc());
  read.whole = reading.span(call->getSourceRange());
  read.name = name;
  read.routine = routine_named(name);
  read.macro = call->getBeginLoc().isMacroID() || call->getEndLoc().isMacroID();
  for (const Expr* argument : call->arguments()) {
    if (isa<CXXDefaultArgExpr>(argument))
      break;
    read.arguments.push_back(reading.span(argument->getSourceRange()));
    read.plain.push_back(reading.span(without_pointer_casts(argument)->getSourceRange()));
  }
  const Context context = context_of(call, parents);
  read.as_number = context == Context::number;
  read.as_truth = context == Context::truth;
  const Stmt* const parent = parents.empty() ? nullptr : parents.back();
  read.used =
      parent != nullptr && (isa<Expr>(parent) || isa<DeclStmt>(parent) || isa<ReturnStmt>(parent));
  if (call->getNumArgs() > 0)
    read.device = device_of(call->getArg(call->getNumArgs() - 1));
  if (name.starts_with("acc_get_property") && call->getNumArgs() == 3) {
    read.property = read.device;
    read.device = device_of(call->getArg(1));
  }
  if (call->getNumArgs() > 1)
    read_bytes(reading, call->getArg(0)->IgnoreParenImpCasts()->getType(),
               call->getArg(1)->IgnoreParenImpCasts(), read);
  reading.unit.runtime_calls.push_back(std::move(read));
}

void note_runtime_name(Reading& reading, const DeclRefExpr* reference, const Parents& parents) {
  if (!reading.is_here(reference->getBeginLoc()) ||
      reading.is_here(reference->getDecl()->getLocation()))
    return;
  const bool is_value = isa<EnumConstantDecl>(reference->getDecl());
  const std::string name = reference->getDecl()->getNameAsString();
  if (!is_value || !(name.starts_with("acc_device_") || name.starts_with("acc_async_")))
    return;
  const Context context = context_of(reference, parents);
  RuntimeName read;
  read.place = reading.place(reference->getBeginLoc());
  read.span = reading.span(reference->getSourceRange());
  read.name = name;
  read.as_number = context == Context::number;
  read.stays = context == Context::truth || reading.text(read.span) != name;
  reading.unit.device_names.push_back(std::move(read));
}

} // namespace gangway::port
