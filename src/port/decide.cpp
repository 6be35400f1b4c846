// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide.hpp"

#include "base/contains.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/compute.hpp"
#include "port/decide/data.hpp"
#include "port/decide/decisions.hpp"
#include "port/decide/functions.hpp"
#include "port/decide/runtime.hpp"
#include "port/decide/verified.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

namespace gangway::port {
namespace {

/// Returns whether a part of the text has only white space, comments and preprocessor lines.
bool is_beside(const std::string& text, Span part) {
  for (unsigned at = part.begin; at < part.end;) {
    const std::string_view rest = std::string_view(text).substr(at, part.end - at);
    if (std::isspace(static_cast<unsigned char>(rest.front())) != 0)
      ++at;
    else if (rest.starts_with("#"))
      at = lines_from(at, at, text).end;
    else if (rest.starts_with("//"))
      at += static_cast<unsigned>(std::min(rest.find('\n'), rest.size()));
    else if (rest.starts_with("/*"))
      at += static_cast<unsigned>(std::min(rest.find("*/", 2), rest.size() - 2) + 2);
    else
      return false;
  }
  return true;
}

/// Removes the pragmas of other kinds on a loop that becomes a kernel, or in it.
void remove_other_pragmas(Decisions& all) {
  for (const OtherPragma& other : all.unit.other_pragmas) {
    bool goes = false;
    for (std::size_t id = 0; id < all.unit.directives.size(); ++id) {
      const Directive& directive = all.unit.directives[id];
      const bool is_kernel =
          directive.is_compute() && all.plan.verdicts[id].outcome != Outcome::refused;
      goes = goes || (is_kernel &&
                      (Span{directive.pragma.end, directive.statement.end}.holds(other.lines) ||
                       (other.lines.end <= directive.pragma.begin &&
                        is_beside(all.unit.text, {other.lines.end, directive.pragma.begin}))));
    }
    for (std::size_t f = 0; f < all.unit.functions.size(); ++f)
      for (const Piece& piece : all.unit.functions[f].pieces)
        goes = goes || (all.plan.device_functions[f] &&
                        (piece.span.holds(other.lines) ||
                         (other.lines.end <= piece.span.begin && !piece.loops.empty() &&
                          is_beside(all.unit.text, {other.lines.end, piece.span.begin}))));
    if (!goes)
      continue;
    all.plan.removed.push_back(other.lines);
    all.plan.remarks.push_back({other.place, say<Code::other_pragma>(other.text)});
  }
}

/// Requires that one thread of the host launches the kernel, as Kokkos does.
void require_one_thread(const Decisions& all, const Directive& directive) {
  for (const OtherPragma& other : all.unit.other_pragmas)
    if (other.applies.holds(directive.pragma) &&
        !is_beside(all.unit.text, {other.lines.end, directive.pragma.begin}))
      throw Refusal(say<Code::several_threads>(other.text, other.place.line));
}

void decide_one(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  check_clauses(all, id, id);
  if (directive.is_compute() || directive.construct == Construct::data ||
      directive.construct == Construct::declare)
    require_one_section_each(directive);
  if (directive.is_compute()) {
    require_one_thread(all, directive);
    decide_compute(all, id);
  } else if (directive.construct == Construct::data)
    decide_region(all, id);
  else if (directive.construct == Construct::declare)
    decide_declare(all, id);
  else if (directive.construct == Construct::set || directive.construct == Construct::init)
    decide_set(all, id);
  else if (directive.construct == Construct::host_data)
    decide_host_data(all, id);
  else if (directive.construct == Construct::routine)
    decide_routine(all, id);
  else if (directive.construct == Construct::wait)
    all.plan.statements[id].actions = waits_for(all, directive.queues, queue_of(all, directive));
  else if ((directive.construct == Construct::loop || is_atomic(directive.construct)) &&
           directive.function != none && all.plan.device_functions[directive.function])
    decide_orphan(all, id);
  else if (directive.construct == Construct::loop || is_atomic(directive.construct))
    throw Refusal(say<Code::orphan>(directive.construct));
  else if (directive.construct == Construct::cache || directive.construct == Construct::shutdown)
    return; // it has no effect
  else
    decide_executable(all, id);
}

void mark_regions(Decisions& all) {
  for (const auto& [place, written] : all.region_uses) {
    Entry& entry = all.plan.regions.at(place.first)[place.second];
    entry.used = true;
    entry.written = written;
  }
}

/// Remarks on each kernel that stays in a region, because it runs on the host, whose arrays are not
/// those of the region.
void tell_what_stays_in_regions(Decisions& all) {
  for (std::size_t id = 0; id < all.unit.directives.size(); ++id) {
    const Directive& directive = all.unit.directives[id];
    if (all.plan.verdicts[id].outcome != Outcome::refused || all.unit.compute_around(id) != none)
      continue;
    for (std::size_t up = directive.parent; up != none; up = all.unit.directives[up].parent)
      if (all.unit.directives[up].construct == Construct::data &&
          all.plan.verdicts[up].outcome != Outcome::refused)
        tell(all.plan.verdicts[up],
             say<Code::stays_in_region>(directive.construct, directive.place.line));
  }
}

/// Remarks on each kernel that stays and uses arrays that a translated `enter data` holds.
void tell_what_stays_behind_enter_data(Decisions& all) {
  for (std::size_t id = 0; id < all.unit.directives.size(); ++id) {
    const Directive& directive = all.unit.directives[id];
    if (!directive.is_compute() || all.plan.verdicts[id].outcome != Outcome::refused)
      continue;
    for (std::size_t before = 0; before < id; ++before) {
      const Directive& enter = all.unit.directives[before];
      if (enter.construct != Construct::enter_data || enter.function != directive.function ||
          all.plan.verdicts[before].outcome == Outcome::refused)
        continue;
      std::vector<std::string> held;
      for (const Clause& clause : enter.clauses)
        for (const Section& section : clause.sections)
          if (std::any_of(directive.uses.begin(), directive.uses.end(),
                          [&](const Use& use) { return use.variable == section.variable; }))
            held.push_back(section.text);
      if (held.empty())
        continue;
      const std::string arrays = fmt::format("{}", fmt::join(held, ", "));
      all.plan.remarks.push_back(
          {directive.place,
           say<Code::stays_behind_enter_data>(directive.construct, directive.place.line,
                                              enter.construct, enter.place.line, arrays)
               .by(fmt::format("`update_self` before it, as of `#pragma acc update self({0})`, and "
                               "`update_device` after it, as of `#pragma acc update device({0})`",
                               arrays))});
    }
  }
}

void decide_runtime_calls(Decisions& all) {
  for (const RuntimeCall& call : all.unit.runtime_calls) {
    const auto [goes, message] = decide_runtime_call(call);
    all.plan.runtime.push_back(goes);
    all.plan.changes = all.plan.changes || goes;
    all.plan.remarks.push_back({call.place, message});
  }
  for (const RuntimeName& name : all.unit.device_names) {
    bool goes = !name.stays && !runtime_name(name.name).empty();
    bool in_call = false;
    for (std::size_t i = 0; i < all.unit.runtime_calls.size(); ++i)
      if (all.unit.runtime_calls[i].whole.holds(name.span)) {
        in_call = true;
        goes = goes && all.plan.runtime[i]; // what stays keeps what it is asked for
      }
    all.plan.names.push_back(goes);
    all.plan.changes = all.plan.changes || goes;
    if (!goes && !in_call)
      all.plan.remarks.push_back({name.place, say<Code::stays>(name.name)});
  }
  for (const Span& name : all.unit.runtime_names) {
    bool gone = false;
    for (std::size_t i = 0; i < all.unit.runtime_calls.size(); ++i)
      gone = gone || (all.plan.runtime[i] && all.unit.runtime_calls[i].whole.holds(name));
    for (std::size_t i = 0; i < all.unit.device_names.size(); ++i)
      gone = gone || (all.plan.names[i] && all.unit.device_names[i].span.holds(name));
    all.plan.keeps_openacc_header = all.plan.keeps_openacc_header || !gone;
  }
}

/// Makes `main` begin Kokkos.
void give_guard(Decisions& all) {
  for (const Function& function : all.unit.functions)
    if (function.is_main) {
      all.plan.guard = all.plan.changes = true;
      if (all.unit.uses_mpi)
        all.plan.remarks.push_back({function.place, say<Code::mpi>()});
    }
}

void decide_others(Decisions& all) {
  for (const auto* remarks : {&all.unit.strays, &all.unit.told})
    for (const Obstacle& one : *remarks)
      all.plan.remarks.push_back({one.place, one.message});
  all.plan.changes =
      std::any_of(all.plan.verdicts.begin(), all.plan.verdicts.end(),
                  [](const Verdict& verdict) { return verdict.outcome != Outcome::refused; }) ||
      base::contains(all.plan.device_functions, true) ||
      base::contains(all.plan.device_outside, true);
  for (const auto& [function, file] : all.called_from) {
    const Function& called = all.unit.functions[function];
    all.plan.remarks.push_back({called.place, say<Code::called_from>(called.name, file)});
  }
  decide_runtime_calls(all);
  if (all.plan.keeps_openacc_header)
    for (const OpenaccBranches& branches : all.unit.openacc_branches)
      for (const Obstacle& one : branches.told)
        all.plan.remarks.push_back({one.place, one.message});
  if (all.unit.is_c && all.plan.changes)
    all.plan.remarks.push_back({{1, 1}, say<Code::names_for_linker>()});
  for (const Function& function : all.unit.functions)
    if (function.open_end != none || !function.bare_returns.empty())
      all.plan.remarks.push_back({function.place, say<Code::ends_without_value>(function.name)});
  if (all.plan.changes)
    give_guard(all);
}

void prepare(Decisions& all) {
  all.plan.verdicts.resize(all.unit.directives.size());
  all.plan.device_functions.resize(all.unit.functions.size());
  all.plan.gang_functions.resize(all.unit.functions.size());
  all.plan.device_outside.resize(all.unit.outside.size());
  all.plan.declared_name = all.unit.fresh("declared");
  for (const std::string name : {"data", "data_region", "gangway_data"})
    if (!all.unit.names.contains(name) && !all.unit.macros.contains(name) &&
        std::none_of(all.unit.variables.begin(), all.unit.variables.end(),
                     [&](const Variable& variable) { return variable.name == name; })) {
      all.plan.data_name = name;
      break;
    }
  for (std::size_t f = 0; f < all.unit.functions.size(); ++f) {
    const std::string& symbol = all.unit.functions[f].symbol;
    if (symbol.empty())
      continue;
    const auto [defined, is_first] = all.program.functions.emplace(symbol, std::pair(&all, f));
    if (!is_first)
      defined->second.first = nullptr; // which of them is meant is not known
  }
}

void decide_directives(Decisions& all) {
  for (std::size_t id = 0; id < all.unit.directives.size(); ++id) {
    const Directive& directive = all.unit.directives[id];
    Verdict& verdict = all.plan.verdicts[id];
    verdict.becomes = rule_of(directive.construct).becomes;
    verdict.row = rule_of(directive.construct).row;
    if (all.unit.compute_around(id) != none)
      continue; // it is decided with the construct around it
    try {
      decide_one(all, id);
    } catch (const Refusal& refusal) {
      refuse(all, id, refusal.message);
    }
  }
}

/// Decides the parts of a file that depend on the decisions on the directives of all files.
void decide_rest(Decisions& all, bool verify) {
  mark_regions(all);
  tell_what_stays_in_regions(all);
  tell_what_stays_behind_enter_data(all);
  remove_other_pragmas(all);
  decide_others(all);
  all.plan.verify = verify;
  if (verify)
    decide_verified(all);
  for (Verdict& verdict : all.plan.verdicts)
    for (const Message& message : verdict.said)
      verdict.outcome = std::max(verdict.outcome, message.outcome());
}

} // namespace

std::vector<Plan> decide(const std::vector<Unit>& units, bool queues, bool verify) {
  Program program;
  for (const Unit& unit : units)
    prepare(program.files.emplace_back(unit, program, queues));
  for (Decisions& file : program.files)
    decide_header_routines(file);
  for (Decisions& file : program.files)
    decide_directives(file);
  for (Decisions& file : program.files)
    decide_rest(file, verify);
  const bool any = std::any_of(program.files.begin(), program.files.end(),
                               [](const Decisions& file) { return file.plan.changes; });
  std::vector<Plan> plans;
  for (Decisions& file : program.files) {
    if (any && !file.plan.changes)
      give_guard(file);
    plans.push_back(std::move(file.plan));
  }
  return plans;
}

} // namespace gangway::port
