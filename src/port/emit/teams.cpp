// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit/teams.hpp"

#include "port/emit/text.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace gangway::port {
namespace {

std::string setters(const Kernel& kernel) {
  std::string text;
  for (const auto& [clause, argument] : kernel.shape)
    text += fmt::format(".{}({})", clause, argument);
  return text;
}

/// Returns the text after the body of a loop that is shared out.
std::string share_end(const Share& share) {
  std::string text = "}";
  for (const Reducer& reducer : share.reducers)
    text += ", " + reduction_of(reducer, reducer.variable);
  return text + ");";
}

/// Rewrites the variables in a part of a loop's head. The kernel's text does not contain the head,
/// so the other changes of the text miss it.
std::string with_uses(const Writer& to, std::string text, Span head, const Directive& directive) {
  std::vector<const Use*> uses;
  for (const Use& use : directive.uses)
    if (head.holds(use.whole))
      uses.push_back(&use);
  // Outer uses come first: the uses inside them change with them.
  std::stable_sort(uses.begin(), uses.end(), [](const Use* one, const Use* other) {
    return one->whole.end - one->whole.begin > other->whole.end - other->whole.begin;
  });
  std::vector<std::pair<std::string, std::string>> changed;
  for (const Size& size : directive.sizes)
    if (head.holds(size.span))
      changed.emplace_back(to.unit.text.substr(size.span.begin, size.span.end - size.span.begin),
                           size.text);
  for (const Use* use : uses)
    changed.emplace_back(to.unit.text.substr(use->whole.begin, use->whole.end - use->whole.begin),
                         to.edits.text(use->whole));
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const auto found = std::find_if(changed.begin(), changed.end(), [&](const auto& one) {
      return begins && text.compare(at, one.first.size(), one.first) == 0 &&
             (at + one.first.size() == text.size() || !is_word(text[at + one.first.size()]) ||
              !is_word(one.first.back()));
    });
    if (found == changed.end()) {
      result += text[at++];
      continue;
    }
    result += found->second;
    at += found->first.size();
  }
  return result;
}

} // namespace

void team_parts(const Kernel& kernel, const Unit& unit, const std::string& on, Parts& parts) {
  const Loop& loop = kernel.loops.front();
  const bool one = kernel.loops.size() == 1;
  const std::string number = unit.fresh(one ? loop.index + "_number" : "iteration");
  const std::string count =
      fmt::format("gangway::iterations({})", fmt::join(counts_of(kernel.loops), ", "));
  const bool as_it_is = one && counts_itself(loop) && loop.type == "long";
  const bool of_workers = kernel.policy == Policy::workers;
  parts.policy = fmt::format("gangway::{}({}{})", of_workers ? "gang_worker" : "gang", on, count) +
                 setters(kernel);
  parts.parameters =
      fmt::format("const gangway::{}<>& {}, const long {}", of_workers ? "Worker" : "Gang",
                  of_workers ? worker_of(unit) : team_of(unit), as_it_is ? loop.index : number);
  if (!as_it_is)
    parts.head = index_lines(kernel.loops, number);
  if (kernel.scratch.empty())
    return;
  std::vector<std::string> sizes;
  // The host reads a length, because it may be a member or a global variable.
  const auto length = [&](const Scratch& scratch) {
    return scratch.constant ? "" : unit.fresh(scratch.name + "_elements");
  };
  for (const Scratch& scratch : kernel.scratch) {
    parts.before.push_back(fmt::format(
        "using {} = Kokkos::View<{}{}, Kokkos::LayoutRight, "
        "Kokkos::DefaultExecutionSpace::scratch_memory_space, "
        "Kokkos::MemoryTraits<Kokkos::Unmanaged>>;",
        scratch.type, unit.variables[scratch.variable].element,
        scratch.constant ? fmt::format("[{}]", fmt::join(scratch.extents, "][")) : "*"));
    if (!scratch.constant)
      parts.before.push_back(
          fmt::format("const long {} = {};", length(scratch), scratch.extents.front()));
    sizes.push_back(fmt::format("{}::shmem_size({})", scratch.type, length(scratch)));
  }
  const std::string gangs = gangs_of(unit);
  parts.before.push_back(fmt::format("const long {} = {};", gangs, count));
  parts.policy = fmt::format("gangway::gang({}{}).num_gangs({}){}.scratch({}, {})", on, gangs,
                             gangs, setters(kernel), kernel.scratch_level, fmt::join(sizes, " + "));
  const std::string team = team_of(unit) + ".member()";
  for (const Scratch& scratch : kernel.scratch)
    parts.head.push_back(fmt::format("const {} {}({}.team_scratch({}){}{});", scratch.type,
                                     scratch.name, team, kernel.scratch_level,
                                     scratch.constant ? "" : ", ", length(scratch)));
  const std::string i = unit.fresh("element");
  for (const auto& [name, from] : kernel.filled)
    parts.head.push_back(fmt::format("gangway::loop_vector({}, 0, {}.extent(0), "
                                     "[&](const std::size_t {}) {{\n{}({}) = {}({});\n}});",
                                     team_of(unit), from, i, name, i, from, i));
  if (!kernel.filled.empty())
    parts.head.push_back(team + ".team_barrier();");
}

void put_marks(Writer& to, const Kernel& kernel) {
  const std::string team = team_of(to.unit);
  for (const Mark& mark : kernel.marks)
    to.edits.insert(mark.at, mark.what == Mark::What::barrier ? team + ".member().team_barrier();\n"
                             : mark.what == Mark::What::single
                                 ? fmt::format("gangway::single({}, [&] {{\n", team)
                             : mark.what == Mark::What::single_of_thread
                                 ? fmt::format("gangway::single({}, [&] {{\n", worker_of(to.unit))
                             : mark.what == Mark::What::end_single ? "\n});"
                             : mark.what == Mark::What::end_share
                                 ? "\n" + share_end(kernel.shares[mark.share])
                             : mark.what == Mark::What::open ? "{\n"
                                                             : "\n}");
}
void emit_share(Writer& to, const Directive& directive, const Share& share) {
  Loop loop = share.loop;
  const Span head{loop.whole.begin, loop.body.begin};
  for (std::string* text : {&loop.low, &loop.high, &loop.step})
    *text = with_uses(to, *text, head, directive);
  std::string index = fmt::format("const {} {}", loop.type, loop.index);
  std::string bounds = loop.low + ", " + loop.high;
  std::string lines;
  if (loop.step != "1" || (loop.wide && loop.low != "0")) {
    const std::string number = to.unit.fresh(loop.index + "_number");
    bounds = fmt::format("0, gangway::iterations({})", count_of(loop));
    lines = index_line(loop, number) + "\n";
    index = "const long " + number;
  }
  for (const std::size_t own : share.own)
    lines += declaration(to.unit.variables[own]) + "\n";
  if (share.level == Share::Level::threads)
    index = fmt::format("const gangway::Worker<>& {}, {}", worker_of(to.unit), index);
  for (const Reducer& reducer : share.reducers)
    index += fmt::format(", {}& {}", reducer.type, reducer.variable);
  const unsigned inside = loop.braces ? loop.body.begin + 1 : loop.body.begin;
  const bool line_ends = line_break(to.unit, inside).empty();
  for (const Span& next : loop.continues)
    to.edits.replace(next, "return");
  const unsigned begins = std::min(share.pragma.begin, loop.whole.begin);
  to.edits.replace(
      {begins, inside},
      comments_in(to.unit, {share.pragma.end, inside}) +
          fmt::format("gangway::loop_{}({}, {}, [&]({}) {{{}{}",
                      share.level == Share::Level::threads ? "worker" : "vector",
                      share.level == Share::Level::lanes_of_thread ? worker_of(to.unit)
                                                                   : team_of(to.unit),
                      bounds, index, line_ends && lines.empty() ? "" : "\n",
                      line_ends && !lines.empty() ? lines.substr(0, lines.size() - 1) : lines));
  if (loop.braces)
    to.edits.replace({loop.body.end - 1, loop.whole.end}, share_end(share));
}

void share_out(Writer& to, const Function& function) {
  const std::string team = team_of(to.unit);
  for (const unsigned at : function.parameters)
    to.edits.insert(at, fmt::format("const gangway::Parallel<>& {}, ", team));
  for (const Piece& piece : function.pieces) {
    if (piece.loops.empty())
      continue;
    const Loop& loop = piece.loops.front();
    const std::string number = to.unit.fresh(loop.index + "_number");
    const std::string head = counts_itself(loop) ? "" : "\n" + index_line(loop, number);
    const std::string parameter = counts_itself(loop)
                                      ? fmt::format("const {} {}", loop.type, loop.index)
                                      : "const long " + number;
    const unsigned inside = loop.braces ? loop.body.begin + 1 : loop.body.begin;
    const std::string line = line_break(to.unit, inside);
    to.edits.replace({loop.whole.begin, inside},
                     comments_in(to.unit, {loop.whole.begin, inside}) +
                         fmt::format("gangway::loop_gang_vector({}, 0, {}, [&]({}) {{{}{}", team,
                                     counts_itself(loop) && !loop.wide
                                         ? loop.high
                                         : fmt::format("gangway::iterations({})", count_of(loop)),
                                     parameter, head, line));
    for (const Span& next : loop.continues)
      to.edits.replace(next, "return");
    if (loop.braces)
      to.edits.replace({loop.body.end - 1, loop.whole.end}, "});");
    else
      to.edits.insert(loop.body.end, "\n});");
  }
}

} // namespace gangway::port
