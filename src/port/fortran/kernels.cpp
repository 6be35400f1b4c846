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

const parser::Name* plain_name(const parser::Variable& variable) {
  const auto* const designator =
      std::get_if<Fortran::common::Indirection<parser::Designator>>(&variable.u);
  const auto* const data =
      designator == nullptr ? nullptr : std::get_if<parser::DataRef>(&designator->value().u);
  return data == nullptr ? nullptr : std::get_if<parser::Name>(&data->u);
}
const parser::Name* plain_name(const parser::Expr& expression) {
  if (const auto* designator =
          std::get_if<Fortran::common::Indirection<parser::Designator>>(&expression.u))
    if (const auto* data = std::get_if<parser::DataRef>(&designator->value().u))
      return std::get_if<parser::Name>(&data->u);
  if (const auto* inner = std::get_if<parser::Expr::Parentheses>(&expression.u))
    return plain_name(inner->v.value());
  return nullptr;
}
bool is_name_of(const parser::Expr& expression, const semantics::Symbol& symbol) {
  const parser::Name* const name = plain_name(expression);
  return name != nullptr && symbol_of(*name) == &symbol;
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

/// Returns the operator by which the statement only reduces a value into the variable; else an
/// empty text. The other operands are added to `others`.
std::string joins(const parser::Expr& value, const semantics::Symbol& into,
                  std::vector<const parser::Expr*>& others) {
  const auto binary = [&](const auto& operation, std::string_view symbol) -> std::string {
    const parser::Expr& left = std::get<0>(operation.t).value();
    const parser::Expr& right = std::get<1>(operation.t).value();
    if (is_name_of(left, into)) {
      others.push_back(&right);
      return std::string(symbol);
    }
    if (is_name_of(right, into) && symbol != "-") {
      others.push_back(&left);
      return std::string(symbol);
    }
    // a + b + c is (a + b) + c
    std::vector<const parser::Expr*> inner;
    if (std::string deep = joins(left, into, inner); !deep.empty() && deep == symbol) {
      others = std::move(inner);
      others.push_back(&right);
      return deep;
    }
    return "";
  };
  if (const auto* sum = std::get_if<parser::Expr::Add>(&value.u))
    return binary(*sum, "+");
  if (const auto* difference = std::get_if<parser::Expr::Subtract>(&value.u))
    return binary(*difference, "-").empty() ? "" : "+";
  if (const auto* product = std::get_if<parser::Expr::Multiply>(&value.u))
    return binary(*product, "*");
  if (const auto* both = std::get_if<parser::Expr::AND>(&value.u))
    return binary(*both, ".and.");
  if (const auto* either = std::get_if<parser::Expr::OR>(&value.u))
    return binary(*either, ".or.");
  if (const auto* reference =
          std::get_if<Fortran::common::Indirection<parser::FunctionReference>>(&value.u)) {
    const parser::Call& call = reference->value().v;
    const auto* const name =
        std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    std::string function = name == nullptr ? "" : name->ToString();
    if (function != "max" && function != "min" && function != "iand" && function != "ior" &&
        function != "ieor")
      return "";
    bool found = false;
    std::vector<const parser::Expr*> rest;
    for (const parser::ActualArgSpec& argument : std::get<1>(call.t)) {
      const auto* const expression = std::get_if<Fortran::common::Indirection<parser::Expr>>(
          &std::get<parser::ActualArg>(argument.t).u);
      if (expression == nullptr)
        return "";
      if (is_name_of(expression->value(), into))
        found = true;
      else
        rest.push_back(&expression->value());
    }
    if (found) {
      others = std::move(rest);
      return function;
    }
  }
  return "";
}

/// Follows the values of scalars through the statements of an iteration.
class Flow {
public:
  Scalars scalars;

  void block(const parser::Block& block) {
    for (const parser::ExecutionPartConstruct& part : block)
      if (const auto* const construct = std::get_if<parser::ExecutableConstruct>(&part.u))
        one(*construct);
  }
  void loop(const parser::DoConstruct& loop) {
    const auto& control = loop.GetLoopControl();
    if (control)
      reads(*control, index_of(loop));
    const Symbols before = _set;
    if (const semantics::Symbol* const index = index_of(loop)) {
      scalars.indices.insert(index);
      _set.insert(index);
    }
    if (control && loop.IsDoConcurrent())
      for (const auto& one : std::get<std::list<parser::ConcurrentControl>>(
               std::get<parser::ConcurrentHeader>(
                   std::get<parser::LoopControl::Concurrent>(control->u).t)
                   .t)) {
        const semantics::Symbol* const index = symbol_of(std::get<0>(one.t));
        scalars.indices.insert(index);
        _set.insert(index);
      }
    block(std::get<parser::Block>(loop.t));
    Symbols after = before;
    if (const semantics::Symbol* const index = index_of(loop))
      after.insert(index);
    _set = std::move(after);
  }

  /// Leaves those that are only reduced into, and have nothing else read or set.
  void finish() {
    for (auto one = scalars.joined.begin(); one != scalars.joined.end();)
      if (has(scalars.exposed, one->first) || has(_plain, one->first) || one->second.empty()) {
        scalars.exposed.insert(one->first);
        one = scalars.joined.erase(one);
      } else {
        ++one;
      }
  }

private:
  Symbols _set;   ///< so far, in this iteration, for certain
  Symbols _plain; ///< set otherwise than by joining, or read after it was joined

  template <class Node>
  void reads(const Node& node, const semantics::Symbol* except = nullptr) {
    Names names;
    walk(node, names);
    for (const semantics::Symbol* const symbol : names.found)
      if (symbol != except)
        read(*symbol);
  }
  void read(const semantics::Symbol& symbol) {
    if (!is_scalar(symbol))
      return;
    if (!has(_set, &symbol))
      scalars.exposed.insert(&symbol);
  }
  void write(const semantics::Symbol& symbol) {
    if (!is_scalar(symbol))
      return;
    scalars.written.insert(&symbol);
    _plain.insert(&symbol);
    _set.insert(&symbol);
  }

  void assignment(const parser::AssignmentStmt& statement) {
    const auto& [variable, value] = statement.t;
    const parser::Name* const name = plain_name(variable);
    const semantics::Symbol* const symbol = name == nullptr ? nullptr : symbol_of(*name);
    if (symbol == nullptr || !is_scalar(*symbol)) {
      reads(value);
      reads(variable);
      return;
    }
    std::vector<const parser::Expr*> others;
    if (const std::string by = joins(value, *symbol, others); !by.empty() && !has(_set, symbol)) {
      for (const parser::Expr* const other : others)
        reads(*other);
      scalars.written.insert(symbol);
      const auto [before, is_new] = scalars.joined.emplace(symbol, by);
      if (!is_new && before->second != by)
        before->second.clear();
      return;
    }
    reads(value);
    write(*symbol);
  }
  void call(const parser::CallStmt& statement) {
    const auto* const callee =
        std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(statement.call.t).u);
    const semantics::Symbol* const procedure = callee == nullptr ? nullptr : symbol_of(*callee);
    const auto* const details =
        procedure == nullptr ? nullptr : procedure->detailsIf<semantics::SubprogramDetails>();
    std::size_t at = 0;
    for (const parser::ActualArgSpec& argument : std::get<1>(statement.call.t)) {
      const std::size_t number = at++;
      const auto* const expression = std::get_if<Fortran::common::Indirection<parser::Expr>>(
          &std::get<parser::ActualArg>(argument.t).u);
      const parser::Name* const name =
          expression == nullptr ? nullptr : plain_name(expression->value());
      const semantics::Symbol* const symbol = name == nullptr ? nullptr : symbol_of(*name);
      if (symbol == nullptr || !is_scalar(*symbol)) {
        reads(argument);
        continue;
      }
      const semantics::Symbol* const dummy =
          details != nullptr && number < details->dummyArgs().size() ? details->dummyArgs()[number]
                                                                     : nullptr;
      if (dummy == nullptr || !semantics::IsIntentOut(*dummy))
        read(*symbol);
      if (dummy == nullptr || !semantics::IsIntentIn(*dummy))
        write(*symbol);
    }
  }
  void action(const parser::ActionStmt& statement) {
    if (const auto* const one =
            std::get_if<Fortran::common::Indirection<parser::AssignmentStmt>>(&statement.u)) {
      assignment(one->value());
    } else if (const auto* const branch =
                   std::get_if<Fortran::common::Indirection<parser::IfStmt>>(&statement.u)) {
      reads(std::get<parser::ScalarLogicalExpr>(branch->value().t).thing.thing.value());
      const Symbols before = _set;
      action(std::get<parser::UnlabeledStatement<parser::ActionStmt>>(branch->value().t).statement);
      _set = before;
    } else if (const auto* const made =
                   std::get_if<Fortran::common::Indirection<parser::CallStmt>>(&statement.u)) {
      call(made->value());
    } else {
      reads(statement);
    }
  }
  /// Follows branches, of which each may be the one that is taken.
  void branches(const std::vector<const parser::Block*>& blocks, bool one_is_taken) {
    const Symbols before = _set;
    std::optional<Symbols> common;
    for (const parser::Block* const one : blocks) {
      _set = before;
      block(*one);
      if (!common) {
        common = _set;
        continue;
      }
      for (auto symbol = common->begin(); symbol != common->end();)
        symbol = has(_set, *symbol) ? std::next(symbol) : common->erase(symbol);
    }
    _set = one_is_taken && common ? *common : before;
  }
  void one(const parser::ExecutableConstruct& construct) {
    using Fortran::common::Indirection;
    if (const auto* const statement =
            std::get_if<parser::Statement<parser::ActionStmt>>(&construct.u)) {
      action(statement->statement);
    } else if (const auto* const inner =
                   std::get_if<Indirection<parser::DoConstruct>>(&construct.u)) {
      loop(inner->value());
    } else if (const auto* const branch =
                   std::get_if<Indirection<parser::IfConstruct>>(&construct.u)) {
      const auto& [head, first, others, last, end] = branch->value().t;
      reads(std::get<parser::ScalarLogicalExpr>(head.statement.t).thing.thing.value());
      std::vector<const parser::Block*> blocks{&first};
      for (const parser::IfConstruct::ElseIfBlock& other : others) {
        reads(std::get<parser::ScalarLogicalExpr>(
                  std::get<parser::Statement<parser::ElseIfStmt>>(other.t).statement.t)
                  .thing.thing.value());
        blocks.push_back(&std::get<parser::Block>(other.t));
      }
      if (last)
        blocks.push_back(&std::get<parser::Block>(last->t));
      branches(blocks, last.has_value());
    } else if (const auto* const choice =
                   std::get_if<Indirection<parser::CaseConstruct>>(&construct.u)) {
      reads(std::get<parser::Scalar<parser::Expr>>(
                std::get<parser::Statement<parser::SelectCaseStmt>>(choice->value().t).statement.t)
                .thing);
      std::vector<const parser::Block*> blocks;
      for (const parser::CaseConstruct::Case& one :
           std::get<std::list<parser::CaseConstruct::Case>>(choice->value().t))
        blocks.push_back(&std::get<parser::Block>(one.t));
      branches(blocks, false);
    } else if (const auto* const scope =
                   std::get_if<Indirection<parser::BlockConstruct>>(&construct.u)) {
      block(std::get<parser::Block>(scope->value().t));
    } else if (const auto* const named =
                   std::get_if<Indirection<parser::AssociateConstruct>>(&construct.u)) {
      block(std::get<parser::Block>(named->value().t));
    } else if (const auto* const directive =
                   std::get_if<Indirection<parser::OpenACCConstruct>>(&construct.u)) {
      openacc(directive->value());
    } else {
      reads(construct);
    }
  }
  void openacc(const parser::OpenACCConstruct& construct) {
    if (const auto* const inner = std::get_if<parser::OpenACCLoopConstruct>(&construct.u)) {
      if (const auto& done = std::get<std::optional<parser::DoConstruct>>(inner->t))
        loop(*done);
    } else if (const auto* const atomic =
                   std::get_if<parser::OpenACCAtomicConstruct>(&construct.u)) {
      atomic_statement(*atomic);
    }
  }
  /// A capture sets the variable that it captures into; the target is the device's.
  void atomic_statement(const parser::OpenACCAtomicConstruct& construct) {
    const auto sets = [&](const parser::AssignmentStmt& statement) {
      reads(std::get<parser::Expr>(statement.t));
      if (const parser::Name* const name = plain_name(std::get<parser::Variable>(statement.t)))
        if (const semantics::Symbol* const symbol = symbol_of(*name))
          write(*symbol);
    };
    if (const auto* const read = std::get_if<parser::AccAtomicRead>(&construct.u))
      sets(std::get<parser::Statement<parser::AssignmentStmt>>(read->t).statement);
  }
};

/// References to arrays in a loop, by the text of what comes before the subscripts.
class Elements : public Hooks {
public:
  using Hooks::enter;
  struct Array {
    std::vector<std::vector<const semantics::Symbol*>> subscripts; ///< the variable, if it is all
    bool written = false;
    bool whole = false;
    unsigned line = 0;
  };
  explicit Elements(const Lines& lines) : _lines(lines) {}
  std::map<const semantics::Symbol*, Array> arrays;
  std::string calls;

  bool enter(const parser::AccClauseList& /*node*/) override { return false; }
  bool enter(const parser::AssignmentStmt& node) override {
    const parser::Variable& variable = std::get<parser::Variable>(node.t);
    const parser::Name& last = parser::GetLastName(variable);
    if (const semantics::Symbol* const symbol = symbol_of(last);
        symbol != nullptr && symbol->Rank() > 0) {
      Array& array = arrays[symbol];
      array.written = true;
      array.line = _lines.of(last.source);
    }
    return true;
  }
  bool enter(const parser::CallStmt& node) override {
    calls = parser::GetLastName(node.call).ToString();
    return true;
  }
  bool enter(const parser::ArrayElement& node) override {
    const parser::Name& name = parser::GetLastName(node.base);
    const semantics::Symbol* const symbol = symbol_of(name);
    if (symbol == nullptr || symbol->Rank() == 0)
      return true;
    std::vector<const semantics::Symbol*> subscripts;
    for (const parser::SectionSubscript& one : node.subscripts) {
      const auto* const index = std::get_if<parser::IntExpr>(&one.u);
      const parser::Name* const only =
          index == nullptr ? nullptr : plain_name(index->thing.value());
      subscripts.push_back(only == nullptr ? nullptr : symbol_of(*only));
    }
    arrays[symbol].subscripts.push_back(std::move(subscripts));
    _subscripted.insert(name.source.begin());
    return true;
  }
  bool enter(const parser::Name& node) override {
    const semantics::Symbol* const symbol = symbol_of(node);
    if (symbol != nullptr && symbol->Rank() > 0 && !has(_subscripted, node.source.begin()))
      arrays[symbol].whole = true;
    return true;
  }

private:
  const Lines& _lines;
  std::set<const char*> _subscripted;
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

bool is_scalar(const semantics::Symbol& symbol) {
  if (symbol.Rank() > 0 || semantics::IsNamedConstant(symbol) ||
      !symbol.has<semantics::ObjectEntityDetails>() || symbol.owner().IsDerivedType())
    return false;
  const semantics::DeclTypeSpec* const type = symbol.GetType();
  return type != nullptr && type->AsIntrinsic() != nullptr;
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

Scalars scalars_of(const parser::DoConstruct& loop) {
  Flow flow;
  flow.loop(loop);
  flow.finish();
  return std::move(flow.scalars);
}

std::string dependence_of(const parser::DoConstruct& loop, const Lines& lines) {
  const semantics::Symbol* const index = index_of(loop);
  if (index == nullptr)
    return "it has no index";
  Elements elements(lines);
  walk(loop, elements);
  if (!elements.calls.empty())
    return fmt::format("it calls '{}'", elements.calls);
  for (const auto& [symbol, array] : elements.arrays) {
    if (!array.written)
      continue;
    const std::string name = symbol->name().ToString();
    if (array.whole || array.subscripts.empty())
      return fmt::format("'{}' is written in it as a whole", name);
    if (semantics::IsPointer(*symbol))
      return fmt::format("'{}' is a pointer, and may lead to another array", name);
    bool apart = false;
    for (std::size_t dimension = 0; dimension < array.subscripts.front().size(); ++dimension)
      apart = apart ||
              std::all_of(array.subscripts.begin(), array.subscripts.end(), [&](const auto& one) {
                return dimension < one.size() && one[dimension] == index;
              });
    if (!apart)
      return fmt::format("'{}' (line {}) has no subscript that is '{}' wherever it is named", name,
                         array.line, index->name().ToString());
  }
  return "";
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

const parser::DoConstruct* only_loop_in(const parser::DoConstruct& loop) {
  const parser::DoConstruct* found = nullptr;
  for (const parser::ExecutionPartConstruct& part : std::get<parser::Block>(loop.t)) {
    const auto* const construct = std::get_if<parser::ExecutableConstruct>(&part.u);
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
