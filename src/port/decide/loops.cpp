// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/loops.hpp"

#include "base/contains.hpp"
#include "port/decide/around.hpp"
#include "port/decide/decisions.hpp"
#include "port/decide/dependence.hpp"
#include "port/decide/reductions.hpp"
#include "port/decide/teams.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gangway::port {
namespace {

using base::contains;

/// Has the host read members, globals and what pointers lead to before the kernel, if the kernel
/// makes its indices from them.
void copy_bounds(const Decisions& all, Kernel& kernel) {
  for (Loop& loop : kernel.loops) {
    const bool counted = loop.low == "0" && loop.step == "1";
    const bool divided = kernel.loops.size() > 1 && kernel.policy != Policy::tiles;
    if (loop.bounds_are_local || (counted && !divided) ||
        (loop.step == "1" && kernel.policy == Policy::range))
      continue;
    for (const auto& [text, what] : {std::pair{&loop.low, "_low"}, std::pair{&loop.high, "_high"},
                                     std::pair{&loop.step, "_step"}}) {
      if (is_number(*text))
        continue;
      const std::string name = all.unit.fresh(loop.index + what);
      kernel.before.push_back({.name = name, .of = *text});
      *text = name;
    }
  }
}

void tell_held_bounds(const Around& around, const Loop& loop) {
  for (const Use& use : around.directive->uses) {
    const Variable& used = around.all.variable(use.variable);
    if (Span{loop.whole.begin, loop.body.begin}.holds(use.name) && use.variable != loop.variable &&
        (around.all.region_of(around.id, use.variable).first != none ||
         (used.shape != Shape::scalar && is_named(around, use.variable)) ||
         (used.owner != none && is_on_device(around, used.owner))))
      tell(*around.verdict,
           say<Code::held_bound>(around.all.variable(use.variable).path, loop.place.line));
  }
}

/// Chooses the tile from the requested sizes, outermost first; 0 is an unknown size. A tile's
/// iterations are the threads of a gang. Kokkos' devices limit their number; OpenACC does not.
void choose_tile(Around& around, Kernel& kernel, bool tiled, std::vector<long> sizes) {
  static const std::vector<std::string> by_default{"1", "1", "1", "1", "4", "32"};
  constexpr long most = 1024;
  constexpr long most_of_outermost = 64; ///< in nests of three and more
  if (!tiled) {
    kernel.tile.assign(by_default.end() - static_cast<std::ptrdiff_t>(kernel.loops.size()),
                       by_default.end());
    return;
  }
  for (std::size_t d = 0; d < kernel.tile.size(); ++d)
    if (kernel.tile[d] == "*") {
      sizes[d] = d + 1 == kernel.tile.size() ? 32 : 4;
      kernel.tile[d] = std::to_string(sizes[d]);
    }
  if (contains(sizes, 0L)) {
    tell(*around.verdict, say<Code::tile_unknown>(most));
    return;
  }
  const auto shrink = [&](std::size_t d) {
    sizes[d] = (sizes[d] + 1) / 2;
    kernel.tile[d] = std::to_string(sizes[d]);
  };
  const std::string asked = fmt::format("{}", fmt::join(sizes, " x "));
  while (sizes.size() > 2 && sizes.front() > most_of_outermost)
    shrink(0);
  // The innermost size shrinks last, because threads share what they read along it.
  const auto iterations = [&] {
    return std::accumulate(sizes.begin(), sizes.end(), 1L, [&](long product, long size) {
      return std::min(product * std::min(size, most + 1), most + 1);
    });
  };
  for (std::size_t d = 0; d < sizes.size(); ++d)
    while (iterations() > most && sizes[d] > 1)
      shrink(d);
  if (const std::string taken = fmt::format("{}", fmt::join(sizes, " x ")); taken != asked)
    tell(*around.verdict, say<Code::tile_smaller>(asked, taken, most));
}

/// Returns why the loop at that depth cannot be a dimension of an index space; empty if it can.
/// The directive asks for the `asked` outermost loops.
std::string why_not_with(const Around& around, const Piece& piece, std::size_t depth,
                         std::size_t asked) {
  const Loop& loop = piece.loops[depth];
  if (!loop.problem.empty())
    return loop.problem;
  for (std::size_t outer = 0; outer < depth; ++outer)
    if (contains(loop.reads, piece.loops[outer].index))
      return fmt::format("its bounds depend on '{}'", piece.loops[outer].index);
  const Span header{loop.whole.begin, loop.body.begin};
  for (const Use& use : around.directive->uses) {
    if (!header.holds(use.name) || around.all.variable(use.variable).shape == Shape::scalar ||
        !is_on_device(around, use.variable))
      continue;
    const auto changes = [&](const Use& other) {
      return other.variable == use.variable && other.writes;
    };
    // In an inner loop each thread reads the bound on the device, also if the kernel writes it.
    if (depth >= asked ||
        std::any_of(around.directive->uses.begin(), around.directive->uses.end(), changes))
      return fmt::format("its bounds read '{}', which is on the device",
                         around.all.variable(use.variable).path);
  }
  return "";
}

} // namespace

void add_loops(Around& around, const Piece& piece, const Directive* own) {
  Kernel kernel;
  kernel.label = label(around);
  kernel.whole = piece.span;
  std::size_t wanted = 1;
  bool tiled = false;
  std::vector<long> sizes; ///< of the tile
  const auto collapsed = [&](const Directive* directive) -> std::size_t {
    if (directive == nullptr)
      return 1;
    if (const Clause* const tile = directive->clause(ClauseKind::tile)) {
      tiled = true;
      kernel.tile = tile->arguments;
      sizes = tile->sizes;
      // OpenACC names the innermost loop's size first.
      std::reverse(kernel.tile.begin(), kernel.tile.end());
      std::reverse(sizes.begin(), sizes.end());
      return tile->arguments.size();
    }
    const Clause* const collapse = directive->clause(ClauseKind::collapse);
    if (collapse != nullptr && collapse->number < 1)
      throw Refusal(say<Code::collapse_unknown>());
    return collapse == nullptr ? 1 : static_cast<std::size_t>(collapse->number);
  };
  wanted = collapsed(own);
  if (wanted > piece.loops.size())
    throw Refusal(say<Code::too_few_loops>(wanted, piece.loops.size()));
  for (std::size_t d = 0; d < wanted; ++d)
    if (const std::string why = why_not_with(around, piece, d, wanted); !why.empty())
      throw Refusal(say<Code::bounds_inside>(piece.loops[d].place.line, why));
  // A tight nest is one index space, whichever levels its loops name.
  std::size_t taken = wanted;
  std::set<std::size_t> nest; ///< directives of loops in it
  while (!tiled && taken < piece.loops.size()) {
    const Directive* const next = directive_of(around, piece.loops[taken], taken);
    if (next == nullptr || next->clause(ClauseKind::seq) != nullptr ||
        (next->clause(ClauseKind::auto_) != nullptr &&
         next->clause(ClauseKind::independent) == nullptr) ||
        next->clause(ClauseKind::tile) != nullptr || next->clause(ClauseKind::private_) != nullptr)
      break;
    const std::size_t more = collapsed(next);
    bool possible = taken + more <= piece.loops.size() && taken + more <= 6;
    for (std::size_t d = taken; possible && d < taken + more; ++d)
      possible = why_not_with(around, piece, d, wanted).empty() &&
                 (!around.is_kernels || next->clause(ClauseKind::independent) != nullptr ||
                  dependence(around, piece, piece.loops[d], next).empty());
    // A reduction over the inner loop alone is no reduction of the kernel.
    for (const Clause& clause : next->clauses)
      if (clause.kind == ClauseKind::reduction)
        for (const Section& section : clause.sections)
          possible = possible && (is_reduced(own, section.variable) ||
                                  is_reduced(around.directive, section.variable));
    if (!possible)
      break;
    for (std::size_t d = taken; d < taken + more; ++d)
      if (piece.loops[d].directive != none)
        nest.insert(piece.loops[d].directive);
    taken += more;
  }
  if (piece.loops.front().directive != none)
    around.absorbed.insert(piece.loops.front().directive);
  if (!tiled && own != nullptr && wants_team(around, piece, *own, nest) &&
      make_team(around, kernel, piece, *own, wanted)) {
    copy_bounds(around.all, kernel);
    for (const Loop& loop : kernel.loops)
      tell_held_bounds(around, loop);
    around.compute.kernels.push_back(std::move(kernel));
    return;
  }
  around.absorbed.insert(nest.begin(), nest.end());
  kernel.loops.assign(piece.loops.begin(),
                      piece.loops.begin() + static_cast<std::ptrdiff_t>(taken));
  if (kernel.loops.back().macro_continues)
    throw Refusal(say<Code::macro_continue>(kernel.loops.back().place.line));
  kernel.body = kernel.loops.back().body;
  kernel.braces = kernel.loops.back().braces;
  kernel.set_first = kernel.loops.back().set_first;
  add_reducers(around, kernel, own);
  if (taken > 6)
    throw Refusal(say<Code::too_many_loops>());
  kernel.policy = taken == 1 && !tiled                   ? Policy::range
                  : kernel.reducers.empty() && taken > 1 ? Policy::tiles
                                                         : Policy::flat;
  if (kernel.policy == Policy::tiles) {
    choose_tile(around, kernel, tiled, sizes);
  } else if (tiled) {
    tell(*around.verdict, say<Code::left_to_kokkos>("tile"));
    kernel.policy = taken == 1 ? Policy::range : Policy::flat;
  }
  copy_bounds(around.all, kernel);
  for (const Loop& loop : kernel.loops)
    tell_held_bounds(around, loop);
  around.compute.kernels.push_back(std::move(kernel));
}

} // namespace gangway::port
