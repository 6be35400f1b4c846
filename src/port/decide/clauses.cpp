// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/clauses.hpp"

#include "base/contains.hpp"
#include "port/decide/decisions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace gangway::port {
namespace {

using base::contains;

/// Returns whether a `device_type` of the directive names the devices, instead of clauses for them.
bool stands_for_devices(const Directive& directive) {
  return directive.construct == Construct::set || directive.construct == Construct::init ||
         directive.construct == Construct::shutdown;
}

/// Returns whether openacc.h declares the name, as far as this translator knows.
bool is_of_runtime(const std::string& name) {
  return routine_named(name).has_value() || name.starts_with("acc_device_") ||
         name.starts_with("acc_async_");
}

} // namespace

void check_clauses(Decisions& all, std::size_t id, std::size_t told) {
  const Directive& directive = all.unit.directives[id];
  Verdict& verdict = all.plan.verdicts[told];
  for (const Obstacle& obstacle : directive.obstacles)
    if (obstacle.span.begin == directive.pragma.begin)
      throw Refusal(obstacle.message);
  for (const Span& name : all.unit.runtime_names)
    if (directive.pragma.holds(name) && is_of_runtime(all.text(name)))
      throw Refusal(say<Code::runtime_in_clause>(all.text(name)));
  for (const Clause& clause : directive.clauses) {
    const ClauseRule& rule = rule_of(clause.kind);
    if (rule.outcome == Outcome::refused)
      throw Refusal(say<Code::clause>(clause.kind == ClauseKind::self_condition ? ClauseKind::self
                                                                                : clause.kind)
                        .by(rule.becomes, rule.row));
    for (const std::string& modifier : clause.modifiers)
      if (modifier != "zero")
        throw Refusal(say<Code::modifier>(modifier, clause.kind));
    for (const Section& section : clause.sections)
      if (section.variable != none && all.variable(section.variable).holds_pointers &&
          rule_of(clause.kind).holds)
        throw Refusal(
            say<Code::pointers_within>(section.text, all.variable(section.variable).element));
    for (const Section& section : clause.sections)
      if (section.declared && clause.kind != ClauseKind::use_device &&
          clause.kind != ClauseKind::deviceptr)
        tell(verdict, say<Code::declared_length>(section.text, section.extents.front()));
    for (const Section& section : clause.sections)
      if (section.problem && clause.kind != ClauseKind::private_ &&
          clause.kind != ClauseKind::firstprivate && clause.kind != ClauseKind::reduction)
        throw Refusal(*section.problem);
    if (clause.kind == ClauseKind::device_num)
      tell(verdict, say<Code::device_num>());
    if (clause.kind == ClauseKind::device_type && stands_for_devices(directive)) {
      if (contains(clause.arguments, std::string("host")))
        throw Refusal(say<Code::device_type_host>());
      tell(verdict, say<Code::device_type_chosen>());
    } else if (clause.kind == ClauseKind::device_type)
      tell(verdict, say<Code::device_type>());
    if (!all.queues && (clause.kind == ClauseKind::async || clause.kind == ClauseKind::wait))
      tell(verdict, say<Code::one_queue>(clause.kind));
  }
}

bool is_read_only(const Variable& named) {
  return named.element_const && !named.reference &&
         (named.shape == Shape::array || named.shape == Shape::scalar);
}

ClauseKind clause_for(ClauseKind clause, const Variable& named) {
  const bool copies_back = clause == ClauseKind::copy || clause == ClauseKind::copyout;
  return copies_back && is_read_only(named) ? ClauseKind::copyin : clause;
}

void require_one_section_each(const Directive& directive) {
  std::set<std::size_t> seen;
  for (const Clause& clause : directive.clauses)
    if (rule_of(clause.kind).holds)
      for (const Section& section : clause.sections)
        if (section.variable != none && !seen.insert(section.variable).second)
          throw Refusal(say<Code::two_sections>(section.text));
}

void require_lengths(const Section& section) {
  if (section.extents.empty())
    throw Refusal(say<Code::no_length>(section.text));
}

bool is_bare_pointer(const Decisions& all, const Section& section) {
  return section.extents.empty() && section.variable != none &&
         all.variable(section.variable).shape == Shape::pointer;
}

std::string plain_name(const Variable& named) {
  if (!named.member) // two underscores in a row are the compiler's
    return named.name.substr(0, named.name.find_last_not_of('_') + 1);
  std::string name;
  for (const char c : named.path)
    if (is_word(c))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  return name.starts_with("this_") ? name.substr(5) : name;
}

Entry entry_of(const Decisions& all, const Clause& clause, const Section& section) {
  Entry entry;
  entry.clause = clause.kind == ClauseKind::device_resident
                     ? ClauseKind::create
                     : clause_for(clause.kind, all.variable(section.variable));
  entry.section = section;
  entry.view = all.unit.fresh(plain_name(all.variable(section.variable)) + "_view");
  entry.zero = contains(clause.modifiers, std::string("zero"));
  if (entry.zero && section.rows)
    throw Refusal(say<Code::zero_of_rows>(section.text));
  return entry;
}

Queue queue_of(const Decisions& all, const Directive& directive) {
  const Clause* const async = directive.clause(ClauseKind::async);
  return !all.queues || async == nullptr ? Queue() : Queue(async->argument);
}

std::vector<Action> waits_for(const Decisions& all, const std::vector<std::string>& queues,
                              const Queue& own) {
  if (!all.queues || queues.empty())
    return {Action()};
  std::vector<Action> actions;
  for (const std::string& queue : queues) {
    Action& action = actions.emplace_back();
    if (own)
      action = {.does = Action::Does::wait, .value = queue, .queue = own};
    else
      action.queue = queue;
  }
  return actions;
}

std::vector<Action> waits_of(const Decisions& all, const Directive& directive) {
  std::vector<Action> actions;
  for (const Clause& clause : directive.clauses)
    if (all.queues && clause.kind == ClauseKind::wait)
      for (const Action& action : waits_for(all, clause.arguments, queue_of(all, directive)))
        actions.push_back(action);
  return actions;
}

} // namespace gangway::port
