// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/dependence.hpp"

#include "base/contains.hpp"
#include "port/decide/around.hpp"
#include "port/decide/decisions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace gangway::port {
namespace {

using base::contains;

bool indirect(const Around& around, const Use& use) {
  return std::any_of(
      around.directive->uses.begin(), around.directive->uses.end(), [&](const Use& other) {
        return !other.subscripts.empty() &&
               std::any_of(use.subscripts.begin(), use.subscripts.end(),
                           [&](const Span& subscript) { return subscript.holds(other.name); });
      });
}

} // namespace

std::string why_in_order(const Around& around, const Piece& piece, const Loop& loop,
                         const Directive* own) {
  // A loop without a directive leaves its index where it ended.
  if (own == nullptr && loop.variable != none && contains(piece.read_behind, loop.variable))
    return fmt::format("its index '{}' is read after it", loop.index);
  for (const Use& use : around.directive->uses) {
    if (!loop.body.holds(use.name) || !use.writes || use.variable == loop.variable ||
        is_reduced(own, use.variable) || is_private(around, own, use.variable) ||
        counts_in(around, loop.body, loop.set_first, true, use.variable))
      continue;
    const Variable& named = around.all.variable(use.variable);
    if (named.shape != Shape::scalar)
      continue;
    if (!contains(loop.set_first, use.variable))
      return fmt::format("'{}' goes from one iteration to the next", named.path);
    if (is_on_device(around, use.variable) &&
        !counts_in(around, loop.body, loop.set_first, false, use.variable))
      return fmt::format("'{}', which a data clause names, is set in it", named.path);
    if (contains(piece.read_behind, use.variable))
      return fmt::format("'{}' is set in it, and read after it", named.path);
  }
  return "";
}

std::string dependence(const Around& around, const Piece& piece, const Loop& loop,
                       const Directive* own) {
  if (!loop.problem.empty())
    return loop.problem;
  if (std::string why = why_in_order(around, piece, loop, own); !why.empty())
    return why;
  std::map<std::size_t, std::set<std::string>> subscripts;
  std::set<std::size_t> written;
  for (const Use& use : around.directive->uses) {
    if (!loop.body.holds(use.name))
      continue;
    const Variable& named = around.all.variable(use.variable);
    if (named.shape == Shape::pointer || named.shape == Shape::array) {
      std::string all;
      for (const Span& subscript : use.subscripts)
        all += "[" + squeezed(around.all.text(subscript)) + "]";
      if (use.macro || use.handed_on || use.subscripts.empty()) {
        written.insert(use.variable);
        all = "?";
      }
      subscripts[use.variable].insert(all);
      if (use.writes) {
        written.insert(use.variable);
        if (!has_word(all, loop.index))
          return fmt::format("'{}' is written at a place that is not its index's own", named.path);
        if (all.find_first_of("%/&>?") != std::string::npos || indirect(around, use))
          return fmt::format("where '{}' is written is not plain", named.path);
      }
    }
  }
  for (const std::size_t array : written)
    if (subscripts[array].size() > 1 || subscripts[array].contains("?"))
      return fmt::format("'{}' is written, and used with other subscripts",
                         around.all.variable(array).path);
  for (const std::size_t inner : around.inner)
    if (is_atomic(around.all.unit.directives[inner].construct))
      return "there are atomics in it";
  for (const Call& call : around.directive->calls)
    if ((call.function != none || call.outside != none) && loop.body.holds(call.callee))
      return fmt::format("it calls '{}'", call.name);
  return "";
}

} // namespace gangway::port
