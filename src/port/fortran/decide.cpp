// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/decide.hpp"

#include "port/fortran/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace gangway::port::fortran {
namespace {

/// Procedures of all sources, and whether kernels can call them.
class Procedures {
public:
  explicit Procedures(const std::vector<Source>& sources) {
    for (const Source& source : sources)
      for (const Procedure& procedure : source.procedures)
        _procedures.emplace(procedure.name, &procedure);
  }
  [[nodiscard]] bool has(const std::string& name) const { return _procedures.contains(name); }
  /// Returns why no kernel can have the body; nothing if one can.
  std::optional<Message> problem_of(const Body& body) {
    if (!body.obstacles.empty())
      return body.obstacles.front();
    for (const Called& called : body.calls)
      if (auto problem = problem_of(called))
        return problem;
    return std::nullopt;
  }

private:
  std::map<std::string, const Procedure*> _procedures;
  std::map<std::string, std::optional<Message>> _known;

  std::optional<Message> problem_of(const Called& called) {
    const auto procedure = _procedures.find(called.procedure);
    if (procedure == _procedures.end())
      return say<Code::defined_elsewhere>(called.name)
          .by("name the source that has it beside this one");
    const auto [known, is_new] = _known.emplace(called.procedure, std::nullopt);
    if (is_new) // a recursive call finds no problem here
      if (const auto problem = problem_of(procedure->second->body))
        known->second = say<Code::unfit_function>(called.name, fmt::format("has {}", problem->text))
                            .by(problem->by_hand);
    return known->second;
  }
};

/// Decisions on one source.
class Decider {
public:
  Decider(const Source& source, Procedures& procedures)
      : _source(source), _procedures(procedures) {}

  Plan plan() && {
    _plan.verdicts.resize(_source.unit.directives.size());
    for (std::size_t id = 0; id < _plan.verdicts.size(); ++id)
      decide(id);
    follow(_source.unit, _plan);
    for (const RuntimeCall& call : _source.unit.runtime_calls)
      decide(call);
    _plan.remarks.insert(_plan.remarks.end(), _source.remarks.begin(), _source.remarks.end());
    std::stable_sort(_plan.remarks.begin(), _plan.remarks.end(),
                     [](const Remark& a, const Remark& b) { return a.place.line < b.place.line; });
    return std::move(_plan);
  }

private:
  const Source& _source;
  Procedures& _procedures;
  Plan _plan;

  void decide(std::size_t id) {
    const Directive& directive = _source.unit.directives[id];
    const Facts& facts = _source.facts[id];
    Verdict& verdict = _plan.verdicts[id];
    const FortranRule rule = fortran_rule_of(directive.construct);
    verdict.becomes = rule.becomes;
    verdict.row = port::rule_of(directive.construct).row;
    std::optional<Message> refusal;
    const auto refuse = [&](const Message& why) {
      if (!refusal)
        refusal = why;
    };
    for (const Clause& clause : directive.clauses) {
      const FortranRule of_clause = fortran_rule_of(clause.kind);
      verdict.clauses.push_back(
          {clause.place,
           std::string(clause.kind == ClauseKind::unknown ? clause.argument
                                                          : port::name_of(clause.kind)),
           std::string(of_clause.becomes)});
      if (const auto why = problem_of(clause, directive))
        refuse(*why);
      if (clause.kind == ClauseKind::device_type)
        tell(verdict, say<Code::device_type>());
      if (clause.kind == ClauseKind::device_num)
        tell(verdict, say<Code::device_num>().by("gangway_initialize(device=…)"));
    }
    if (directive.is_compute())
      if (const auto why = _procedures.problem_of(facts.body))
        refuse(*why);
    for (const Message& why : facts.refused)
      refuse(why);
    if (directive.construct == Construct::routine && !_procedures.has(facts.procedure))
      refuse(say<Code::routine_elsewhere>());
    if (directive.construct == Construct::loop && _source.unit.compute_around(id) == none)
      tell_orphan(verdict);
    for (const Message& message : facts.told)
      tell(verdict, message);
    if (refusal)
      verdict.refuse(*refusal);
  }
  static void tell_orphan(Verdict& verdict) {
    verdict.becomes = "a loop of the C++ function beside the kernels";
  }

  /// Returns why the clause stops the translation of its directive.
  static std::optional<Message> problem_of(const Clause& clause, const Directive& directive) {
    const FortranRule rule = fortran_rule_of(clause.kind);
    if (rule.outcome == Outcome::refused)
      return say<Code::clause>(clause.kind == ClauseKind::unknown
                                   ? std::string_view(clause.argument)
                                   : port::name_of(clause.kind))
          .by(rule.becomes, port::rule_of(clause.kind).row);
    if (clause.kind == ClauseKind::device_type &&
        (directive.construct == Construct::init || directive.construct == Construct::shutdown ||
         directive.construct == Construct::set) &&
        std::find(clause.arguments.begin(), clause.arguments.end(), "host") !=
            clause.arguments.end())
      return say<Code::device_type_host>();
    for (const std::string& modifier : clause.modifiers)
      if (modifier != "readonly")
        return say<Code::modifier>(modifier, port::name_of(clause.kind));
    if (clause.kind == ClauseKind::collapse && clause.number == 0)
      return say<Code::collapse_unknown>();
    for (const Section& section : clause.sections)
      if (section.problem)
        return section.problem;
    return std::nullopt;
  }

  void decide(const RuntimeCall& call) {
    if (!call.routine) {
      _plan.remarks.push_back({call.place, say<Code::stays>(call.name)});
      return;
    }
    const FortranRule rule = fortran_rule_of(*call.routine);
    Message message =
        rule.outcome == Outcome::refused   ? say<Code::stays>(call.name).by(rule.becomes)
        : rule.outcome == Outcome::assumed ? say<Code::becomes_if>(call.name, rule.becomes)
                                           : say<Code::becomes>(call.name, rule.becomes);
    _plan.remarks.push_back({call.place, std::move(message)});
  }
};

} // namespace

void tell(Verdict& verdict, const Message& message) {
  if (std::none_of(verdict.said.begin(), verdict.said.end(),
                   [&](const Message& before) { return before.text == message.text; }))
    verdict.said.push_back(message);
  verdict.outcome = std::max(verdict.outcome, message.outcome());
}

void follow(const Unit& unit, Plan& plan) {
  for (std::size_t id = 0; id < plan.verdicts.size(); ++id) {
    const std::size_t around = unit.compute_around(id);
    if (around == none)
      continue;
    Verdict& verdict = plan.verdicts[id];
    Verdict& outer = plan.verdicts[around];
    if (verdict.outcome == Outcome::refused && outer.outcome != Outcome::refused)
      outer.refuse(verdict.said.front());
    if (outer.outcome == Outcome::refused && verdict.outcome != Outcome::refused)
      verdict.refuse(say<Code::part_of_refused>(unit.directives[around].place.line)
                         .by(outer.said.front().by_hand));
  }
}

std::vector<Plan> decide(const std::vector<Source>& sources) {
  Procedures procedures(sources);
  std::vector<Plan> plans;
  for (const Source& source : sources)
    plans.push_back(Decider(source, procedures).plan());
  return plans;
}

} // namespace gangway::port::fortran
