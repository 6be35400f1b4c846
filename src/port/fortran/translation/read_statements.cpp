// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gangway::port::fortran::translation {
namespace {

template <class T>
constexpr bool is_indirection = false;
template <class T>
constexpr bool is_indirection<fl::common::Indirection<T>> = true;

} // namespace

// NOLINTBEGIN(readability-identifier-naming): Flang's walk calls Pre and Post

std::vector<Statement> Reader::block(const pa::Block& parsed) {
  std::vector<Statement> made;
  for (const pa::ExecutionPartConstruct& one : parsed)
    add(one, made);
  return made;
}

Statement Reader::statement(Act act, pa::CharBlock source) const {
  Statement made;
  made.act = act;
  const Lines lines = lines_of(source);
  made.first_line = lines.first;
  made.last_line = lines.last;
  return made;
}

void Reader::add(const pa::ExecutionPartConstruct& one, std::vector<Statement>& made) {
  fl::common::visit(
      [&](const auto& part) {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, pa::ExecutableConstruct>)
          add(part, made);
        else if constexpr (!std::is_same_v<Part, pa::ErrorRecovery>)
          made.push_back(statement_of(part.source, "a statement that is not executable", part));
      },
      one.u);
}

void Reader::add(const pa::ExecutableConstruct& one, std::vector<Statement>& made) {
  fl::common::visit(
      [&](const auto& part) {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, pa::Statement<pa::ActionStmt>>)
          made.push_back(action(part.statement, part.source));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::DoConstruct>>)
          made.push_back(loop(part.value()));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::IfConstruct>>)
          made.push_back(branch(part.value()));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::OpenACCConstruct>>)
          add(part.value(), made);
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::BlockConstruct>>)
          made.push_back(nested(part.value(), "block"));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::AssociateConstruct>>)
          made.push_back(nested(part.value(), "associate"));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CaseConstruct>>)
          made.push_back(select(part.value()));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::WhereConstruct>>)
          made.push_back(where(part.value()));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::ForallConstruct>>)
          made.push_back(nested(part.value(), "forall"));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::SelectTypeConstruct>>)
          made.push_back(nested(part.value(), "select type"));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::SelectRankConstruct>>)
          made.push_back(nested(part.value(), "select rank"));
        else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CriticalConstruct>>)
          made.push_back(nested(part.value(), "critical"));
        else
          made.push_back(named("another statement"));
      },
      one.u);
}

Statement Reader::named(std::string name) {
  Statement made;
  made.act = Act::other;
  made.name = std::move(name);
  return made;
}

/// Finds what a statement of any kind names, the constructs of OpenACC in it, and its lines.
struct Reader::Inner {
  Reader& reader;
  Statement& made;
  template <class T>
  bool Pre(const T& /*node*/) {
    return true;
  }
  template <class T>
  void Post(const T& /*node*/) {}
  template <class T>
  bool Pre(const pa::Statement<T>& one) {
    const Lines lines = reader.lines_of(one.source);
    if (made.first_line == 0)
      made.first_line = lines.first;
    made.last_line = std::max(made.last_line, lines.last);
    return true;
  }
  bool Pre(const pa::OpenACCConstruct& one) {
    reader.add(one, made.body);
    return false;
  }
  bool Pre(const pa::Name& name) {
    if (name.symbol != nullptr) {
      Expr use = node(Op::variable, {}, 0, {});
      use.entity = reader.entity(*name.symbol);
      made.operands.push_back(std::move(use));
    }
    return true;
  }
};

template <class Node>
Statement Reader::nested(const Node& parsed, std::string what) {
  Statement made = named(std::move(what));
  Inner inner{*this, made};
  pa::Walk(parsed, inner);
  return made;
}

template <class Node>
Statement Reader::statement_of(pa::CharBlock source, std::string what, const Node& parsed) {
  Statement made = statement(Act::other, source);
  made.name = std::move(what);
  Inner inner{*this, made};
  pa::Walk(parsed, inner);
  return made;
}

Statement Reader::action(const pa::ActionStmt& parsed, pa::CharBlock source) {
  return fl::common::visit(
      [&](const auto& part) -> Statement {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, pa::ContinueStmt>) {
          return statement(Act::nothing, source);
        } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::AssignmentStmt>>) {
          return assignment(part.value(), source);
        } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::IfStmt>>) {
          Statement made = statement(Act::branch, source);
          const auto& inner = std::get<pa::UnlabeledStatement<pa::ActionStmt>>(part.value().t);
          Statement::Part one;
          one.condition = typed(std::get<pa::ScalarLogicalExpr>(part.value().t));
          one.body.push_back(action(inner.statement, source));
          made.parts.push_back(std::move(one));
          return made;
        } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::WhereStmt>>) {
          Statement made = statement(Act::where_, source);
          Statement::Part one;
          one.condition = typed(std::get<pa::LogicalExpr>(part.value().t));
          one.body.push_back(assignment(std::get<pa::AssignmentStmt>(part.value().t), source));
          made.parts.push_back(std::move(one));
          return made;
        } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CycleStmt>>) {
          Statement made = statement(Act::cycle, source);
          if (part.value().v)
            made.name = part.value().v->ToString();
          return made;
        } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::ExitStmt>>) {
          Statement made = statement(Act::exit, source);
          if (part.value().v)
            made.name = part.value().v->ToString();
          return made;
        } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::ReturnStmt>>) {
          return statement(Act::return_, source);
        } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CallStmt>>) {
          Statement made = statement_of(source, "call", part.value());
          if (const auto* const call = part.value().typedCall.get()) {
            const std::string name = lower(call->proc().GetName());
            made.operands.clear();
            made.act = Act::call;
            made.name = name;
            if (const se::Symbol* const symbol = call->proc().GetSymbol())
              made.procedure = entity(*symbol);
            for (const auto& argument : call->arguments()) {
              const auto* const value = argument ? argument->UnwrapExpr() : nullptr;
              made.operands.push_back(value != nullptr ? expression(*value) : Expr{});
            }
          }
          return made;
        } else if constexpr (is_indirection<Part>) {
          Statement made = statement_of(source, first_word(source), part.value());
          made.is_pointer_assignment =
              std::is_same_v<Part, fl::common::Indirection<pa::PointerAssignmentStmt>>;
          return made;
        } else {
          Statement made = statement(Act::other, source);
          made.name = first_word(source);
          return made;
        }
      },
      parsed.u);
}

std::string Reader::first_word(pa::CharBlock source) {
  const std::string text = lower(source.ToString());
  return text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
}

Statement Reader::assignment(const pa::AssignmentStmt& parsed, pa::CharBlock source) {
  Statement made = statement(Act::assign, source);
  if (const auto* const found = se::GetAssignment(parsed)) {
    made.operands.push_back(expression(found->lhs));
    made.operands.push_back(expression(found->rhs));
    if (std::holds_alternative<ev::ProcedureRef>(found->u)) {
      made.act = Act::other;
      made.name = "a defined assignment";
    }
  } else {
    made.act = Act::other;
    made.name = "an assignment that Flang does not understand";
  }
  return made;
}

Statement Reader::branch(const pa::IfConstruct& parsed) {
  const auto& head = std::get<pa::Statement<pa::IfThenStmt>>(parsed.t);
  Statement made = statement(Act::branch, head.source);
  if (const auto& name = std::get<std::optional<pa::Name>>(head.statement.t))
    made.name = name->ToString();
  Statement::Part first;
  first.condition = typed(std::get<pa::ScalarLogicalExpr>(head.statement.t));
  first.body = block(std::get<pa::Block>(parsed.t));
  made.parts.push_back(std::move(first));
  for (const auto& one : std::get<std::list<pa::IfConstruct::ElseIfBlock>>(parsed.t)) {
    Statement::Part part;
    part.condition = typed(std::get<pa::ScalarLogicalExpr>(
        std::get<pa::Statement<pa::ElseIfStmt>>(one.t).statement.t));
    part.body = block(std::get<pa::Block>(one.t));
    made.parts.push_back(std::move(part));
  }
  if (const auto& last = std::get<std::optional<pa::IfConstruct::ElseBlock>>(parsed.t)) {
    Statement::Part part;
    part.body = block(std::get<pa::Block>(last->t));
    made.parts.push_back(std::move(part));
  }
  made.last_line = lines_of(std::get<pa::Statement<pa::EndIfStmt>>(parsed.t).source).last;
  return made;
}

Statement Reader::select(const pa::CaseConstruct& parsed) {
  Statement other_kind = nested(parsed, "select case");
  const auto& head = std::get<pa::Statement<pa::SelectCaseStmt>>(parsed.t);
  const Expr value = typed(std::get<pa::Scalar<pa::Expr>>(head.statement.t));
  if (value.type.base != Base::integer || value.op == Op::other || !other_kind.body.empty())
    return other_kind;
  Statement made = statement(Act::branch, head.source);
  std::optional<Statement::Part> rest;
  for (const auto& one : std::get<std::list<pa::CaseConstruct::Case>>(parsed.t)) {
    Statement::Part part;
    part.body = block(std::get<pa::Block>(one.t));
    const auto& selector =
        std::get<pa::CaseSelector>(std::get<pa::Statement<pa::CaseStmt>>(one.t).statement.t);
    const auto* const ranges = std::get_if<std::list<pa::CaseValueRange>>(&selector.u);
    if (ranges == nullptr) {
      rest = std::move(part);
      continue;
    }
    const Type logical{Base::logical, 4};
    const auto join = [&](const char* op, Expr& all, Expr more) {
      all = all.op == Op::absent
                ? std::move(more)
                : node(Op::binary, logical, 0, {std::move(all), std::move(more)}, op);
    };
    for (const pa::CaseValueRange& range : *ranges)
      if (const auto* const single = std::get_if<pa::CaseValue>(&range.u)) {
        join("||", part.condition, node(Op::binary, logical, 0, {value, typed(*single)}, "=="));
      } else {
        const auto& both = std::get<pa::CaseValueRange::Range>(range.u).t;
        Expr between;
        if (const auto& low = std::get<0>(both))
          join("&&", between, node(Op::binary, logical, 0, {value, typed(*low)}, ">="));
        if (const auto& high = std::get<1>(both))
          join("&&", between, node(Op::binary, logical, 0, {value, typed(*high)}, "<="));
        join("||", part.condition, std::move(between));
      }
    made.parts.push_back(std::move(part));
  }
  if (made.parts.empty())
    return other_kind;
  if (rest)
    made.parts.push_back(std::move(*rest));
  made.last_line = other_kind.last_line;
  return made;
}

Statement Reader::where(const pa::WhereConstruct& parsed) {
  Statement other_kind = nested(parsed, "where");
  const auto& head = std::get<pa::Statement<pa::WhereConstructStmt>>(parsed.t);
  Statement made = statement(Act::where_, head.source);
  made.last_line = other_kind.last_line;
  bool is_plain = true;
  const auto body = [&](const std::list<pa::WhereBodyConstruct>& all) {
    std::vector<Statement> statements;
    for (const pa::WhereBodyConstruct& one : all)
      if (const auto* const assigned = std::get_if<pa::Statement<pa::AssignmentStmt>>(&one.u))
        statements.push_back(assignment(assigned->statement, assigned->source));
      else
        is_plain = false;
    return statements;
  };
  Statement::Part first;
  first.condition = typed(std::get<pa::LogicalExpr>(head.statement.t));
  first.body = body(std::get<std::list<pa::WhereBodyConstruct>>(parsed.t));
  made.parts.push_back(std::move(first));
  for (const auto& one : std::get<std::list<pa::WhereConstruct::MaskedElsewhere>>(parsed.t)) {
    Statement::Part part;
    part.condition = typed(std::get<pa::LogicalExpr>(
        std::get<pa::Statement<pa::MaskedElsewhereStmt>>(one.t).statement.t));
    part.body = body(std::get<std::list<pa::WhereBodyConstruct>>(one.t));
    made.parts.push_back(std::move(part));
  }
  if (const auto& last = std::get<std::optional<pa::WhereConstruct::Elsewhere>>(parsed.t)) {
    Statement::Part part;
    part.body = body(std::get<std::list<pa::WhereBodyConstruct>>(last->t));
    made.parts.push_back(std::move(part));
  }
  return is_plain ? made : other_kind;
}

Statement Reader::loop(const pa::DoConstruct& parsed) {
  const auto& head = std::get<pa::Statement<pa::NonLabelDoStmt>>(parsed.t);
  Statement made = statement(Act::while_, head.source);
  if (const auto& name = std::get<std::optional<pa::Name>>(head.statement.t))
    made.name = name->ToString();
  if (const auto& control = parsed.GetLoopControl())
    fl::common::visit(
        [&](const auto& one) {
          using One = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<One, pa::LoopControl::Bounds>) {
            made.act = Act::loop;
            if (one.name.thing.symbol != nullptr)
              made.variable = entity(*one.name.thing.symbol);
            made.operands.push_back(typed(one.lower));
            made.operands.push_back(typed(one.upper));
            if (one.step)
              made.operands.push_back(typed(*one.step));
          } else if constexpr (std::is_same_v<One, pa::ScalarLogicalExpr>) {
            made.operands.push_back(typed(one));
          } else {
            concurrent(one, made);
          }
        },
        control->u);
  made.body = block(std::get<pa::Block>(parsed.t));
  made.last_line = lines_of(std::get<pa::Statement<pa::EndDoStmt>>(parsed.t).source).last;
  return made;
}

void Reader::concurrent(const pa::LoopControl::Concurrent& control, Statement& made) {
  made.act = Act::concurrent;
  const auto& header = std::get<pa::ConcurrentHeader>(control.t);
  for (const pa::ConcurrentControl& one : std::get<std::list<pa::ConcurrentControl>>(header.t)) {
    const auto& name = std::get<0>(one.t);
    made.variables.push_back(name.symbol == nullptr ? -1 : entity(*name.symbol));
    if (name.symbol != nullptr)
      _program.entities[static_cast<std::size_t>(made.variables.back())].is_local = true;
    made.operands.push_back(typed(std::get<1>(one.t)));
    made.operands.push_back(typed(std::get<2>(one.t)));
    const auto& step = std::get<3>(one.t);
    made.operands.push_back(step ? typed(*step) : Expr{});
  }
  const auto& mask = std::get<std::optional<pa::ScalarLogicalExpr>>(header.t);
  made.operands.push_back(mask ? typed(*mask) : Expr{});
  for (const pa::LocalitySpec& spec : std::get<std::list<pa::LocalitySpec>>(control.t))
    fl::common::visit(
        [&](const auto& one) {
          using One = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<One, pa::LocalitySpec::Local>)
            add_locality("local", one.v, made);
          else if constexpr (std::is_same_v<One, pa::LocalitySpec::LocalInit>)
            add_locality("local_init", one.v, made);
          else if constexpr (std::is_same_v<One, pa::LocalitySpec::Reduce>)
            add_locality("reduction", std::get<std::list<pa::Name>>(one.t), made).word =
                operator_of(std::get<pa::ReductionOperator>(one.t));
        },
        spec.u);
}

Clause& Reader::add_locality(const std::string& name, const std::list<pa::Name>& names,
                             Statement& made) {
  Clause clause;
  clause.name = clause.text = name;
  for (const pa::Name& one : names) {
    Expr object = other("an object that Flang does not understand");
    if (one.symbol != nullptr) {
      const int index = entity(*one.symbol);
      const Entity& known = _program.entities[static_cast<std::size_t>(index)];
      object = node(Op::variable, known.type, known.rank, {});
      object.entity = index;
    }
    clause.objects.push_back(std::move(object));
    clause.written.push_back(one.ToString());
  }
  made.directive.clauses.push_back(std::move(clause));
  return made.directive.clauses.back();
}

// NOLINTEND(readability-identifier-naming)

} // namespace gangway::port::fortran::translation
