// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/declarations.hpp"

#include "port/parse/directives.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclOpenACC.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Analysis/CFG.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace gangway::port {

using namespace clang;

namespace {

/// Whether a path leads to the end of the body without a return: C takes that where nobody uses the
/// result, and in C++ anything may come of it.
bool may_end(const Reading& reading, const FunctionDecl* function) {
  const std::unique_ptr<CFG> paths =
      CFG::buildCFG(function, function->getBody(), &reading.context, CFG::BuildOptions());
  if (paths == nullptr)
    return false;
  std::set<const CFGBlock*> reached;
  std::vector<const CFGBlock*> next{&paths->getEntry()};
  while (!next.empty()) {
    const CFGBlock* const block = next.back();
    next.pop_back();
    if (!reached.insert(block).second || block->hasNoReturnElement())
      continue;
    const bool returns = std::any_of(block->begin(), block->end(), [](const CFGElement& element) {
      const auto statement = element.getAs<CFGStmt>();
      return statement && isa<ReturnStmt>(statement->getStmt());
    });
    if (returns)
      continue;
    for (const CFGBlock* const follower : block->succs())
      if (follower != nullptr) {
        if (follower == &paths->getExit())
          return true;
        next.push_back(follower);
      }
  }
  return false;
}

void stray(Reading& reading, SourceLocation at, const std::string& why) {
  const PresumedLoc where = reading.sources.getPresumedLoc(reading.sources.getExpansionLoc(at));
  reading.unit.strays.push_back(
      {{0, 0}, {}, say<Code::in_another_file>(where.getFilename(), where.getLine(), why)});
}

void add_routine(Reading& reading, SourceRange range, ArrayRef<const OpenACCClause*> clauses,
                 const FunctionDecl* function) {
  const std::size_t added = add_directive(reading, range, Construct::routine, clauses);
  if (function != nullptr)
    reading.routines.emplace_back(added, function);
}

void read_function(Reading& reading, const FunctionDecl* function) {
  if (const auto* routine = function->getAttr<OpenACCRoutineDeclAttr>();
      routine != nullptr && !routine->isInherited()) {
    if (reading.is_here(routine->getLocation()))
      add_routine(reading, routine->getRange(), routine->Clauses, function);
    else if (!reading.sources.isInSystemHeader(routine->getLocation()))
      stray(reading, routine->getLocation(), "it stands in a header");
  }
  if (!reading.is_here(function->getLocation()) || function->isImplicit())
    return;
  if (function->isThisDeclarationADefinition() && function->getBody() != nullptr &&
      !function->isTemplateInstantiation()) {
    static_cast<void>(function_of(reading, function));
    reading.bodies.push_back(function);
  }
}

} // namespace

std::size_t function_of(Reading& reading, const FunctionDecl* function) {
  const FunctionDecl* const definition = function->getDefinition();
  if (definition == nullptr || !reading.is_here(definition->getLocation()))
    return none;
  const auto [found, is_new] =
      reading.functions.emplace(definition->getCanonicalDecl(), reading.unit.functions.size());
  if (is_new) {
    Function read;
    read.name = definition->getNameAsString();
    read.place = reading.place(definition->getLocation());
    read.is_main = definition->isMain();
    read.is_member = isa<CXXMethodDecl>(definition);
    read.returns = !definition->getReturnType()->isVoidType();
    read.has_parameters = definition->getNumParams() > 0;
    for (const FunctionDecl* declared : definition->redecls())
      if (!reading.is_here(declared->getLocation()))
        read.declared_elsewhere = true;
      else if (declared->getTemplateInstantiationPattern() == nullptr) {
        read.declarations.push_back(reading.offset(declared->getBeginLoc()));
        if (const FunctionTypeLoc type = declared->getFunctionTypeLoc())
          read.parameters.push_back(reading.offset(type.getLParenLoc()) + 1);
      }
    if (definition->getBody() != nullptr) {
      read.body = reading.offset(definition->getBody()->getBeginLoc()) + 1;
      if (reading.unit.is_c && read.returns && !read.is_main && may_end(reading, definition))
        read.open_end = reading.offset(definition->getBody()->getEndLoc());
    }
    reading.unit.functions.push_back(std::move(read));
  }
  return found->second;
}

void read_declarative(Reading& reading, const OpenACCConstructDecl* construct, std::size_t function,
                      bool outermost) {
  if (!reading.is_here(construct->getDirectiveLoc())) {
    if (!reading.sources.isInSystemHeader(construct->getDirectiveLoc()))
      stray(reading, construct->getDirectiveLoc(), "it stands in a header");
    return;
  }
  const auto* routine = dyn_cast<OpenACCRoutineDecl>(construct);
  if (routine == nullptr) {
    const std::size_t added = add_directive(reading, construct->getSourceRange(),
                                            Construct::declare, construct->clauses());
    reading.unit.directives[added].function = function;
    reading.unit.directives[added].in_function = outermost;
    return;
  }
  const Expr* const named = routine->getFunctionReference();
  const auto* reference =
      named != nullptr ? dyn_cast<DeclRefExpr>(named->IgnoreParenImpCasts()) : nullptr;
  add_routine(reading, routine->getSourceRange(), routine->clauses(),
              reference != nullptr ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr);
}

void read_declarations(Reading& reading, const DeclContext* scope) {
  for (const Decl* declaration : scope->decls()) {
    if (const auto* construct = dyn_cast<OpenACCConstructDecl>(declaration)) {
      read_declarative(reading, construct);
      continue;
    }
    if (const auto* of_class = dyn_cast<FriendDecl>(declaration))
      declaration = of_class->getFriendDecl();
    const auto* function = dyn_cast_or_null<FunctionDecl>(declaration);
    if (const auto* pattern = dyn_cast_or_null<FunctionTemplateDecl>(declaration))
      function = pattern->getTemplatedDecl();
    if (function != nullptr) {
      read_function(reading, function);
    } else if (const auto* pattern = dyn_cast_or_null<ClassTemplateDecl>(declaration)) {
      if (reading.is_here(declaration->getLocation()))
        read_declarations(reading, pattern->getTemplatedDecl());
    } else if (const auto* inner = dyn_cast_or_null<DeclContext>(declaration)) {
      // `template struct Twice<float>;` has the template's directives once more.
      if (const auto* instance = dyn_cast<ClassTemplateSpecializationDecl>(declaration);
          instance != nullptr && !instance->isExplicitSpecialization())
        continue;
      if (reading.is_here(declaration->getLocation()) || isa<NamespaceDecl>(declaration) ||
          isa<LinkageSpecDecl>(declaration))
        read_declarations(reading, inner);
    }
  }
}

} // namespace gangway::port
