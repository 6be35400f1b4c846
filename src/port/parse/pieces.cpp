// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/pieces.hpp"

#include "port/parse/first_uses.hpp"
#include "port/parse/loops.hpp"
#include "port/parse/steps.hpp"

#include <clang/AST/StmtOpenACC.h>

#include <algorithm>
#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// Returns whether the statement may change the variable: it uses more than the value.
bool may_change(const Stmt* statement, const VarDecl* variable) {
  if (statement == nullptr)
    return false;
  if (const auto* value = dyn_cast<ImplicitCastExpr>(statement);
      value != nullptr && value->getCastKind() == CK_LValueToRValue &&
      isa<DeclRefExpr>(value->getSubExpr()->IgnoreParens()))
    return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
    return reference->getDecl() == variable;
  const auto children = const_cast<Stmt*>(statement)->children();
  return std::any_of(children.begin(), children.end(),
                     [&](const Stmt* child) { return may_change(child, variable); });
}

/// Returns whether the statement declares numbers that no statement of the block changes.
bool is_fixed(const Stmt* statement, const Stmt* block) {
  const auto* declarations = dyn_cast<DeclStmt>(statement);
  return declarations != nullptr &&
         std::all_of(declarations->decl_begin(), declarations->decl_end(), [&](const Decl* one) {
           const auto* declared = dyn_cast<VarDecl>(one);
           return declared != nullptr && declared->getInit() != nullptr &&
                  declared->hasLocalStorage() && declared->getType()->isArithmeticType() &&
                  (declared->getType().isConstQualified() || !may_change(block, declared));
         });
}

void read_constant(const Reading& reading, const Stmt* statement, Piece& piece) {
  const auto* declarations = dyn_cast<DeclStmt>(statement);
  if (declarations == nullptr || !declarations->isSingleDecl())
    return;
  const auto* declared = dyn_cast<VarDecl>(declarations->getSingleDecl());
  if (declared == nullptr || declared->getInit() == nullptr || declared->isStaticLocal() ||
      declared->isConstexpr() || declared->getInit()->getBeginLoc().isMacroID())
    return;
  const QualType type = declared->getType();
  if (!piece.fixed || !type->isArithmeticType() || type->isBooleanType())
    return;
  piece.constant = declared->getNameAsString();
  piece.type = reading.type_text(type);
  piece.value = reading.span(declared->getInit()->getSourceRange());
}

/// Returns the body of the innermost loop that a directive on the outermost one collapses; null if
/// the loops are not tightly nested.
const Stmt* body_of(const ForStmt* loop, const Directive& directive) {
  const Clause* const collapse = directive.clause(ClauseKind::collapse);
  for (long more = collapse == nullptr ? 1 : collapse->number; loop != nullptr && more > 1; --more)
    loop = dyn_cast<ForStmt>(alone(loop->getBody()));
  return loop == nullptr ? nullptr : loop->getBody();
}

} // namespace

Piece piece_of(Reading& reading, const Stmt* statement, const Stmt* block, std::size_t id) {
  Piece piece;
  piece.span = reading.statement_span(statement);
  piece.set_first = set_first_in(reading, statement, id);
  piece.declares = isa<DeclStmt>(statement);
  piece.fixed = id != none && is_fixed(statement, block);
  read_constant(reading, statement, piece);
  const Stmt* loop = statement;
  if (const auto found = reading.directives.find(statement); found != reading.directives.end()) {
    piece.directive = found->second;
    loop = associated(statement);
  }
  if (const auto* one = dyn_cast_or_null<ForStmt>(loop); one != nullptr && id != none) {
    const Directive& own = reading.unit.directives[piece.directive == none ? id : piece.directive];
    if (const Stmt* const body = body_of(one, own); body != nullptr && shares(body))
      piece.step = step_of(reading, body, body, id);
  }
  std::size_t directive = piece.directive;
  while (const auto* one = dyn_cast_or_null<ForStmt>(loop)) {
    piece.loops.push_back(read_loop(reading, one, id));
    piece.loops.back().directive = directive;
    directive = none;
    loop = alone(one->getBody());
    if (const auto* inner = dyn_cast<OpenACCLoopConstruct>(loop)) {
      directive = reading.directives.at(inner);
      loop = associated(inner);
    }
  }
  return piece;
}

void read_pieces(Reading& reading, std::size_t id, const Stmt* block, const Stmt* body) {
  std::vector<const Stmt*> statements;
  const bool combined = is_combined(reading.unit.directives[id].construct);
  reading.unit.directives[id].set_first = set_first_in(reading, block, id);
  if (const auto* compound = dyn_cast<CompoundStmt>(block); compound != nullptr && !combined)
    statements.assign(compound->body_begin(), compound->body_end());
  else
    statements.push_back(block);
  for (const Stmt* statement : statements) {
    if (isa<NullStmt>(statement))
      continue;
    Piece piece = piece_of(reading, statement, block, id);
    if (is_kernels(reading.unit.directives[id].construct))
      piece.read_behind = read_behind(reading, body, statement, id);
    reading.unit.directives[id].pieces.push_back(std::move(piece));
  }
}

} // namespace gangway::port
