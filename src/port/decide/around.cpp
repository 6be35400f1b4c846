// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/around.hpp"

#include "base/contains.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gangway::port {
namespace {

using base::contains;

} // namespace

const Directive* directive_of(const Around& around, const Loop& loop, std::size_t depth) {
  if (loop.directive != none)
    return &around.all.unit.directives[loop.directive];
  return depth == 0 && is_combined(around.directive->construct) ? around.directive : nullptr;
}

bool is_reduced(const Directive* own, std::size_t variable) {
  return names(own, ClauseKind::reduction, variable);
}

bool is_private(const Around& around, const Directive* own, std::size_t variable) {
  return names(own, ClauseKind::private_, variable) ||
         names(around.directive, ClauseKind::private_, variable);
}

std::string label(const Around& around) {
  const int number = ++around.all.kernels_in[around.directive->function];
  const std::string name = around.directive->function == none
                               ? "kernel"
                               : around.all.unit.functions[around.directive->function].name;
  return number == 1 ? name : fmt::format("{} {}", name, number);
}

bool is_held(const Around& around, std::size_t id) {
  return around.all.region_of(around.id, id).first != none ||
         names(around.directive, ClauseKind::present, id);
}

bool is_on_device(const Around& around, std::size_t id) {
  return is_named(around, id) || around.all.region_of(around.id, id).first != none ||
         around.all.is_declared(id);
}

bool counts_in(const Around& around, Span body, const std::vector<std::size_t>& set_first,
               bool one_thread, std::size_t id) {
  return contains(set_first, id) &&
         std::any_of(around.directive->counters.begin(), around.directive->counters.end(),
                     [&](const Counter& counter) {
                       return counter.variable == id && body.holds(counter.loop) &&
                              (counter.associated || !one_thread);
                     });
}

bool counts_in(const Around& around, const Kernel& kernel, std::size_t id) {
  return is_index(kernel, id) || kernel.further_in.contains(id) ||
         counts_in(around, kernel.body, kernel.set_first, kernel.policy == Policy::one, id);
}

bool is_in_kernels(const Around& around, const Use& use) {
  return std::any_of(around.compute.kernels.begin(), around.compute.kernels.end(),
                     [&](const Kernel& kernel) { return kernel.body.holds(use.name); });
}

bool reduced_within(const Around& around, std::size_t variable) {
  return std::any_of(around.inner.begin(), around.inner.end(), [&](std::size_t inner) {
    return is_reduced(&around.all.unit.directives[inner], variable);
  });
}

const Section* named_section(const Around& around, std::size_t variable, ClauseKind& clause_kind) {
  for (const Clause& clause : around.directive->clauses)
    if (rule_of(clause.kind).holds)
      for (const Section& section : clause.sections)
        if (section.variable == variable) {
          clause_kind = clause.kind;
          return &section;
        }
  return nullptr;
}

bool is_written(const Around& around, const Kernel& kernel, std::size_t id) {
  return std::any_of(around.directive->uses.begin(), around.directive->uses.end(),
                     [&](const Use& use) {
                       return use.variable == id && use.writes && kernel.body.holds(use.name);
                     });
}

bool is_reducer_of(const Kernel& kernel, std::size_t id) {
  return std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                     [&](const Reducer& one) { return one.id == id; });
}

bool is_reducer(const Around& around, const std::string& name) {
  return std::any_of(around.compute.kernels.begin(), around.compute.kernels.end(),
                     [&](const Kernel& kernel) {
                       return std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                                          [&](const Reducer& one) { return one.variable == name; });
                     });
}

bool is_private_in(const Around& around, const Kernel& kernel, std::size_t id) {
  if (names(around.directive, ClauseKind::private_, id))
    return true;
  return std::any_of(around.inner.begin(), around.inner.end(), [&](std::size_t inner) {
    return kernel.whole.holds(around.all.unit.directives[inner].pragma) &&
           names(&around.all.unit.directives[inner], ClauseKind::private_, id);
  });
}

bool uses(const Around& around, const Kernel& kernel, std::size_t id) {
  return std::any_of(
      around.directive->uses.begin(), around.directive->uses.end(),
      [&](const Use& use) { return use.variable == id && kernel.body.holds(use.name); });
}

bool is_named(const Around& around, std::size_t id) {
  return std::any_of(around.directive->clauses.begin(), around.directive->clauses.end(),
                     [&](const Clause& clause) {
                       return rule_of(clause.kind).holds &&
                              names(around.directive, clause.kind, id);
                     });
}

bool has_macro_use(const Around& around, std::size_t id) {
  return std::any_of(around.directive->uses.begin(), around.directive->uses.end(),
                     [&](const Use& use) { return use.variable == id && use.macro; });
}

const std::string* mirror_of(const Around& around, std::size_t id) {
  const auto found = around.mirrors.find(around.all.variable(id).owner);
  return found == around.mirrors.end() ? nullptr : &found->second;
}

bool is_index(const Kernel& kernel, std::size_t id) {
  return contains(kernel.indices, id) ||
         std::any_of(kernel.loops.begin(), kernel.loops.end(),
                     [&](const Loop& loop) { return loop.variable == id; });
}

bool firstprivate(const Around& around, std::size_t id) {
  return names(around.directive, ClauseKind::firstprivate, id);
}

} // namespace gangway::port
