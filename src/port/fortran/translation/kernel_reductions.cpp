// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {

const Clause* Writer::reduction_of(const Launch& launch, int index) const {
  const Clause* found = nullptr;
  const auto look = [&](const Directive& said) {
    for (const Clause& clause : said.clauses)
      if (clause.name == "reduction")
        for (const Expr& object : clause.objects)
          if (object.entity == index && found == nullptr)
            found = &clause;
  };
  for (const Directive* const said : launch.said)
    look(*said);
  look(_directive);
  if (!launch.levels.empty())
    walk(*launch.body, [&](const Statement& one) {
      if (one.act == Act::directive)
        look(one.directive);
    });
  return found;
}

bool Writer::is_reduction(const Launch& launch, int index) const {
  return reduction_of(launch, index) != nullptr;
}

std::vector<int> Writer::reductions_of(const Launch& launch) const {
  std::vector<int> found;
  const std::set<int> used = entities_in(*launch.body);
  const auto look = [&](const Directive& said) {
    for (const Clause& clause : said.clauses)
      if (clause.name == "reduction")
        for (const Expr& object : clause.objects)
          if (used.contains(object.entity) &&
              std::find(found.begin(), found.end(), object.entity) == found.end())
            found.push_back(object.entity);
  };
  look(_directive);
  for (const Directive* const said : launch.said)
    look(*said);
  // That of an inner loop, whose variable no iteration sets first.
  std::set<int> set;
  const std::set<int> exposed = exposed_reads(*launch.body, set);
  walk(*launch.body, [&](const Statement& one) {
    if (one.act == Act::directive)
      for (const Clause& clause : one.directive.clauses)
        if (clause.name == "reduction")
          for (const Expr& object : clause.objects)
            if (exposed.contains(object.entity) &&
                only_reduced(one.body, *launch.body, object.entity) &&
                !is_private(launch, object.entity, "private") &&
                !is_private(launch, object.entity, "firstprivate") &&
                std::find(found.begin(), found.end(), object.entity) == found.end())
              found.push_back(object.entity);
  });
  return found;
}

bool Writer::only_reduced(const Statements& inner, const Statements& all, int index) {
  const auto count = [index](const Statements& statements) {
    int found = 0;
    walk_expressions(statements, [&](const Expr& one) { found += one.entity == index ? 1 : 0; });
    return found;
  };
  return count(inner) == count(all);
}

std::string Writer::reducer(int index, const Clause& clause, int line) {
  const Entity& one = entity(index);
  if (one.rank > 0)
    refuse(Code::reduction, line, fmt::format("the reduction of the array '{}'", one.name),
           "a scalar for each element");
  require_fit(index, line);
  Used& used = result(index, line);
  static const std::map<std::string, std::string> names{
      {"+", "sum"},        {"*", "product"},       {"max", "max"},
      {"min", "min"},      {"and", "logical_and"}, {"or", "logical_or"},
      {"iand", "bit_and"}, {"ior", "bit_or"},      {"ieor", "bit_xor"}};
  const auto found = names.find(clause.word);
  if (found == names.end() ||
      (one.type.base == Base::logical) != (clause.word == "and" || clause.word == "or") ||
      (one.type.base == Base::complex && clause.word != "+" && clause.word != "*"))
    refuse(Code::reduction, line, fmt::format("'{}' of '{}'", clause.text, one.name),
           "+, *, max, min, iand, ior, ieor, .and. or .or.");
  if (used.role == Role::device)
    return fmt::format("gangway::reduction::{}({}_view)", found->second, used.name);
  return fmt::format("gangway::reduction::{}(*{})", found->second, used.name);
}

void Writer::imply_reductions() {
  for (Launch& launch : _launches) {
    if (launch.levels.empty())
      continue;
    std::set<int> set;
    for (const int one : exposed_reads(*launch.body, set)) {
      const std::string operation = joined_by(*launch.body, one);
      if (operation.empty() || entity(one).rank > 0 || entity(one).is_component ||
          is_reduction(launch, one) || is_private(launch, one, "private") ||
          is_private(launch, one, "firstprivate") || _data.contains(one) ||
          _around.on_device.contains(one))
        continue;
      Directive said;
      said.name = "loop";
      said.first_line = launch.line;
      Clause clause;
      clause.name = "reduction";
      clause.word = operation;
      clause.text = fmt::format("reduction({}:{})", operation, entity(one).name);
      clause.objects.push_back(scalar(one));
      clause.written.push_back(entity(one).name);
      said.clauses.push_back(std::move(clause));
      _implied.push_back(std::move(said));
      launch.said.push_back(&_implied.back());
      _kernel.notes.push_back(
          say<Code::reduction_unsaid>(entity(one).name, operation, entity(one).name));
    }
  }
}

Expr Writer::scalar(int index) const {
  Expr made;
  made.op = Op::variable;
  made.type = entity(index).type;
  made.entity = index;
  return made;
}

std::string Writer::joined_by(const Statements& body, int index) {
  std::set<std::string> operations;
  int found = 0;
  walk(body, [&](const Statement& one) {
    if (one.act != Act::assign || one.operands[0].entity != index)
      return;
    operations.insert(joined_by(one.operands[1], index));
    found += 2;
  });
  int all = 0;
  walk_expressions(body, [&](const Expr& one) { all += one.entity == index ? 1 : 0; });
  return operations.size() == 1 && found == all ? *operations.begin() : "";
}

std::string Writer::joined_by(const Expr& value, int index) {
  static const std::map<std::string_view, std::string> names{
      {"+", "+"},     {"-", "+"},     {"*", "*"},       {"&&", "and"},  {"||", "or"},
      {"max", "max"}, {"min", "min"}, {"iand", "iand"}, {"ior", "ior"}, {"ieor", "ieor"}};
  const auto name = names.find(value.text);
  if (value.operands.size() < 2 || name == names.end() ||
      (value.op != Op::binary && value.op != Op::intrinsic))
    return "";
  const auto is_it = [&](const Expr& one) { return one.op == Op::variable && one.entity == index; };
  const Expr& left = value.operands[0];
  if (is_it(left) || (value.text != "-" && is_it(value.operands[1])))
    return name->second;
  return joined_by(left, index) == name->second ? name->second : ""; // (s + a) + b
}

Used& Writer::result(int index, int line) {
  if (const auto found = _used.find(index); found != _used.end()) {
    if (found->second.role == Role::value)
      refuse(Code::reduction, line,
             fmt::format("'{}' is a result, and another kernel of the construct has its value",
                         entity(index).name),
             "a construct for each of the loops");
    return found->second;
  }
  Used& used = use(index, line);
  if (used.role == Role::value)
    used.role = Role::reduction;
  used.is_written = true;
  return used;
}

void Writer::require_none_carried() const {
  for (const Launch& launch : _launches) {
    if (launch.levels.empty())
      continue;
    for (const int one : written_in(*launch.body))
      for (const Launch& other : _launches) {
        if (&other == &launch || entity_rank(one) > 0 || is_reduction(launch, one) ||
            is_private(launch, one, "private"))
          continue;
        std::set<int> set;
        for (const Level& level : other.levels)
          set.insert(level.loop->variable);
        if (exposed_reads(other.levels.empty() ? other.held : *other.body, set).contains(one))
          refuse(Code::read_behind, other.line,
                 fmt::format("'{}' is set by all iterations of another loop of the construct",
                             entity(one).name),
                 "a construct of its own for this, or private in both");
      }
  }
}

void Writer::require_joined(const Statements& body,
                            const std::vector<std::pair<int, const Clause*>>& results,
                            int line) const {
  for (const auto& [index, clause] : results) {
    if (clause->word == "max" || clause->word == "min")
      continue; // if (x > most) most = x
    walk(body, [&, index = index](const Statement& one) {
      if (one.act == Act::assign && one.operands[0].entity == index &&
          !entities_of(one.operands[1]).contains(index))
        refuse(Code::reduction, line,
               fmt::format("'{}' is set in line {} without its value before", entity(index).name,
                           one.first_line),
               "an update such as s = s + x, or private");
    });
  }
}

} // namespace gangway::port::fortran::translation
