// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace gangway::port {

std::vector<std::size_t> Decisions::within(std::size_t id) const {
  std::vector<std::size_t> found;
  for (std::size_t other = id + 1; other < unit.directives.size(); ++other)
    if (unit.compute_around(other) == id)
      found.push_back(other);
    else if (unit.directives[other].pragma.begin >= unit.directives[id].statement.end)
      break;
  return found;
}

std::string Decisions::text(Span span) const {
  return unit.text.substr(span.begin, span.end - span.begin);
}

const Variable& Decisions::variable(std::size_t id) const {
  return unit.variables[id];
}

bool Decisions::is_declared(std::size_t id) const {
  return std::any_of(plan.declared.begin(), plan.declared.end(),
                     [&](const Entry& entry) { return entry.section.variable == id; });
}

const Directive* Decisions::holder_elsewhere(std::size_t id) const {
  for (const Directive& directive : unit.directives)
    if (directive.construct == Construct::enter_data || directive.construct == Construct::declare ||
        (directive.construct == Construct::data && variable(id).global))
      for (const Clause& clause : directive.clauses)
        if (names(&directive, clause.kind, id))
          return &directive;
  return nullptr;
}

std::pair<std::size_t, std::size_t> Decisions::region_of(std::size_t id,
                                                         std::size_t variable) const {
  for (std::size_t up = unit.directives[id].parent; up != none; up = unit.directives[up].parent)
    if (const auto region = plan.regions.find(up);
        region != plan.regions.end() && !plan.conditions.contains(up))
      for (std::size_t e = 0; e < region->second.size(); ++e)
        if (region->second[e].section.variable == variable)
          return {up, e};
  const Directive& directive = unit.directives[id];
  for (const auto& [other, entries] : plan.regions)
    if (const Directive& declare = unit.directives[other];
        declare.construct == Construct::declare && declare.function == directive.function &&
        other < id)
      for (std::size_t e = 0; e < entries.size(); ++e)
        if (entries[e].section.variable == variable)
          return {other, e};
  return {none, 0};
}

void refuse(Decisions& all, std::size_t id, const Message& why) {
  Verdict& verdict = all.plan.verdicts[id];
  verdict.refuse(why);
  all.plan.computes.erase(id);
  if (all.unit.directives[id].is_compute())
    for (const std::size_t inner : all.within(id))
      all.plan.verdicts[inner].refuse(
          say<Code::part_of_refused>(all.unit.directives[id].place.line).by(why.by_hand));
}

void tell(Verdict& verdict, const Message& message) {
  if (std::none_of(verdict.said.begin(), verdict.said.end(),
                   [&](const Message& before) { return before.text == message.text; }))
    verdict.said.push_back(message);
}

std::string squeezed(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

bool names(const Directive* directive, ClauseKind kind, std::size_t variable) {
  if (directive == nullptr)
    return false;
  for (const Clause& clause : directive->clauses)
    if (clause.kind == kind)
      for (const Section& section : clause.sections)
        if (section.variable == variable)
          return true;
  return false;
}

} // namespace gangway::port
