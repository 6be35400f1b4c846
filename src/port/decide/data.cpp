// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/data.hpp"

#include "base/contains.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/decisions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gangway::port {
namespace {

using base::contains;

std::vector<Entry> entries_of(const Decisions& all, const Directive& directive) {
  std::vector<Entry> entries;
  for (const Clause& clause : directive.clauses)
    if (rule_of(clause.kind).holds && clause.kind != ClauseKind::deviceptr)
      for (const Section& section : clause.sections) {
        if (clause.kind == ClauseKind::present && is_bare_pointer(all, section))
          continue; // kernels ask for its address
        require_lengths(section);
        entries.push_back(entry_of(all, clause, section));
        if (!is_number(section.low))
          entries.back().low_name =
              all.unit.fresh(plain_name(all.variable(section.variable)) + "_low");
      }
  return entries;
}

Statement statement_of(const Directive& directive) {
  const Clause* const condition = directive.clause(ClauseKind::if_);
  return {condition == nullptr ? "" : condition->argument, {}};
}

} // namespace

void decide_region(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  all.plan.regions[id] = entries_of(all, directive);
  if (const Clause* const condition = directive.clause(ClauseKind::if_)) {
    for (const Entry& entry : all.plan.regions[id])
      if (all.variable(entry.section.variable).shape == Shape::scalar ||
          all.variable(entry.section.variable).shape == Shape::other || entry.section.rows) {
        all.plan.regions.erase(id);
        throw Refusal(say<Code::if_on_scalars>());
      }
    all.plan.conditions[id] = condition->argument;
    tell(all.plan.verdicts[id], say<Code::conditional_region>());
  }
  all.plan.waits[id] = waits_of(all, directive);
}

void decide_declare(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  if (directive.function != none) {
    if (!directive.in_function)
      throw Refusal(say<Code::declare_in_block>());
    all.plan.regions[id] = entries_of(all, directive);
    return;
  }
  if (std::none_of(all.unit.functions.begin(), all.unit.functions.end(),
                   [](const Function& function) { return function.is_main; }))
    throw Refusal(say<Code::declare_without_main>());
  for (const Entry& entry : entries_of(all, directive)) {
    const Variable& named = all.variable(entry.section.variable);
    if (named.shape == Shape::pointer || entry.section.rows || !entry.section.low.empty())
      throw Refusal(say<Code::declare_of_part>(entry.section.text));
    all.plan.declared.push_back(entry);
  }
}

void decide_set(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  Statement statement = statement_of(directive);
  for (const Clause& clause : directive.clauses)
    if (clause.kind == ClauseKind::default_async)
      statement.actions.push_back({.does = Action::Does::default_queue, .value = clause.argument});
    else if (clause.kind == ClauseKind::device_num)
      statement.actions.push_back({.does = Action::Does::device, .value = clause.argument});
  all.plan.statements[id] = std::move(statement);
}

void decide_host_data(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  std::vector<Entry> entries;
  for (const Clause& clause : directive.clauses)
    if (clause.kind == ClauseKind::use_device)
      for (const Section& section : clause.sections) {
        const Variable& named = all.variable(section.variable);
        if (named.shape != Shape::pointer && named.shape != Shape::array)
          throw Refusal(say<Code::use_device>(named.path));
        for (const Use& use : directive.uses)
          if (use.variable == section.variable &&
              (use.macro ||
               (use.writes && use.subscripts.empty() && named.shape == Shape::pointer)))
            throw Refusal(say<Code::use_device_changed>(named.path));
        entries.push_back(entry_of(all, clause, section));
        entries.back().view = all.unit.fresh(plain_name(named) + "_device");
      }
  all.plan.host_regions[id] = std::move(entries);
}

void decide_executable(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  Statement statement = statement_of(directive);
  // Work on the queue still needs the data that leaves.
  const Queue queue = queue_of(all, directive);
  statement.actions = waits_of(all, directive);
  if (queue && directive.construct != Construct::update)
    statement.actions.push_back({.queue = queue});
  std::string bare;
  for (const Clause& clause : directive.clauses)
    if (!rule_of(clause.kind).function.empty())
      for (const Section& section : clause.sections) {
        Action action{.does = Action::Does::transfer, .clause = clause.kind, .section = section};
        if (clause.kind == ClauseKind::delete_ && is_bare_pointer(all, section)) {
          bare += fmt::format("{}'{}'", bare.empty() ? "" : ", ", section.text);
          action.section.extents = {"1"}; // what holds its first element
        }
        require_lengths(action.section);
        if (section.rows)
          throw Refusal(say<Code::rows_alone>(section.text));
        if ((clause.kind == ClauseKind::copyout || clause.kind == ClauseKind::self) &&
            is_read_only(all.variable(section.variable))) {
          tell(all.plan.verdicts[id], say<Code::const_stays>(section.text));
          if (clause.kind == ClauseKind::self)
            continue;
          action.clause = ClauseKind::delete_;
        }
        if (directive.construct == Construct::update)
          action.queue = queue;
        action.finalize = directive.clause(ClauseKind::finalize) != nullptr;
        action.if_present = directive.clause(ClauseKind::if_present) != nullptr;
        action.zero = contains(clause.modifiers, std::string("zero"));
        statement.actions.push_back(std::move(action));
      }
  if (!bare.empty())
    tell(all.plan.verdicts[id], say<Code::exit_without_length>(bare));
  all.plan.statements[id] = std::move(statement);
}

} // namespace gangway::port
