// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/decisions.hpp"

#include "base/contains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace gangway::port {

using base::contains;

Refusal by_rule(std::string_view word, std::string what) {
  const Rule& rule = *rule_of(word, Kind::code);
  return {std::move(what), std::string(rule.becomes), std::string(rule.row)};
}

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
    if (directive.construct == "enter data" || directive.construct == "declare" ||
        (directive.construct == "data" && variable(id).global))
      for (const Clause& clause : directive.clauses)
        if (names(&directive, clause.name.c_str(), id))
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
        declare.construct == "declare" && declare.function == directive.function && other < id)
      for (std::size_t e = 0; e < entries.size(); ++e)
        if (entries[e].section.variable == variable)
          return {other, e};
  return {none, 0};
}

void refuse(Decisions& all, std::size_t id, const Refusal& refusal) {
  Verdict& verdict = all.plan.verdicts[id];
  verdict.outcome = Outcome::refused;
  verdict.refusal = refusal.what;
  verdict.by_hand = refusal.by_hand;
  if (!refusal.row.empty())
    verdict.row = refusal.row;
  all.plan.computes.erase(id);
  if (all.unit.directives[id].is_compute())
    for (const std::size_t inner : all.within(id)) {
      Verdict& part = all.plan.verdicts[inner];
      part.outcome = Outcome::refused;
      part.refusal =
          fmt::format("it is part of the construct in line {}", all.unit.directives[id].place.line);
      part.by_hand = verdict.by_hand;
    }
}

void assume(Verdict& verdict, const std::string& text) {
  if (!contains(verdict.assumptions, text))
    verdict.assumptions.push_back(text);
}

void note(Verdict& verdict, const std::string& text) {
  if (!contains(verdict.notes, text))
    verdict.notes.push_back(text);
}

std::string squeezed(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

bool names(const Directive* directive, const char* clause_name, std::size_t variable) {
  if (directive == nullptr)
    return false;
  for (const Clause& clause : directive->clauses)
    if (clause.name == clause_name)
      for (const Section& section : clause.sections)
        if (section.variable == variable)
          return true;
  return false;
}

} // namespace gangway::port
