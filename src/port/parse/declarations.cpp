// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/declarations.hpp"

#include "port/parse/directives.hpp"
#include "port/parse/variable_lengths.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclOpenACC.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/Analysis/CFG.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace gangway::port {

using namespace clang;

namespace {

namespace fs = std::filesystem;

/// Returns whether a path leads to the end of the body without a return. C allows that if no
/// caller uses the result; in C++ it is undefined behaviour.
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

/// Returns the file of a place elsewhere, as a person would name it, and the line.
std::pair<std::string, unsigned> elsewhere(const Reading& reading, SourceLocation at) {
  const PresumedLoc where = reading.sources.getPresumedLoc(reading.sources.getExpansionLoc(at));
  const fs::path name = where.getFilename();
  std::error_code error;
  const fs::path near = name.lexically_relative(fs::current_path(error));
  const bool is_below = !near.empty() && *near.begin() != "..";
  return {(is_below && !fs::path(reading.unit.file).is_absolute() ? near : name).string(),
          where.getLine()};
}

/// Returns the function's name for the linker; empty if no other file can call it.
std::string symbol_of(const Reading& reading, const FunctionDecl* function) {
  if (!function->isExternallyVisible() || isa<CXXMethodDecl>(function) || function->isTemplated() ||
      function->isTemplateInstantiation() || function->isImplicit() || !function->hasPrototype())
    return "";
  return ASTNameGenerator(reading.context).getName(function);
}

/// Returns where else the function is declared, as `name:line`; empty if nowhere.
std::string header_of(const Reading& reading, const FunctionDecl* function) {
  for (const FunctionDecl* declared : function->redecls())
    if (!reading.is_here(declared->getLocation()) && declared->getLocation().isValid()) {
      const auto [name, line] = elsewhere(reading, declared->getLocation());
      return name + ":" + std::to_string(line);
    }
  return "";
}

void stray(Reading& reading, SourceLocation at, const std::string& why) {
  const auto [name, line] = elsewhere(reading, at);
  reading.unit.strays.push_back({{0, 0}, {}, say<Code::in_another_file>(name, line, why)});
}

void add_routine(Reading& reading, SourceRange range, ArrayRef<const OpenACCClause*> clauses,
                 const FunctionDecl* function) {
  const std::size_t added = add_directive(reading, range, Construct::routine, clauses);
  if (function != nullptr)
    reading.routines.emplace_back(added, function);
}

void note_header_routine(Reading& reading, SourceLocation at,
                         ArrayRef<const OpenACCClause*> clauses, const FunctionDecl* function) {
  const auto [name, line] = elsewhere(reading, at);
  HeaderRoutine read{name, line};
  read.function = function_of(reading, function);
  if (read.function == none)
    read.outside = outside_of(reading, function);
  read.gang = std::any_of(clauses.begin(), clauses.end(), [](const OpenACCClause* clause) {
    return clause->getClauseKind() == OpenACCClauseKind::Gang;
  });
  reading.unit.header_routines.push_back(std::move(read));
}

void read_function(Reading& reading, const FunctionDecl* function) {
  // A function that is declared with the directive has that one too, inherited.
  for (const auto* routine : function->specific_attrs<OpenACCRoutineDeclAttr>()) {
    if (routine->isInherited())
      continue;
    if (reading.is_here(routine->getLocation()))
      add_routine(reading, routine->getRange(), routine->Clauses, function);
    else if (!reading.sources.isInSystemHeader(routine->getLocation()))
      note_header_routine(reading, routine->getLocation(), routine->Clauses, function);
  }
  if (!reading.is_here(function->getLocation()) || function->isImplicit())
    return;
  if (reading.unit.is_c)
    note_parameters(reading, function);
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
    read.symbol = symbol_of(reading, definition);
    read.header = header_of(reading, definition);
    for (const FunctionDecl* declared : definition->redecls())
      if (reading.is_here(declared->getLocation()) &&
          declared->getTemplateInstantiationPattern() == nullptr) {
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

std::size_t outside_of(Reading& reading, const FunctionDecl* function) {
  const std::string symbol = symbol_of(reading, function);
  if (symbol.empty() || function->isDefined())
    return none;
  const auto [found, is_new] =
      reading.outside.emplace(function->getCanonicalDecl(), reading.unit.outside.size());
  if (is_new) {
    Outside read{function->getNameAsString(), symbol, {}, header_of(reading, function)};
    for (const FunctionDecl* declared : function->redecls())
      if (reading.is_here(declared->getLocation()))
        read.declarations.push_back(reading.offset(declared->getBeginLoc()));
    reading.unit.outside.push_back(std::move(read));
  }
  return found->second;
}

void read_declarative(Reading& reading, const OpenACCConstructDecl* construct, std::size_t function,
                      bool outermost) {
  const auto* routine = dyn_cast<OpenACCRoutineDecl>(construct);
  const Expr* const named = routine != nullptr ? routine->getFunctionReference() : nullptr;
  const auto* reference =
      named != nullptr ? dyn_cast<DeclRefExpr>(named->IgnoreParenImpCasts()) : nullptr;
  const auto* called =
      reference != nullptr ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
  if (!reading.is_here(construct->getDirectiveLoc())) {
    if (reading.sources.isInSystemHeader(construct->getDirectiveLoc()))
      return;
    if (called != nullptr)
      note_header_routine(reading, construct->getDirectiveLoc(), routine->clauses(), called);
    else
      stray(reading, construct->getDirectiveLoc(), "it stands in a header");
    return;
  }
  if (routine == nullptr) {
    const std::size_t added = add_directive(reading, construct->getSourceRange(),
                                            Construct::declare, construct->clauses());
    reading.unit.directives[added].function = function;
    reading.unit.directives[added].in_function = outermost;
    return;
  }
  add_routine(reading, routine->getSourceRange(), routine->clauses(), called);
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
      // `template struct Twice<float>;` repeats the template's directives.
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
