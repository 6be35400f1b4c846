// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/uses.hpp"

#include "port/parse/variables.hpp"

#include <algorithm>
#include <cctype>
#include <string>
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
  use.macro = reading.is_of_macro(reference->getBeginLoc());
  const Stmt* current = reference;
  bool is_value = false;
  bool decays = false;
  auto up = static_cast<int>(parents.size()) - 1;
  const auto skip = [&] {
    while (up >= 0 && (isa<ImplicitCastExpr>(parents[static_cast<std::size_t>(up)]) ||
                       isa<ParenExpr>(parents[static_cast<std::size_t>(up)]))) {
      current = parents[static_cast<std::size_t>(up)];
      if (const auto* conversion = dyn_cast<ImplicitCastExpr>(current)) {
        is_value = is_value || conversion->getCastKind() == CK_LValueToRValue;
        decays = decays || conversion->getCastKind() == CK_ArrayToPointerDecay;
      }
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
    decays = false;
    --up;
    skip();
  }
  if (decays && !use.subscripts.empty()) {
    use.row = true;
    use.handed_on =
        !reading.context.getBaseElementType(cast<Expr>(current)->getType()->getPointeeType())
             .isConstQualified();
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
  // A use of `c ? x : y` is a use of each of the two.
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
    if (const auto* block = up > 0 && operation->getOpcode() == BO_Assign
                                ? dyn_cast<CompoundStmt>(parents[static_cast<std::size_t>(up - 1)])
                                : nullptr) {
      use.sets = reading.span(operation->getSourceRange());
      use.block = reading.span(block->getSourceRange());
    }
  } else if (const auto* one = dyn_cast_or_null<UnaryOperator>(parent);
             one != nullptr && one->isIncrementDecrementOp()) {
    use.writes = use.reads = true;
  } else {
    use.reads = true;
    // An expression that does not become a value is bound to something that may write it.
    use.writes = !is_value && !cast<Expr>(current)->isTypeDependent() &&
                 cast<Expr>(current)->isLValue() &&
                 !cast<Expr>(current)->getType().isConstQualified();
    use.handed_on = use.handed_on || use.writes;
  }
  return use;
}

bool is_of(const Expr* expression, const VarDecl* variable) {
  const auto* reference = dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference != nullptr && reference->getDecl() == variable;
}

bool mentions(const Stmt* statement, const VarDecl* variable) {
  if (statement == nullptr)
    return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
    return reference->getDecl() == variable;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return mentions(child, variable); });
}

/// Returns OpenACC's operator for one of C's with the same result in any order; `-` counts as `+`.
std::string reduction_by(BinaryOperatorKind operation) {
  switch (operation) {
  case BO_Add:
  case BO_AddAssign:
  case BO_SubAssign:
    return "+";
  case BO_Mul:
  case BO_MulAssign:
    return "*";
  case BO_And:
  case BO_AndAssign:
    return "&";
  case BO_Or:
  case BO_OrAssign:
    return "|";
  case BO_Xor:
  case BO_XorAssign:
    return "^";
  case BO_LAnd:
    return "&&";
  case BO_LOr:
    return "||";
  default:
    return "";
  }
}

std::string same_text(const Reading& reading, const Expr* one) {
  std::string text = reading.text(one->IgnoreParenImpCasts());
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

/// Returns `max` if the larger of both is kept, as by `one > other ? one : other`, or `min`.
std::string largest_of(const Reading& reading, const Expr* condition, const Expr* kept,
                       const Expr* otherwise) {
  const auto* compared = dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts());
  if (compared == nullptr || !compared->isRelationalOp())
    return "";
  const bool more = compared->getOpcode() == BO_GT || compared->getOpcode() == BO_GE;
  const std::string left = same_text(reading, compared->getLHS());
  const std::string right = same_text(reading, compared->getRHS());
  const std::string one = same_text(reading, kept);
  const std::string other = same_text(reading, otherwise);
  if (left == one && right == other)
    return more ? "max" : "min";
  return left == other && right == one ? more ? "min" : "max" : "";
}

/// Returns the operator by which the statement around reduces into the scalar; empty if the
/// statement does anything else with it.
std::string join_of(const Reading& reading, const VarDecl* variable, const Parents& parents) {
  const Expr* whole = nullptr;
  const Stmt* around = nullptr;
  for (auto up = parents.rbegin(); up != parents.rend() && around == nullptr; ++up)
    if (const auto* expression = dyn_cast<Expr>(*up))
      whole = expression;
    else
      around = *up;
  const auto* branch = dyn_cast_or_null<IfStmt>(around);
  if (whole == nullptr || variable == nullptr)
    return "";
  whole = whole->IgnoreParenImpCasts();
  if (const auto* step = dyn_cast<UnaryOperator>(whole))
    return step->isIncrementDecrementOp() && is_of(step->getSubExpr(), variable) ? "+" : "";
  if (branch != nullptr && branch->getCond()->IgnoreParenImpCasts() == whole) // `if (e > x) x = e;`
    whole = dyn_cast_or_null<Expr>(alone(branch->getThen()));
  else if (isa_and_nonnull<CompoundStmt>(around) && parents.size() > 1)
    for (std::size_t at = 1; at < parents.size(); ++at)
      if (const auto* outer = dyn_cast<IfStmt>(parents[at - 1]);
          outer != nullptr && parents[at] == around && alone(around) != around)
        branch = outer;
  const auto* set = dyn_cast_or_null<BinaryOperator>(whole);
  if (set == nullptr || !set->isAssignmentOp() || !is_of(set->getLHS(), variable))
    return "";
  const Expr* const value = set->getRHS()->IgnoreParenImpCasts();
  if (branch != nullptr && mentions(branch->getCond(), variable))
    return branch->getElse() == nullptr && set->getOpcode() == BO_Assign &&
                   !mentions(value, variable)
               ? largest_of(reading, branch->getCond(), value, set->getLHS())
               : "";
  if (set->isCompoundAssignmentOp())
    return mentions(value, variable) ? "" : reduction_by(set->getOpcode());
  if (const auto* sum = dyn_cast<BinaryOperator>(value)) {
    const bool first = is_of(sum->getLHS(), variable) && !mentions(sum->getRHS(), variable);
    const bool second = is_of(sum->getRHS(), variable) && !mentions(sum->getLHS(), variable);
    if (first && sum->getOpcode() == BO_Sub)
      return "+";
    return first || second ? reduction_by(sum->getOpcode()) : "";
  }
  if (const auto* choice = dyn_cast<ConditionalOperator>(value))
    return is_of(choice->getTrueExpr(), variable) != is_of(choice->getFalseExpr(), variable)
               ? largest_of(reading, choice->getCond(), choice->getTrueExpr(),
                            choice->getFalseExpr())
               : "";
  const auto* call = dyn_cast<CallExpr>(value);
  if (call == nullptr || call->getNumArgs() != 2 || call->getDirectCallee() == nullptr ||
      is_of(call->getArg(0), variable) == is_of(call->getArg(1), variable) ||
      mentions(call->getArg(is_of(call->getArg(0), variable) ? 1 : 0), variable))
    return "";
  const std::string name = call->getDirectCallee()->getNameAsString();
  for (const char* const operation : {"max", "min"})
    if (name == operation || name == std::string("f") + operation ||
        name == std::string("f") + operation + "f")
      return operation;
  return "";
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
  // The whole of `s.t.u` is one use.
  const std::size_t variable = variable_of(reading, expression);
  Use use = use_of(reading, expression, parents);
  use.variable = variable;
  if (in_kernel && member == nullptr && reading.unit.variables[variable].shape == Shape::scalar)
    use.joins = join_of(reading, base, parents);
  if (in_kernel)
    reading.unit.directives[walk.kernel].uses.push_back(std::move(use));
  else
    reading.unit.functions[walk.function].globals.push_back(std::move(use));
  return member == nullptr;
}

} // namespace gangway::port
