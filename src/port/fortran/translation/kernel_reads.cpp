// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/writer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace gangway::port::fortran::translation {

std::set<int> Writer::set_by(const Unit& unit) const {
  std::set<int> found = written_in(unit.body);
  for (const int dummy : unit.dummies)
    if (entity(dummy).is_value)
      found.erase(dummy);
  return found;
}

std::set<int> Writer::written_in(const Statements& statements) const {
  std::set<int> found;
  walk(statements, [&](const Statement& one) {
    if (one.act == Act::call)
      if (const Unit* const unit = unit_of(one.procedure)) {
        if (std::find(_walked.begin(), _walked.end(), unit) != _walked.end())
          return;
        _walked.push_back(unit);
        const std::set<int> set = set_by(*unit);
        _walked.pop_back();
        for (std::size_t n = 0; n < std::min(unit->dummies.size(), one.operands.size()); ++n)
          if (set.contains(unit->dummies[n]) && one.operands[n].entity >= 0)
            found.insert(one.operands[n].entity);
      }
    if (one.act == Act::assign && one.operands[0].entity >= 0)
      found.insert(one.operands[0].entity);
    if (one.act == Act::loop)
      found.insert(one.variable);
  });
  return found;
}

bool Writer::is_independent(const Launch& launch) const {
  std::map<int, const Expr*> first;
  std::set<int> stored;
  walk(*launch.body, [&](const Statement& one) {
    if (one.act == Act::assign && entity_rank(one.operands[0].entity) > 0)
      stored.insert(one.operands[0].entity);
  });
  bool fits = true;
  const auto is_variable = [&](const Expr& subscript, int variable) {
    const Expr* one = &subscript;
    while (one->op == Op::convert)
      one = &one->operands[0];
    return one->op == Op::variable && one->entity == variable;
  };
  std::map<int, std::set<std::size_t>> places; // of the loops' variables, by array
  walk_expressions(*launch.body, [&](const Expr& one) {
    if (one.entity < 0 || !stored.contains(one.entity) ||
        (one.op != Op::element && one.op != Op::variable && one.op != Op::section))
      return;
    if (one.op != Op::element) {
      fits = false;
      return;
    }
    if (entity_rank(one.entity) == 0)
      return;
    std::set<std::size_t> here;
    for (const Level& level : launch.levels) {
      bool found = false;
      for (std::size_t d = 0; d < one.operands.size(); ++d)
        if (is_variable(one.operands[d], level.loop->variable)) {
          found = true;
          here.insert(d * 100 + static_cast<std::size_t>(&level - launch.levels.data()));
        }
      fits = fits && found;
    }
    const auto [place, is_new] = places.emplace(one.entity, here);
    if (!is_new && place->second != here)
      fits = false;
  });
  // Two pointers may lead to the same memory.
  for (const int one : entities_in(*launch.body))
    for (const int other : stored)
      if (one != other && entity_rank(one) > 0 && entity(one).type == entity(other).type &&
          (entity(one).is_pointer || entity(one).is_target) &&
          (entity(other).is_pointer || entity(other).is_target))
        fits = false;
  // A scalar that an iteration reads before it sets it comes from another iteration.
  std::set<int> set;
  const std::set<int> exposed = exposed_reads(*launch.body, set);
  for (const int one : written_in(*launch.body))
    if (entity_rank(one) == 0 && exposed.contains(one) && !is_reduction(launch, one))
      fits = false;
  walk(*launch.body, [&](const Statement& one) {
    if (one.act == Act::call || one.act == Act::other || one.act == Act::directive)
      fits = fits && one.act == Act::directive && one.directive.name == "loop";
  });
  walk_expressions(*launch.body, [&](const Expr& one) { fits = fits && one.op != Op::call; });
  return fits;
}

std::set<int> Writer::exposed_reads(const Statements& statements, std::set<int>& set) const {
  std::set<int> found;
  const auto read = [&](const Expr& expr) {
    for (const int one : entities_of(expr))
      if (entity_rank(one) == 0 && !set.contains(one))
        found.insert(one);
  };
  for (const Statement& one : statements)
    switch (one.act) {
    case Act::assign:
      read(one.operands[1]);
      for (const Expr& subscript : one.operands[0].operands)
        read(subscript);
      if (one.operands[0].op == Op::variable)
        set.insert(one.operands[0].entity);
      break;
    case Act::branch: {
      std::optional<std::set<int>> common;
      bool has_else = false;
      for (const Statement::Part& part : one.parts) {
        if (part.condition.op != Op::absent)
          read(part.condition);
        else
          has_else = true;
        std::set<int> inside = set;
        found.merge(exposed_reads(part.body, inside));
        const bool leaves = !part.body.empty() && (part.body.back().act == Act::cycle ||
                                                   part.body.back().act == Act::exit);
        if (leaves)
          continue;
        if (!common) {
          common = inside;
        } else {
          std::set<int> both;
          std::set_intersection(common->begin(), common->end(), inside.begin(), inside.end(),
                                std::inserter(both, both.end()));
          common = both;
        }
      }
      if (has_else && common)
        set = *common;
      break;
    }
    case Act::loop: {
      for (const Expr& bound : one.operands)
        read(bound);
      set.insert(one.variable);
      std::set<int> inside = set;
      found.merge(exposed_reads(one.body, inside));
      break;
    }
    case Act::while_: {
      for (const Expr& condition : one.operands)
        read(condition);
      std::set<int> inside = set;
      found.merge(exposed_reads(one.body, inside));
      break;
    }
    case Act::directive: {
      if (one.directive.name == "atomic") {
        std::set<int> inside = set;
        found.merge(exposed_reads(one.body, inside));
        if (one.name == "read" || one.name == "capture")
          set = inside;
      } else {
        found.merge(exposed_reads(one.body, set));
      }
      break;
    }
    case Act::call: {
      const Unit* const unit = unit_of(one.procedure);
      const bool fits = unit != nullptr && unit->dummies.size() == one.operands.size() &&
                        std::find(_walked.begin(), _walked.end(), unit) == _walked.end();
      std::set<int> written;
      std::set<int> first;
      if (fits) {
        written = set_by(*unit);
        std::set<int> none;
        _walked.push_back(unit);
        first = exposed_reads(unit->body, none);
        _walked.pop_back();
      }
      for (std::size_t n = 0; n < one.operands.size(); ++n) {
        const Expr& operand = one.operands[n];
        const bool is_set =
            fits && written.contains(unit->dummies[n]) && operand.op == Op::variable;
        if (!is_set || first.contains(unit->dummies[n]) || !is_set_always(*unit, n))
          read(operand);
      }
      for (std::size_t n = 0; fits && n < one.operands.size(); ++n)
        if (written.contains(unit->dummies[n]) && one.operands[n].op == Op::variable)
          set.insert(one.operands[n].entity);
      break;
    }
    default:
      for (const Expr& operand : one.operands)
        read(operand);
    }
  return found;
}

bool Writer::is_set_always(const Unit& unit, std::size_t n) const {
  std::set<int> set;
  static_cast<void>(exposed_reads(unit.body, set));
  bool returns = false;
  walk(unit.body, [&](const Statement& one) { returns = returns || one.act == Act::return_; });
  return !returns && set.contains(unit.dummies[n]);
}

std::set<int> Writer::entities_in(const Statements& statements) {
  std::set<int> found;
  walk_expressions(statements, [&](const Expr& one) {
    if (one.entity >= 0)
      found.insert(one.entity);
  });
  walk(statements, [&](const Statement& one) {
    if (one.act == Act::loop)
      found.insert(one.variable);
  });
  return found;
}

} // namespace gangway::port::fortran::translation
