// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/verified.hpp"

#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace gangway::port {
namespace {

/// Returns whether kernels reach the variable on the device.
bool is_bound(std::size_t id, const Compute& compute) {
  const auto bound = compute.bindings.find(id);
  return bound != compute.bindings.end() && bound->second.access != Access::renamed;
}
bool is_on_device(std::size_t id, const Compute& compute) {
  return is_bound(id, compute) ||
         std::any_of(compute.data.begin(), compute.data.end(),
                     [&](const Entry& entry) { return entry.section.variable == id; });
}

/// Returns the variables that are private to iterations of a kernel, by a clause or not.
std::set<std::size_t> privates_of(const Kernel& kernel, const Compute& compute) {
  std::set<std::size_t> own(kernel.set_first.begin(), kernel.set_first.end());
  for (const Name& name : kernel.head)
    if (name.is == Name::Is::own || name.is == Name::Is::started || name.is == Name::Is::filled)
      own.insert(name.variable);
  for (const Share& share : kernel.shares)
    own.insert(share.own.begin(), share.own.end());
  std::erase_if(own, [&](std::size_t variable) { return is_on_device(variable, compute); });
  // The following are private, although a data clause may name them.
  own.insert(kernel.indices.begin(), kernel.indices.end());
  for (const Loop& loop : kernel.loops)
    own.insert(loop.variable);
  for (const Share& share : kernel.shares)
    own.insert(share.loop.variable);
  for (const Slice& slice : kernel.slices)
    own.insert(slice.variable);
  for (const Scratch& scratch : kernel.scratch)
    own.insert(scratch.variable);
  return own;
}
/// Returns the variables that are private by the directive itself.
std::set<std::size_t> privates_of(const Directive& directive, const Compute& compute) {
  std::set<std::size_t> own;
  for (const Counter& counter : directive.counters)
    if (!is_bound(counter.variable, compute))
      own.insert(counter.variable);
  for (const Clause& clause : directive.clauses)
    if (clause.kind == ClauseKind::private_ || clause.kind == ClauseKind::firstprivate)
      for (const Section& section : clause.sections)
        own.insert(section.variable);
  return own;
}
/// Returns all private variables of a construct: by its directives, and those of its kernels.
std::set<std::size_t> privates_of(const Unit& unit, std::size_t id, const Compute& compute) {
  std::set<std::size_t> own = privates_of(unit.directives[id], compute);
  for (std::size_t d = id + 1; d < unit.directives.size(); ++d)
    if (unit.compute_around(d) == id)
      own.merge(privates_of(unit.directives[d], compute));
  for (const Kernel& kernel : compute.kernels)
    own.merge(privates_of(kernel, compute));
  own.erase(none);
  return own;
}

/// Returns the first variable that a kernel changes and that the loops carry if a compiler ignores
/// OpenACC. For OpenACC each iteration has its own. Returns `none` if there is none.
std::size_t handed_on(const Directive& directive, const Compute& compute) {
  for (const Kernel& kernel : compute.kernels)
    for (const Name& name : kernel.head)
      if (name.is == Name::Is::started || name.is == Name::Is::filled)
        return name.variable;
  const std::set<std::size_t> of_all = privates_of(directive, compute);
  for (const Kernel& kernel : compute.kernels) {
    const std::set<std::size_t> own = privates_of(kernel, compute);
    for (const Use& use : directive.uses)
      if (use.reads && kernel.whole.holds(use.name) && !own.contains(use.variable) &&
          !of_all.contains(use.variable) &&
          std::find(compute.own.begin(), compute.own.end(), use.variable) != compute.own.end())
        return use.variable;
  }
  return none;
}

bool is_of_variable_length(const Variable& variable) {
  return variable.shape == Shape::array && !variable.member &&
         !std::all_of(variable.extents.begin(), variable.extents.end(), is_number);
}

/// Returns whether the variable is a scalar on no device, which only code between kernels sets.
bool is_set_by_host(const Variable& variable, std::size_t id, const Compute& compute) {
  return variable.shape == Shape::scalar && !variable.element_const &&
         !compute.bindings.contains(id) && !is_on_device(id, compute) &&
         std::none_of(compute.kernels.begin(), compute.kernels.end(),
                      [&](const Kernel& kernel) { return kernel.bindings.contains(id); });
}

/// Returns why the original cannot be beside the kernels; empty if it can.
std::string obstacle(const Decisions& all, std::size_t id, const Compute& compute) {
  const Directive& directive = all.unit.directives[id];
  for (std::size_t up = id; up != none; up = all.unit.directives[up].parent)
    if (all.unit.directives[up].clause(ClauseKind::deviceptr) != nullptr)
      return "it uses a pointer to memory of the device (deviceptr)";
  for (const Span& name : all.unit.runtime_names)
    if (directive.statement.holds(name))
      return "it uses OpenACC's runtime library";
  for (std::size_t inner = id; inner < all.unit.directives.size(); ++inner)
    if (all.unit.compute_around(inner) == id && all.unit.directives[inner].atomic.captured)
      return "what an atomic captures follows the order of the iterations";
  for (std::size_t inner = id; inner < all.unit.directives.size(); ++inner)
    if (all.unit.compute_around(inner) == id && all.unit.directives[inner].atomic.reversed)
      return "what its atomic leaves follows the order of the iterations";
  if (!directive.addresses.empty()) {
    const Span number = directive.addresses.front();
    return fmt::format("'{}' is taken for an address, which may be the device's",
                       all.unit.text.substr(number.begin, number.end - number.begin));
  }
  for (const Kernel& kernel : compute.kernels)
    for (const Reducer& reducer : kernel.reducers)
      if (std::find(kernel.set_first.begin(), kernel.set_first.end(), reducer.id) !=
          kernel.set_first.end())
        return fmt::format("each iteration sets '{}' anew, and its reduction depends on how "
                           "threads share the iterations",
                           reducer.variable);
  for (const Kernel& kernel : compute.kernels)
    if (kernel.policy == Policy::gangs)
      return "it calls a function whose loops the gangs share";
  for (const Use& use : directive.uses)
    if (const Variable& variable = all.unit.variables[use.variable];
        is_of_variable_length(variable))
      return fmt::format("'{}' is an array of variable length", variable.path);
  if (const std::size_t variable = handed_on(directive, compute); variable != none)
    return fmt::format("'{}' is each iteration's own, and the original would hand its value on",
                       all.unit.variables[variable].path);
  for (const std::size_t own : compute.own)
    if (const Variable& variable = all.unit.variables[own];
        variable.global || variable.member || variable.shape == Shape::pointer)
      return fmt::format("'{}' is private, and no local variable or array", variable.path);
  return {};
}

} // namespace

void decide_verified(Decisions& all) {
  for (auto& [id, compute] : all.plan.computes) {
    Verdict& verdict = all.plan.verdicts[id];
    if (verdict.outcome == Outcome::refused)
      continue;
    std::set<std::size_t> written;
    for (const Use& use : all.unit.directives[id].uses)
      if (use.writes)
        written.insert(use.variable);
    for (const Kernel& kernel : compute.kernels)
      for (const Loop& loop : kernel.loops)
        written.insert(loop.variable);
    for (const Counter& counter : all.unit.directives[id].counters)
      written.insert(counter.variable);
    written.erase(none);
    std::set<std::size_t> results;
    for (const Kernel& kernel : compute.kernels)
      for (const Reducer& reducer : kernel.reducers)
        results.insert(reducer.id);
    for (const std::size_t own : privates_of(all.unit, id, compute))
      if (written.contains(own) && !results.contains(own))
        compute.own.push_back(own);
    for (const std::size_t id_of : written)
      if (is_set_by_host(all.unit.variables[id_of], id_of, compute) && !results.contains(id_of) &&
          std::find(compute.own.begin(), compute.own.end(), id_of) == compute.own.end())
        compute.results.push_back(id_of);
    if (const std::string why = obstacle(all, id, compute); why.empty())
      compute.verified = true;
    else
      tell(verdict, say<Code::not_verified>(why));
  }
}

} // namespace gangway::port
