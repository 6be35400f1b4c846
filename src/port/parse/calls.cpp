// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/calls.hpp"

#include "port/parse/declarations.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// Notes the conversions of C that decide which of Kokkos' functions would be called.
void note_casts(const Reading& reading, const CallExpr* call, const FunctionDecl* callee,
                Call& read) {
  if (!read.system)
    return;
  for (unsigned i = 0; i < std::min(call->getNumArgs(), callee->getNumParams()); ++i) {
    const QualType wanted =
        callee->getParamDecl(i)->getType().getCanonicalType().getUnqualifiedType();
    const Expr* const argument = call->getArg(i)->IgnoreImpCasts();
    const QualType given = argument->getType().getCanonicalType().getUnqualifiedType();
    if (!wanted->isArithmeticType() || given == wanted ||
        (given->isIntegerType() &&
         (wanted->isSpecificBuiltinType(BuiltinType::Double) || wanted->isIntegerType())))
      continue;
    read.casts.emplace_back(reading.span(argument->getSourceRange()), reading.type_text(wanted));
  }
}

void describe(Reading& reading, const FunctionDecl* callee, Call& read) {
  const FunctionDecl* definition = callee;
  if (const FunctionDecl* const pattern = callee->getTemplateInstantiationPattern())
    definition = pattern;
  definition = definition->getDefinition();
  read.function = none;
  if (definition != nullptr && reading.is_here(definition->getLocation()))
    read.function = function_of(reading, definition);
  // A function that the source defines under a library's name is the one that it calls.
  read.system =
      read.function == none &&
      (reading.sources.isInSystemHeader(reading.sources.getExpansionLoc(callee->getLocation())) ||
       (callee->getBuiltinID() != 0 && definition == nullptr)) &&
      (callee->isInStdNamespace() ||
       callee->getDeclContext()->getRedeclContext()->isTranslationUnit());
  read.constant = callee->isConstexpr();
  read.outside = read.function == none && !read.system ? outside_of(reading, callee) : none;
}

/// Describes a call in a template, whose target is not known yet, and returns any obstacle.
std::string describe_unresolved(Reading& reading, const CallExpr* call,
                                const UnresolvedLookupExpr* unresolved, Call& read) {
  std::set<const FunctionDecl*> candidates;
  for (const NamedDecl* candidate : unresolved->decls()) {
    const NamedDecl* const underlying = candidate->getUnderlyingDecl();
    const auto* function = dyn_cast<FunctionDecl>(underlying);
    if (const auto* pattern = dyn_cast<FunctionTemplateDecl>(underlying))
      function = pattern->getTemplatedDecl();
    if (function == nullptr)
      continue;
    candidates.insert(function->getCanonicalDecl());
    Call one;
    describe(reading, function, one);
    if (candidates.size() > 1 && (one.function != none || !one.system || !read.system))
      return "the call of '" + read.name +
             "' in a template, which may be one of several functions,";
    read.function = one.function;
    read.outside = one.outside;
    read.system = one.system;
    read.constant = one.constant;
    if (read.casts.empty() && underlying == function && candidates.size() == 1)
      note_casts(reading, call, function, read);
    else
      read.casts.clear(); // each type has a function of its own
  }
  return "";
}

/// Returns whether the place is in the kernel, or in the function that kernels call.
bool is_in_kernel(const Reading& reading, SourceLocation place, const Walk& walk) {
  if (!reading.is_here(place))
    return false;
  const unsigned at = reading.offset(place);
  return walk.kernel != none
             ? walk.kernel_statement.holds({at, at})
             : std::any_of(reading.functions.begin(), reading.functions.end(),
                           [&](const auto& one) {
                             return one.second == walk.function &&
                                    reading.span(one.first->getSourceRange()).holds({at, at});
                           });
}

} // namespace

void note_call(Reading& reading, const CallExpr* call, const Walk& walk) {
  Call read;
  read.place = reading.place(call->getBeginLoc());
  read.callee = reading.span(call->getCallee()->getSourceRange());
  const std::size_t bracket = reading.unit.text.find('(', read.callee.end);
  read.arguments =
      static_cast<unsigned>(bracket == std::string::npos ? reading.unit.text.size() : bracket + 1);
  read.macro = reading.is_of_macro(call->getBeginLoc());
  const FunctionDecl* const callee = call->getDirectCallee();
  std::string obstacle;
  bool explicit_arguments = false;
  if (callee == nullptr) {
    if (const auto* unresolved =
            dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenImpCasts())) {
      // A template calls the only function of that name, if there is only one here.
      read.name = unresolved->getName().getAsString();
      obstacle = describe_unresolved(reading, call, unresolved, read);
      explicit_arguments = unresolved->hasExplicitTemplateArgs();
    } else if (!isa<CXXOperatorCallExpr>(call)) {
      obstacle = "an indirect call";
    } else {
      return;
    }
  } else if (const auto* method = dyn_cast<CXXMethodDecl>(callee);
             method != nullptr &&
             (method->isTrivial() ||
              (method->getParent()->isLambda() &&
               is_in_kernel(reading, method->getParent()->getLocation(), walk)))) {
    return; // an assignment as C has it, or a lambda, whose calls are noted where it is
  } else if (isa<CXXMethodDecl>(callee) && !callee->isOverloadedOperator()) {
    obstacle = "a call of the member function '" + callee->getNameAsString() + "'";
  } else if (callee->isOverloadedOperator()) {
    obstacle = "an operator of a class";
  } else {
    read.name = callee->getNameAsString();
    describe(reading, callee, read);
    note_casts(reading, call, callee, read);
    const auto* named = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
    explicit_arguments = named != nullptr && named->hasExplicitTemplateArgs();
    read.qualified = named != nullptr && named->hasQualifier();
  }
  if (explicit_arguments && read.system)
    obstacle = "the call of '" + read.name + "' with template arguments";
  std::vector<Obstacle>* obstacles = nullptr;
  std::vector<Call>* calls = nullptr;
  if (walk.kernel != none && reading.unit.directives[walk.kernel].is_compute()) {
    obstacles = &reading.unit.directives[walk.kernel].obstacles;
    calls = &reading.unit.directives[walk.kernel].calls;
  } else if (walk.function != none) {
    obstacles = &reading.unit.functions[walk.function].obstacles;
    calls = &reading.unit.functions[walk.function].calls;
  } else {
    return;
  }
  if (obstacle.empty())
    calls->push_back(std::move(read));
  else
    obstacles->push_back(
        {read.place, reading.span(call->getSourceRange()), say<Code::call>(obstacle)});
}

} // namespace gangway::port
