// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/data.hpp"

#include "base/contains.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/decisions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gangway::port {
namespace {

using base::contains;

std::vector<Entry> entries_of(const Decisions& all, const Directive& directive) {
  std::vector<Entry> entries;
  for (const Clause& clause : directive.clauses)
    if (is_data_clause(clause.name) && clause.name != "deviceptr")
      for (const Section& section : clause.sections) {
        if (clause.name == "present" && is_bare_pointer(all, section))
          continue; // kernels ask for its address
        require_lengths(section);
        entries.push_back(entry_of(all, clause, section));
        if (!is_number(section.low))
          entries.back().low_name =
              all.unit.fresh(plain_name(all.variable(section.variable)) + "_low");
      }
  return entries;
}

} // namespace

void decide_region(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  all.plan.regions[id] = entries_of(all, directive);
  if (const Clause* const condition = directive.clause("if")) {
    for (const Entry& entry : all.plan.regions[id])
      if (all.variable(entry.section.variable).shape == Shape::scalar ||
          all.variable(entry.section.variable).shape == Shape::other || entry.section.rows) {
        all.plan.regions.erase(id);
        throw Refusal{"'if' on data that holds scalars, or rows that pointers lead to",
                      "a region in each branch", "if"};
      }
    all.plan.conditions[id] = condition->argument;
    note(all.plan.verdicts[id],
         "the kernels in it ask for their arrays by themselves, and find them "
         "present if it holds them");
  }
  all.plan.waits[id] = waits_of(all, directive);
}

void decide_declare(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  if (directive.function != none) {
    if (!directive.in_function)
      throw Refusal{"'declare' in an inner block", "a data region", "declare"};
    all.plan.regions[id] = entries_of(all, directive);
    return;
  }
  if (std::none_of(all.unit.functions.begin(), all.unit.functions.end(),
                   [](const Function& function) { return function.is_main; }))
    throw Refusal{
        "'declare' of globals, and 'main' is in another file",
        "a Data in main, behind the ScopeGuard, or enter_data_create and exit_data_delete "
        "there",
        "declare"};
  for (const Entry& entry : entries_of(all, directive)) {
    const Variable& named = all.variable(entry.section.variable);
    if (named.shape == Shape::pointer || entry.section.rows || !entry.section.low.empty())
      throw Refusal{fmt::format("'declare' of '{}', which is no whole array and no number",
                                entry.section.text),
                    "enter_data where the array is made", "declare"};
    all.plan.declared.push_back(entry);
  }
}

void decide_set(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  std::vector<std::string> lines;
  for (const Clause& clause : directive.clauses)
    if (clause.name == "default_async")
      lines.push_back(fmt::format("gangway::set_default_queue({});", clause.argument));
    else if (clause.name == "device_num")
      lines.push_back(
          fmt::format("static_cast<void>(gangway::select_device({}));", clause.argument));
  if (const Clause* const condition = directive.clause("if");
      condition != nullptr && !lines.empty()) {
    lines.insert(lines.begin(), fmt::format("if ({}) {{", condition->argument));
    lines.emplace_back("}");
  }
  all.plan.statements[id] = std::move(lines);
}

void decide_host_data(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  std::vector<Entry> entries;
  for (const Clause& clause : directive.clauses)
    if (clause.name == "use_device")
      for (const Section& section : clause.sections) {
        const Variable& named = all.variable(section.variable);
        if (named.shape != Shape::pointer && named.shape != Shape::array)
          throw Refusal{fmt::format("use_device of '{}', which is no array", named.path),
                        "gangway::device_pointer of its address", "deviceptr"};
        for (const Use& use : directive.uses)
          if (use.variable == section.variable &&
              (use.macro ||
               (use.writes && use.subscripts.empty() && named.shape == Shape::pointer)))
            throw Refusal{
                fmt::format("'{}' is used by a macro, or made to point elsewhere, in the block",
                            named.path),
                "a pointer of its own from gangway::device_pointer", "deviceptr"};
        entries.push_back(entry_of(all, clause, section));
        entries.back().view = all.unit.fresh(plain_name(named) + "_device");
      }
  all.plan.host_regions[id] = std::move(entries);
}

void decide_executable(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  static const std::map<std::string, std::map<std::string, std::string>> calls{
      {"update", {{"self", "update_self"}, {"device", "update_device"}}},
      {"enter data", {{"copyin", "enter_data_copyin"}, {"create", "enter_data_create"}}},
      {"exit data", {{"copyout", "exit_data_copyout"}, {"delete", "exit_data_delete"}}}};
  const auto& names = calls.at(directive.construct);
  const std::string_view finalize = directive.clause("finalize") != nullptr ? "_finalize" : "";
  std::vector<std::string> lines;
  std::string bare;
  for (const Clause& clause : directive.clauses)
    if (const auto name = names.find(clause.name); name != names.end())
      for (Section section : clause.sections) {
        if (clause.name == "delete" && is_bare_pointer(all, section)) {
          bare += fmt::format("{}'{}'", bare.empty() ? "" : ", ", section.text);
          section.extents = {"1"}; // what holds its first element
        }
        require_lengths(section);
        if (section.rows)
          throw Refusal{fmt::format("'{}' is of rows that pointers lead to", section.text),
                        "a LinkedData with rows, or a call for each row and gangway::attach",
                        "rows-of-pointers"};
        std::string function = name->second;
        if ((clause.name == "copyout" || clause.name == "self") &&
            is_read_only(all.variable(section.variable))) {
          note(all.plan.verdicts[id],
               fmt::format("'{}' is const: nothing is copied back into it", section.text));
          if (clause.name == "self")
            continue;
          function = names.at("delete");
        }
        const std::string queue = directive.construct == "update" ? queue_of(all, directive) : "";
        const std::string call =
            queue.empty()
                ? fmt::format("gangway::{}{}({});", function, finalize, arguments_of(all, section))
                : fmt::format("gangway::{}({}, {});", function, queue, arguments_of(all, section));
        const std::string present =
            fmt::format("gangway::is_present({}, {})", host_of(all, section), elements_of(section));
        if (directive.clause("if_present") != nullptr)
          lines.push_back(fmt::format("if ({})", present));
        if (contains(clause.modifiers, std::string("zero")))
          lines.push_back(fmt::format("if (!{})\nKokkos::deep_copy({}, 0);\nelse", present,
                                      call.substr(0, call.size() - 1)));
        lines.push_back(call);
      }
  if (!bare.empty())
    assume(all.plan.verdicts[id],
           fmt::format("no length is given of {}: the whole array that was entered there is taken "
                       "to be meant, not the pointer. Look whether one was",
                       bare));
  // Data that leaves is needed by what is on its queue.
  std::vector<std::string> before = waits_of(all, directive);
  if (const std::string queue = queue_of(all, directive);
      !queue.empty() && directive.construct != "update")
    before.push_back(queue + ".fence();");
  lines.insert(lines.begin(), before.begin(), before.end());
  if (const Clause* const condition = directive.clause("if")) {
    lines.insert(lines.begin(), fmt::format("if ({}) {{", condition->argument));
    lines.emplace_back("}");
  }
  all.plan.statements[id] = std::move(lines);
}

} // namespace gangway::port
