// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/values.hpp"

#include "base/contains.hpp"
#include "port/decide/around.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/decisions.hpp"
#include "port/decide/private.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gangway::port {
namespace {

using base::contains;

/// Returns the operator by which all uses in the kernel reduce into the scalar; empty if none.
std::string joined_by(const Around& around, const Kernel& kernel, std::size_t id) {
  std::string joins;
  for (const Use& use : around.directive->uses)
    if (use.variable == id && kernel.body.holds(use.name)) {
      if (use.macro || use.joins.empty() || (!joins.empty() && use.joins != joins))
        return "";
      joins = use.joins;
    }
  return joins;
}

void find_value(Around& around, Kernel& kernel, std::size_t id, bool is_private) {
  const Variable& used = around.all.variable(id);
  if (std::any_of(kernel.loops.begin(), kernel.loops.end(),
                  [&](const Loop& loop) { return loop.variable == id; }) ||
      kernel.further_in.contains(id) || kernel.bindings.contains(id) ||
      std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                  [&](const Reducer& one) { return one.variable == used.name; }))
    return;
  bool written = false;
  bool macro = false;
  for (const Use& use : around.directive->uses)
    if (use.variable == id && kernel.body.holds(use.name)) {
      written = written || use.writes;
      macro = macro || use.macro;
    }
  if (is_private) {
    if (used.member || (used.shape == Shape::other && !used.copyable))
      throw Refusal(say<Code::private_array>(used.path, fmt::format("of type {}", used.element))
                        .by("a variable of the kernel's"));
    if (used.shape == Shape::array && contains(used.extents, ""))
      throw Refusal(
          say<Code::private_array>(used.path, "its extents are not known").by("team scratch"));
    declare_private(around, kernel, id);
    return;
  }
  if (around.is_kernels && !counts_in(around, kernel, id))
    if (const Directive* const holder = around.all.holder_elsewhere(id))
      throw Refusal(say<Code::held_in_kernels>(used.path, holder->construct, holder->place.line));
  if (!written) {
    if (used.constant || (!used.global && !used.member))
      return; // captured, or known when compiling
    if (macro && used.member) {
      if (mirror_of(around, id) == nullptr)
        throw Refusal(say<Code::macro_uses>(used.path, "a member"));
      if (std::all_of(around.directive->uses.begin(), around.directive->uses.end(),
                      [&](const Use& use) { return use.variable != id || use.macro; }))
        return; // the mirror has it
    }
    const std::string copy = around.all.unit.fresh(plain_name(used) + "_value");
    kernel.before.push_back({.name = copy, .of = used.path});
    around.compute.bindings[id] = {Access::renamed, copy, ""};
    if (macro && !used.member)
      kernel.head.push_back({.is = Name::Is::started, .of = copy, .variable = id});
    tell(*around.verdict,
         say<Code::copied_value>(used.path, used.member ? "of a structure" : "a global variable"));
    return;
  }
  if (used.member || used.global)
    throw Refusal(
        say<Code::global_written>(used.path, used.member ? "a member" : "a global variable"));
  // A scalar that no clause names is the gang's own, and begins with the value before.
  const bool implied =
      kernel.policy == Policy::one && !around.is_kernels && !contains(kernel.set_first, id);
  if (firstprivate(around, id) || implied) {
    const std::string before = around.all.unit.fresh(used.name + "_before");
    kernel.before.push_back({.name = before, .of = used.name});
    kernel.head.push_back({.is = Name::Is::started, .of = before, .variable = id});
    return;
  }
  if (contains(kernel.set_first, id)) {
    kernel.head.push_back({.is = Name::Is::own, .variable = id});
    if (around.is_kernels && !counts_in(around, kernel, id))
      tell(*around.verdict, say<Code::private_in_kernels>(used.name));
    return;
  }
  const std::string joins = joined_by(around, kernel, id);
  // Tiles then become one range, and the kernel computes their indices from the bounds.
  const bool fits = kernel.policy == Policy::range || kernel.policy == Policy::flat ||
                    (kernel.policy == Policy::tiles &&
                     std::all_of(kernel.loops.begin(), kernel.loops.end(),
                                 [](const Loop& loop) { return loop.bounds_are_local; }));
  if (!joins.empty() && fits && !used.reference && around.all.holder_elsewhere(id) == nullptr) {
    tell(*around.verdict, say<Code::reduction_unsaid>(used.name, joins, used.name));
    kernel.reducers.push_back({joins, used.name, used.element, id, "", ""});
    if (kernel.policy == Policy::tiles) {
      kernel.policy = Policy::flat;
      kernel.tile.clear();
    }
    return;
  }
  Message unsaid = say<Code::written_unsaid>(used.name);
  throw Refusal(joins.empty()
                    ? std::move(unsaid)
                    : std::move(unsaid).by(fmt::format("reduction({} : {})", joins, used.name)));
  throw Refusal(say<Code::written_unsaid>(used.name));
}

/// Returns whether the kernel has a variable of its own where the source sets the host's.
bool leaves_another(const Around& around, const Kernel& kernel, const Use& use) {
  const std::size_t id = use.variable;
  const auto bound = around.compute.bindings.find(id);
  if (is_private_in(around, kernel, id) || firstprivate(around, id) ||
      (bound != around.compute.bindings.end() && bound->second.access == Access::element_zero))
    return false;
  if (std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                  [&](const Reducer& one) { return one.variable == around.all.variable(id).name; }))
    return false;
  return is_index(kernel, id) || is_written(around, kernel, id);
}

} // namespace

void find_values(Around& around) {
  for (Kernel& kernel : around.compute.kernels) {
    std::set<std::size_t> seen;
    for (const Use& use : around.directive->uses) {
      if (!kernel.body.holds(use.name) || around.bound.contains(use.variable) ||
          around.owned.contains(use.variable))
        continue;
      const Variable& used = around.all.variable(use.variable);
      const bool is_private = is_private_in(around, kernel, use.variable);
      if ((used.shape != Shape::scalar && !is_private) || !seen.insert(use.variable).second)
        continue;
      if (const auto bound = around.compute.bindings.find(use.variable);
          bound != around.compute.bindings.end() && bound->second.access == Access::element_zero)
        continue;
      find_value(around, kernel, use.variable, is_private);
    }
  }
}

void require_no_values_handed_on(const Around& around) {
  const auto& kernels = around.compute.kernels;
  for (const Piece& piece : around.directive->pieces)
    for (const Use& use : around.directive->uses) {
      if (!piece.span.holds(use.name) || contains(piece.set_first, use.variable) ||
          around.all.variable(use.variable).shape != Shape::scalar)
        continue;
      const auto is_of = [&](const Kernel& kernel) { return kernel.whole.holds(use.name); };
      const auto own = std::find_if(kernels.begin(), kernels.end(), is_of);
      if (const auto bound = around.compute.bindings.find(use.variable);
          own == kernels.end() && bound != around.compute.bindings.end() &&
          bound->second.access == Access::element_zero)
        throw Refusal(say<Code::read_behind>(around.all.variable(use.variable).name));
      if (own != kernels.end() &&
          (is_private_in(around, *own, use.variable) || is_index(*own, use.variable)))
        continue;
      for (const Kernel& earlier : kernels)
        if (earlier.whole.begin < piece.span.begin && !earlier.whole.holds(piece.span) &&
            leaves_another(around, earlier, use))
          throw Refusal(say<Code::read_behind>(around.all.variable(use.variable).name));
    }
}

} // namespace gangway::port
