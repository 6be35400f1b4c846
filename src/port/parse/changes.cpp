// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/changes.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <set>

namespace gangway::port {

using namespace clang;

namespace {

bool writes_in(const Stmt* statement, const VarDecl* variable, Parents& parents) {
  if (statement == nullptr)
    return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
    return reference->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl() &&
           may_be_written(parents);
  parents.push_back(statement);
  bool found = false;
  if (const auto* lambda = dyn_cast<LambdaExpr>(statement))
    found = writes_in(lambda->getBody(), variable, parents);
  else
    for (const Stmt* child : const_cast<Stmt*>(statement)->children())
      found = found || writes_in(child, variable, parents);
  parents.pop_back();
  return found;
}

/// Returns whether a call in the statement may lead to one that writes the variable.
bool calls_lead_to(const Reading& reading, const Stmt* statement, const VarDecl* variable,
                   unsigned after, std::set<const FunctionDecl*>& seen) {
  if (statement == nullptr)
    return false;
  if (const auto* call = dyn_cast<CallExpr>(statement);
      call != nullptr && (after == 0 || !reading.is_here(call->getBeginLoc()) ||
                          reading.offset(call->getBeginLoc()) > after)) {
    const FunctionDecl* const callee = call->getDirectCallee();
    const FunctionDecl* const definition = callee == nullptr ? nullptr : callee->getDefinition();
    if (callee == nullptr)
      return true; // its target is unknown
    if (definition == nullptr || !definition->hasBody()) {
      if (callee->getBuiltinID() == 0 &&
          !reading.sources.isInSystemHeader(
              reading.sources.getExpansionLoc(callee->getLocation())) &&
          variable->hasExternalFormalLinkage())
        return true;
    } else if (seen.insert(definition).second &&
               (writes(definition->getBody(), variable) ||
                calls_lead_to(reading, definition->getBody(), variable, 0, seen))) {
      return true;
    }
  }
  for (const Stmt* child : const_cast<Stmt*>(statement)->children())
    if (calls_lead_to(reading, child, variable, after, seen))
      return true;
  return false;
}

} // namespace

bool may_be_written(const Parents& parents) {
  auto up = parents.rbegin();
  while (up != parents.rend() && isa<ParenExpr>(*up))
    ++up;
  if (up == parents.rend())
    return false;
  if (const auto* conversion = dyn_cast<ImplicitCastExpr>(*up))
    return conversion->getCastKind() != CK_LValueToRValue;
  if (const auto* conversion = dyn_cast<ExplicitCastExpr>(*up);
      conversion != nullptr && conversion->getCastKind() == CK_ToVoid)
    return false;
  if (const auto* assignment = dyn_cast<BinaryOperator>(*up); // in a template there are no casts
      assignment != nullptr && !assignment->isAssignmentOp())
    return false;
  return !isa<ArraySubscriptExpr>(*up) && !isa<UnaryExprOrTypeTraitExpr>(*up) &&
         !isa<CompoundStmt>(*up);
}

bool writes(const Stmt* statement, const VarDecl* variable) {
  Parents parents;
  return writes_in(statement, variable, parents);
}

bool calls_change(const Reading& reading, const VarDecl* variable, unsigned place) {
  std::set<const FunctionDecl*> seen;
  for (const auto& [function, id] : reading.functions)
    if (const FunctionDecl* const definition = function->getDefinition();
        definition != nullptr && definition->hasBody() &&
        reading.is_here(definition->getLocation()) &&
        reading.span(definition->getSourceRange()).holds({place, place}))
      return calls_lead_to(reading, definition->getBody(), variable, place, seen);
  return false;
}

} // namespace gangway::port
