// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/tree.hpp"

#include <flang/Parser/parse-tree-visitor.h>

#include <type_traits>

namespace gangway::port::fortran {
namespace {

class Visitor {
public:
  explicit Visitor(Hooks& hooks) : _hooks(hooks) {}

  template <class Node>
  bool Pre(const Node& node) { // NOLINT(readability-identifier-naming): Flang's
    if constexpr (std::is_base_of_v<Hook<Node>, Hooks>)
      return static_cast<Hook<Node>&>(_hooks).enter(node);
    return true;
  }
  template <class Node>
  void Post(const Node& node) { // NOLINT(readability-identifier-naming): Flang's
    if constexpr (std::is_base_of_v<Hook<Node>, Hooks>)
      static_cast<Hook<Node>&>(_hooks).leave(node);
  }

private:
  Hooks& _hooks;
};

template <class Node>
void walk_any(const Node& node, Hooks& hooks) {
  Visitor visitor(hooks);
  parser::Walk(node, visitor);
}

} // namespace

void walk(const parser::Program& program, Hooks& hooks) {
  walk_any(program, hooks);
}
void walk(const parser::Block& block, Hooks& hooks) {
  walk_any(block, hooks);
}
void walk(const parser::DoConstruct& loop, Hooks& hooks) {
  walk_any(loop, hooks);
}
void walk(const parser::LoopControl& control, Hooks& hooks) {
  walk_any(control, hooks);
}
void walk(const parser::ExecutableConstruct& construct, Hooks& hooks) {
  walk_any(construct, hooks);
}
void walk(const parser::ActionStmt& statement, Hooks& hooks) {
  walk_any(statement, hooks);
}
void walk(const parser::Variable& variable, Hooks& hooks) {
  walk_any(variable, hooks);
}
void walk(const parser::Expr& expression, Hooks& hooks) {
  walk_any(expression, hooks);
}
void walk(const parser::ActualArgSpec& argument, Hooks& hooks) {
  walk_any(argument, hooks);
}

} // namespace gangway::port::fortran
