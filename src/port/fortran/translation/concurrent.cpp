// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/concurrent.hpp"

#include "port/fortran/translation/expressions.hpp"
#include "port/fortran/translation/procedures.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {
namespace {

/// Returns the places that the statements may set.
std::vector<Expr> places_in(const std::vector<Statement>& statements) {
  std::vector<Expr> found;
  walk(statements, [&](const Statement& one) {
    if (one.act == Act::assign)
      found.push_back(one.operands[0]);
    if (one.act == Act::call)
      for (const Expr& operand : one.operands)
        if (operand.entity >= 0)
          found.push_back(operand);
    if (one.act == Act::loop) {
      Expr variable;
      variable.op = Op::variable;
      variable.entity = one.variable;
      found.push_back(std::move(variable));
    }
  });
  return found;
}

/// Returns whether the element is another one in each iteration.
bool is_of_iteration(const Expr& element, const std::vector<int>& variables) {
  return element.op == Op::element &&
         std::all_of(variables.begin(), variables.end(), [&](int variable) {
           return std::any_of(element.operands.begin(), element.operands.end(),
                              [&](const Expr& subscript) {
                                const Expr* one = &subscript;
                                while (one->op == Op::convert)
                                  one = &one->operands[0];
                                return one->op == Op::variable && one->entity == variable;
                              });
         });
}

/// Returns what a mask or bound needs that the iterations set; nothing if all is known before.
std::optional<std::string> problem_of(const Statement& one) {
  const std::vector<Expr> places = places_in(one.body);
  const auto sets = [&](const Expr& part, bool is_mask) {
    return std::any_of(places.begin(), places.end(), [&](const Expr& place) {
      return place.entity == part.entity &&
             !(is_mask && is_same(part, place) && is_of_iteration(part, one.variables));
    });
  };
  for (std::size_t n = 0; n < one.operands.size(); ++n) {
    const bool is_mask = n + 1 == one.operands.size();
    bool fits = true;
    walk(one.operands[n], [&](const Expr& part) {
      if (part.entity >= 0 && part.op != Op::lower && part.op != Op::extent)
        fits = fits && !sets(part, is_mask);
    });
    if (!fits)
      return is_mask ? "do concurrent with a mask of what its iterations set"
                     : "do concurrent with bounds of what its iterations set";
  }
  return std::nullopt;
}

/// Writer of the loops.
struct Loops {
  Program& program;

  void expand(std::vector<Statement>& body) {
    for (Statement& one : body) {
      for (Statement::Part& part : one.parts)
        expand(part.body);
      expand(one.body);
      if (one.act == Act::concurrent)
        one = loops_of(std::move(one));
    }
  }

  Statement loops_of(Statement one) {
    if (auto problem = problem_of(one)) {
      one.act = Act::other;
      one.name = std::move(*problem);
      return one;
    }
    Directive reductions;
    reductions.name = "loop";
    reductions.first_line = reductions.last_line = one.first_line;
    for (Clause& clause : one.directive.clauses)
      if (clause.name == "reduction")
        reductions.clauses.push_back(std::move(clause));
      else
        make_local(clause, one.body);
    std::vector<Statement> body = std::move(one.body);
    if (one.operands.back().op != Op::absent) {
      Statement branch;
      branch.act = Act::branch;
      branch.first_line = branch.last_line = one.first_line;
      branch.parts.resize(1);
      branch.parts[0].condition = std::move(one.operands.back());
      branch.parts[0].body = std::move(body);
      body.clear();
      body.push_back(std::move(branch));
    }
    for (std::size_t n = 0; n < one.variables.size(); ++n) {
      Statement loop;
      loop.act = Act::loop;
      loop.first_line = one.first_line;
      loop.last_line = one.last_line;
      loop.variable = one.variables[n];
      if (n == 0)
        loop.name = one.name;
      loop.operands = {one.operands[3 * n], one.operands[3 * n + 1]};
      if (one.operands[3 * n + 2].op != Op::absent)
        loop.operands.push_back(one.operands[3 * n + 2]);
      loop.body = std::move(body);
      body.clear();
      body.push_back(std::move(loop));
    }
    body[0].together = one.variables.size();
    body[0].directive = std::move(reductions);
    return std::move(body[0]);
  }

  /// Gives the iterations variables of their own.
  void make_local(const Clause& clause, std::vector<Statement>& body) {
    std::map<int, int> own;
    std::vector<Statement> first;
    for (const Expr& object : clause.objects) {
      if (object.entity < 0)
        continue;
      Entity made = program.entities[static_cast<std::size_t>(object.entity)];
      made.is_dummy = made.is_in = made.is_static = made.is_of_module = false;
      made.key.clear();
      made.is_made = made.is_private = true;
      const int index = static_cast<int>(program.entities.size());
      program.entities.push_back(std::move(made));
      own[object.entity] = index;
      if (clause.name != "local_init")
        continue;
      Statement assign;
      assign.act = Act::assign;
      assign.first_line = assign.last_line = body.empty() ? 0 : body.front().first_line;
      assign.operands = {object, object};
      assign.operands[0].entity = index;
      first.push_back(std::move(assign));
    }
    for (Statement& one : body)
      exchange(one, own);
    body.insert(body.begin(), first.begin(), first.end());
  }
  static void exchange(int& entity, const std::map<int, int>& own) {
    if (const auto found = own.find(entity); found != own.end())
      entity = found->second;
  }
  static void exchange(Expr& one, const std::map<int, int>& own) {
    exchange(one.entity, own);
    for (Expr& operand : one.operands)
      exchange(operand, own);
  }
  static void exchange(Statement& one, const std::map<int, int>& own) {
    exchange(one.variable, own);
    for (Expr& operand : one.operands)
      exchange(operand, own);
    for (Clause& clause : one.directive.clauses)
      for (Expr& object : clause.objects)
        exchange(object, own);
    for (Statement::Part& part : one.parts) {
      exchange(part.condition, own);
      for (Statement& inner : part.body)
        exchange(inner, own);
    }
    for (Statement& inner : one.body)
      exchange(inner, own);
  }
};

} // namespace

void expand_concurrent(Program& program) {
  Loops loops{program};
  for_kernels(program, [&](std::vector<Statement>& body) { loops.expand(body); });
}

} // namespace gangway::port::fortran::translation
