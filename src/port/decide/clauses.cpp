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

/// `device_type` is no list of clauses there, but what is meant.
bool stands_for_devices(const Directive& directive) {
  return directive.construct == "set" || directive.construct == "init" ||
         directive.construct == "shutdown";
}

/// Whether openacc.h declares it, as far as is known here.
bool is_of_runtime(const std::string& name) {
  return rule_of(name, Kind::routine) != nullptr || name.starts_with("acc_device_") ||
         name.starts_with("acc_async_");
}

} // namespace

void check_clauses(Decisions& all, std::size_t id, std::size_t told) {
  const Directive& directive = all.unit.directives[id];
  Verdict& verdict = all.plan.verdicts[told];
  for (const Obstacle& obstacle : directive.obstacles)
    if (obstacle.span.begin == directive.pragma.begin)
      throw Refusal{obstacle.what, obstacle.by_hand, ""};
  for (const Span& name : all.unit.runtime_names)
    if (directive.pragma.holds(name) && is_of_runtime(all.text(name)))
      throw Refusal{fmt::format("'{}' in a clause", all.text(name)),
                    "a variable for it before the directive", "the-runtime-library"};
  for (const Clause& clause : directive.clauses) {
    const Rule* const rule = rule_of(clause.name, Kind::clause);
    if (rule == nullptr)
      throw Refusal{fmt::format("the clause '{}'", clause.name), "there is no rule for it", ""};
    if (rule->outcome == Outcome::refused)
      throw Refusal{fmt::format("the clause '{}'", clause.name == "self()" ? "self" : clause.name),
                    std::string(rule->becomes), std::string(rule->row)};
    for (const std::string& modifier : clause.modifiers)
      if (modifier != "zero")
        throw Refusal{fmt::format("the modifier '{}' of '{}'", modifier, clause.name),
                      "an update before or after the region", "update"};
    for (const Section& section : clause.sections)
      if (section.variable != none && all.variable(section.variable).holds_pointers &&
          is_data_clause(clause.name))
        throw Refusal{fmt::format("the elements of '{}', of type {}, have pointers in them",
                                  section.text, all.variable(section.variable).element),
                      "a data clause, and a View, for each array they lead to",
                      "the-name-that-hides"};
    for (const Section& section : clause.sections)
      if (section.declared && clause.name != "use_device" && clause.name != "deviceptr")
        assume(verdict, fmt::format("'{}' has the length {}, which the declaration of the "
                                    "parameter says. Check that callers' arrays are as long",
                                    section.text, section.extents.front()));
    for (const Section& section : clause.sections)
      if (!section.problem.empty() && clause.name != "private" && clause.name != "firstprivate" &&
          clause.name != "reduction")
        throw Refusal{section.problem, "name contiguous arrays of numbers, with their lengths",
                      "data-copy-copyin-copyout-create"};
    if (clause.name == "device_num")
      assume(verdict, "'device_num' has to be that of Kokkos' own device, or this throws "
                      "RuntimeError: give it to the ScopeGuard in main, or as KOKKOS_DEVICE_ID");
    if (clause.name == "device_type" && stands_for_devices(directive)) {
      if (contains(clause.arguments, std::string("host")))
        throw Refusal{"'device_type(host)'", "nothing: Kokkos' device is chosen when it is built",
                      "the-runtime-library"};
      assume(verdict, "'device_type' is left out: Kokkos has the devices that it was built for");
    } else if (clause.name == "device_type")
      assume(verdict, "device_type and the clauses behind it are left out: look whether the "
                      "shape matters, and "
                      "say it with gangway::for_device");
    if (!all.queues && (clause.name == "async" || clause.name == "wait"))
      note(verdict,
           fmt::format("'{}' is dropped: everything is on one queue, in the order of the source",
                       clause.name));
  }
}

bool is_data_clause(const std::string& name) {
  return name == "copy" || name == "copyin" || name == "copyout" || name == "create" ||
         name == "present" || name == "deviceptr" || name == "device_resident";
}

bool is_read_only(const Variable& named) {
  return named.element_const && !named.reference &&
         (named.shape == Shape::array || named.shape == Shape::scalar);
}

std::string clause_for(const std::string& clause, const Variable& named) {
  const bool copies_back = clause == "copy" || clause == "copyout";
  return copies_back && is_read_only(named) ? "copyin" : clause;
}

void require_one_section_each(const Directive& directive) {
  std::set<std::size_t> seen;
  for (const Clause& clause : directive.clauses)
    if (is_data_clause(clause.name))
      for (const Section& section : clause.sections)
        if (section.variable != none && !seen.insert(section.variable).second)
          throw by_rule("two sections of one array",
                        fmt::format("'{}' is named a second time", section.text));
}

void require_lengths(const Section& section) {
  if (section.extents.empty())
    throw Refusal{fmt::format("'{}' has no length", section.text),
                  "write its section, as in a[0:n]", "data-copy-copyin-copyout-create"};
}

bool is_bare_pointer(const Decisions& all, const Section& section) {
  return section.extents.empty() && section.variable != none &&
         all.variable(section.variable).shape == Shape::pointer;
}

std::string plain_name(const Variable& named) {
  if (!named.member)
    return named.name;
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
  entry.clause = clause.name == "device_resident"
                     ? "create"
                     : clause_for(clause.name, all.variable(section.variable));
  entry.section = section;
  entry.view = all.unit.fresh(plain_name(all.variable(section.variable)) + "_view");
  entry.zero = contains(clause.modifiers, std::string("zero"));
  if (entry.zero && section.rows)
    throw Refusal{fmt::format("'zero' of the rows '{}'", section.text), "a kernel that sets them",
                  "rows-of-pointers"};
  return entry;
}

std::string queue_of(const Decisions& all, const Directive& directive) {
  const Clause* const async = directive.clause("async");
  return !all.queues || async == nullptr ? "" : fmt::format("gangway::queue({})", async->argument);
}

std::vector<std::string> waits_for(const Decisions& all, const std::vector<std::string>& queues,
                                   const std::string& own) {
  if (!all.queues || queues.empty())
    return {"Kokkos::fence();"};
  std::vector<std::string> lines;
  for (const std::string& queue : queues)
    lines.push_back(own.empty()
                        ? fmt::format("gangway::queue({}).fence();", queue)
                        : fmt::format("gangway::wait_async(gangway::queue({}), {});", queue, own));
  return lines;
}

std::vector<std::string> waits_of(const Decisions& all, const Directive& directive) {
  std::vector<std::string> lines;
  for (const Clause& clause : directive.clauses)
    if (all.queues && clause.name == "wait")
      for (const std::string& line : waits_for(all, clause.arguments, queue_of(all, directive)))
        lines.push_back(line);
  return lines;
}

std::string host_of(const Decisions& all, const Section& section) {
  return host_address(section, all.variable(section.variable));
}

std::string arguments_of(const Decisions& all, const Section& section) {
  return fmt::format("{}, {}", host_of(all, section), fmt::join(section.extents, ", "));
}

} // namespace gangway::port
