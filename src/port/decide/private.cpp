// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/private.hpp"

#include "port/decide/around.hpp"
#include "port/decide/decisions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gangway::port {
namespace {

/// Adds memory for an array of each iteration's own whose length is known when the program runs.
/// It has one slice for each iteration that may run at the same time.
void add_slices(Around& around, Kernel& kernel, std::size_t id, const std::string& elements) {
  const Variable& used = around.all.variable(id);
  kernel.slices.push_back({id, around.all.unit.fresh(used.name + "_private"), elements});
  tell(*around.verdict, say<Code::private_memory>(used.path));
}

} // namespace

void bind_firstprivate(Around& around, std::size_t id) {
  const Variable& used = around.all.variable(id);
  const Section* section = nullptr;
  for (const Clause& clause : around.directive->clauses)
    if (clause.kind == ClauseKind::firstprivate)
      for (const Section& named : clause.sections)
        if (named.variable == id)
          section = &named;
  if (section == nullptr || section->problem || !section->low.empty() ||
      section->extents.size() != 1 || used.shape == Shape::other || used.member ||
      used.holds_pointers)
    throw Refusal(say<Code::firstprivate_array>(used.path));
  const std::string& elements = section->extents.front();
  const std::string before = around.all.unit.fresh(used.name + "_before");
  around.compute.names.push_back(
      {.is = Name::Is::snapshot, .name = before, .variable = id, .extents = {elements}});
  for (Kernel& kernel : around.compute.kernels) {
    if (!uses(around, kernel, id))
      continue;
    if (kernel.bindings.contains(id)) { // in scratch
      kernel.filled.emplace_back(used.name, before);
      continue;
    }
    if (used.shape == Shape::array && is_number(elements))
      kernel.head.push_back({.is = Name::Is::own, .variable = id});
    else
      add_slices(around, kernel, id, elements);
    kernel.head.push_back({.is = Name::Is::filled, .of = before, .variable = id});
  }
}

void declare_private(Around& around, Kernel& kernel, std::size_t id) {
  const Variable& used = around.all.variable(id);
  const auto look = [&](const Directive& directive) -> const Section* {
    for (const Clause& clause : directive.clauses)
      if (clause.kind == ClauseKind::private_)
        for (const Section& section : clause.sections)
          if (section.variable == id && (!section.extents.empty() || section.problem))
            return &section;
    return nullptr;
  };
  const Section* section = used.shape == Shape::pointer ? look(*around.directive) : nullptr;
  if (used.shape == Shape::pointer)
    for (const std::size_t inner : around.inner)
      if (section == nullptr && kernel.whole.holds(around.all.unit.directives[inner].pragma))
        section = look(around.all.unit.directives[inner]);
  if (section != nullptr && (!section->low.empty() || section->problem))
    throw Refusal(say<Code::private_array>(section->text, "no whole array").by("team scratch"));
  const std::vector<std::string>& extents = section == nullptr ? used.extents : section->extents;
  const bool constant = std::all_of(extents.begin(), extents.end(), is_number);
  if (!constant && extents.size() > 1)
    throw Refusal(say<Code::private_array>(used.path, "an array of variable length"));
  if (!constant) {
    add_slices(around, kernel, id, extents.front());
  } else if (section == nullptr) {
    kernel.head.push_back({.is = Name::Is::own, .variable = id});
  } else {
    kernel.head.push_back({.is = Name::Is::own, .variable = id, .extents = extents});
  }
}

} // namespace gangway::port
