// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/kernels.hpp"

#include <flang/Parser/tools.h>
#include <flang/Semantics/tools.h>
#include <flang/Semantics/type.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace gangway::port::fortran {
namespace {

/// Intrinsic procedures that kernels have, or whose result a compiler knows.
constexpr std::array<std::string_view, 90> known_intrinsics{
    "abs",         "achar",    "acos",   "acosh",    "aimag",   "aint",    "all",       "anint",
    "any",         "asin",     "asinh",  "atan",     "atan2",   "atanh",   "bit_size",  "btest",
    "ceiling",     "cmplx",    "conjg",  "cos",      "cosh",    "count",   "dabs",      "dble",
    "dcos",        "dexp",     "digits", "dim",      "dlog",    "dmax1",   "dmin1",     "dmod",
    "dot_product", "dsign",    "dsin",   "dsqrt",    "epsilon", "erf",     "erfc",      "exp",
    "exponent",    "float",    "floor",  "fraction", "gamma",   "huge",    "hypot",     "iachar",
    "iand",        "ibclr",    "ibits",  "ibset",    "ichar",   "ieor",    "int",       "ior",
    "ishft",       "isnan",    "kind",   "lbound",   "log",     "log10",   "log_gamma", "logical",
    "matmul",      "max",      "maxloc", "maxval",   "merge",   "min",     "minloc",    "minval",
    "mod",         "modulo",   "nint",   "not",      "present", "product", "real",      "sign",
    "sin",         "sinh",     "size",   "sqrt",     "sum",     "tan",     "tanh",      "tiny",
    "ubound",      "precision"};

bool is_known(std::string_view intrinsic) {
  return std::find(known_intrinsics.begin(), known_intrinsics.end(), intrinsic) !=
         known_intrinsics.end();
}

template <class Node, class Other>
constexpr bool is_of = std::is_same_v<Node, Fortran::common::Indirection<Other>>;

/// Returns what a statement is called that kernels cannot have; else an empty text.
std::string_view unfit_statement(const parser::ActionStmt& statement) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        using Node = std::decay_t<decltype(one)>;
        if (is_of<Node, parser::PrintStmt>)
          return "print";
        if (is_of<Node, parser::WriteStmt>)
          return "write";
        if (is_of<Node, parser::ReadStmt>)
          return "read";
        if (is_of<Node, parser::OpenStmt> || is_of<Node, parser::CloseStmt> ||
            is_of<Node, parser::InquireStmt> || is_of<Node, parser::FlushStmt> ||
            is_of<Node, parser::BackspaceStmt> || is_of<Node, parser::EndfileStmt> ||
            is_of<Node, parser::RewindStmt> || is_of<Node, parser::WaitStmt>)
          return "a statement of a file";
        if (is_of<Node, parser::StopStmt> || is_of<Node, parser::PauseStmt> ||
            std::is_same_v<Node, parser::FailImageStmt>)
          return "stop";
        if (is_of<Node, parser::AllocateStmt>)
          return "allocate";
        if (is_of<Node, parser::DeallocateStmt>)
          return "deallocate";
        if (is_of<Node, parser::NullifyStmt> || is_of<Node, parser::PointerAssignmentStmt>)
          return "a pointer assignment";
        if (is_of<Node, parser::GotoStmt> || is_of<Node, parser::ComputedGotoStmt> ||
            is_of<Node, parser::ArithmeticIfStmt> || is_of<Node, parser::AssignedGotoStmt> ||
            is_of<Node, parser::AssignStmt>)
          return "go to";
        if (is_of<Node, parser::EventPostStmt> || is_of<Node, parser::EventWaitStmt> ||
            is_of<Node, parser::FormTeamStmt> || is_of<Node, parser::LockStmt> ||
            is_of<Node, parser::NotifyWaitStmt> || is_of<Node, parser::SyncAllStmt> ||
            is_of<Node, parser::SyncImagesStmt> || is_of<Node, parser::SyncMemoryStmt> ||
            is_of<Node, parser::SyncTeamStmt> || is_of<Node, parser::UnlockStmt>)
          return "a statement of images";
        return "";
      },
      statement.u);
}

/// Collects the variables that a part of the tree names.
class Names : public Hooks {
public:
  using Hooks::enter;
  Symbols found;
  bool enter(const parser::Name& node) override {
    if (const semantics::Symbol* const symbol = symbol_of(node))
      found.insert(symbol);
    return true;
  }
};

} // namespace

const semantics::Symbol* symbol_of(const parser::Name& name) {
  return name.symbol == nullptr ? nullptr : &name.symbol->GetUltimate();
}

std::string name_of(const semantics::Symbol& procedure) {
  const semantics::Symbol& symbol = procedure.GetUltimate();
  const semantics::Scope* owner = &symbol.owner();
  while (owner->IsSubmodule())
    owner = &owner->parent();
  const std::string scope =
      owner->IsModule() && owner->GetName() ? owner->GetName()->ToString() : "";
  return fmt::format("{}::{}", scope, symbol.name().ToString());
}

std::string_view unfit(const semantics::Symbol& symbol) {
  if (semantics::IsNamedConstant(symbol))
    return "";
  if (const auto* const object = symbol.detailsIf<semantics::ObjectEntityDetails>()) {
    if (object->IsCoarray())
      return "a coarray";
    if (object->IsAssumedRank())
      return "of assumed rank";
    const semantics::DeclTypeSpec* const type = object->type();
    if (type != nullptr && type->IsPolymorphic())
      return "polymorphic";
    if (type != nullptr && type->category() == semantics::DeclTypeSpec::Character)
      return "a character string";
  }
  return "";
}

void Obstacles::add(Message message) {
  if (std::none_of(_body.obstacles.begin(), _body.obstacles.end(),
                   [&](const Message& before) { return before.text == message.text; }))
    _body.obstacles.push_back(std::move(message));
}
void Obstacles::refuse_statement(std::string_view what) {
  add(say<Code::statement>(fmt::format("'{}' (line {})", what, _line)));
}
void Obstacles::refuse_variable(std::string_view name, std::string_view what) {
  add(say<Code::variable>(name, what));
}

bool Obstacles::enter(const parser::Statement<parser::ActionStmt>& node) {
  _line = _lines.of(node.source);
  return true;
}
bool Obstacles::enter(const parser::ActionStmt& node) {
  const std::string_view what = unfit_statement(node);
  if (!what.empty())
    refuse_statement(what);
  return what.empty(); // one message is enough
}
void Obstacles::call(const parser::Call& call) {
  const auto* const name =
      std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
  if (name == nullptr) {
    add(say<Code::call>(fmt::format("a call by way of a type, '{}' (line {}),",
                                    parser::GetLastName(call).ToString(), _line)));
    return;
  }
  const semantics::Symbol* const symbol = symbol_of(*name);
  if (symbol == nullptr)
    return;
  if (symbol->attrs().test(semantics::Attr::INTRINSIC)) {
    if (!is_known(name->ToString()))
      add(say<Code::no_device_function>(name->ToString()));
    return;
  }
  if (semantics::IsDummy(*symbol) || semantics::IsProcedurePointer(*symbol)) {
    add(say<Code::call>(fmt::format("a call of a procedure that only runs know, '{}' (line {}),",
                                    name->ToString(), _line)));
    return;
  }
  const std::string procedure = name_of(*symbol);
  if (procedure.rfind("openacc::", 0) == 0) {
    add(say<Code::no_device_function>(name->ToString()));
    return;
  }
  _body.calls.push_back({_lines.of(name->source), name->ToString(), procedure});
}
bool Obstacles::enter(const parser::CallStmt& node) {
  call(node.call);
  return true;
}
bool Obstacles::enter(const parser::FunctionReference& node) {
  call(node.v);
  return true;
}
bool Obstacles::enter(const parser::Name& node) {
  if (const semantics::Symbol* const symbol = symbol_of(node))
    if (const std::string_view what = unfit(*symbol); !what.empty())
      refuse_variable(node.ToString(), what);
  return true;
}
bool Obstacles::enter(const parser::StructureComponent& node) {
  if (const semantics::Symbol* const part = node.component.symbol;
      part != nullptr && part->has<semantics::MiscDetails>())
    return true; // z(i)%re
  // In g%cells(i)%u the kernel would need a structure of an element.
  for (const parser::DataRef* base = &node.base; base != nullptr;) {
    if (const auto* const element =
            std::get_if<Fortran::common::Indirection<parser::ArrayElement>>(&base->u)) {
      refuse_variable(parser::GetLastName(element->value().base).ToString(),
                      "an array of a derived type whose elements' components are named");
      break;
    }
    const auto* const outer =
        std::get_if<Fortran::common::Indirection<parser::StructureComponent>>(&base->u);
    base = outer == nullptr ? nullptr : &outer->value().base;
  }
  return true;
}
bool Obstacles::enter(const parser::CoindexedNamedObject& node) {
  refuse_variable(parser::GetLastName(node.base).ToString(), "of another image");
  return false;
}
bool Obstacles::enter(const parser::SelectTypeConstruct& /*node*/) {
  refuse_statement("select type");
  return false;
}
bool Obstacles::enter(const parser::SelectRankConstruct& /*node*/) {
  refuse_statement("select rank");
  return false;
}
bool Obstacles::enter(const parser::CriticalConstruct& /*node*/) {
  refuse_statement("critical");
  return false;
}
bool Obstacles::enter(const parser::ChangeTeamConstruct& /*node*/) {
  refuse_statement("change team");
  return false;
}
bool Obstacles::enter(const parser::Expr::DefinedUnary& /*node*/) {
  refuse_statement("an operator of the program's own");
  return false;
}
bool Obstacles::enter(const parser::Expr::DefinedBinary& /*node*/) {
  refuse_statement("an operator of the program's own");
  return false;
}

Symbols names_in(const parser::Block& block) {
  Names names;
  walk(block, names);
  return std::move(names.found);
}
Symbols names_in(const parser::DoConstruct& loop) {
  Names names;
  walk(loop, names);
  return std::move(names.found);
}

const semantics::Symbol* index_of(const parser::DoConstruct& loop) {
  const auto& control = loop.GetLoopControl();
  if (!control)
    return nullptr;
  const auto* const bounds = std::get_if<parser::LoopControl::Bounds>(&control->u);
  return bounds == nullptr ? nullptr : symbol_of(bounds->name.thing);
}

/// Returns whether it is `continue`, as at the end of a loop with a label.
static bool is_continue(const parser::ExecutableConstruct& construct) {
  const auto* const action = std::get_if<parser::Statement<parser::ActionStmt>>(&construct.u);
  return action != nullptr && std::holds_alternative<parser::ContinueStmt>(action->statement.u);
}

const parser::DoConstruct* only_loop_in(const parser::DoConstruct& loop) {
  const parser::DoConstruct* found = nullptr;
  for (const parser::ExecutionPartConstruct& part : std::get<parser::Block>(loop.t)) {
    const auto* const construct = std::get_if<parser::ExecutableConstruct>(&part.u);
    if (construct != nullptr && is_continue(*construct))
      continue;
    const auto* const inner =
        construct == nullptr
            ? nullptr
            : std::get_if<Fortran::common::Indirection<parser::DoConstruct>>(&construct->u);
    if (inner == nullptr || found != nullptr)
      return nullptr;
    found = &inner->value();
  }
  return found;
}

bool names_in_bounds(const parser::DoConstruct& loop, const semantics::Symbol& symbol) {
  Names names;
  if (const auto& control = loop.GetLoopControl())
    walk(*control, names);
  return has(names.found, &symbol);
}

} // namespace gangway::port::fortran
