// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/uses.hpp"

#include "port/parse/variables.hpp"

#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

bool declared_in(const Reading& reading, const VarDecl* variable, Span where) {
  return reading.is_here(variable->getLocation()) &&
         reading.offset(variable->getLocation()) >= where.begin &&
         reading.offset(variable->getLocation()) < where.end;
}

Use use_of(Reading& reading, const Expr* reference, const Parents& parents) {
  Use use;
  use.name = reading.span(reference->getSourceRange());
  use.whole = use.name;
  use.macro = reference->getBeginLoc().isMacroID() &&
              !reading.sources.isMacroArgExpansion(reference->getBeginLoc());
  const Stmt* current = reference;
  bool is_value = false;
  auto up = static_cast<int>(parents.size()) - 1;
  const auto skip = [&] {
    while (up >= 0 && (isa<ImplicitCastExpr>(parents[static_cast<std::size_t>(up)]) ||
                       isa<ParenExpr>(parents[static_cast<std::size_t>(up)]))) {
      current = parents[static_cast<std::size_t>(up)];
      if (const auto* conversion = dyn_cast<ImplicitCastExpr>(current))
        is_value = is_value || conversion->getCastKind() == CK_LValueToRValue;
      --up;
    }
  };
  skip();
  while (up >= 0) {
    const auto* subscript = dyn_cast<ArraySubscriptExpr>(parents[static_cast<std::size_t>(up)]);
    if (subscript == nullptr || subscript->getBase() != current)
      break;
    use.macro = use.macro || subscript->getBeginLoc().isMacroID() ||
                subscript->getRBracketLoc().isMacroID();
    use.subscripts.push_back(reading.span(subscript->getIdx()->getSourceRange()));
    use.macro = use.macro || use.subscripts.back().begin < use.name.end;
    use.whole = reading.span(subscript->getSourceRange());
    current = subscript;
    is_value = false;
    --up;
    skip();
  }
  while (up >= 0 && isa<MemberExpr>(parents[static_cast<std::size_t>(up)])) { // of an element
    current = parents[static_cast<std::size_t>(up)];
    --up;
    skip();
    if (up >= 0 && isa<ArraySubscriptExpr>(parents[static_cast<std::size_t>(up)])) {
      current = parents[static_cast<std::size_t>(up)];
      --up;
      skip();
    }
  }
  // One of two: what is done with the choice is done with it.
  while (up >= 0 && !is_value && isa<ConditionalOperator>(parents[static_cast<std::size_t>(up)]) &&
         cast<ConditionalOperator>(parents[static_cast<std::size_t>(up)])->getCond() != current) {
    current = parents[static_cast<std::size_t>(up)];
    --up;
    skip();
  }
  const Stmt* const parent = up >= 0 ? parents[static_cast<std::size_t>(up)] : nullptr;
  if (const auto* operation = dyn_cast_or_null<BinaryOperator>(parent);
      operation != nullptr && operation->isAssignmentOp() && operation->getLHS() == current) {
    use.writes = true;
    use.reads = operation->isCompoundAssignmentOp();
  } else if (const auto* one = dyn_cast_or_null<UnaryOperator>(parent);
             one != nullptr && one->isIncrementDecrementOp()) {
    use.writes = use.reads = true;
  } else {
    use.reads = true;
    // What is no value is bound to something that may write it.
    use.writes = !is_value && !cast<Expr>(current)->isTypeDependent() &&
                 cast<Expr>(current)->isLValue() &&
                 !cast<Expr>(current)->getType().isConstQualified();
  }
  return use;
}

} // namespace

bool note_use(Reading& reading, const Expr* expression, Parents& parents, const Walk& walk) {
  if (walk.kernel == none && walk.function == none)
    return true;
  const auto* member = dyn_cast<MemberExpr>(expression);
  if (!isa<DeclRefExpr>(expression) && member == nullptr)
    return true;
  const std::string key = key_of(reading, expression);
  if (key.empty() || key == "this")
    return true;
  const VarDecl* const base = base_of(expression);
  const bool in_kernel = walk.kernel != none;
  if (base != nullptr && in_kernel && declared_in(reading, base, walk.kernel_statement))
    return true;
  if (!in_kernel && (base == nullptr || !base->hasGlobalStorage()))
    return true;
  // Of `s.t.u` the whole is one use.
  const std::size_t variable = variable_of(reading, expression);
  Use use = use_of(reading, expression, parents);
  use.variable = variable;
  if (in_kernel)
    reading.unit.directives[walk.kernel].uses.push_back(std::move(use));
  else
    reading.unit.functions[walk.function].globals.push_back(std::move(use));
  return member == nullptr;
}

} // namespace gangway::port
