// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/atomics.hpp"

#include <clang/AST/StmtOpenACC.h>

#include <cctype>

namespace gangway::port {

using namespace clang;

namespace {

struct Change { ///< of `target`
  const Expr* target = nullptr;
  std::string operation;
  std::string symbol;
  const Expr* value = nullptr;
  bool is_post = false;
  bool reversed = false; ///< the target is right of an operator that does not commute
  std::string problem;
};

bool same(const Reading& reading, const Expr* one, const Expr* other) {
  const auto squeezed = [&](const Expr* expression) {
    std::string all = reading.text(expression->IgnoreParenImpCasts());
    std::erase_if(all, [](unsigned char c) { return std::isspace(c) != 0; });
    return all;
  };
  return squeezed(one) == squeezed(other);
}

const Expr* expression_of(const Stmt* statement) {
  const auto* expression = dyn_cast_or_null<Expr>(statement);
  return expression == nullptr ? nullptr : expression->IgnoreParenImpCasts();
}

std::string name_of(BinaryOperatorKind operation) {
  switch (operation) {
  case BO_Add:
    return "add";
  case BO_Sub:
    return "sub";
  case BO_Mul:
    return "mul";
  case BO_Div:
    return "div";
  case BO_And:
    return "and";
  case BO_Or:
    return "or";
  case BO_Xor:
    return "xor";
  case BO_Shl:
    return "lshift";
  case BO_Shr:
    return "rshift";
  default:
    return "";
  }
}

/// Returns how an expression changes its left side by an operator; an empty change if it does not.
Change change_of(const Reading& reading, const Expr* expression) {
  Change change;
  if (const auto* one = dyn_cast<UnaryOperator>(expression);
      one != nullptr && one->isIncrementDecrementOp()) {
    change.target = one->getSubExpr()->IgnoreParenImpCasts();
    change.operation = one->isIncrementOp() ? "add" : "sub";
    change.is_post = one->isPostfix();
  } else if (const auto* compound = dyn_cast<CompoundAssignOperator>(expression)) {
    change.target = compound->getLHS()->IgnoreParenImpCasts();
    const auto operation = BinaryOperator::getOpForCompoundAssignment(compound->getOpcode());
    change.operation = name_of(operation);
    change.symbol = BinaryOperator::getOpcodeStr(operation).str();
    change.value = compound->getRHS()->IgnoreImpCasts();
    if (change.operation.empty())
      change.problem = "Kokkos has no atomic operation for its operator";
  } else if (const auto* set = dyn_cast<BinaryOperator>(expression);
             set != nullptr && set->getOpcode() == BO_Assign) {
    const auto* operation = dyn_cast<BinaryOperator>(set->getRHS()->IgnoreParenImpCasts());
    const Expr* const target = set->getLHS()->IgnoreParenImpCasts();
    if (operation == nullptr)
      return change;
    const bool left = same(reading, operation->getLHS(), target);
    const bool right = same(reading, operation->getRHS(), target);
    if (!left && !right)
      return change;
    change.target = target;
    change.operation = name_of(operation->getOpcode());
    change.symbol = operation->getOpcodeStr().str();
    change.value = (left ? operation->getRHS() : operation->getLHS())->IgnoreImpCasts();
    const bool commutes = change.operation == "add" || change.operation == "mul" ||
                          change.operation == "and" || change.operation == "or" ||
                          change.operation == "xor";
    change.reversed = !left && !commutes;
    if (change.operation.empty())
      change.problem = "Kokkos has no atomic operation for its operator";
  }
  return change;
}

template <class Apply, class Unknown>
void read_capture(Reading& reading, const Stmt* statement, Atomic& atomic, const Apply& apply,
                  const Unknown& unknown) {
  // v = x++; v = x += e; v = x = x + e;
  if (const auto* set = dyn_cast_or_null<BinaryOperator>(expression_of(statement));
      set != nullptr && set->getOpcode() == BO_Assign) {
    const Change change = change_of(reading, set->getRHS()->IgnoreParenImpCasts());
    if (change.target == nullptr)
      return unknown();
    apply(change);
    atomic.before = change.is_post;
    atomic.captured = reading.span(set->getLHS()->getSourceRange());
    return;
  }
  // { v = x; x += e; } and { x += e; v = x; }, and { v = x; x = e; }
  const auto* block = dyn_cast<CompoundStmt>(statement);
  if (block == nullptr || block->size() != 2)
    return unknown();
  const Expr* const first = expression_of(block->body_front());
  const Expr* const second = expression_of(block->body_back());
  if (first == nullptr || second == nullptr)
    return unknown();
  const auto* first_set = dyn_cast<BinaryOperator>(first);
  const auto* second_set = dyn_cast<BinaryOperator>(second);
  const bool first_assigns = first_set != nullptr && first_set->getOpcode() == BO_Assign;
  const bool second_assigns = second_set != nullptr && second_set->getOpcode() == BO_Assign;
  if (const Change last = change_of(reading, second);
      last.target != nullptr && first_assigns && same(reading, first_set->getRHS(), last.target)) {
    apply(last);
    atomic.before = true;
    atomic.captured = reading.span(first_set->getLHS()->getSourceRange());
  } else if (const Change change = change_of(reading, first);
             change.target != nullptr && second_assigns &&
             same(reading, second_set->getRHS(), change.target)) {
    apply(change);
    atomic.captured = reading.span(second_set->getLHS()->getSourceRange());
  } else if (first_assigns && second_assigns &&
             same(reading, first_set->getRHS(), second_set->getLHS())) {
    atomic.before = true;
    atomic.captured = reading.span(first_set->getLHS()->getSourceRange());
    atomic.target = reading.span(second_set->getLHS()->getSourceRange());
    atomic.value = reading.span(second_set->getRHS()->getSourceRange());
  } else {
    unknown();
  }
}

} // namespace

void read_atomic(Reading& reading, const OpenACCAtomicConstruct* construct, std::size_t id) {
  Atomic atomic;
  const Stmt* const statement = associated(construct);
  const OpenACCAtomicKind kind = construct->getAtomicKind();
  const auto apply = [&](const Change& change) {
    atomic.operation = change.operation;
    atomic.problem = change.problem;
    atomic.target = reading.span(change.target->getSourceRange());
    if (change.value != nullptr) {
      atomic.value = reading.span(change.value->getSourceRange());
      const QualType target = change.target->getType();
      const QualType value = change.value->getType();
      // Kokkos has no function for `x = e - x`, nor for a whole number that a floating-point value
      // changes, because C rounds afterwards.
      if (change.reversed || (target->isIntegerType() && value->isRealFloatingType())) {
        atomic.operation = "change";
        atomic.symbol = change.symbol;
        atomic.reversed = change.reversed;
      }
      if (atomic.operation == "change" && !target->isDependentType() &&
          reading.context.getTypeSize(target) > 64)
        atomic.problem = "no compare-exchange of more than 8 bytes";
      atomic.rounds = target->isRealFloatingType() && value->isRealFloatingType() &&
                      reading.context.getTypeSize(value) > reading.context.getTypeSize(target);
    }
  };
  const auto unknown = [&] {
    atomic.problem = "its statement has no form that an atomic may have";
  };
  const bool of_macro = statement->getBeginLoc().isMacroID();
  if (kind == OpenACCAtomicKind::Capture && !of_macro)
    read_capture(reading, statement, atomic, apply, unknown);
  else if (const auto* set = dyn_cast_or_null<BinaryOperator>(expression_of(statement));
           !of_macro && (kind == OpenACCAtomicKind::Read || kind == OpenACCAtomicKind::Write) &&
           set != nullptr && set->getOpcode() == BO_Assign) {
    const bool reads = kind == OpenACCAtomicKind::Read;
    (reads ? atomic.captured : atomic.target) = reading.span(set->getLHS()->getSourceRange());
    (reads ? atomic.target : atomic.value) = reading.span(set->getRHS()->getSourceRange());
  } else if (const Expr* const expression = expression_of(statement);
             expression != nullptr && !of_macro &&
             (kind == OpenACCAtomicKind::Update || kind == OpenACCAtomicKind::None)) {
    const Change change = change_of(reading, expression);
    if (change.target == nullptr)
      unknown();
    else
      apply(change);
  } else {
    unknown();
  }
  reading.unit.directives[id].atomic = atomic;
  reading.unit.directives[id].construct =
      kind == OpenACCAtomicKind::Read      ? Construct::atomic_read
      : kind == OpenACCAtomicKind::Write   ? Construct::atomic_write
      : kind == OpenACCAtomicKind::Capture ? Construct::atomic_capture
                                           : Construct::atomic_update;
}

} // namespace gangway::port
