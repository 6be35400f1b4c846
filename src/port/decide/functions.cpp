// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/functions.hpp"

#include "port/decide/decisions.hpp"
#include "port/device_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gangway::port {
namespace {

/// Requires that a `routine gang` has only loops over gangs, because all threads of all teams call
/// it and share out the iterations of its loops.
void require_gang_loops(Decisions& all, const Directive& directive) {
  const auto fail = [](const std::string& why) { throw Refusal(say<Code::gang_routine>(why)); };
  if (directive.function == none)
    return; // said below
  const Function& function = all.unit.functions[directive.function];
  if (function.returns || !function.has_parameters)
    fail("the function returns something, or takes nothing");
  for (const Function& other : all.unit.functions)
    for (const Call& call : other.calls)
      if (call.function == directive.function)
        fail(fmt::format("'{}' calls it outside of a construct", other.name));
  for (const Piece& piece : function.pieces) {
    if (piece.declares)
      continue;
    const Directive* const own =
        piece.directive == none ? nullptr : &all.unit.directives[piece.directive];
    if (own == nullptr || own->construct != Construct::loop || piece.loops.empty() ||
        own->clause(ClauseKind::seq) != nullptr)
      fail("there is more in it than loops over gangs");
    if (own->clause(ClauseKind::reduction) != nullptr ||
        own->clause(ClauseKind::collapse) != nullptr || own->clause(ClauseKind::tile) != nullptr)
      fail("a loop of it has 'reduction', 'collapse' or 'tile'");
    if (const Loop& loop = piece.loops.front(); !loop.problem.empty() || loop.macro_continues)
      fail(fmt::format("the loop in line {} is no range", loop.place.line));
  }
}

/// Returns the given file that defines the function, and its number there; empty if none does.
std::optional<std::pair<Decisions*, std::size_t>> definition_of(const Decisions& all,
                                                                std::size_t outside) {
  const auto found = all.program.functions.find(all.unit.outside[outside].symbol);
  if (found == all.program.functions.end() || found->second.first == nullptr)
    return std::nullopt;
  return found->second;
}

bool is_routine(const Decisions& all, std::size_t function) {
  return std::any_of(all.unit.directives.begin(), all.unit.directives.end(),
                     [&](const Directive& one) {
                       return one.construct == Construct::routine && one.function == function;
                     }) ||
         std::any_of(all.unit.header_routines.begin(), all.unit.header_routines.end(),
                     [&](const HeaderRoutine& one) { return one.function == function; });
}

bool is_gang_outside(const Decisions& all, std::size_t outside) {
  return std::any_of(all.unit.directives.begin(), all.unit.directives.end(),
                     [&](const Directive& one) {
                       return one.outside == outside && one.clause(ClauseKind::gang) != nullptr;
                     }) ||
         std::any_of(all.unit.header_routines.begin(), all.unit.header_routines.end(),
                     [&](const HeaderRoutine& one) { return one.outside == outside && one.gang; });
}

/// Returns the reason why a kernel cannot call the function; empty if it can.
std::optional<Message> check_function(Decisions& all, std::size_t id) {
  if (const auto found = all.checked.find(id); found != all.checked.end())
    return found->second;
  all.checked[id] = std::nullopt; // also of a function that calls itself
  const Function& function = all.unit.functions[id];
  std::optional<Message> problem;
  const auto is_unfit = [&](const std::string& why) {
    problem = say<Code::unfit_function>(function.name, why);
  };
  if (function.is_member)
    is_unfit("is a member function");
  else if (function.is_main)
    is_unfit("is called");
  for (const Obstacle& obstacle : function.obstacles)
    if (!obstacle.is_return)
      is_unfit(fmt::format("has {} (line {})", obstacle.message.text, obstacle.place.line));
  for (const Use& use : function.globals)
    if (!all.variable(use.variable).constant && all.variable(use.variable).initializer.empty())
      is_unfit(fmt::format("names the global variable '{}'", all.variable(use.variable).name));
  for (const Directive& within_it : all.unit.directives) {
    if (within_it.function != id || within_it.construct == Construct::routine)
      continue;
    const bool is_plain = within_it.construct == Construct::loop ||
                          (is_atomic(within_it.construct) && within_it.atomic.problem.empty());
    if (!is_routine(all, id) || !is_plain)
      is_unfit(fmt::format("has the directive '{}' in it", within_it.construct));
  }
  for (const Call& call : function.calls)
    if (!problem)
      problem = check_call(all, call);
  all.checked[id] = problem;
  return problem;
}

/// Returns why kernels cannot call a function that another file defines; empty if they can.
std::optional<Message> check_outside(const Decisions& all, std::size_t outside) {
  const auto [file, function] = *definition_of(all, outside);
  const std::string& name = all.unit.outside[outside].name;
  if (is_gang_outside(all, outside) || is_gang_routine(*file, function))
    return say<Code::unfit_function>(name, "is a routine gang of another file");
  std::optional<Message> problem = check_function(*file, function);
  if (problem)
    problem->text += fmt::format(" (in {})", file->unit.file);
  return problem;
}

void mark_function(Decisions& all, std::size_t function, Verdict& verdict) {
  if (all.plan.device_functions[function])
    return;
  all.plan.device_functions[function] = true;
  const Function& marked = all.unit.functions[function];
  if (!marked.header.empty())
    tell(verdict, say<Code::declared_in_header>(marked.name, marked.header));
  mark_called(all, marked.calls, verdict);
}

void mark_outside(Decisions& all, std::size_t outside, Verdict& verdict) {
  const auto [file, function] = *definition_of(all, outside);
  const Outside& called = all.unit.outside[outside];
  all.plan.device_outside[outside] = true;
  tell(verdict, say<Code::in_other_file>(called.name, file->unit.file));
  if (!called.header.empty())
    tell(verdict, say<Code::declared_in_header>(called.name, called.header));
  if (!is_routine(*file, function))
    file->called_from.emplace(function, all.unit.file);
  mark_function(*file, function, verdict);
}

} // namespace

void decide_header_routines(Decisions& all) {
  for (const HeaderRoutine& routine : all.unit.header_routines) {
    std::string why = "it stands in a header";
    if (routine.outside != none && definition_of(all, routine.outside)) {
      why.clear(); // the file that defines it says what speaks against it
    } else if (routine.function != none && !routine.gang) {
      const std::optional<Message> problem = check_function(all, routine.function);
      why = problem ? problem->text : "";
      Verdict notes; // of the directive in the header, which is no directive of this file
      if (!problem)
        mark_function(all, routine.function, notes);
      for (const Message& note : notes.said)
        all.plan.remarks.push_back({all.unit.functions[routine.function].place, note});
    }
    if (why.empty())
      all.plan.header_routines.emplace(routine.header, routine.line);
    else
      all.plan.remarks.push_back(
          {{0, 0}, say<Code::in_another_file>(routine.header, routine.line, why)});
  }
}

void decide_routine(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  if (directive.clause(ClauseKind::gang) != nullptr)
    require_gang_loops(all, directive);
  for (const ClauseKind level : {ClauseKind::worker, ClauseKind::vector})
    if (directive.clause(level) != nullptr)
      tell(all.plan.verdicts[id], say<Code::routine_level>(level));
  if (directive.function == none) {
    if (directive.outside == none || !definition_of(all, directive.outside))
      throw Refusal(say<Code::routine_elsewhere>());
    if (std::optional<Message> problem = check_outside(all, directive.outside))
      throw Refusal(std::move(*problem));
    return mark_outside(all, directive.outside, all.plan.verdicts[id]);
  }
  if (std::optional<Message> problem = check_function(all, directive.function))
    throw Refusal(std::move(*problem));
  mark_function(all, directive.function, all.plan.verdicts[id]);
  all.plan.gang_functions[directive.function] = directive.clause(ClauseKind::gang) != nullptr;
}

bool is_gang_routine(const Decisions& all, std::size_t function) {
  return std::any_of(all.unit.directives.begin(), all.unit.directives.end(),
                     [&](const Directive& one) {
                       return one.construct == Construct::routine && one.function == function &&
                              one.clause(ClauseKind::gang) != nullptr;
                     }) ||
         std::any_of(
             all.unit.header_routines.begin(), all.unit.header_routines.end(),
             [&](const HeaderRoutine& one) { return one.function == function && one.gang; });
}

void decide_orphan(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  Verdict& verdict = all.plan.verdicts[id];
  if (directive.construct != Construct::loop)
    return check_atomic(all, id, directive);
  verdict.becomes = "a plain loop in each thread";
  if (all.plan.gang_functions[directive.function]) {
    const auto& pieces = all.unit.functions[directive.function].pieces;
    if (std::any_of(pieces.begin(), pieces.end(),
                    [&](const Piece& piece) { return piece.directive == id; })) {
      verdict.becomes = "`gangway::loop_gang_vector`, whose iterations all lanes share out";
      return;
    }
  }
  if (directive.clause(ClauseKind::seq) == nullptr)
    tell_of_levels(directive, verdict);
  for (const Clause& clause : directive.clauses)
    if (clause.kind == ClauseKind::private_ && !clause.sections.empty())
      throw Refusal(say<Code::private_in_routine>(clause.sections.front().text));
}

std::optional<Message> check_call(Decisions& all, const Call& call) {
  if (call.name == "acc_on_device" && call.function == none)
    return std::nullopt;
  if (is_everywhere(call))
    return std::nullopt;
  if (!device_function(call).empty()) {
    if (all.unit.is_c && call.name.ends_with("abs") && !call.name.starts_with("f"))
      return say<Code::c_takes_whole_numbers>(call.name);
    if (call.macro && (!fits_by_using(call) || (!all.unit.is_c && !call.casts.empty())))
      return say<Code::macro_calls>(call.name);
    return std::nullopt;
  }
  if (call.function != none)
    return check_function(all, call.function);
  if (call.outside != none && definition_of(all, call.outside))
    return check_outside(all, call.outside);
  if (call.constant && !call.system)
    return std::nullopt;
  if (call.system)
    return say<Code::no_device_function>(call.name);
  return say<Code::defined_elsewhere>(call.name);
}

void mark_called(Decisions& all, const std::vector<Call>& calls, Verdict& verdict) {
  for (const Call& call : calls) {
    if (call.constant && call.function == none && device_function(call).empty())
      tell(verdict, say<Code::constexpr_elsewhere>(call.name));
    if (call.function != none)
      mark_function(all, call.function, verdict);
    else if (call.outside != none && definition_of(all, call.outside))
      mark_outside(all, call.outside, verdict);
  }
}

void check_atomic(Decisions& all, std::size_t id, const Directive& directive) {
  if (!directive.atomic.problem.empty())
    throw Refusal(say<Code::atomic_form>(directive.atomic.problem, directive.place.line));
  if (directive.atomic.rounds)
    tell(all.plan.verdicts[id], say<Code::atomic_rounds>());
}

void tell_of_levels(const Directive& directive, Verdict& verdict) {
  for (const ClauseKind clause : {ClauseKind::collapse, ClauseKind::tile})
    if (directive.clause(clause) != nullptr)
      tell(verdict, say<Code::loops_in_order>(clause));
  const bool is_level = directive.clause(ClauseKind::worker) != nullptr ||
                        directive.clause(ClauseKind::vector) != nullptr ||
                        directive.clause(ClauseKind::gang) != nullptr;
  tell(verdict, say<Code::in_order>(
                    is_level ? ": where it is long, a team shares it out faster, by `loop_worker` "
                               "and `loop_vector` (porting guide, gang-worker-vector)"
                             : "; a level of its own is a team's"));
}

} // namespace gangway::port
