// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {

std::string Writer::label() const {
  return fmt::format("{}:{}", _around.unit.name.empty() ? "main" : _around.unit.name,
                     _directive.first_line);
}

std::string Writer::write_launches(std::size_t from, std::size_t to, std::size_t depth) {
  std::string text;
  for (std::size_t next = from; next < to;) {
    if (_launches[next].taken.size() <= depth) {
      text += write_launch(_launches[next++]);
      continue;
    }
    const Statement& branch = *_launches[next].taken[depth].branch;
    std::string made;
    for (std::size_t part = 0; part < branch.parts.size(); ++part) {
      std::size_t end = next;
      while (end < to && _launches[end].taken.size() > depth &&
             _launches[end].taken[depth].branch == &branch &&
             _launches[end].taken[depth].part == part)
        ++end;
      _local.clear();
      const Expr& condition = branch.parts[part].condition;
      const std::string test =
          condition.op == Op::absent
              ? ""
              : fmt::format("if ({}) ", _expressions.condition(condition, branch.first_line));
      made += fmt::format("{}{}{{\n", part == 0 ? "  " : "  } else ", test);
      made += indented(write_launches(next, end, depth + 1));
      next = end;
    }
    text += made + "  }\n";
  }
  return text;
}

std::string Writer::indented(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    made += "  " + text.substr(at, end - at + 1);
    at = end + 1;
  }
  return made;
}

std::string Writer::write_launch(Launch& launch) {
  _local.clear();
  const bool is_one_thread = launch.levels.empty();
  const Statements& body = is_one_thread ? launch.held : *launch.body;
  std::string head; // of the lambda
  std::vector<std::pair<int, const Clause*>> results;
  const std::set<int> written = written_in(body);

  // Results first: their names are those of the lambda's parameters.
  if (!is_one_thread)
    for (const int one : reductions_of(launch))
      results.emplace_back(one, reduction_of(launch, one));

  // Bounds are the launch's, and are taken before it.
  std::vector<std::string> lower;
  std::vector<std::string> upper;
  std::vector<std::string> step;
  std::string before;
  for (const Level& level : launch.levels) {
    const auto& operands = level.loop->operands;
    if (entity(level.loop->variable).type.base != Base::integer ||
        cpp_type(entity(level.loop->variable).type).empty())
      refuse(Code::no_range, level.line, "a loop that does not count in integers",
             "an integer variable");
    const Type type = entity(level.loop->variable).type;
    for (const Expr& operand : operands)
      before += require_host_value(operand, level.line);
    lower.push_back(bound(operands[0], type, level.line));
    upper.push_back(bound(operands[1], type, level.line));
    step.push_back(operands.size() > 2 ? bound(operands[2], type, level.line) : "1");
  }

  _bounds.clear();
  std::set<int> locals;
  for (const Level& level : launch.levels)
    locals.insert(level.loop->variable);
  declare_locals(launch, body, written, locals, results, head);
  for (const auto& [one, clause] : results)
    _local[one] = unique(cpp_name(entity(one).name) + "_part");
  for (const Level& level : launch.levels)
    _local[level.loop->variable] = unique(cpp_name(entity(level.loop->variable).name));

  std::string policy;
  std::string parameters;
  const std::string indent = "        ";
  std::string indices;
  if (is_one_thread) {
    policy = "gangway::range(0, 1)";
    parameters = "long";
  } else if (launch.levels.size() == 1) {
    const int variable = launch.levels[0].loop->variable;
    const std::string type = cpp_type(entity(variable).type);
    const std::string& name = _local[variable];
    if (step[0] == "1") {
      policy = fmt::format("gangway::range({}, {} + 1L)", lower[0], parenthesized(upper[0]));
      parameters = fmt::format("{} {}", type, name);
    } else {
      policy = fmt::format("gangway::range(0, gangway::fortran::trips<{}>({}, {}, {}))", type,
                           lower[0], upper[0], step[0]);
      parameters = fmt::format("long {}_count", name);
      indices =
          fmt::format("{0}const {1} {2} = gangway::fortran::value_at<{1}>({3}, {2}_count, {4});\n",
                      indent, type, name, lower[0], step[0]);
    }
  } else {
    std::vector<std::string> extents;
    std::vector<std::string> tile;
    std::vector<std::string> names;
    for (std::size_t n = 0; n < launch.levels.size(); ++n) {
      const int variable = launch.levels[n].loop->variable;
      const std::string type = cpp_type(entity(variable).type);
      const std::string& name = _local[variable];
      extents.push_back(step[n] == "1" ? fmt::format("gangway::fortran::trips<{}>({}, {})", type,
                                                     lower[n], upper[n])
                                       : fmt::format("gangway::fortran::trips<{}>({}, {}, {})",
                                                     type, lower[n], upper[n], step[n]));
      tile.emplace_back(n + 1 == launch.levels.size()   ? "32"
                        : n + 2 == launch.levels.size() ? "4"
                                                        : "1");
      names.push_back(fmt::format("long {}_count", name));
      indices += fmt::format(
          "{0}const {1} {2} = gangway::fortran::value_at<{1}>({3}, {2}_count{4});\n", indent, type,
          name, lower[n], step[n] == "1" ? std::string() : ", " + step[n]);
    }
    policy = fmt::format("gangway::tile<{}>({{{}}}, {{{}}})", launch.levels.size(),
                         fmt::join(extents, ", "), fmt::join(tile, ", "));
    parameters = fmt::format("{}", fmt::join(names, ", "));
  }
  std::string reducers;
  for (const auto& [one, clause] : results) {
    const Entity& variable = entity(one);
    const std::string type = cpp_type(variable.type);
    parameters += fmt::format(", {}& {}", type, _local[one]);
    reducers += fmt::format(", {}", reducer(one, *clause, launch.line));
  }
  std::vector<Frame> frames;
  if (!is_one_thread)
    frames.push_back({launch.levels.back().loop->name, true, {}, false});
  const std::string text = write(body, indent, frames);
  return before + fmt::format("  {}::parallel_{}(\n      \"{}\", {},\n      KOKKOS_LAMBDA({}) "
                              "{{\n{}{}{}      }}{});\n",
                              results.empty() && launch.levels.size() < 2 ? "Kokkos" : "gangway",
                              results.empty() ? "for" : "reduce", label(), policy, parameters,
                              indices, head, text, reducers);
}

std::string Writer::require_host_value(const Expr& expr, int line) {
  std::string before;
  walk(expr, [&](const Expr& one) {
    if (one.op == Op::variable && one.entity >= 0 && use(one.entity, line).role == Role::device) {
      if (_bounds.contains(one.entity))
        return;
      const std::string& name = use(one.entity, line).name;
      _bounds[one.entity] = fmt::format("{}_bound_{}", name, ++_labels);
      before += fmt::format("  const {} {} = gangway::fortran::value_on_device({});\n",
                            cpp_type(entity(one.entity).type), _bounds[one.entity], name);
      return;
    }
    if (one.op == Op::element || one.op == Op::section ||
        (one.op == Op::variable && one.entity >= 0 && use(one.entity, line).role != Role::value))
      refuse(Code::bounds_inside, line,
             fmt::format("a bound of the loop is '{}', a value of the device",
                         entity(one.entity).name),
             "a variable of the host for the bound");
  });
  return before;
}

std::string Writer::bound(const Expr& expr, Type type, int line) {
  std::string text = _expressions.index(expr, line);
  if (expr.op == Op::literal || expr.type == type)
    return text;
  return fmt::format("static_cast<{}>({})", cpp_type(type), text);
}

} // namespace gangway::port::fortran::translation
