// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <flang/Parser/parse-tree.h>

/// Walk through Flang's tree. Its templates, which take long to compile, are in one source.
namespace gangway::port::fortran {

namespace parser = Fortran::parser;

template <class Node>
class Hook {
public:
  virtual ~Hook() = default;
  /// Returns whether the walk goes on into the node.
  virtual bool enter(const Node& /*node*/) { return true; }
  virtual void leave(const Node& /*node*/) {}
};
template <class... Nodes>
class HooksOf : public Hook<Nodes>... {
public:
  using Hook<Nodes>::enter...;
  using Hook<Nodes>::leave...;
};

/// Functions that a walk calls. A class derives from it, and overrides those that it needs.
using Hooks =
    HooksOf<parser::Module, parser::Submodule, parser::UseStmt, parser::MainProgram,
            parser::FunctionSubprogram, parser::SubroutineSubprogram,
            parser::SeparateModuleSubprogram, parser::InterfaceBlock, parser::OpenACCBlockConstruct,
            parser::OpenACCCombinedConstruct, parser::OpenACCLoopConstruct,
            parser::OpenACCStandaloneConstruct, parser::OpenACCCacheConstruct,
            parser::OpenACCWaitConstruct, parser::OpenACCAtomicConstruct,
            parser::OpenACCStandaloneDeclarativeConstruct, parser::OpenACCRoutineConstruct,
            parser::AccClauseList, parser::Statement<parser::ActionStmt>, parser::ActionStmt,
            parser::AssignmentStmt, parser::CallStmt, parser::FunctionReference, parser::Name,
            parser::ArrayElement, parser::StructureComponent, parser::CoindexedNamedObject,
            parser::DoConstruct, parser::SelectTypeConstruct, parser::SelectRankConstruct,
            parser::CriticalConstruct, parser::ChangeTeamConstruct, parser::Expr::DefinedUnary,
            parser::Expr::DefinedBinary>;

/// Walks through what is below the node, and the node itself.
void walk(const parser::Program& program, Hooks& hooks);
void walk(const parser::Block& block, Hooks& hooks);
void walk(const parser::DoConstruct& loop, Hooks& hooks);
void walk(const parser::LoopControl& control, Hooks& hooks);
void walk(const parser::ExecutableConstruct& construct, Hooks& hooks);
void walk(const parser::ActionStmt& statement, Hooks& hooks);
void walk(const parser::Variable& variable, Hooks& hooks);
void walk(const parser::Expr& expression, Hooks& hooks);
void walk(const parser::ActualArgSpec& argument, Hooks& hooks);

} // namespace gangway::port::fortran
