// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/arrays.hpp"

#include "base/contains.hpp"
#include "port/decide/around.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/decisions.hpp"
#include "port/decide/private.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gangway::port {
namespace {

using base::contains;

bool same_place(const Section& one, const Section& other) {
  if (squeezed(one.low) != squeezed(other.low) || one.extents.size() != other.extents.size())
    return false;
  return std::equal(
      one.extents.begin(), one.extents.end(), other.extents.begin(),
      [](const std::string& a, const std::string& b) { return squeezed(a) == squeezed(b); });
}

/// Returns whether a loop of `kernels` that runs on one thread carries the variable from one
/// iteration to the next: as `copy`, which it is by default.
bool is_carried(const Around& around, std::size_t id) {
  return around.is_kernels && !names(around.directive, ClauseKind::firstprivate, id) &&
         std::any_of(around.compute.kernels.begin(), around.compute.kernels.end(),
                     [&](const Kernel& kernel) {
                       const bool own = contains(kernel.set_first, id) &&
                                        (!contains(kernel.read_behind, id) || is_index(kernel, id));
                       return kernel.policy == Policy::one && !own &&
                              !is_private_in(around, kernel, id) && !is_reducer_of(kernel, id) &&
                              is_written(around, kernel, id);
                     });
}

/// Returns whether all kernels that use the variable have it private. Errors: Refusal if only some
/// do, and the others need more than its value before.
bool is_private_to_kernels(const Around& around, std::size_t id) {
  std::size_t all = 0;
  std::size_t own = 0;
  for (const Kernel& kernel : around.compute.kernels)
    if (uses(around, kernel, id)) {
      ++all;
      own += is_private_in(around, kernel, id) ? 1U : 0U;
    }
  const Variable& used = around.all.variable(id);
  if (own > 0 && own < all &&
      (used.shape != Shape::scalar || used.global || used.member || is_named(around, id) ||
       around.all.region_of(around.id, id).first != none))
    throw Refusal(say<Code::private_and_shared>(used.path));
  return own > 0 && own == all;
}

/// Returns the structure of a member, or the pointer to it, if a data clause here or around has put
/// that structure on the device; otherwise none.
std::size_t owner_on_device(const Around& around, std::size_t id) {
  const std::size_t owner = around.all.variable(id).owner;
  return owner != none && is_on_device(around, owner) &&
                 !names(around.directive, ClauseKind::deviceptr, owner)
             ? owner
             : none;
}

void bind_other_shape(Around& around, std::size_t id) {
  const Variable& used = around.all.variable(id);
  if (!used.copyable || used.global || used.member || used.holds_pointers)
    throw Refusal(say<Code::other_type>(used.path, used.element));
  for (const Use& use : around.directive->uses)
    if (use.variable == id && use.writes && is_in_kernels(around, use))
      throw Refusal(say<Code::other_type_written>(used.path, used.element));
  tell(*around.verdict, say<Code::captured>(used.path));
}

/// Binds an array of pointers to rows; on the device it is a table of the rows there.
void bind_rows(Around& around, std::size_t id) {
  const Variable& used = around.all.variable(id);
  ClauseKind clause_kind = ClauseKind::present;
  const Section* const section = named_section(around, id, clause_kind);
  const auto [region, index] = around.all.region_of(around.id, id);
  Entry entry;
  const bool from_region = region != none && !used.reassigned && section == nullptr;
  if (from_region) {
    entry = around.all.plan.regions.at(region)[index];
    around.all.region_uses[{region, index}] = true;
  } else if (section != nullptr || region != none) {
    entry.clause = section != nullptr ? clause_kind : ClauseKind::present;
    entry.section =
        section != nullptr ? *section : around.all.plan.regions.at(region)[index].section;
    entry.view = around.all.unit.fresh(plain_name(used) + "_view");
    entry.used = entry.written = true;
  }
  if (!entry.section.rows)
    throw Refusal(say<Code::rows_without_clause>(used.path, used.element));
  for (const Clause& clause : around.directive->clauses)
    for (const Section& named : clause.sections)
      if (&named == section && contains(clause.modifiers, std::string("zero")))
        throw Refusal(say<Code::zero_of_rows>(named.text));
  bool whole = false;
  for (const Use& use : around.directive->uses)
    if (use.variable == id && is_in_kernels(around, use)) {
      whole = whole || use.macro || use.subscripts.empty();
      if (use.writes && use.subscripts.size() < 2)
        throw Refusal(say<Code::row_pointer_written>(used.path));
    }
  if (whole && used.member)
    throw Refusal(say<Code::rows_as_whole>(used.path));
  if (!whole)
    around.compute.bindings[id] = {Access::renamed, entry.view, ""};
  for (Kernel& kernel : around.compute.kernels)
    if (whole && uses(around, kernel, id))
      kernel.head.push_back({.is = Name::Is::rows, .of = entry.view, .variable = id});
  if (!from_region)
    around.compute.data.push_back(std::move(entry));
}

Section implicit_section(const Decisions& all, std::size_t id) {
  const Variable& used = all.variable(id);
  Section section;
  section.variable = id;
  section.text = used.path;
  if (used.shape == Shape::array) {
    section.extents = used.extents;
    for (const std::string& extent : section.extents)
      if (extent.empty())
        throw Refusal(say<Code::unknown_extents>(used.path));
  } else if (used.shape == Shape::scalar) {
    section.extents = {"1"};
  }
  return section;
}

/// Puts the pointer into the mirror of its structure, where macros reach it. Errors: Refusal if
/// there is no mirror.
void mirror_member(Around& around, std::size_t id, Name pointer) {
  const Variable& used = around.all.variable(id);
  const std::string* const mirror = mirror_of(around, id);
  if (mirror == nullptr || used.shape != Shape::pointer || !used.extents.empty() ||
      pointer.extents.size() > 1)
    throw Refusal(say<Code::macro_uses>(used.path, "a member"));
  pointer.is = Name::Is::member;
  pointer.name = *mirror;
  pointer.variable = id;
  around.compute.names.push_back(std::move(pointer));
}

/// Adds a copy of each structure whose members macros use, so that their names stay. Only C's
/// structures get one, because the effects of copying a class are unknown here.
void add_mirrors(Around& around) {
  for (const Use& use : around.directive->uses) {
    const std::size_t owner = around.all.variable(use.variable).owner;
    if (!around.all.unit.is_c || !use.macro || owner == none || around.mirrors.contains(owner) ||
        !is_in_kernels(around, use) || is_on_device(around, owner))
      continue;
    const Variable& structure = around.all.variable(owner);
    if (structure.member || structure.global)
      continue;
    const std::string name = around.all.unit.fresh(structure.name + "_here");
    around.mirrors[owner] = name;
    around.compute.names.push_back({.is = Name::Is::mirror, .name = name, .variable = owner});
    const auto is_for = [&](const Kernel& kernel) {
      return std::any_of(around.directive->uses.begin(), around.directive->uses.end(),
                         [&](const Use& other) {
                           return other.macro && kernel.body.holds(other.name) &&
                                  around.all.variable(other.variable).owner == owner;
                         });
    };
    for (Kernel& kernel : around.compute.kernels)
      if (is_for(kernel))
        kernel.head.push_back({.is = Name::Is::mirrored, .of = name, .variable = owner});
  }
}

void bind_pointer(Around& around, std::size_t id, bool plain, bool said_present) {
  const Variable& used = around.all.variable(id);
  const std::string name = around.all.unit.fresh(plain_name(used) + "_device");
  around.compute.names.push_back({.is = Name::Is::address, .name = name, .variable = id});
  tell(*around.verdict,
       said_present ? say<Code::no_length_here>(used.path) : say<Code::taken_present>(used.path));
  if (!plain && has_macro_use(around, id)) {
    if (used.member) {
      mirror_member(around, id, {.of = name});
    } else {
      for (Kernel& kernel : around.compute.kernels)
        kernel.head.push_back({.is = Name::Is::same_address, .of = name, .variable = id});
      return;
    }
  }
  around.compute.bindings[id] = {Access::renamed, name, ""};
}

/// Returns what a kernel subtracts from a first subscript, where a section of several dimensions
/// does not begin at 0.
std::string first_row(Around& around, std::size_t id, const Entry& entry) {
  if (entry.section.low.empty() || is_number(entry.section.low))
    return entry.section.low;
  if (!entry.low_name.empty())
    return entry.low_name;
  const std::string name = around.all.unit.fresh(plain_name(around.all.variable(id)) + "_low");
  around.compute.names.push_back({.name = name, .of = entry.section.low});
  return name;
}

/// Gives the kernel a pointer under the array's own name, for pointer arithmetic, calls and
/// macros.
void bind_as_pointer(Around& around, std::size_t id, const Entry& entry, bool written) {
  const Variable& used = around.all.variable(id);
  const std::string name = used.member ? around.all.unit.fresh(plain_name(used)) : used.name;
  Name pointer{.is = Name::Is::elements,
               .name = name,
               .of = entry.view,
               .variable = id,
               .extents = entry.section.extents,
               .low = entry.section.low,
               .read_only = entry.clause == ClauseKind::copyin && !written};
  if (!entry.low_name.empty()) {
    pointer.low = entry.low_name;
  } else if (!entry.section.low_is_local) {
    pointer.low = around.all.unit.fresh(plain_name(used) + "_low");
    around.compute.names.push_back({.name = pointer.low, .of = entry.section.low});
  }
  if (entry.section.low.empty())
    pointer.low.clear();
  if (used.member && has_macro_use(around, id)) {
    mirror_member(around, id, pointer);
    if (std::all_of(around.directive->uses.begin(), around.directive->uses.end(),
                    [&](const Use& use) { return use.variable != id || use.macro; }))
      return;
  }
  for (Kernel& kernel : around.compute.kernels)
    if (uses(around, kernel, id))
      kernel.head.push_back(pointer);
  if (used.member)
    around.compute.bindings[id] = {Access::renamed, name, ""};
}

void bind_array(Around& around, std::size_t id) {
  const Variable& used = around.all.variable(id);
  bool written = false;
  bool plain = true; // every use has a subscript for each dimension
  ClauseKind clause_kind = ClauseKind::present;
  const Section* section = named_section(around, id, clause_kind);
  const auto [region, index] = around.all.region_of(around.id, id);
  Entry entry;
  bool from_region = false;
  if (region != none)
    if (const auto [around_it, outer] = around.all.region_of(region, id);
        around_it != none && !same_place(around.all.plan.regions.at(region)[index].section,
                                         around.all.plan.regions.at(around_it)[outer].section))
      throw Refusal(say<Code::two_sections>(used.path));
  if (region != none && !used.reassigned) {
    const Entry& held = around.all.plan.regions.at(region)[index];
    if (section == nullptr || section->extents.empty() || same_place(*section, held.section)) {
      from_region = true;
      entry = held;
    }
  }
  Section implicit;
  if (!from_region && section == nullptr) {
    implicit = implicit_section(around.all, id);
    section = &implicit;
    const Clause* const by_default = around.directive->clause(ClauseKind::default_);
    // `default(present)` does not concern scalars.
    const bool is_present =
        by_default != nullptr && by_default->argument == "present" && used.shape != Shape::scalar;
    clause_kind = is_present || around.all.is_declared(id) ? ClauseKind::present : ClauseKind::copy;
    if (by_default != nullptr && by_default->argument == "none")
      tell(*around.verdict, say<Code::named_by_none>(used.path));
  }
  if (!from_region) {
    entry.clause = clause_for(clause_kind, used);
    entry.section = *section;
    entry.view = around.all.unit.fresh(plain_name(used) + "_view");
    for (const Clause& clause : around.directive->clauses)
      for (const Section& named : clause.sections)
        entry.zero =
            entry.zero || (&named == section && contains(clause.modifiers, std::string("zero")));
  }
  const std::size_t rank = entry.section.extents.size();
  if (used.element_volatile)
    tell(*around.verdict, say<Code::volatile_elements>(used.path));
  if (used.holds_pointers)
    throw Refusal(say<Code::pointers_within>(used.path, used.element));
  const bool one = used.shape == Shape::scalar || used.shape == Shape::other;
  for (const Use& use : around.directive->uses)
    if (around.all.variable(use.variable).owner == id && is_in_kernels(around, use)) {
      if (use.macro)
        throw Refusal(say<Code::macro_uses>(around.all.variable(use.variable).path, "a member"));
      written = written || use.writes ||
                (around.all.variable(use.variable).shape == Shape::array && use.subscripts.empty());
    } else if (use.variable == id && is_in_kernels(around, use)) {
      if (used.shape == Shape::pointer && use.writes && use.subscripts.empty())
        throw Refusal(say<Code::pointer_written>(used.path));
      written = written || use.writes || use.handed_on || (!one && use.subscripts.empty());
      const std::size_t all = rank == 0 ? 1 + used.extents.size() : rank;
      // A pointer to a row of variable length is one to its first element.
      plain = plain && !use.macro &&
              (one || use.subscripts.size() == all ||
               (used.variable_rows && use.row && use.subscripts.size() + 1 == all));
    }
  if (rank == 0) { // a pointer to device memory of unknown length
    if (used.shape != Shape::pointer || contains(used.extents, std::string()))
      throw Refusal(say<Code::unknown_extents>(used.path));
    if (used.variable_rows)
      throw Refusal(say<Code::no_length>(used.path));
    bind_pointer(around, id, plain, section != &implicit || clause_kind == ClauseKind::present);
    return;
  }
  if (one) {
    if (!plain && used.member)
      throw Refusal(say<Code::macro_uses>(used.path, "a member"));
    if (!plain)
      for (Kernel& kernel : around.compute.kernels)
        if (uses(around, kernel, id))
          kernel.head.push_back({.is = Name::Is::element, .of = entry.view, .variable = id});
    around.compute.bindings[id] = {Access::element_zero, entry.view, ""};
  } else {
    if (plain && (rank > 1 || entry.section.low.empty()))
      around.compute.bindings[id] = {Access::elements, entry.view, first_row(around, id, entry)};
    else if (used.variable_rows)
      throw Refusal(say<Code::rows_of_variable_length>(used.path));
    else
      bind_as_pointer(around, id, entry, written);
    if (from_region && !entry.section.low.empty())
      around.all.plan.regions.at(region)[index].low_used = true;
  }
  if (from_region)
    around.all.region_uses[{region, index}] = around.all.region_uses[{region, index}] || written;
  else {
    entry.used = true;
    entry.written = written;
    around.compute.data.push_back(std::move(entry));
  }
  if (used.member || used.global)
    tell(*around.verdict,
         say<Code::own_view>(used.path, used.member ? "of a structure" : "a global array"));
}

/// Binds `cfg.gain` to `cfg_view(0).gain`, with `cfg` on the device.
void bind_member(Around& around, std::size_t id, std::size_t owner) {
  const auto [region, index] = around.all.region_of(around.id, owner);
  const auto own =
      std::find_if(around.compute.data.begin(), around.compute.data.end(),
                   [&](const Entry& entry) { return entry.section.variable == owner; });
  const Entry* entry = own != around.compute.data.end() ? &*own
                       : region != none                 ? &around.all.plan.regions.at(region)[index]
                                                        : nullptr;
  if (entry == nullptr || !entry->section.low.empty() || entry->section.extents.size() != 1)
    throw Refusal(say<Code::member_of_part>(around.all.variable(id).path));
  around.compute.bindings[id] = {Access::member, entry->view, around.all.variable(id).within};
  around.owned.insert(id);
}

/// Gives kernels that count a loop with the variable one of their own, whatever data clauses or
/// other kernels do with the host's. Returns whether all kernels that use it have their own.
bool has_own_everywhere(Around& around, std::size_t id) {
  const Variable& used = around.all.variable(id);
  bool all = true;
  for (Kernel& kernel : around.compute.kernels) {
    if (!uses(around, kernel, id) || kernel.bindings.contains(id))
      continue;
    if (counts_in(around, kernel, id)) {
      const bool declared = kernel.further_in.contains(id) ||
                            std::any_of(kernel.loops.begin(), kernel.loops.end(),
                                        [&](const Loop& loop) { return loop.variable == id; });
      if (!declared)
        kernel.head.push_back({.is = Name::Is::own, .variable = id});
      kernel.bindings[id] = {Access::renamed, used.name, ""};
    } else {
      all = false;
    }
  }
  return all;
}

/// Gives kernels that set the scalar first a copy of their own, beside the kernel that carries it.
void keep_apart(Around& around, std::size_t id) {
  for (Kernel& kernel : around.compute.kernels)
    if (kernel.policy != Policy::one && contains(kernel.set_first, id) &&
        is_written(around, kernel, id) && !is_reducer_of(kernel, id) &&
        kernel.bindings.emplace(id, Binding{Access::renamed, around.all.variable(id).name, ""})
            .second)
      kernel.head.push_back({.is = Name::Is::own, .variable = id});
}

} // namespace

void bind_named(Around& around) {
  for (std::size_t up = around.directive->parent; up != none;
       up = around.all.unit.directives[up].parent)
    for (const Clause& clause : around.all.unit.directives[up].clauses)
      if (clause.kind == ClauseKind::deviceptr)
        for (const Section& section : clause.sections)
          around.bound.insert(section.variable);
  for (const Directive& declare : around.all.unit.directives)
    if (declare.construct == Construct::declare && declare.function != none &&
        declare.function == around.directive->function)
      for (const Clause& clause : declare.clauses)
        if (clause.kind == ClauseKind::deviceptr)
          for (const Section& section : clause.sections)
            around.bound.insert(section.variable);
  for (const Clause& clause : around.directive->clauses) {
    if (!rule_of(clause.kind).holds)
      continue;
    for (const Section& section : clause.sections) {
      const bool reduced = is_reduced(around.directive, section.variable) ||
                           reduced_within(around, section.variable);
      if (reduced && around.all.variable(section.variable).shape == Shape::scalar &&
          !is_held(around, section.variable))
        continue; // the reduction brings it back
      if (clause.kind == ClauseKind::deviceptr) {
        around.bound.insert(section.variable);
        continue;
      }
      if (section.extents.empty() && clause.kind != ClauseKind::present)
        require_lengths(section);
      around.compute.bindings[section.variable] = {};
    }
  }
}

void bind_others(Around& around) {
  std::set<std::size_t> seen;
  std::set<std::size_t> counted; ///< loops' indices, which kernels have for themselves
  std::set<std::size_t> named;
  for (const auto& [id, binding] : around.compute.bindings)
    named.insert(id);
  around.compute.bindings.clear();
  add_mirrors(around);
  for (const Use& use : around.directive->uses) {
    if (!is_in_kernels(around, use) || !seen.insert(use.variable).second ||
        around.bound.contains(use.variable))
      continue;
    const Variable& used = around.all.variable(use.variable);
    if (is_private_to_kernels(around, use.variable))
      continue;
    if (const std::size_t owner = owner_on_device(around, use.variable);
        owner != none && !is_on_device(around, use.variable)) {
      if (seen.insert(owner).second)
        bind_array(around, owner);
      bind_member(around, use.variable, owner);
      continue;
    }
    if (used.shape == Shape::scalar &&
        (named.contains(use.variable) || is_on_device(around, use.variable)) &&
        has_own_everywhere(around, use.variable)) {
      counted.insert(use.variable);
      continue;
    }
    if (used.shape == Shape::scalar && is_carried(around, use.variable)) {
      keep_apart(around, use.variable);
      bind_array(around, use.variable);
      continue;
    }
    if (used.shape == Shape::array && is_reducer(around, used.name) &&
        !is_held(around, use.variable))
      continue;
    if (used.shape != Shape::scalar && firstprivate(around, use.variable)) {
      bind_firstprivate(around, use.variable);
      continue;
    }
    if (used.table) {
      bind_rows(around, use.variable);
      continue;
    }
    if (used.shape == Shape::other && !is_on_device(around, use.variable)) {
      bind_other_shape(around, use.variable);
      continue;
    }
    if (used.shape == Shape::scalar && !named.contains(use.variable) &&
        around.all.region_of(around.id, use.variable).first == none &&
        !around.all.is_declared(use.variable))
      continue; // find_values
    if (used.shape == Shape::scalar && is_reducer(around, used.name) &&
        !is_held(around, use.variable))
      continue;
    bind_array(around, use.variable);
  }
  // The region still moves an array that a clause names and no kernel uses.
  for (const Clause& clause : around.directive->clauses)
    if (rule_of(clause.kind).holds && clause.kind != ClauseKind::deviceptr)
      for (const Section& section : clause.sections)
        if (named.contains(section.variable) &&
            (!seen.contains(section.variable) || counted.contains(section.variable)) &&
            !section.extents.empty() &&
            around.all.region_of(around.id, section.variable).first == none)
          around.compute.data.push_back(entry_of(around.all, clause, section));
}

} // namespace gangway::port
