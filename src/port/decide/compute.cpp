// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/compute.hpp"

#include "base/contains.hpp"
#include "port/decide/around.hpp"
#include "port/decide/arrays.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/decisions.hpp"
#include "port/decide/dependence.hpp"
#include "port/decide/functions.hpp"
#include "port/decide/loops.hpp"
#include "port/decide/reductions.hpp"
#include "port/decide/values.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gangway::port {
namespace {

using base::contains;

/// Returns whether one gang runs the construct; without a loop to share out it is one thread. If no
/// clause gives the number of gangs, an implementation may choose it. Loops of `worker` and
/// `vector` are shared out within one gang.
bool is_one_gang(const Around& around) {
  const Directive& directive = *around.directive;
  const Clause* const gangs = directive.clause(ClauseKind::num_gangs);
  if (directive.construct != Construct::parallel || (gangs != nullptr && gangs->number != 1))
    return false;
  if (std::any_of(directive.calls.begin(), directive.calls.end(), [&](const Call& call) {
        return call.function != none && around.all.plan.gang_functions[call.function];
      }))
    return false;
  if (gangs != nullptr && std::all_of(directive.pieces.begin(), directive.pieces.end(),
                                      [](const Piece& piece) { return piece.loops.empty(); }))
    return true;
  return std::all_of(around.inner.begin(), around.inner.end(), [&](std::size_t id) {
    const Directive& inner = around.all.unit.directives[id];
    return inner.construct != Construct::loop || (inner.clause(ClauseKind::gang) == nullptr &&
                                                  (inner.clause(ClauseKind::worker) != nullptr ||
                                                   inner.clause(ClauseKind::vector) != nullptr ||
                                                   inner.clause(ClauseKind::seq) != nullptr));
  });
}

/// Returns the array's position in the clauses, because data comes and goes in their order. Arrays
/// that no clause names come last.
std::size_t order_of(const Directive& directive, const Entry& entry) {
  std::size_t order = 0;
  for (const Clause& clause : directive.clauses)
    if (rule_of(clause.kind).holds)
      for (const Section& section : clause.sections) {
        if (section.variable == entry.section.variable)
          return order;
        ++order;
      }
  return order;
}

/// Returns why the host cannot run a statement beside the loops of `kernels`; empty if it can.
std::string why_not_on_host(const Around& around, Span span) {
  for (const std::size_t inner : around.inner)
    if (span.holds(around.all.unit.directives[inner].pragma))
      return "has directives in it";
  for (const Use& use : around.directive->uses)
    if (span.holds(use.name) && (around.all.variable(use.variable).shape != Shape::scalar ||
                                 around.all.region_of(around.id, use.variable).first != none ||
                                 around.compute.bindings.contains(use.variable)))
      return fmt::format("uses '{}'", around.all.variable(use.variable).path);
  for (const Call& call : around.directive->calls)
    if (span.holds(call.callee))
      return fmt::format("calls '{}'", call.name);
  return "";
}

unsigned line_of(const Decisions& all, Span span) {
  const auto begin = all.unit.text.begin();
  return static_cast<unsigned>(std::count(begin, begin + span.begin, '\n')) + 1;
}

/// Adds a kernel of one thread for the statement, which sets these scalars before it reads them.
void add_single(Around& around, Span statement, bool braces, std::vector<std::size_t> set_first) {
  Kernel kernel;
  kernel.label = label(around);
  kernel.policy = Policy::one;
  kernel.whole = kernel.body = statement;
  kernel.braces = braces;
  kernel.set_first = std::move(set_first);
  add_reducers_of(around, kernel, *around.directive);
  for (const std::size_t inner : around.inner)
    if (statement.holds(around.all.unit.directives[inner].statement))
      add_reducers_of(around, kernel, around.all.unit.directives[inner]);
  around.compute.kernels.push_back(std::move(kernel));
}

/// Adds a kernel in which one thread computes a constant that each gang would compute from data on
/// the device. The host gets the value, because it may bound a loop.
void add_value(Around& around, const Piece& piece) {
  for (const Use& use : around.directive->uses)
    if (use.writes && use.subscripts.empty() && piece.value.holds(use.name))
      throw Refusal(
          say<Code::written_where_set>(around.all.variable(use.variable).path, piece.constant));
  Kernel kernel;
  kernel.label = label(around);
  kernel.policy = Policy::value;
  kernel.whole = piece.span;
  kernel.body = piece.value;
  kernel.reducers.push_back({"+", piece.constant, piece.type, none, "", ""});
  around.compute.kernels.push_back(std::move(kernel));
  tell(*around.verdict, say<Code::value_kernel>(piece.constant));
}

/// Returns the call if the statement is one of a `routine gang`, or null.
const Call* gang_call(const Around& around, const Piece& piece) {
  for (const Call& call : around.directive->calls)
    if (call.callee.begin == piece.span.begin && call.function != none &&
        around.all.plan.gang_functions[call.function])
      return &call;
  return nullptr;
}

void add_gangs(Around& around, const Piece& piece, const Call& call) {
  const Directive& directive = *around.directive;
  const Clause* const gangs = directive.clause(ClauseKind::num_gangs);
  const Clause* const vector = directive.clause(ClauseKind::vector_length);
  Kernel kernel;
  kernel.label = label(around);
  kernel.policy = Policy::gangs;
  kernel.whole = kernel.body = piece.span;
  kernel.arguments = call.arguments;
  kernel.gangs = gangs == nullptr ? "1024" : gangs->argument;
  kernel.vector = vector == nullptr ? "128" : vector->argument;
  around.shapes = {ClauseKind::num_gangs, ClauseKind::vector_length};
  tell(*around.verdict,
       say<Code::gangs_in_routine>(
           call.name, gangs == nullptr ? "; no clause says how many gangs there are: 1024" : ""));
  around.compute.kernels.push_back(std::move(kernel));
}

/// Returns why the loops that a directive collapses cannot be parallel; empty if all may be.
std::string why_one_thread(const Around& around, const Piece& piece, const Directive* own,
                           bool left_open) {
  const Clause* const collapse = own == nullptr ? nullptr : own->clause(ClauseKind::collapse);
  const Clause* const tile = own == nullptr ? nullptr : own->clause(ClauseKind::tile);
  const auto together = static_cast<std::size_t>(
      std::max(collapse != nullptr ? collapse->number
                                   : static_cast<long>(tile != nullptr ? tile->sizes.size() : 1),
               1L));
  std::string why;
  for (std::size_t d = 0; why.empty() && d < std::min(together, piece.loops.size()); ++d)
    why = left_open ? dependence(around, piece, piece.loops[d], own)
                    : why_in_order(around, piece, piece.loops[d], own);
  return why;
}

/// Adds statements beside the loops over gangs, which every gang would execute. Errors: Refusal if
/// they do more than store into arrays.
void add_once(Around& around, const Piece& piece) {
  const bool is_loop = !piece.loops.empty();
  for (const Use& use : around.directive->uses)
    if (piece.span.holds(use.name) && use.writes &&
        around.all.variable(use.variable).shape == Shape::scalar &&
        !counts_in(around, piece.span, piece.set_first, false, use.variable))
      throw Refusal(say<Code::written_beside>(around.all.variable(use.variable).path));
  tell(*around.verdict,
       say<Code::done_once>(is_loop ? "the loop without `loop`" : "the statement beside the loops",
                            is_loop ? piece.loops.front().place.line
                                    : line_of(around.all, piece.span)));
  add_single(around, piece.span, false, piece.set_first);
  if (is_loop)
    around.compute.kernels.back().indices = {piece.loops.front().variable};
}

void add_piece(Around& around, const Piece& piece) {
  const Directive& directive = *around.directive;
  if (piece.loops.empty()) {
    if (piece.directive != none)
      throw Refusal(say<Code::no_for_loop>(around.all.unit.directives[piece.directive].construct,
                                           around.all.unit.directives[piece.directive].place.line));
    const std::string why_device = why_not_on_host(around, piece.span);
    const bool changes_more =
        std::any_of(around.directive->uses.begin(), around.directive->uses.end(),
                    [&](const Use& use) { return use.writes && piece.span.holds(use.name); });
    if (!around.is_kernels && piece.fixed && why_device.empty() && !changes_more) {
      tell(*around.verdict, say<Code::declaration_stays>());
      return;
    }
    if (!around.is_kernels && !piece.constant.empty()) {
      add_value(around, piece);
      return;
    }
    if (const Call* const call = gang_call(around, piece);
        call != nullptr && directive.construct == Construct::parallel) {
      add_gangs(around, piece, *call);
      return;
    }
    if (!around.is_kernels && piece.declares)
      throw Refusal(say<Code::declaration_beside>());
    if (!around.is_kernels) {
      add_once(around, piece);
      return;
    }
    if (!why_device.empty()) {
      if (piece.declares)
        throw Refusal(say<Code::declaration_in_kernels>(why_device));
      tell(*around.verdict, say<Code::statement_in_kernels>(why_device));
      add_single(around, piece.span, false, {});
    }
    return;
  }
  const Directive* const own = directive_of(around, piece.loops.front(), 0);
  if (own == nullptr && !around.is_kernels) {
    add_once(around, piece);
    return;
  }
  bool parallel = own == nullptr || own->clause(ClauseKind::seq) == nullptr;
  const bool promised = own != nullptr && own->clause(ClauseKind::independent) != nullptr;
  const bool left_open = (around.is_kernels && !promised) ||
                         (own != nullptr && own->clause(ClauseKind::auto_) != nullptr &&
                          own->clause(ClauseKind::independent) == nullptr);
  if (parallel && !left_open && !piece.loops.front().problem.empty())
    throw Refusal(say<Code::no_range>(piece.loops.front().place.line, piece.loops.front().problem));
  if (parallel && (left_open || around.is_kernels)) {
    const std::string why = why_one_thread(around, piece, own, left_open);
    if (why.empty() && left_open) {
      tell(*around.verdict,
           say<Code::taken_parallel>(piece.loops.front().place.line, piece.loops.front().index,
                                     piece.loops.front().index));
    } else if (!why.empty()) {
      parallel = false;
      tell(*around.verdict, say<Code::one_thread>(piece.loops.front().place.line, why));
    }
  }
  if (parallel) {
    add_loops(around, piece, own);
  } else {
    if (!is_combined(directive.construct) && !around.is_kernels)
      tell(*around.verdict, say<Code::loop_once>(piece.loops.front().place.line));
    if (piece.directive != none)
      around.absorbed.insert(piece.directive);
    const Loop& loop = piece.loops.front();
    add_single(around, loop.whole, false, piece.set_first);
    Kernel& kernel = around.compute.kernels.back();
    kernel.whole = piece.span;
    kernel.read_behind = piece.read_behind;
    if (!contains(piece.read_behind, loop.variable) || own != nullptr)
      kernel.indices = {loop.variable};
  }
}

const Kernel& kernel_of(const Around& around, Span part) {
  return *std::find_if(around.compute.kernels.begin(), around.compute.kernels.end(),
                       [&](const Kernel& kernel) { return kernel.whole.holds(part); });
}

/// Decides a `loop` that is no dimension of a policy: each thread runs it in order.
void decide_plain_loop(Around& around, std::size_t id) {
  const Directive& directive = around.all.unit.directives[id];
  Verdict& verdict = around.all.plan.verdicts[id];
  verdict.becomes = "a plain loop in each thread";
  if (directive.clause(ClauseKind::seq) == nullptr && !is_serial(around.directive->construct))
    tell_of_levels(directive, verdict);
  for (const Clause& clause : directive.clauses)
    if (clause.kind == ClauseKind::private_)
      for (const Section& section : clause.sections)
        for (const Use& use : around.directive->uses)
          if (use.variable == section.variable && !directive.statement.holds(use.name) &&
              kernel_of(around, directive.pragma).body.holds(use.name))
            throw Refusal(
                say<Code::private_and_outside>(around.all.variable(section.variable).path));
}

} // namespace

void decide_compute(Decisions& all, std::size_t id) {
  Around around(all, id);
  around.directive = &all.unit.directives[id];
  around.verdict = &all.plan.verdicts[id];
  around.inner = all.within(id);
  around.compute.queue = queue_of(all, all.unit.directives[id]);
  around.compute.waits = waits_of(all, all.unit.directives[id]);
  around.is_kernels = is_kernels(around.directive->construct);
  const Directive& directive = *around.directive;
  if (!directive.obstacles.empty()) {
    const Obstacle& first = directive.obstacles.front();
    Message why = first.message;
    why.text += fmt::format(" (line {})", first.place.line);
    throw Refusal(std::move(why));
  }
  for (const std::size_t inner : around.inner) {
    check_clauses(all, inner, inner);
    const Directive& within_it = all.unit.directives[inner];
    if (is_atomic(within_it.construct))
      check_atomic(all, inner, within_it);
  }
  for (const Call& call : directive.calls)
    if (std::optional<Message> problem = check_call(all, call))
      throw Refusal(std::move(*problem));
  if (const Clause* const condition = directive.clause(ClauseKind::if_)) {
    around.compute.condition = condition->argument;
    for (const Call& call : directive.calls)
      if (all.unit.is_c && !call.casts.empty())
        throw Refusal(say<Code::conversion_and_if>(call.name));
  }

  for (const Call& call : directive.calls)
    if (call.function != none && is_gang_routine(all, call.function) &&
        (!all.plan.gang_functions[call.function] ||
         std::none_of(directive.pieces.begin(), directive.pieces.end(),
                      [&](const Piece& piece) { return gang_call(around, piece) == &call; })))
      throw Refusal(say<Code::calls_gang_routine>(call.name));

  bind_named(around);
  if (is_serial(directive.construct) || is_one_gang(around)) {
    add_single(around, directive.statement, directive.braces, directive.set_first);
    if (directive.construct == Construct::parallel &&
        directive.clause(ClauseKind::num_gangs) == nullptr)
      tell(*around.verdict, say<Code::one_gang>());
  } else
    for (const Piece& piece : directive.pieces)
      add_piece(around, piece);
  if (std::all_of(around.compute.kernels.begin(), around.compute.kernels.end(),
                  [](const Kernel& kernel) { return kernel.policy == Policy::value; }))
    throw Refusal(say<Code::no_loop>());
  for (const std::size_t inner : around.inner)
    if (all.unit.directives[inner].construct == Construct::loop && !around.absorbed.contains(inner))
      decide_plain_loop(around, inner);
  bind_others(around);
  find_values(around);
  for (Kernel& kernel : around.compute.kernels)
    for (Reducer& reducer : kernel.reducers)
      if (const auto bound = around.compute.bindings.find(reducer.id);
          bound != around.compute.bindings.end())
        reducer.view = bound->second.name;
  for (const Kernel& kernel : around.compute.kernels)
    for (const Reducer& reducer : kernel.reducers)
      if (!reducer.elements.empty() && is_held(around, reducer.id))
        if (const auto bound = around.compute.bindings.find(reducer.id);
            bound == around.compute.bindings.end() || bound->second.access != Access::elements)
          throw Refusal(say<Code::reduction_on_device>(
              reducer.operation, reducer.variable,
              "it is on the device, and more than its elements are used"));
  require_no_values_handed_on(around);
  // The host, or a library, may use an array of `deviceptr`, because it has the address.
  for (Kernel& kernel : around.compute.kernels)
    kernel.fence = directive.clause(ClauseKind::async) == nullptr &&
                   std::any_of(around.bound.begin(), around.bound.end(),
                               [&](std::size_t bound) { return uses(around, kernel, bound); });
  std::stable_sort(around.compute.data.begin(), around.compute.data.end(),
                   [&](const Entry& one, const Entry& other) {
                     return order_of(directive, one) < order_of(directive, other);
                   });
  mark_called(all, directive.calls, *around.verdict);
  for (const Clause& clause : directive.clauses)
    if ((clause.kind == ClauseKind::num_gangs || clause.kind == ClauseKind::num_workers ||
         clause.kind == ClauseKind::vector_length) &&
        !around.shapes.contains(clause.kind))
      tell(*around.verdict,
           say<Code::left_to_kokkos>(fmt::format("{}({})", clause.kind, clause.argument)));
  all.plan.computes[id] = std::move(around.compute);
}

} // namespace gangway::port
