// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/first_uses.hpp"

#include "port/source_text.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenACC.h>

#include <algorithm>
#include <optional>
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

template <class... Kinds>
bool has_any(const Stmt* statement) {
  if (statement == nullptr)
    return false;
  if (isa<Kinds...>(statement))
    return true;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [](const Stmt* child) { return has_any<Kinds...>(child); });
}

bool is_named(const Stmt* statement, const VarDecl* variable) {
  const auto* reference = dyn_cast_or_null<DeclRefExpr>(statement);
  return reference != nullptr &&
         reference->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl();
}

/// Whether anything in it does more with the scalar than to give it a value.
bool reads_somewhere(const Stmt* statement, const VarDecl* variable) {
  if (statement == nullptr || is_unevaluated(statement))
    return false;
  if (const auto* set = dyn_cast<BinaryOperator>(statement);
      set != nullptr && set->getOpcode() == BO_Assign &&
      is_named(set->getLHS()->IgnoreParenImpCasts(), variable))
    return reads_somewhere(set->getRHS(), variable);
  if (is_named(statement, variable))
    return true;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return reads_somewhere(child, variable); });
}

/// Whether something may get hold of the scalar itself, by `&` or a reference.
bool escapes(const Stmt* statement, const VarDecl* variable) {
  if (statement == nullptr)
    return false;
  if (const auto* address = dyn_cast<UnaryOperator>(statement);
      address != nullptr && address->getOpcode() == UO_AddrOf &&
      is_named(address->getSubExpr()->IgnoreParenImpCasts(), variable))
    return true;
  if (const auto* lambda = dyn_cast<LambdaExpr>(statement)) {
    const auto captures = lambda->captures();
    return std::any_of(captures.begin(), captures.end(), [&](const LambdaCapture& capture) {
      return capture.capturesVariable() &&
             capture.getCapturedVar()->getCanonicalDecl() == variable->getCanonicalDecl();
    });
  }
  if (const auto* call = dyn_cast<CallExpr>(statement)) // what is no value is bound to a reference
    for (const Expr* argument : call->arguments())
      if (is_named(argument->IgnoreParens(), variable))
        return true;
  if (const auto* declarations = dyn_cast<DeclStmt>(statement))
    for (const Decl* declaration : declarations->decls())
      if (const auto* other = dyn_cast<VarDecl>(declaration);
          other != nullptr && other->getType()->isReferenceType() && other->getInit() != nullptr &&
          is_named(other->getInit()->IgnoreParenImpCasts(), variable))
        return true;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return escapes(child, variable); });
}

/// Whether a directive in it asks for the scalar's value. What a clause makes or takes away by its
/// name is none of it.
bool directives_read(const Reading& reading, const Stmt* statement, const VarDecl* variable) {
  if (statement == nullptr)
    return false;
  if (const auto found = reading.directives.find(statement); found != reading.directives.end()) {
    const auto has_value = [](ClauseKind kind) {
      return kind != ClauseKind::create && kind != ClauseKind::delete_ &&
             kind != ClauseKind::private_;
    };
    const Directive& directive = reading.unit.directives[found->second];
    const std::string name = variable->getName().str();
    const auto has_name = [&](const std::string& text) { return has_word(text, name); };
    if (std::any_of(directive.queues.begin(), directive.queues.end(), has_name))
      return true;
    for (const Clause& clause : directive.clauses)
      if (has_name(clause.argument) ||
          std::any_of(clause.arguments.begin(), clause.arguments.end(), has_name) ||
          std::any_of(clause.sections.begin(), clause.sections.end(), [&](const Section& section) {
            return has_name(section.text) && (section.text != name || has_value(clause.kind));
          }))
        return true;
  }
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return directives_read(reading, child, variable); });
}

bool is_in(const Stmt* part, const Stmt* whole) {
  if (whole == nullptr || part == whole)
    return whole != nullptr;
  const auto children = const_cast<Stmt*>(whole)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return is_in(part, child); });
}

/// Whether a jump leads from `statement`, or from a part of it, out of `whole`.
bool jumps_out(const Stmt* statement, const Stmt* whole) {
  if (statement == nullptr)
    return false;
  if (isa<IndirectGotoStmt>(statement) || isa<AsmStmt>(statement))
    return true;
  if (const auto* jump = dyn_cast<GotoStmt>(statement))
    return !is_in(jump->getLabel()->getStmt(), whole);
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return jumps_out(child, whole); });
}

/// What is said first of the scalar behind a statement, as far as `node` goes on from there;
/// nothing where the statement is not in it.
std::optional<First> first_behind(const Reading& reading, const Stmt* node, const Stmt* statement,
                                  const VarDecl* variable) {
  if (node == statement)
    return First::untouched;
  if (node == nullptr)
    return std::nullopt;
  std::optional<First> rest;
  bool found = false;
  bool may_leave = false; // some of what follows may not be come to
  bool jumps = false;     // to somewhere else in the function
  for (const Stmt* child : const_cast<Stmt*>(node)->children()) {
    if (!found) {
      rest = first_behind(reading, child, statement, variable);
      found = rest.has_value();
      if (found)
        continue;
    }
    jumps = jumps || jumps_out(child, child);
    if (!found || !isa<CompoundStmt>(node))
      continue;
    First next = directives_read(reading, child, variable) ? First::read
                                                           : first_of(reading, child, variable);
    may_leave = may_leave || has_any<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(child);
    if (next == First::set && may_leave)
      next = First::perhaps;
    rest = in_order({*rest, next});
  }
  if (!found)
    return std::nullopt;
  if (jumps)
    return First::read;
  const auto again = [&](const Stmt* body, const Stmt* step) {
    const First once =
        in_order({first_of(reading, body, variable), first_of(reading, step, variable)});
    return either(once, First::untouched);
  };
  if (const auto* loop = dyn_cast<ForStmt>(node))
    return in_order({*rest, first_of(reading, loop->getInc(), variable),
                     first_of(reading, loop->getCond(), variable),
                     again(loop->getBody(), loop->getInc())});
  if (const auto* loop = dyn_cast<WhileStmt>(node))
    return in_order(
        {*rest, first_of(reading, loop->getCond(), variable), again(loop->getBody(), nullptr)});
  if (const auto* loop = dyn_cast<DoStmt>(node))
    return in_order(
        {*rest, first_of(reading, loop->getCond(), variable), again(loop->getBody(), nullptr)});
  if (const auto* loop = dyn_cast<CXXForRangeStmt>(node))
    return in_order({*rest, again(loop->getBody(), nullptr)});
  return rest;
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
  const bool jumps = has_any<GotoStmt, IndirectGotoStmt>(statement);
  std::vector<std::size_t> found;
  for (const std::size_t id : written) {
    const VarDecl* const variable = reading.declarations.at(id);
    const First first = first_of(reading, statement, variable);
    // Where a path may lead past what sets it, all that is read counts.
    if ((first == First::set || first == First::perhaps) &&
        (!jumps || !reads_somewhere(statement, variable)))
      found.push_back(id);
  }
  return found;
}

std::vector<std::size_t> read_behind(const Reading& reading, const Stmt* body,
                                     const Stmt* statement, std::size_t directive) {
  const Span where = reading.statement_span(statement);
  std::set<std::size_t> written;
  for (const Use& use : reading.unit.directives[directive].uses)
    if (use.writes && where.holds(use.name) && reading.declarations.contains(use.variable) &&
        reading.unit.variables[use.variable].shape == Shape::scalar)
      written.insert(use.variable);
  if (written.empty())
    return {};
  std::vector<std::size_t> found;
  for (const std::size_t id : written) {
    const VarDecl* const variable = reading.declarations.at(id);
    if (!variable->hasLocalStorage() || variable->getType()->isReferenceType() ||
        escapes(body, variable) ||
        first_behind(reading, body, statement, variable).value_or(First::read) == First::read)
      found.push_back(id);
  }
  return found;
}

} // namespace gangway::port
