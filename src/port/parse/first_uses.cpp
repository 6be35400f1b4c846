// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/first_uses.hpp"

#include "port/source_text.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenACC.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// First use of a scalar on a program path: a read, a set, or neither. `perhaps`: some paths set it
/// first, and none reads it first.
enum class First { untouched, set, perhaps, read };

/// First use of each variable that is named, so that one pass over the text serves all.
using Firsts = std::map<const Decl*, First>;

Firsts first_of(const Reading& reading, const Stmt* statement);

/// Extends `one` by what comes next.
void go_on(Firsts& one, const Firsts& next) {
  for (const auto& [variable, first] : next) {
    First& before = one[variable];
    if (before != First::set && before != First::read) // also after `perhaps`: it may not be set
      before = first;
  }
}

Firsts in_order(Firsts first, const Firsts& second) {
  go_on(first, second);
  return first;
}
Firsts in_order(Firsts first, const Firsts& second, const Firsts& third) {
  return in_order(in_order(std::move(first), second), third);
}

First either(First one, First other) {
  if (one == First::read || other == First::read)
    return First::read;
  return one == other ? one : First::perhaps;
}
Firsts either(Firsts one, const Firsts& other) {
  for (auto& [variable, first] : one)
    if (!other.contains(variable))
      first = either(first, First::untouched);
  for (const auto& [variable, first] : other) {
    const auto [found, is_new] = one.emplace(variable, either(first, First::untouched));
    if (!is_new)
      found->second = either(found->second, first);
  }
  return one;
}
/// Makes the first uses of a statement that may be skipped.
Firsts perhaps(Firsts all) {
  return either(std::move(all), {});
}

/// Follows each way from a label to the next break. No set in a switch is certain after it.
Firsts first_of_switch(const Reading& reading, const SwitchStmt* choice) {
  Firsts all;
  const auto* body = dyn_cast<CompoundStmt>(choice->getBody());
  if (body == nullptr)
    all = first_of(reading, choice->getBody());
  else
    for (auto from = body->body_begin(); from != body->body_end(); ++from)
      if (isa<SwitchCase>(*from)) {
        Firsts way;
        for (auto at = from; at != body->body_end() && !isa<BreakStmt>(*at); ++at)
          go_on(way, first_of(reading, *at));
        all = either(std::move(all), way);
      }
  return in_order(first_of(reading, choice->getInit()), first_of(reading, choice->getCond()),
                  perhaps(std::move(all)));
}

Firsts first_of(const Reading& reading, const Stmt* statement) {
  if (statement == nullptr || is_unevaluated(statement))
    return {};
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
    return {{reference->getDecl()->getCanonicalDecl(), First::read}};
  if (const auto* set = dyn_cast<BinaryOperator>(statement);
      set != nullptr && set->getOpcode() == BO_Assign) {
    const auto* target = dyn_cast<DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts());
    return in_order(first_of(reading, set->getRHS()),
                    target == nullptr
                        ? first_of(reading, set->getLHS())
                        : Firsts{{target->getDecl()->getCanonicalDecl(), First::set}});
  }
  if (const auto* branch = dyn_cast<IfStmt>(statement))
    return in_order(
        first_of(reading, branch->getInit()), first_of(reading, branch->getCond()),
        either(first_of(reading, branch->getThen()), first_of(reading, branch->getElse())));
  if (const auto* choice = dyn_cast<AbstractConditionalOperator>(statement))
    return in_order(first_of(reading, choice->getCond()),
                    either(first_of(reading, choice->getTrueExpr()),
                           first_of(reading, choice->getFalseExpr())));
  if (const auto* logical = dyn_cast<BinaryOperator>(statement);
      logical != nullptr && logical->isLogicalOp())
    return in_order(first_of(reading, logical->getLHS()),
                    perhaps(first_of(reading, logical->getRHS())));
  if (const auto* choice = dyn_cast<SwitchStmt>(statement))
    return first_of_switch(reading, choice);
  if (const auto* loop = dyn_cast<ForStmt>(statement)) {
    Firsts once = first_of(reading, loop->getBody());
    if (reading.continues.contains(loop) ||
        reading.macro_continues.contains(loop)) // it may leave it before
      once = perhaps(std::move(once));
    go_on(once, first_of(reading, loop->getInc()));
    return in_order(first_of(reading, loop->getInit()), first_of(reading, loop->getCond()),
                    perhaps(std::move(once)));
  }
  if (const auto* loop = dyn_cast<DoStmt>(statement)) // which may be left early
    return in_order(perhaps(first_of(reading, loop->getBody())),
                    first_of(reading, loop->getCond()));
  if (const auto* loop = dyn_cast<WhileStmt>(statement))
    return in_order(first_of(reading, loop->getCond()),
                    perhaps(first_of(reading, loop->getBody())));
  Firsts all;
  for (const Stmt* child : const_cast<Stmt*>(statement)->children())
    go_on(all, first_of(reading, child));
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

/// Returns whether anything in the statement does more with the scalar than to give it a value.
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

/// Finds the variables that other code may reach by `&`, a reference or a lambda.
void find_escapes(const Stmt* statement, std::set<const Decl*>& found) {
  if (statement == nullptr)
    return;
  const auto note = [&](const Stmt* named) {
    if (const auto* reference = dyn_cast_or_null<DeclRefExpr>(named))
      found.insert(reference->getDecl()->getCanonicalDecl());
  };
  if (const auto* address = dyn_cast<UnaryOperator>(statement);
      address != nullptr && address->getOpcode() == UO_AddrOf)
    note(address->getSubExpr()->IgnoreParenImpCasts());
  if (const auto* lambda = dyn_cast<LambdaExpr>(statement)) {
    for (const LambdaCapture& capture : lambda->captures())
      if (capture.capturesVariable())
        found.insert(capture.getCapturedVar()->getCanonicalDecl());
    return;
  }
  if (const auto* call = dyn_cast<CallExpr>(statement)) // what is no value is bound to a reference
    for (const Expr* argument : call->arguments())
      note(argument->IgnoreParens());
  if (const auto* declarations = dyn_cast<DeclStmt>(statement))
    for (const Decl* declaration : declarations->decls())
      if (const auto* other = dyn_cast<VarDecl>(declaration);
          other != nullptr && other->getType()->isReferenceType() && other->getInit() != nullptr)
        note(other->getInit()->IgnoreParenImpCasts());
  for (const Stmt* child : const_cast<Stmt*>(statement)->children())
    find_escapes(child, found);
}

/// Returns whether a directive in the statement uses the scalar's value. `create`, `delete` and
/// `private` only name it.
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

/// Returns whether a jump leads from `statement`, or from a part of it, out of `whole`.
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

/// Returns whether the statement has directives in it.
bool has_directives(const Reading& reading, const Stmt* statement) {
  if (statement == nullptr)
    return false;
  if (reading.directives.contains(statement))
    return true;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return has_directives(reading, child); });
}

/// Returns the first uses of the scalars after a statement, up to the end of `node`; empty if the
/// statement is not in it.
std::optional<Firsts> first_behind(const Reading& reading, const Stmt* node, const Stmt* statement,
                                   const std::set<const VarDecl*>& scalars) {
  if (node == statement)
    return Firsts();
  if (node == nullptr)
    return std::nullopt;
  std::optional<Firsts> rest;
  bool found = false;
  bool may_leave = false; // some of what follows may not be come to
  bool jumps = false;     // to somewhere else in the function
  for (const Stmt* child : const_cast<Stmt*>(node)->children()) {
    if (!found) {
      rest = first_behind(reading, child, statement, scalars);
      found = rest.has_value();
      if (found)
        continue;
    }
    jumps = jumps || jumps_out(child, child);
    if (!found || !isa<CompoundStmt>(node))
      continue;
    Firsts next = first_of(reading, child);
    may_leave = may_leave || has_any<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(child);
    if (may_leave)
      for (auto& [variable, first] : next)
        if (first == First::set)
          first = First::perhaps;
    if (has_directives(reading, child))
      for (const VarDecl* const variable : scalars)
        if (directives_read(reading, child, variable))
          next[variable->getCanonicalDecl()] = First::read;
    go_on(*rest, next);
  }
  if (!found)
    return std::nullopt;
  if (jumps) {
    for (const VarDecl* const variable : scalars)
      (*rest)[variable->getCanonicalDecl()] = First::read;
    return rest;
  }
  const auto repeats = [&](const Stmt* step, const Stmt* condition, const Stmt* body) {
    go_on(*rest, first_of(reading, step));
    go_on(*rest, first_of(reading, condition));
    go_on(*rest, perhaps(in_order(first_of(reading, body), first_of(reading, step))));
  };
  if (const auto* counted = dyn_cast<ForStmt>(node))
    repeats(counted->getInc(), counted->getCond(), counted->getBody());
  else if (const auto* before = dyn_cast<WhileStmt>(node))
    repeats(nullptr, before->getCond(), before->getBody());
  else if (const auto* behind = dyn_cast<DoStmt>(node))
    repeats(nullptr, behind->getCond(), behind->getBody());
  else if (const auto* range = dyn_cast<CXXForRangeStmt>(node))
    repeats(nullptr, nullptr, range->getBody());
  return rest;
}

First first_in(const Firsts& firsts, const VarDecl* variable) {
  const auto found = firsts.find(variable->getCanonicalDecl());
  return found == firsts.end() ? First::untouched : found->second;
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
  if (written.empty())
    return {};
  const Firsts firsts = first_of(reading, statement);
  std::vector<std::size_t> found;
  for (const std::size_t id : written) {
    const VarDecl* const variable = reading.declarations.at(id);
    const First first = first_in(firsts, variable);
    // If a path may bypass the statement that sets it, every read counts.
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
  std::set<const VarDecl*> scalars;
  for (const std::size_t id : written)
    scalars.insert(reading.declarations.at(id));
  std::set<const Decl*> escaped;
  find_escapes(body, escaped);
  const std::optional<Firsts> behind = first_behind(reading, body, statement, scalars);
  std::vector<std::size_t> found;
  for (const std::size_t id : written) {
    const VarDecl* const variable = reading.declarations.at(id);
    if (!variable->hasLocalStorage() || variable->getType()->isReferenceType() ||
        escaped.contains(variable->getCanonicalDecl()) || !behind ||
        first_in(*behind, variable) == First::read)
      found.push_back(id);
  }
  return found;
}

} // namespace gangway::port
