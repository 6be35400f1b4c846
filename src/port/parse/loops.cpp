// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/loops.hpp"

#include "port/parse/first_uses.hpp"
#include "port/parse/variables.hpp"

namespace gangway::port {

using namespace clang;

namespace {

std::string plus_one(const Reading& reading, const Expr* expression, const std::string& text) {
  // n - 1 + 1 is n
  if (const auto* difference = dyn_cast<BinaryOperator>(expression->IgnoreParenImpCasts());
      difference != nullptr && difference->getOpcode() == BO_Sub &&
      reading.value_of(difference->getRHS()) == "1")
    return reading.text(difference->getLHS());
  if (const auto* difference = dyn_cast<BinaryOperator>(expression->IgnoreParenImpCasts());
      difference != nullptr && difference->getOpcode() == BO_Sub)
    if (const std::string value = reading.value_of(difference->getRHS());
        !value.empty() && value == reading.text(difference->getRHS()))
      return reading.text(difference->getLHS()) + " - " + std::to_string(std::stoll(value) - 1);
  if (const std::string value = reading.value_of(expression); !value.empty() && value == text)
    return std::to_string(std::stoll(value) + 1);
  const bool simple = isa<DeclRefExpr>(expression->IgnoreParenImpCasts()) ||
                      isa<MemberExpr>(expression->IgnoreParenImpCasts());
  return (simple ? text : "(" + text + ")") + " + 1";
}

/// Returns whether the bound is only the name of a constant with a place in the host's memory.
bool names_constant(const Expr* bound) {
  const auto* const name = dyn_cast<DeclRefExpr>(bound->IgnoreParenImpCasts());
  const auto* const variable = name == nullptr ? nullptr : dyn_cast<VarDecl>(name->getDecl());
  return variable != nullptr && !variable->hasLocalStorage() &&
         variable->getType().isConstQualified();
}

void note_names(const Reading& reading, const Stmt* statement, const VarDecl* but,
                std::vector<std::string>& names) {
  if (statement == nullptr || is_unevaluated(statement))
    return;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement);
      reference != nullptr && reference->getDecl() != but)
    names.push_back(reference->getDecl()->getNameAsString());
  for (const Stmt* child : const_cast<Stmt*>(statement)->children())
    note_names(reading, child, but, names);
}

/// Reads start, end and step, and returns what is wrong with them; empty if all is well.
std::string read_bounds(Reading& reading, const ForStmt* statement, Loop& loop) {
  const VarDecl* index = nullptr;
  const Expr* start = nullptr;
  if (const auto* declared = dyn_cast_or_null<DeclStmt>(statement->getInit());
      declared != nullptr && declared->isSingleDecl()) {
    index = dyn_cast<VarDecl>(declared->getSingleDecl());
    start = index != nullptr ? index->getInit() : nullptr;
  } else if (const auto* set = dyn_cast_or_null<BinaryOperator>(statement->getInit());
             set != nullptr && set->getOpcode() == BO_Assign) {
    if (const auto* reference = dyn_cast<DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts())) {
      index = dyn_cast<VarDecl>(reference->getDecl());
      start = set->getRHS();
      if (const auto found = reading.variables.find(key_of(reading, reference));
          found != reading.variables.end())
        loop.variable = found->second;
    }
  }
  if (const auto* const braced = dyn_cast_or_null<InitListExpr>(start);
      braced != nullptr && braced->getNumInits() == 1) // `int i{0}`
    start = braced->getInit(0);
  if (index == nullptr || start == nullptr || isa<InitListExpr>(start))
    return "it has no plain start";
  if (!index->getType()->isIntegerType() && !index->getType()->isDependentType())
    return "its index is no whole number";
  loop.index = index->getNameAsString();
  loop.type = reading.type_text(index->getType());
  const auto is_index = [&](const Expr* expression) {
    const auto* reference = dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
    return reference != nullptr && reference->getDecl() == index;
  };
  const auto* condition = dyn_cast_or_null<BinaryOperator>(
      statement->getCond() != nullptr ? statement->getCond()->IgnoreParenImpCasts() : nullptr);
  if (condition == nullptr || !condition->isComparisonOp() || condition->getOpcode() == BO_EQ)
    return "it has no plain end";
  auto comparison = condition->getOpcode();
  const Expr* end = condition->getRHS();
  if (!is_index(condition->getLHS())) {
    if (!is_index(condition->getRHS()))
      return "it has no plain end";
    end = condition->getLHS();
    comparison = BinaryOperator::reverseComparisonOp(comparison);
  }
  bool up = true;
  const Expr* step = nullptr;
  bool stepped = false;
  const Expr* const increment =
      statement->getInc() != nullptr ? statement->getInc()->IgnoreParenImpCasts() : nullptr;
  if (const auto* one = dyn_cast_or_null<UnaryOperator>(increment);
      one != nullptr && is_index(one->getSubExpr())) {
    stepped = one->isIncrementDecrementOp();
    up = one->isIncrementOp();
  } else if (const auto* more = dyn_cast_or_null<CompoundAssignOperator>(increment);
             more != nullptr && is_index(more->getLHS())) {
    stepped = more->getOpcode() == BO_AddAssign || more->getOpcode() == BO_SubAssign;
    up = more->getOpcode() == BO_AddAssign;
    step = more->getRHS();
  } else if (const auto* set = dyn_cast_or_null<BinaryOperator>(increment);
             set != nullptr && set->getOpcode() == BO_Assign && is_index(set->getLHS())) {
    if (const auto* sum = dyn_cast<BinaryOperator>(set->getRHS()->IgnoreParenImpCasts());
        sum != nullptr && is_index(sum->getLHS()) &&
        (sum->getOpcode() == BO_Add || sum->getOpcode() == BO_Sub)) {
      stepped = true;
      up = sum->getOpcode() == BO_Add;
      step = sum->getRHS();
    }
  }
  if (!stepped)
    return "it has no plain step";
  if (step != nullptr && reading.value_of(step) != "1")
    loop.step = reading.operand(step);
  if (const std::string value = step == nullptr ? "" : reading.value_of(step);
      loop.step.starts_with("-") || value.starts_with("-") || value == "0")
    return "its step is negative, or 0";
  const std::string first = reading.operand(start);
  const std::string last = reading.operand(end);
  for (const Expr* bound : {start, end, step}) {
    loop.bounds_are_local = loop.bounds_are_local && reading.is_local(bound);
    loop.wide = loop.wide || (bound != nullptr &&
                              (bound->IgnoreParenImpCasts()->isTypeDependent() ||
                               bound->IgnoreParenImpCasts()->getType()->isUnsignedIntegerType()));
  }
  if (up &&
      (comparison == BO_LT || comparison == BO_LE || (comparison == BO_NE && loop.step == "1"))) {
    loop.low = first;
    loop.low_is_constant = names_constant(start);
    loop.high = comparison == BO_LE ? plus_one(reading, end, last) : last;
    loop.high_is_constant = comparison != BO_LE && names_constant(end);
  } else if (!up && loop.step == "1" && (comparison == BO_GT || comparison == BO_GE)) {
    // The first iteration may become the last, because the iterations are independent.
    loop.low = comparison == BO_GT ? plus_one(reading, end, last) : last;
    loop.low_is_constant = comparison != BO_GT && names_constant(end);
    loop.high = plus_one(reading, start, first);
  } else {
    return up ? "its end and its step do not go together" : "it goes downwards by more than one";
  }
  note_names(reading, statement->getInit(), index, loop.reads);
  note_names(reading, statement->getCond(), index, loop.reads);
  note_names(reading, statement->getInc(), index, loop.reads);
  return "";
}

} // namespace

Loop read_loop(Reading& reading, const ForStmt* statement, std::size_t construct) {
  Loop loop;
  loop.place = reading.place(statement->getBeginLoc());
  loop.whole = reading.statement_span(statement);
  loop.body = reading.statement_span(statement->getBody());
  loop.braces = isa<CompoundStmt>(statement->getBody());
  if (const auto found = reading.continues.find(statement); found != reading.continues.end())
    loop.continues = found->second;
  loop.macro_continues = reading.macro_continues.contains(statement);
  loop.problem = read_bounds(reading, statement, loop);
  if (statement->getBeginLoc().isMacroID() &&
      reading.sources.getExpansionLoc(statement->getBody()->getBeginLoc()) ==
          reading.sources.getExpansionLoc(statement->getBeginLoc()))
    loop.problem = "a macro writes it";
  loop.set_first = set_first_in(reading, statement->getBody(), construct);
  return loop;
}

} // namespace gangway::port
