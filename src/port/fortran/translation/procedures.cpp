// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/procedures.hpp"

#include "port/fortran/translation/expressions.hpp"
#include "port/fortran/translation/kernels.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace gangway::port::fortran::translation {
namespace {

/// Procedures that the statements call, as entities.
std::set<int> called_in(const std::vector<Statement>& statements) {
  std::set<int> found;
  walk(statements, [&](const Statement& one) {
    if (one.act == Act::call && one.procedure >= 0)
      found.insert(one.procedure);
  });
  walk_expressions(statements, [&](const Expr& one) {
    if (one.op == Op::call)
      found.insert(one.number);
  });
  return found;
}

void search(std::vector<Statement>& body,
            const std::function<void(std::vector<Statement>&)>& change) {
  for (Statement& one : body) {
    if (one.act == Act::directive && is_compute(one.directive.name)) {
      change(one.body);
      continue;
    }
    for (Statement::Part& part : one.parts)
      search(part.body, change);
    search(one.body, change);
  }
}

/// Copy of another source's procedure, whose entities become the program's.
class Copy {
public:
  Copy(Program& program, const Program& from) : _program(program), _from(from) {}

  Unit unit(Unit made) {
    made.is_foreign = true;
    made.procedure = entity(made.procedure);
    made.result = entity(made.result);
    for (int& dummy : made.dummies)
      dummy = entity(dummy);
    for (Statement& one : made.body)
      change(one);
    return made;
  }

private:
  Program& _program;
  const Program& _from;
  std::map<int, int> _entities;

  int entity(int index) {
    if (index < 0)
      return index;
    if (const auto found = _entities.find(index); found != _entities.end())
      return found->second;
    Entity made = _from.entities[static_cast<std::size_t>(index)];
    made.base = entity(made.base);
    for (std::size_t n = 0; n < _program.entities.size() && !made.key.empty(); ++n)
      if (_program.entities[n].key == made.key)
        return _entities[index] = static_cast<int>(n); // the same procedure
    _program.entities.push_back(std::move(made));
    const int copy = static_cast<int>(_program.entities.size()) - 1;
    _entities[index] = copy;
    std::vector<Bound> bounds = _program.entities[static_cast<std::size_t>(copy)].bounds;
    for (Bound& bound : bounds) {
      change(bound.low);
      change(bound.high);
    }
    _program.entities[static_cast<std::size_t>(copy)].bounds = std::move(bounds);
    return copy;
  }
  void change(Expr& one) {
    one.entity = entity(one.entity);
    if (one.op == Op::call)
      one.number = entity(one.number);
    for (Expr& operand : one.operands)
      change(operand);
  }
  void change(Statement& one) {
    one.procedure = entity(one.procedure);
    one.variable = entity(one.variable);
    for (int& variable : one.variables)
      variable = entity(variable);
    for (Expr& operand : one.operands)
      change(operand);
    for (Statement::Part& part : one.parts) {
      change(part.condition);
      for (Statement& inner : part.body)
        change(inner);
    }
    for (Clause& clause : one.directive.clauses) {
      for (Expr& object : clause.objects)
        change(object);
      for (Expr& value : clause.values)
        change(value);
    }
    for (Statement& inner : one.body)
      change(inner);
  }
};

} // namespace

void for_kernels(Program& program, const std::function<void(std::vector<Statement>&)>& change) {
  for (Unit& unit : program.units) {
    bool has_kernels = unit.is_main;
    walk(unit.body, [&](const Statement& one) {
      has_kernels = has_kernels || (one.act == Act::directive && is_compute(one.directive.name));
    });
    if (has_kernels)
      search(unit.body, change);
    else
      change(unit.body); // kernels may call it
  }
}

void add_procedures(Program& program, const std::vector<const Program*>& others) {
  std::set<int> wanted;
  for (const Unit& unit : program.units) {
    wanted.merge(called_in(unit.declarative.empty() ? std::vector<Statement>{} : unit.body));
    walk(unit.body, [&](const Statement& one) {
      if (one.act == Act::directive && is_compute(one.directive.name))
        wanted.merge(called_in(one.body));
    });
    if (!unit.is_main && unit.declarative.empty()) // kernels may call it without a directive, too
      wanted.merge(called_in(unit.body));
  }
  std::set<int> seen;
  while (!wanted.empty()) {
    const int index = *wanted.begin();
    wanted.erase(wanted.begin());
    if (!seen.insert(index).second)
      continue;
    const std::string key = program.entities[static_cast<std::size_t>(index)].key;
    bool is_here = key.empty();
    for (const Unit& unit : program.units)
      is_here = is_here || unit.procedure == index;
    for (const Program* const other : others)
      for (const Unit& unit : other->units)
        if (!is_here && other != &program && unit.procedure >= 0 && !unit.is_foreign &&
            other->entities[static_cast<std::size_t>(unit.procedure)].key == key) {
          program.units.push_back(Copy(program, *other).unit(unit));
          wanted.merge(called_in(program.units.back().body));
          is_here = true;
        }
  }
}

} // namespace gangway::port::fortran::translation
