// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/bodies.hpp"

#include "port/parse/atomics.hpp"
#include "port/parse/calls.hpp"
#include "port/parse/changes.hpp"
#include "port/parse/declarations.hpp"
#include "port/parse/directives.hpp"
#include "port/parse/pieces.hpp"
#include "port/parse/runtime_calls.hpp"
#include "port/parse/sizes.hpp"
#include "port/parse/uses.hpp"
#include "port/parse/variable_lengths.hpp"
#include "port/parse/variables.hpp"
#include "port/parse/words.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclOpenACC.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenACC.h>

#include <algorithm>

namespace gangway::port {

using namespace clang;

namespace {

void visit(Reading& reading, const Stmt* statement, Parents& parents, Walk walk);

void find_written_pointers(Reading& reading, const Stmt* statement, Parents& parents) {
  if (statement == nullptr)
    return;
  if (const auto* expression = dyn_cast<Expr>(statement);
      expression != nullptr && (isa<DeclRefExpr>(expression) || isa<MemberExpr>(expression)) &&
      expression->getType()->isPointerType() && may_be_written(parents))
    reading.written_pointers.insert(key_of(reading, expression));
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement);
      reference != nullptr && reference->getType()->isIntegerType() && may_be_written(parents)) {
    unsigned& last = reading.last_writes[reference->getDecl()->getCanonicalDecl()];
    last = std::max(last, reading.offset(reference->getLocation()));
  }
  parents.push_back(statement);
  for (const Stmt* child : const_cast<Stmt*>(statement)->children())
    find_written_pointers(reading, child, parents);
  parents.pop_back();
}

/// Returns whether the jump leads to a place in the body of the innermost loop around it. A kernel
/// is such a body, or contains it.
bool stays(const Reading& reading, const GotoStmt* jump, const Parents& parents, const Walk& walk) {
  const auto loop = std::find_if(parents.rbegin(), parents.rend(),
                                 [](const Stmt* above) { return isa<ForStmt>(above); });
  return loop != parents.rend() &&
         walk.kernel_statement.holds(reading.span((*loop)->getSourceRange())) &&
         reading.span(cast<ForStmt>(*loop)->getBody()->getSourceRange())
             .holds(reading.span(jump->getLabel()->getStmt()->getSourceRange()));
}

bool has_directives(const Stmt* statement) {
  return isa<OpenACCConstructStmt>(statement) ||
         std::any_of(statement->child_begin(), statement->child_end(),
                     [](const Stmt* part) { return part != nullptr && has_directives(part); });
}

/// Returns the compute construct around, or else null.
const Stmt* compute_around(const Parents& parents) {
  const auto found = std::find_if(parents.rbegin(), parents.rend(), [](const Stmt* above) {
    return isa<OpenACCComputeConstruct>(above) || isa<OpenACCCombinedConstruct>(above);
  });
  return found == parents.rend() ? nullptr : *found;
}

/// Returns whether the statement is in a lambda that is in the same kernel.
bool is_in_lambda(const Parents& parents) {
  for (auto up = parents.rbegin(); up != parents.rend(); ++up) {
    if (isa<LambdaExpr>(*up))
      return true;
    if (isa<OpenACCComputeConstruct>(*up) || isa<OpenACCCombinedConstruct>(*up))
      return false;
  }
  return false;
}

/// Returns whether the variable is declared in the kernel, or in the function that kernels call.
bool is_of_kernel(const Reading& reading, const VarDecl* variable, const Walk& walk) {
  return variable->hasLocalStorage() && reading.is_here(variable->getLocation()) &&
         (walk.kernel == none ||
          walk.kernel_statement.holds(
              {reading.offset(variable->getLocation()), reading.offset(variable->getLocation())}));
}

/// Returns whether `parents` read the value of a scalar or of an array's element.
bool is_value(const Parents& parents) {
  for (auto up = parents.rbegin(); up != parents.rend(); ++up) {
    const auto* const conversion = dyn_cast<ImplicitCastExpr>(*up);
    if (conversion != nullptr && conversion->getCastKind() == CK_LValueToRValue)
      return true;
    if (!(conversion != nullptr && conversion->getCastKind() == CK_ArrayToPointerDecay) &&
        !isa<ParenExpr>(*up) && !isa<ArraySubscriptExpr>(*up))
      return false;
  }
  return false;
}

/// Returns whether all that a lambda's body names from outside are values that last: variables of
/// the kernel, and the host's scalars that the kernel does not set.
bool takes_values(const Reading& reading, const LambdaExpr* lambda, const Stmt* part,
                  Parents& within, const Parents& around, const Walk& walk) {
  if (part == nullptr)
    return true;
  if (isa<CXXThisExpr>(part) || isa<OpenACCConstructStmt>(part))
    return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(part)) {
    const auto* const variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable == nullptr || variable->isConstexpr())
      return true;
    if (!reading.context.getBaseElementType(variable->getType())->isArithmeticType())
      return false; // a reference or a pointer may lead to what others have, too
    const Span own = reading.span(lambda->getSourceRange());
    const bool here = reading.is_here(variable->getLocation());
    const unsigned at = here ? reading.offset(variable->getLocation()) : 0;
    if (here && own.holds({at, at}))
      return true;
    if (!is_value(within))
      return false;
    if (is_of_kernel(reading, variable, walk))
      return true;
    const Stmt* const kernel = compute_around(around);
    return variable->hasLocalStorage() && !variable->getType()->isArrayType() &&
           kernel != nullptr && !writes(kernel, variable);
  }
  within.push_back(part);
  const bool all = std::all_of(part->child_begin(), part->child_end(), [&](const Stmt* child) {
    return takes_values(reading, lambda, child, within, around, walk);
  });
  within.pop_back();
  return all;
}

/// Returns whether the lambda may stay as it is in a kernel.
bool may_stay(const Reading& reading, const LambdaExpr* lambda, const Parents& parents,
              const Walk& walk) {
  const auto is_number = [](const ParmVarDecl* one) { return one->getType()->isArithmeticType(); };
  const FunctionDecl* const call = lambda->getCallOperator();
  Parents within;
  return std::all_of(call->param_begin(), call->param_end(), is_number) &&
         !lambda->isGenericLambda() && !lambda->isMutable() &&
         std::none_of(lambda->capture_begin(), lambda->capture_end(),
                      [&](const LambdaCapture& capture) {
                        return lambda->isInitCapture(&capture) || !capture.capturesVariable();
                      }) &&
         takes_values(reading, lambda, lambda->getBody(), within, parents, walk);
}

/// Returns whether a loop over a range may stay as it is in a kernel: over an array of the kernel's
/// own, with numbers in it.
bool may_stay(const Reading& reading, const CXXForRangeStmt* loop, const Walk& walk) {
  const Expr* const range = loop->getRangeInit();
  const auto* const named =
      range == nullptr ? nullptr : dyn_cast<DeclRefExpr>(range->IgnoreParenImpCasts());
  const auto* const variable = named == nullptr ? nullptr : dyn_cast<VarDecl>(named->getDecl());
  return variable != nullptr && variable->getType()->isConstantArrayType() &&
         reading.context.getAsConstantArrayType(variable->getType())
             ->getElementType()
             ->isArithmeticType() &&
         !reading.is_of_macro(loop->getBeginLoc()) && is_of_kernel(reading, variable, walk) &&
         !has_directives(loop->getBody());
}

void note_obstacle(Reading& reading, const Stmt* statement, const Parents& parents,
                   const Walk& walk) {
  const auto is = [](const char* what) { return say<Code::statement>(what); };
  std::optional<Message> found;
  if (isa<ReturnStmt>(statement) && walk.kernel != none && !is_in_lambda(parents))
    found = is("a return");
  else if (isa<CXXNewExpr>(statement) || isa<CXXDeleteExpr>(statement))
    found = is("new or delete").by("allocate before it, and name the array in a data clause");
  else if (isa<CXXThrowExpr>(statement) || isa<CXXTryStmt>(statement))
    found = is("an exception");
  else if (isa<AsmStmt>(statement) || isa<IndirectGotoStmt>(statement) ||
           (isa<GotoStmt>(statement) && walk.kernel != none &&
            !stays(reading, cast<GotoStmt>(statement), parents, walk)))
    found = is("goto or asm");
  else if (isa<LambdaExpr>(statement) &&
           !may_stay(reading, cast<LambdaExpr>(statement), parents, walk))
    found = is("a lambda that takes more than values")
                .by("make it a function with `routine seq`, and hand on what it uses");
  else if (isa<CXXThisExpr>(statement) && (parents.empty() || !isa<MemberExpr>(parents.back())))
    found = is("'this'").by("copy the members to local variables before it");
  else if (isa<UnaryExprOrTypeTraitExpr>(statement) && walk.kernel != none)
    found = say<Code::size>("it takes", " of variable length");
  else if (const auto* cast = dyn_cast<ExplicitCastExpr>(statement);
           cast != nullptr && cast->getTypeAsWritten()->isVariablyModifiedType())
    found = is("a cast to arrays of variable length")
                .by("a plain pointer, and the index by hand, as in p[i * n + j]");
  else if (const auto* range = dyn_cast<CXXForRangeStmt>(statement);
           range != nullptr && !may_stay(reading, range, walk))
    found =
        is("a loop over a range that is no array of the kernel's own").by("write it with an index");
  else if (const auto* declarations = dyn_cast<DeclStmt>(statement)) {
    for (const Decl* declaration : declarations->decls())
      if (const auto* variable = dyn_cast<VarDecl>(declaration)) {
        const std::string name = variable->getNameAsString();
        const auto* record = variable->getType().getNonReferenceType()->getAsCXXRecordDecl();
        if (variable->isStaticLocal() && !variable->isConstexpr())
          found = say<Code::variable>(name, "which is static");
        else if (record != nullptr && record->hasDefinition() && !record->isTriviallyCopyable())
          found =
              say<Code::variable>(name, "of class type " + reading.type_text(variable->getType()));
        else if (variable->getType()->isVariableArrayType())
          found = say<Code::variable>(name, "an array of variable length");
        else if (variable->getType()->isVariablyModifiedType())
          found = say<Code::variable>(name, "which leads to arrays of variable length")
                      .by("a plain pointer, and the index by hand, as in p[i * n + j]");
      }
  }
  if (!found)
    return;
  Obstacle obstacle{reading.place(statement->getBeginLoc()),
                    reading.span(statement->getSourceRange()), std::move(*found),
                    isa<ReturnStmt>(statement)};
  if (walk.kernel != none && reading.unit.directives[walk.kernel].is_compute())
    reading.unit.directives[walk.kernel].obstacles.push_back(obstacle);
  if (walk.kernel == none && walk.function != none)
    reading.unit.functions[walk.function].obstacles.push_back(obstacle);
}

/// Notes a `for (j = …)` whose `j` is declared outside of the construct.
void note_counter(Reading& reading, const ForStmt* loop, const Parents& parents, const Walk& walk) {
  const auto* set = dyn_cast_or_null<BinaryOperator>(loop->getInit());
  if (set == nullptr || set->getOpcode() != BO_Assign)
    return;
  const auto* reference = dyn_cast<DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts());
  const auto* index = reference == nullptr ? nullptr : dyn_cast<VarDecl>(reference->getDecl());
  if (index == nullptr || (reading.is_here(index->getLocation()) &&
                           reading.offset(index->getLocation()) >= walk.kernel_statement.begin &&
                           reading.offset(index->getLocation()) < walk.kernel_statement.end))
    return;
  const std::size_t variable = variable_of(reading, reference);
  const bool associated = !parents.empty() && isa<OpenACCConstructStmt>(parents.back());
  reading.unit.directives[walk.kernel].counters.push_back(
      {reading.statement_span(loop), variable, associated});
}

/// Marks the block's last directive: no statement follows, so its declarations may stay in scope.
void note_last(Reading& reading, const CompoundStmt* block) {
  if (block->body_empty())
    return;
  if (const auto found = reading.directives.find(block->body_back());
      found != reading.directives.end())
    reading.unit.directives[found->second].last = true;
}

void visit_construct(Reading& reading, const OpenACCConstructStmt* construct, Parents& parents,
                     Walk walk) {
  const std::size_t id =
      add_directive(reading, construct->getSourceRange(),
                    isa<OpenACCAtomicConstruct>(construct)
                        ? Construct::atomic_update
                        : construct_named(printed(construct->getDirectiveKind())),
                    construct->clauses());
  reading.directives[construct] = id;
  {
    Directive& directive = reading.unit.directives[id];
    directive.parent = walk.directive;
    directive.function = walk.function;
  }
  const Stmt* const applied = associated(construct);
  if (const auto* atomic = dyn_cast<OpenACCAtomicConstruct>(construct))
    read_atomic(reading, atomic, id);
  if (const auto* wait = dyn_cast<OpenACCWaitConstruct>(construct))
    for (const Expr* queue : wait->getQueueIdExprs())
      reading.unit.directives[id].queues.push_back(reading.text(queue));
  Directive& directive = reading.unit.directives[id];
  if (walk.kernel != none && directive.construct != Construct::loop &&
      !is_atomic(directive.construct) && directive.construct != Construct::cache &&
      reading.unit.directives[walk.kernel].is_compute())
    reading.unit.directives[walk.kernel].obstacles.push_back(
        {directive.place, directive.pragma, say<Code::inside_compute>(directive.construct)});
  if (applied == nullptr)
    return;
  directive.statement = reading.statement_span(applied);
  directive.braces = isa<CompoundStmt>(applied);
  const bool is_kernel = directive.is_compute();
  if (is_kernel && walk.kernel != none && !reading.unit.directives[walk.kernel].is_compute())
    directive.obstacles.push_back(
        {directive.place, directive.pragma, say<Code::inside_host_data>()});
  walk.directive = id;
  if (walk.kernel == none && (is_kernel || directive.construct == Construct::host_data)) {
    walk.kernel = id;
    walk.kernel_statement = directive.statement;
    walk.loop = nullptr;
  }
  if (is_kernel)
    reading.blocks.emplace_back(id, applied);
  parents.push_back(construct);
  visit(reading, applied, parents, walk);
  parents.pop_back();
}

void visit(Reading& reading, const Stmt* statement, Parents& parents, Walk walk) {
  if (statement == nullptr)
    return;
  if (const auto* construct = dyn_cast<OpenACCConstructStmt>(statement)) {
    visit_construct(reading, construct, parents, walk);
    return;
  }
  if (isa<ForStmt>(statement) || isa<WhileStmt>(statement) || isa<DoStmt>(statement) ||
      isa<CXXForRangeStmt>(statement))
    walk.loop = statement;
  if (const auto* loop = dyn_cast<ForStmt>(statement); loop != nullptr && walk.kernel != none)
    note_counter(reading, loop, parents, walk);
  if (isa<ContinueStmt>(statement) && walk.loop != nullptr) {
    const Span written = reading.span(statement->getSourceRange());
    if (reading.text(written) == "continue")
      reading.continues[walk.loop].push_back(written);
    else
      reading.macro_continues.insert(walk.loop);
  }
  if (const auto* end = dyn_cast<ReturnStmt>(statement);
      end != nullptr && reading.unit.is_c && end->getRetValue() == nullptr &&
      walk.function != none && reading.unit.functions[walk.function].returns &&
      !end->getBeginLoc().isMacroID())
    reading.unit.functions[walk.function].bare_returns.push_back(
        reading.span(end->getSourceRange()).end);
  if (const auto* call = dyn_cast<CallExpr>(statement))
    note_runtime_call(reading, call, parents);
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
    note_runtime_name(reading, reference, parents);
  if (reading.unit.is_c) {
    note_void_cast(reading, statement);
    note_int(reading, statement);
    note_lengths(reading, statement);
  }
  bool descend = true;
  if (const auto* size = dyn_cast<UnaryExprOrTypeTraitExpr>(statement);
      size != nullptr && is_unevaluated(size)) {
    note_size(reading, size, parents, walk);
    return; // no program reads it
  }
  note_obstacle(reading, statement, parents, walk);
  if (const auto* conversion = dyn_cast<CastExpr>(statement);
      conversion != nullptr && conversion->getCastKind() == CK_IntegralToPointer &&
      walk.kernel != none)
    reading.unit.directives[walk.kernel].addresses.push_back(
        reading.span(conversion->getSubExpr()->getSourceRange()));
  if (const auto* call = dyn_cast<CallExpr>(statement))
    note_call(reading, call, walk);
  if (const auto* expression = dyn_cast<Expr>(statement))
    descend = note_use(reading, expression, parents, walk);
  if (!descend)
    return;
  if (const auto* lambda = dyn_cast<LambdaExpr>(statement)) {
    parents.push_back(statement);
    visit(reading, lambda->getBody(), parents, walk);
    parents.pop_back();
    return;
  }
  if (const auto* loop = dyn_cast<CXXForRangeStmt>(statement);
      loop != nullptr && may_stay(reading, loop, walk)) { // the rest of it is the compiler's
    parents.push_back(statement);
    visit(reading, loop->getRangeInit(), parents, walk);
    visit(reading, loop->getBody(), parents, walk);
    parents.pop_back();
    return;
  }
  if (const auto* declarations = dyn_cast<DeclStmt>(statement))
    for (const Decl* declaration : declarations->decls())
      if (const auto* construct = dyn_cast<OpenACCConstructDecl>(declaration))
        read_declarative(reading, construct, walk.function, parents.size() == 1);
  parents.push_back(statement);
  for (const Stmt* child : const_cast<Stmt*>(statement)->children())
    visit(reading, child, parents, walk);
  parents.pop_back();
  // The block of a region already contains its data.
  if (const auto* block = dyn_cast<CompoundStmt>(statement);
      block != nullptr && !parents.empty() &&
      (isa<IfStmt>(parents.back()) || isa<ForStmt>(parents.back()) ||
       isa<WhileStmt>(parents.back()) || isa<DoStmt>(parents.back())))
    note_last(reading, block);
}

} // namespace

void read_body(Reading& reading, const FunctionDecl* function) {
  const std::size_t id = function_of(reading, function);
  reading.written_pointers.clear();
  reading.last_writes.clear();
  reading.blocks.clear();
  Parents parents;
  find_written_pointers(reading, function->getBody(), parents);
  parents.clear();
  Walk walk;
  walk.function = id;
  for (const ParmVarDecl* parameter : function->parameters())
    if (is_variable_length_pointer(parameter->getType()))
      reading.unit.functions[id].obstacles.push_back(
          {reading.place(parameter->getLocation()), reading.span(parameter->getSourceRange()),
           say<Code::variable>(parameter->getNameAsString(),
                               "which leads to arrays of variable length")});
  visit(reading, function->getBody(), parents, walk);
  for (const auto& [directive, block] : reading.blocks)
    read_pieces(reading, directive, block, function->getBody());
  if (const auto* block = dyn_cast<CompoundStmt>(function->getBody()))
    for (const Stmt* statement : block->body())
      if (!isa<NullStmt>(statement))
        reading.unit.functions[id].pieces.push_back(piece_of(reading, statement, block, none));
  const auto* body = dyn_cast<CompoundStmt>(function->getBody());
  if (body != nullptr && function->getReturnType()->isVoidType())
    note_last(reading, body);
}

} // namespace gangway::port
