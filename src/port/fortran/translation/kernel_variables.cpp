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

void Writer::find_written() {
  for (const Launch& launch : _launches) {
    const Statements& body = launch.levels.empty() ? launch.held : *launch.body;
    _written.merge(written_in(body));
    for (const Directive* const said : launch.said)
      for (const Clause& clause : said->clauses)
        if (clause.name == "reduction")
          for (const Expr& object : clause.objects)
            _written.insert(object.entity);
  }
}

bool Writer::is_private(const Launch& launch, int index, std::string_view name) const {
  const auto look = [&](const Directive& said) {
    for (const Clause& clause : said.clauses)
      if (clause.name == name)
        for (const Expr& object : clause.objects)
          if (object.entity == index)
            return true;
    return false;
  };
  bool found = look(_directive) || (name == "private" && entity(index).is_private);
  for (const Directive* const said : launch.said)
    found = found || look(*said);
  const Statements& body = launch.levels.empty() ? launch.held : *launch.body;
  walk(body, [&](const Statement& one) {
    if (one.act == Act::directive)
      found = found || look(one.directive);
  });
  return found;
}

std::string Writer::unique(const std::string& wanted) const {
  std::string name = wanted;
  const auto is_taken = [&](const std::string& one) {
    for (const auto& [index, used] : _used)
      if (used.name == one)
        return true;
    for (const auto& [index, local] : _local)
      if (local == one)
        return true;
    for (const auto& [index, first] : _firsts)
      if (first.name == one)
        return true;
    return false;
  };
  while (is_taken(name))
    name += '_';
  return name;
}

void Writer::require_fit(int index, int line) const {
  const Entity& one = entity(index);
  const auto no = [&](const std::string& why, const std::string& by_hand) {
    refuse(Code::variable, line, fmt::format("'{}' {}", one.name, why), by_hand);
  };
  if (one.is_function)
    no("is a procedure", "a variable for its value");
  if (cpp_type(one.type).empty())
    no("has a type that kernels cannot have", "its numbers as arrays and scalars");
  if (one.is_optional)
    no("is optional", "a call for each of the two cases");
  if (one.is_polymorphic || one.is_coarray || one.is_volatile || one.is_assumed_rank)
    no("is polymorphic, a coarray, volatile or of assumed rank", "a plain array in its place");
  if (one.is_assumed_size)
    no("is of assumed size, and its extent is not known",
       "declare its extent, as in a(n), or an assumed shape");
  if (one.rank > 15)
    no("has too many dimensions", "fewer dimensions");
}

Used& Writer::use(int index, int line) {
  if (const auto found = _used.find(index); found != _used.end())
    return found->second;
  require_fit(index, line);
  const Entity& one = entity(index);
  Used used;
  used.name = unique(cpp_name(one.name));
  const auto named = _data.find(index);
  if (one.rank > 0) {
    used.role = Role::array;
    if (named != _data.end() &&
        named->second.first->objects[named->second.second].op == Op::section) {
      used.section = named->second.first;
      used.object = named->second.second;
    }
  } else if (named != _data.end() || _around.on_device.contains(index)) {
    used.role = Role::device;
    if (one.is_component)
      refuse(Code::variable, line,
             fmt::format("'{}' is a scalar component on the device", one.name),
             "a variable for it before the construct");
  } else {
    used.role = Role::value;
  }
  return _used.emplace(index, used).first->second;
}

std::string Writer::name_in(int index, int line) {
  if (const auto found = _local.find(index); found != _local.end())
    return found->second;
  if (_function != nullptr)
    refuse(Code::variable, line,
           fmt::format("'{}' uses '{}', which is none of its own variables", _function->name,
                       entity(index).name),
           "an argument for it");
  const Used& used = use(index, line);
  if (const auto found = _bounds.find(index); found != _bounds.end())
    return found->second;
  if (used.role == Role::reduction)
    refuse(Code::reduction, line,
           fmt::format("'{}' is a result of another loop of the construct", entity(index).name),
           "a construct for each of the loops");
  return used.role == Role::device ? "*" + used.name : used.name;
}

void Writer::hold_scalars(const Launch& launch) {
  std::set<int> held;
  if (_is_kernels)
    held = written_in(launch.held);
  const auto look = [&](const Directive& said) {
    for (const Clause& clause : said.clauses)
      if (clause.name == "reduction")
        for (const Expr& object : clause.objects)
          held.insert(object.entity);
  };
  look(_directive);
  for (const Directive* const said : launch.said)
    look(*said);
  walk(launch.held, [&](const Statement& one) {
    if (one.act == Act::directive || one.together > 0)
      look(one.directive);
  });
  const std::set<int> used = entities_in(launch.held);
  for (const int one : held) {
    const Entity& variable = entity(one);
    if (variable.rank > 0 || !used.contains(one) || _data.contains(one) ||
        _around.on_device.contains(one) || is_loop_variable(launch.held, one) || variable.is_made ||
        is_private(launch, one, "private") || is_private(launch, one, "firstprivate"))
      continue;
    if (variable.is_component)
      refuse(Code::global_written, launch.line,
             fmt::format("the kernel sets '{}', a component", variable.name),
             "a variable for it, and the component after the construct");
    _data[one] = {nullptr, 0};
    use(one, launch.line).is_written = true;
    _kernel.region.push_back({"copy", variable.name, variable.name});
  }
}

void Writer::declare_locals(const Launch& launch, const Statements& body,
                            const std::set<int>& written, const std::set<int>& indices,
                            const std::vector<std::pair<int, const Clause*>>& results,
                            std::string& head) {
  std::set<int> set = indices;
  const std::set<int> exposed = exposed_reads(body, set);
  const std::set<int> used = entities_in(body);
  const bool is_one_thread = launch.levels.empty();
  const auto is_on_device = [&](int one) {
    return _data.contains(one) || _around.on_device.contains(one);
  };
  std::set<int> wanted = written;
  for (const int one : used)
    if (is_private(launch, one, "private") ||
        (is_private(launch, one, "firstprivate") && (entity(one).rank > 0 || is_on_device(one))))
      wanted.insert(one);
  require_joined(body, results, launch.line);
  const std::set<int> only_in_loops = loop_variables(body);
  for (const int one : wanted) {
    const Entity& variable = entity(one);
    const bool is_result = std::any_of(results.begin(), results.end(),
                                       [&](const auto& result) { return result.first == one; });
    if (is_result || indices.contains(one))
      continue;
    const bool said_private = is_private(launch, one, "private");
    if (variable.rank > 0) {
      if (said_private)
        declare_private_array(one, launch.line, head);
      else if (is_private(launch, one, "firstprivate"))
        declare_firstprivate_array(one, launch.line, head);
      else
        use(one, launch.line).is_written = true;
      continue;
    }
    require_fit(one, launch.line);
    const bool is_device = is_on_device(one);
    const bool is_first = is_private(launch, one, "firstprivate");
    if (is_device && is_first && !said_private)
      refuse(Code::variable, launch.line,
             fmt::format("'{}' is firstprivate, and on the device", variable.name),
             "a variable that is on the host only");
    if (is_device && !said_private && !is_first) {
      if (!is_one_thread && !is_loop_variable(body, one) && !only_atomic(body, one))
        refuse(Code::written_unsaid, launch.line,
               fmt::format("all iterations set '{}', which is on the device", variable.name),
               "reduction, private or atomic");
      if (!is_loop_variable(body, one)) {
        use(one, launch.line).is_written = true;
        continue;
      }
    }
    if (only_in_loops.contains(one))
      continue; // its loop declares it
    const std::string type = cpp_type(variable.type);
    // A scalar component is one of a structure, whose implicit clause is copy.
    if (variable.is_component && !said_private)
      refuse(Code::global_written, launch.line,
             fmt::format("the kernel sets '{}', a component", variable.name),
             "a variable for it, and the component after the construct");
    const bool is_read_first = exposed.contains(one);
    if (said_private) {
      _local[one] = unique(cpp_name(variable.name));
      head += fmt::format("        {} {}{{}};\n", type, _local[one]);
      continue;
    }
    if (_is_kernels && !is_first && !is_loop_variable(body, one)) {
      if (_around.read_on_host.contains(one) || variable.is_static ||
          (variable.is_dummy && !variable.is_in))
        refuse(Code::written_unsaid, launch.line,
               fmt::format("'{}' is set by all iterations, and may be read after 'kernels'",
                           variable.name),
               "private or reduction");
      _kernel.notes.push_back(say<Code::private_in_kernels>(variable.name));
    }
    if (is_read_first && !is_first && !is_one_thread)
      refuse(Code::written_unsaid, launch.line,
             fmt::format("an iteration may read '{}' before it sets it", variable.name),
             "reduction, private, or atomic");
    if (is_read_first || is_first) {
      const Used& from = use(one, launch.line);
      const std::string first = from.name;
      const std::string name = unique(first + "_own");
      head += fmt::format("        {} {} = {};\n", type, name, first);
      _local[one] = name;
    } else {
      _local[one] = unique(cpp_name(variable.name));
      head += fmt::format("        {} {}{{}};\n", type, _local[one]);
    }
  }
}

std::set<int> Writer::loop_variables(const Statements& body) const {
  std::map<int, int> all;
  std::map<int, int> inside;
  const auto count = [](const Statements& statements, std::map<int, int>& counts) {
    walk_expressions(statements, [&](const Expr& one) {
      if (one.entity >= 0)
        ++counts[one.entity];
    });
    walk(statements, [&](const Statement& one) {
      if (one.act == Act::assign)
        counts[one.operands[0].entity] += 1000000;
    });
  };
  count(body, all);
  std::set<int> found;
  std::map<int, int> in_bounds;
  walk(body, [&](const Statement& one) {
    if (one.act != Act::loop)
      return;
    found.insert(one.variable);
    std::map<int, int> here;
    count(one.body, here);
    // Nested loops of the same variable are not allowed in Fortran, so none is counted twice.
    inside[one.variable] += here[one.variable];
  });
  std::set<int> kept;
  for (const int one : found)
    if (all[one] == inside[one] && all[one] < 1000000)
      kept.insert(one);
  return kept;
}

bool Writer::is_loop_variable(const Statements& body, int index) {
  bool found = false;
  walk(body, [&](const Statement& one) {
    found = found || (one.act == Act::loop && one.variable == index);
  });
  return found;
}

bool Writer::only_atomic(const Statements& body, int index) {
  int atomic = 0;
  int all = 0;
  walk(body, [&](const Statement& one) {
    if (one.act == Act::assign && one.operands[0].entity == index)
      ++all;
    if (one.act == Act::directive && one.directive.name == "atomic")
      for (const Statement& inner : one.body)
        if (inner.act == Act::assign && inner.operands[0].entity == index)
          ++atomic;
  });
  return atomic == all;
}

void Writer::declare_firstprivate_array(int index, int line, std::string& head) {
  const Entity& one = entity(index);
  const auto no = [&](const std::string& what, const std::string& by_hand) {
    refuse(Code::firstprivate_array, line,
           fmt::format("the firstprivate array '{}', {}", one.name, what), by_hand);
  };
  LocalArray array = local_array(index, line);
  if (array.count > 128)
    no("which has more than 128 elements", "private, and its values set in the loop");
  if (_data.contains(index))
    no("which a data clause names, too", "one of the two clauses");
  auto first = _firsts.find(index);
  if (first == _firsts.end()) {
    array.name = unique(cpp_name(one.name) + "_first");
    first = _firsts.emplace(index, std::move(array)).first;
  }
  _local[index] = unique(cpp_name(one.name));
  head +=
      fmt::format("        {} {} = {};\n", first->second.type, _local[index], first->second.name);
}

void Writer::declare_private_array(int index, int line, std::string& head) {
  const std::string type = local_array(index, line).type;
  _local[index] = unique(cpp_name(entity(index).name));
  head += fmt::format("        {} {};\n", type, _local[index]);
}

Writer::LocalArray Writer::local_array(int index, int line) {
  require_fit(index, line);
  const Entity& one = entity(index);
  std::string bounds;
  long count = 1;
  for (const Bound& bound : one.bounds) {
    if (!bound.has_lower || !bound.has_extent)
      refuse(Code::private_array, line,
             fmt::format("the private array '{}' has bounds that are no constants", one.name),
             "constant bounds, or one more dimension for the iterations");
    bounds += fmt::format(", gangway::fortran::Bounds<{}, {}>", bound.lower,
                          bound.lower + bound.extent - 1);
    count *= bound.extent;
  }
  if (one.bounds.empty() || count > 4096)
    refuse(Code::private_array, line, fmt::format("the private array '{}'", one.name),
           "one more dimension for the iterations");
  return {"", fmt::format("gangway::fortran::LocalArray<{}{}>", cpp_type(one.type), bounds), count};
}

} // namespace gangway::port::fortran::translation
