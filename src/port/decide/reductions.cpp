// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/reductions.hpp"

#include "base/contains.hpp"
#include "port/decide/around.hpp"
#include "port/decide/decisions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gangway::port {
namespace {

using base::contains;

/// Returns what keeps the variable on the device after the construct, without a View known here;
/// empty if it is not kept. Its value there is not the host's.
std::string held_on_device(const Around& around, std::size_t id) {
  if (is_held(around, id))
    return "";
  for (const ClauseKind clause : {ClauseKind::create, ClauseKind::copyin, ClauseKind::deviceptr})
    if (names(around.directive, clause, id))
      return fmt::format("'{}' leaves it on the device", clause);
  if (const Directive* const holder = around.all.holder_elsewhere(id))
    return fmt::format("'{}' in line {} holds it on the device", holder->construct,
                       holder->place.line);
  return "";
}

void add_reducer(Around& around, Kernel& kernel, const Clause& clause, const Section& section) {
  const auto fail = [&](const std::string& why) {
    throw Refusal(say<Code::reduction>(clause.operation, section.text, why));
  };
  if (section.variable == none || section.problem)
    fail("it is no scalar variable");
  const Variable& reduced = around.all.variable(section.variable);
  if ((reduced.shape != Shape::scalar && reduced.shape != Shape::array) || reduced.member)
    fail("it is no scalar variable");
  if (reduced.enumeration)
    fail(fmt::format("Kokkos reduces no '{}'", reduced.element));
  std::string elements;
  if (reduced.shape == Shape::array) {
    // Each thread has a copy of all elements, so we require a known, small number of them.
    constexpr int most = 64;
    if (reduced.extents.size() != 1 || !is_number(reduced.extents.front()) ||
        reduced.extents.front().size() > 2 || std::stoi(reduced.extents.front()) > most ||
        !section.low.empty())
      fail(fmt::format("it is no array of one dimension and at most {} elements, taken as a "
                       "whole",
                       most));
    elements = reduced.extents.front();
  }
  if (operator_of(clause.operation) == nullptr)
    fail("Kokkos has no reducer for it");
  if (const std::string holder = held_on_device(around, section.variable); !holder.empty())
    throw Refusal(say<Code::reduction_on_device>(clause.operation, section.text, holder));
  if (reduced.reference)
    tell(*around.verdict, say<Code::reference>(reduced.name));
  const bool used = std::any_of(
      around.directive->uses.begin(), around.directive->uses.end(), [&](const Use& use) {
        return use.variable == section.variable && kernel.body.holds(use.name);
      });
  const bool known_already =
      std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                  [&](const Reducer& one) { return one.variable == reduced.name; });
  if (used && !known_already)
    kernel.reducers.push_back(
        {clause.operation, reduced.name, reduced.element, section.variable, "", elements});
}

} // namespace

void add_reducers(Around& around, Kernel& kernel, const Directive* own) {
  std::vector<const Directive*> sources{around.directive, own};
  for (const Loop& loop : kernel.loops)
    if (loop.directive != none)
      sources.push_back(&around.all.unit.directives[loop.directive]);
  for (const Directive* source : sources)
    if (source != nullptr)
      add_reducers_of(around, kernel, *source);
}

void add_reducers_of(Around& around, Kernel& kernel, const Directive& source) {
  for (const Clause& clause : source.clauses)
    if (clause.kind == ClauseKind::reduction)
      for (const Section& section : clause.sections)
        if (&source == around.directive || kernel.policy != Policy::one ||
            (!contains(kernel.set_first, section.variable) &&
             !is_private_in(around, kernel, section.variable)))
          add_reducer(around, kernel, clause, section);
}

} // namespace gangway::port
