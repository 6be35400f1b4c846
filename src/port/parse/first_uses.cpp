// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/first_uses.hpp"

#include <set>

namespace gangway::port {

using namespace clang;

namespace {

/// What a program path says first of a scalar: reads it, sets it, or neither. `perhaps`: sets it on
/// some paths, and reads it on none.
enum class First { untouched, set, perhaps, read };

First first_of(const Reading& reading, const Stmt* statement, const VarDecl* variable);

First in_order(const std::vector<First>& parts) {
  bool perhaps = false;
  for (const First part : parts) {
    if (part == First::set)
      return First::set;
    if (part == First::read)
      return First::read; // also after `perhaps`: what it reads may not be set
    perhaps = perhaps || part == First::perhaps;
  }
  return perhaps ? First::perhaps : First::untouched;
}

First either(First one, First other) {
  if (one == First::read || other == First::read)
    return First::read;
  if (one == other)
    return one;
  return First::perhaps;
}

/// From each label to the next break; and a set is no certainty behind it.
First first_of_switch(const Reading& reading, const SwitchStmt* choice, const VarDecl* variable) {
  std::vector<First> ways{First::untouched};
  const auto* body = dyn_cast<CompoundStmt>(choice->getBody());
  if (body == nullptr)
    ways.push_back(first_of(reading, choice->getBody(), variable));
  else
    for (auto from = body->body_begin(); from != body->body_end(); ++from)
      if (isa<SwitchCase>(*from)) {
        std::vector<First> way;
        for (auto at = from; at != body->body_end() && !isa<BreakStmt>(*at); ++at)
          way.push_back(first_of(reading, *at, variable));
        ways.push_back(in_order(way));
      }
  First all = First::untouched;
  for (const First way : ways)
    all = either(all, way);
  return in_order({first_of(reading, choice->getInit(), variable),
                   first_of(reading, choice->getCond(), variable),
                   all == First::set ? First::perhaps : all});
}

First first_of(const Reading& reading, const Stmt* statement, const VarDecl* variable) {
  if (statement == nullptr || is_unevaluated(statement))
    return First::untouched;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
    return reference->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl()
               ? First::read
               : First::untouched;
  if (const auto* set = dyn_cast<BinaryOperator>(statement);
      set != nullptr && set->getOpcode() == BO_Assign) {
    const First value = first_of(reading, set->getRHS(), variable);
    const auto* target = dyn_cast<DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts());
    if (target == nullptr)
      return in_order({value, first_of(reading, set->getLHS(), variable)});
    const bool is_it = target->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl();
    return in_order({value, is_it ? First::set : First::untouched});
  }
  if (const auto* branch = dyn_cast<IfStmt>(statement))
    return in_order({first_of(reading, branch->getInit(), variable),
                     first_of(reading, branch->getCond(), variable),
                     either(first_of(reading, branch->getThen(), variable),
                            first_of(reading, branch->getElse(), variable))});
  if (const auto* choice = dyn_cast<AbstractConditionalOperator>(statement))
    return in_order({first_of(reading, choice->getCond(), variable),
                     either(first_of(reading, choice->getTrueExpr(), variable),
                            first_of(reading, choice->getFalseExpr(), variable))});
  if (const auto* logical = dyn_cast<BinaryOperator>(statement);
      logical != nullptr && logical->isLogicalOp())
    return in_order({first_of(reading, logical->getLHS(), variable),
                     either(first_of(reading, logical->getRHS(), variable), First::untouched)});
  if (const auto* choice = dyn_cast<SwitchStmt>(statement))
    return first_of_switch(reading, choice, variable);
  if (const auto* loop = dyn_cast<ForStmt>(statement)) {
    First once = first_of(reading, loop->getBody(), variable);
    if (reading.continues.contains(loop) ||
        reading.macro_continues.contains(loop)) // it may leave it before
      once = either(once, First::untouched);
    const First body = in_order({once, first_of(reading, loop->getInc(), variable)});
    return in_order({first_of(reading, loop->getInit(), variable),
                     first_of(reading, loop->getCond(), variable), either(body, First::untouched)});
  }
  if (const auto* loop = dyn_cast<DoStmt>(statement)) // which may be left early
    return in_order({either(first_of(reading, loop->getBody(), variable), First::untouched),
                     first_of(reading, loop->getCond(), variable)});
  if (const auto* loop = dyn_cast<WhileStmt>(statement))
    return in_order({first_of(reading, loop->getCond(), variable),
                     either(first_of(reading, loop->getBody(), variable), First::untouched)});
  std::vector<First> parts;
  for (const Stmt* child : const_cast<Stmt*>(statement)->children())
    parts.push_back(first_of(reading, child, variable));
  const First all = in_order(parts);
  return all;
}

} // namespace

std::vector<std::size_t> set_first_in(const Reading& reading, const Stmt* statement,
                                      std::size_t directive) {
  if (directive == none)
    return {};
  std::set<std::size_t> written;
  for (const Use& use : reading.unit.directives[directive].uses)
    if (use.writes && reading.declarations.contains(use.variable) &&
        reading.unit.variables[use.variable].shape == Shape::scalar)
      written.insert(use.variable);
  std::vector<std::size_t> found;
  for (const std::size_t id : written) {
    const First first = first_of(reading, statement, reading.declarations.at(id));
    if (first == First::set || first == First::perhaps)
      found.push_back(id);
  }
  return found;
}

} // namespace gangway::port
