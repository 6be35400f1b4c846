// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/model.hpp"
#include "port/fortran/tree.hpp"

#include <flang/Semantics/semantics.h>
#include <flang/Semantics/symbol.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Code that would become a kernel, or a function that kernels call.
namespace gangway::port::fortran {

namespace semantics = Fortran::semantics;
using Symbols = std::set<const semantics::Symbol*>;

/// Returns whether the set has it. These sources are C++17, as Flang's headers are.
template <class Set, class Element>
[[nodiscard]] bool has(const Set& set, const Element& element) {
  return set.find(element) != set.end();
}

/// Positions in the main source.
struct Lines {
  const parser::AllCookedSources& all;
  [[nodiscard]] unsigned of(parser::CharBlock block) const {
    const auto range = all.GetSourcePositionRange(block);
    return range ? static_cast<unsigned>(range->first.line) : 0;
  }
};

/// Returns the name under which a procedure of another source is found: `module::name`.
[[nodiscard]] std::string name_of(const semantics::Symbol& procedure);
[[nodiscard]] const semantics::Symbol* symbol_of(const parser::Name& name);
/// Returns why kernels cannot have the variable, such as "a character string"; else an empty text.
[[nodiscard]] std::string_view unfit(const semantics::Symbol& symbol);

/// Collects what stands in the way of code of the device, and the procedures that it calls.
class Obstacles : public Hooks {
public:
  Obstacles(Body& body, const Lines& lines) : _body(body), _lines(lines) {}
  using Hooks::enter;
  bool enter(const parser::Statement<parser::ActionStmt>& node) override;
  bool enter(const parser::ActionStmt& node) override;
  bool enter(const parser::CallStmt& node) override;
  bool enter(const parser::FunctionReference& node) override;
  bool enter(const parser::Name& node) override;
  bool enter(const parser::StructureComponent& node) override;
  bool enter(const parser::CoindexedNamedObject& node) override;
  bool enter(const parser::SelectTypeConstruct& node) override;
  bool enter(const parser::SelectRankConstruct& node) override;
  bool enter(const parser::CriticalConstruct& node) override;
  bool enter(const parser::ChangeTeamConstruct& node) override;
  bool enter(const parser::Expr::DefinedUnary& node) override;
  bool enter(const parser::Expr::DefinedBinary& node) override;
  /// A directive's variables are its own matter.
  bool enter(const parser::AccClauseList& /*node*/) override { return false; }

private:
  Body& _body;
  const Lines& _lines;
  unsigned _line = 0;

  void refuse_statement(std::string_view what);
  void refuse_variable(std::string_view name, std::string_view what);
  void call(const parser::Call& call);
  void add(Message message);
};

/// Returns the variables that a part of the tree names.
[[nodiscard]] Symbols names_in(const parser::Block& block);
[[nodiscard]] Symbols names_in(const parser::DoConstruct& loop);

/// Returns the index of the loop, or null: `do while`, `do`.
[[nodiscard]] const semantics::Symbol* index_of(const parser::DoConstruct& loop);
/// Returns the only loop in the body of another, or null.
[[nodiscard]] const parser::DoConstruct* only_loop_in(const parser::DoConstruct& loop);
/// Returns whether the bounds or the step name the variable.
[[nodiscard]] bool names_in_bounds(const parser::DoConstruct& loop,
                                   const semantics::Symbol& symbol);

} // namespace gangway::port::fortran
