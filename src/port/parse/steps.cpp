// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/steps.hpp"

#include "port/parse/loops.hpp"
#include "port/parse/touches.hpp"

#include <clang/AST/OpenACCClause.h>
#include <clang/AST/StmtOpenACC.h>

#include <algorithm>
#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// Returns the loop if its directive has workers or lanes share it out, or null.
const ForStmt* shared_loop(const Stmt* statement) {
  const auto* construct = dyn_cast<OpenACCLoopConstruct>(statement);
  if (construct == nullptr)
    return nullptr;
  const auto is_level = [](const OpenACCClause* clause) {
    return isa<OpenACCWorkerClause>(clause) || isa<OpenACCVectorClause>(clause);
  };
  return std::any_of(construct->clauses().begin(), construct->clauses().end(), is_level)
             ? dyn_cast_or_null<ForStmt>(associated(construct))
             : nullptr;
}

bool has_atomic(const Stmt* statement) {
  if (statement == nullptr)
    return false;
  const auto children = const_cast<Stmt*>(statement)->children();
  return isa<OpenACCAtomicConstruct>(statement) ||
         std::any_of(children.begin(), children.end(), has_atomic);
}

} // namespace

bool shares(const Stmt* statement) {
  if (statement == nullptr)
    return false;
  if (shared_loop(statement) != nullptr)
    return true;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(), shares);
}

Step step_of(Reading& reading, const Stmt* statement, const Stmt* body, std::size_t id) {
  Step step;
  step.place = reading.place(statement->getBeginLoc());
  step.span = reading.statement_span(statement);
  step.declares = isa<DeclStmt>(statement);
  step.atomic = has_atomic(statement);
  const auto id_of = [&](const VarDecl* variable) {
    const auto found =
        reading.variables.find(printed(static_cast<const void*>(variable->getCanonicalDecl())));
    return found == reading.variables.end() ? none : found->second;
  };
  const auto touched = [&](const Stmt* part) {
    Touched all = touched_by(part, body, reading.context, id_of);
    step.jumps = step.jumps || all.jumps;
    if (step.unfit.empty())
      step.unfit = all.problem;
    return std::move(all.touches);
  };
  const Stmt* const applied =
      isa<OpenACCConstructStmt>(statement) ? associated(statement) : statement;
  if (applied == nullptr)
    return step; // a hint
  step.touches = touched(applied);
  if (const auto* block = dyn_cast<CompoundStmt>(statement)) {
    step.kind = Step::Kind::block;
    for (const Stmt* inner : block->body())
      if (!isa<NullStmt>(inner))
        step.steps.push_back(step_of(reading, inner, body, id));
  } else if (const auto* branch = dyn_cast<IfStmt>(statement);
             branch != nullptr && branch->getInit() == nullptr &&
             branch->getConditionVariable() == nullptr && !branch->isConstexpr()) {
    step.kind = Step::Kind::choice;
    step.begins = touched(branch->getCond());
    for (const Stmt* inner : {branch->getThen(), branch->getElse()})
      if (inner != nullptr)
        step.steps.push_back(step_of(reading, inner, body, id));
  } else if (const ForStmt* const loop = shared_loop(statement)) {
    step.kind = Step::Kind::share;
    step.loop = read_loop(reading, loop, id);
    if (statement->getBeginLoc().isMacroID())
      step.unfit = "a macro writes a loop that a team would share out";
    step.loop->directive = reading.directives.at(statement);
    for (const Stmt* head : {loop->getInit(), static_cast<const Stmt*>(loop->getCond()),
                             static_cast<const Stmt*>(loop->getInc())})
      if (head != nullptr)
        for (const Touch& touch : touched(head))
          step.begins.push_back(touch);
    step.steps.push_back(step_of(reading, loop->getBody(), body, id));
  } else if (shares(statement)) {
    const auto* counts = dyn_cast<ForStmt>(applied);
    const auto* asks = dyn_cast<WhileStmt>(applied);
    step.kind = Step::Kind::repeat;
    if ((counts == nullptr && asks == nullptr) || reading.continues.contains(applied) ||
        reading.macro_continues.contains(applied)) {
      step.unfit = "what is around a loop that a team would share out is no plain loop";
      return step;
    }
    std::vector<const Stmt*> heads;
    if (counts != nullptr)
      heads = {counts->getInit(), counts->getCond(), counts->getInc()};
    else
      heads = {asks->getConditionVariableDeclStmt(), asks->getCond()};
    for (const Stmt* head : heads)
      if (head != nullptr)
        for (const Touch& touch : touched(head))
          step.begins.push_back(touch);
    const Stmt* const repeated = counts != nullptr ? counts->getBody() : asks->getBody();
    step.steps.push_back(step_of(reading, repeated, body, id));
  }
  return step;
}

} // namespace gangway::port
