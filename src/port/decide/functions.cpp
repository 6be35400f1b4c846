// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/functions.hpp"

#include "port/decide/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gangway::port {
namespace {

/// A `routine gang` is called by all threads of all teams, which share out the iterations of its
/// loops: nothing else may be in it.
void require_gang_loops(Decisions& all, const Directive& directive) {
  const auto fail = [](const std::string& why) {
    throw Refusal{fmt::format("routine gang, and {}", why),
                  "the loop over the gangs in the caller, the function for one", "routine"};
  };
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
    if (own == nullptr || own->construct != "loop" || piece.loops.empty() ||
        own->clause("seq") != nullptr)
      fail("there is more in it than loops over gangs");
    if (own->clause("reduction") != nullptr || own->clause("collapse") != nullptr ||
        own->clause("tile") != nullptr)
      fail("a loop of it has 'reduction', 'collapse' or 'tile'");
    if (const Loop& loop = piece.loops.front(); !loop.problem.empty() || loop.macro_continues)
      fail(fmt::format("the loop in line {} is no range", loop.place.line));
  }
}

/// What speaks against calling the function in a kernel.
std::string check_function(Decisions& all, std::size_t id) {
  if (const auto found = all.checked.find(id); found != all.checked.end())
    return found->second;
  all.checked[id] = ""; // also of a function that calls itself
  const Function& function = all.unit.functions[id];
  std::string problem;
  if (function.is_member)
    problem = fmt::format("'{}' is a member function", function.name);
  else if (function.is_main)
    problem = "'main' is called";
  for (const Obstacle& obstacle : function.obstacles)
    if (!obstacle.what.starts_with("a return"))
      problem =
          fmt::format("'{}' has {} (line {})", function.name, obstacle.what, obstacle.place.line);
  for (const Use& use : function.globals)
    if (!all.variable(use.variable).constant && all.variable(use.variable).initializer.empty())
      problem = fmt::format("'{}' names the global variable '{}'", function.name,
                            all.variable(use.variable).name);
  const bool is_routine = std::any_of(
      all.unit.directives.begin(), all.unit.directives.end(),
      [&](const Directive& other) { return other.construct == "routine" && other.function == id; });
  for (const Directive& within_it : all.unit.directives) {
    if (within_it.function != id || within_it.construct == "routine")
      continue;
    const bool is_plain =
        within_it.construct == "loop" ||
        (within_it.construct.starts_with("atomic") && within_it.atomic.problem.empty());
    if (!is_routine || !is_plain)
      problem =
          fmt::format("'{}' has the directive '{}' in it", function.name, within_it.construct);
  }
  for (const Call& call : function.calls)
    if (problem.empty())
      problem = check_call(all, call);
  all.checked[id] = problem;
  return problem;
}

} // namespace

void decide_routine(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  if (directive.clause("gang") != nullptr)
    require_gang_loops(all, directive);
  for (const char* const level : {"worker", "vector"})
    if (directive.clause(level) != nullptr)
      note(all.plan.verdicts[id],
           fmt::format("'{}': each thread that calls it does its loops in order; for a team it "
                       "would take the member",
                       level));
  if (directive.function == none)
    throw Refusal{"routine for a function that this file does not define",
                  "KOKKOS_FUNCTION before it where it is defined, in a header", "routine"};
  if (const std::string problem = check_function(all, directive.function); !problem.empty())
    throw Refusal{problem, "write it without", "routine"};
  all.plan.device_functions[directive.function] = true;
  all.plan.gang_functions[directive.function] = directive.clause("gang") != nullptr;
}

bool is_gang_routine(const Decisions& all, std::size_t function) {
  return std::any_of(all.unit.directives.begin(), all.unit.directives.end(),
                     [&](const Directive& one) {
                       return one.construct == "routine" && one.function == function &&
                              one.clause("gang") != nullptr;
                     });
}

void decide_orphan(Decisions& all, std::size_t id) {
  const Directive& directive = all.unit.directives[id];
  Verdict& verdict = all.plan.verdicts[id];
  if (directive.construct != "loop")
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
  if (directive.clause("seq") == nullptr)
    tell_of_levels(directive, verdict);
  for (const Clause& clause : directive.clauses)
    if (clause.name == "private" && !clause.sections.empty())
      throw Refusal{fmt::format("'private({})' in a function", clause.sections.front().text),
                    "a variable that is declared in the loop", "private"};
}

std::string check_call(Decisions& all, const Call& call) {
  if (call.name == "acc_on_device" && call.function == none)
    return "";
  if (!device_function(call).empty()) {
    if (all.unit.is_c && call.name.ends_with("abs") && !call.name.starts_with("f"))
      return fmt::format("it calls '{}', which in C takes whole numbers only", call.name);
    if (call.macro && using_for(call).empty())
      return fmt::format("a macro calls '{}'", call.name);
    return "";
  }
  if (call.function != none)
    return check_function(all, call.function);
  if (call.constant && !call.system)
    return "";
  if (call.system)
    return fmt::format("it calls '{}', of which Kokkos has no device function that is known here",
                       call.name);
  return fmt::format("it calls '{}', which is defined in another file", call.name);
}

void mark_called(Decisions& all, const std::vector<Call>& calls, Verdict& verdict) {
  for (const Call& call : calls) {
    if (call.constant && call.function == none && device_function(call).empty())
      assume(verdict, fmt::format("'{}' of another file is constexpr: nvcc takes it with "
                                  "--expt-relaxed-constexpr, or "
                                  "give it KOKKOS_FUNCTION",
                                  call.name));
    if (call.function == none || all.plan.device_functions[call.function])
      continue;
    all.plan.device_functions[call.function] = true;
    if (all.unit.functions[call.function].declared_elsewhere)
      assume(verdict, fmt::format("'{}' is declared in a header, too: nvcc wants KOKKOS_FUNCTION "
                                  "there as well",
                                  call.name));
    mark_called(all, all.unit.functions[call.function].calls, verdict);
  }
}

void check_atomic(Decisions& all, std::size_t id, const Directive& directive) {
  if (!directive.atomic.problem.empty())
    throw Refusal{fmt::format("{} (line {})", directive.atomic.problem, directive.place.line),
                  "a loop around Kokkos::atomic_compare_exchange", "atomic"};
  if (directive.atomic.rounds)
    note(all.plan.verdicts[id],
         "the operand is rounded to the target's type before the operation, not after it");
}

void tell_of_levels(const Directive& directive, Verdict& verdict) {
  for (const char* const clause : {"collapse", "tile"})
    if (directive.clause(clause) != nullptr)
      note(verdict, fmt::format("'{}' is dropped: each thread does the loops in order", clause));
  const bool is_level = directive.clause("worker") != nullptr ||
                        directive.clause("vector") != nullptr ||
                        directive.clause("gang") != nullptr;
  note(verdict, is_level ? "each thread does it in order: where it is long, a team shares it out "
                           "faster, by `loop_worker` and `loop_vector` "
                           "(porting guide, gang-worker-vector)"
                         : "each thread does it in order; a level of its own is a team's");
}

} // namespace gangway::port
