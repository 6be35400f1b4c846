// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/writer.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {

const Clause* find_clause(const Directive& directive, std::string_view name) {
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "device_type" || clause.name == "dtype")
      return nullptr; // what follows is for one kind of device
    if (clause.name == name)
      return &clause;
  }
  return nullptr;
}

bool is_data_clause(std::string_view name) {
  static const std::set<std::string_view> names{
      "copy",    "pcopy",    "present_or_copy",    "copyin", "pcopyin", "present_or_copyin",
      "copyout", "pcopyout", "present_or_copyout", "create", "pcreate", "present_or_create",
      "present", "no_create"};
  return names.contains(name);
}

Writer::Writer(const Surroundings& around, const Unit& function, std::vector<const Unit*> outer)
    : Writer(around, nothing(), "") {
  _function = &function;
  _outer = std::move(outer);
  _outer.push_back(&function);
}

Writer::Writer(const Surroundings& around, const Statement& construct, std::string one_thread)
    : _around(around), _construct(construct), _directive(construct.directive),
      _one_thread(std::move(one_thread)),
      _expressions([this](int entity, int line) { return name_in(entity, line); },
                   [this](const Expr& call, int line) { return function_call(call, line); }) {
  const std::string& name = _directive.name;
  _is_kernels = name.rfind("kernels", 0) == 0;
  _is_serial = name.rfind("serial", 0) == 0;
  _is_combined = name.find("loop") != std::string::npos;
}

Kernel Writer::write() {
  _kernel.name = fmt::format("{}_line{}", _around.prefix, _directive.first_line);
  check_clauses(_directive);
  read_data_clauses();
  plan_launches();
  imply_reductions();
  find_written();
  for (const Launch& launch : _launches)
    if (launch.levels.empty())
      hold_scalars(launch);
  require_none_carried();
  finish(write_launches(0, _launches.size(), 0));
  return std::move(_kernel);
}

const Statement& Writer::nothing() {
  static const Statement none;
  return none;
}

const Unit* Writer::unit_of(int procedure) const {
  for (const Unit& unit : _around.program.units)
    if (procedure >= 0 && unit.procedure == procedure)
      return &unit;
  return nullptr;
}

const Entity& Writer::entity(int index) const {
  return _around.program.entities[static_cast<std::size_t>(index)];
}

void Writer::refuse(Code code, int line, const std::string& text, const std::string& by_hand) {
  throw Refusal(code, line, text, by_hand);
}

void Writer::check_clauses(const Directive& directive) {
  static const std::set<std::string_view> known{
      "async",        "wait",        "num_gangs", "num_workers", "vector_length", "private",
      "firstprivate", "reduction",   "default",   "collapse",    "gang",          "worker",
      "vector",       "seq",         "auto",      "independent", "tile",          "if",
      "self",         "device_type", "dtype"};
  for (const Clause& clause : directive.clauses)
    if (!known.contains(clause.name) && !is_data_clause(clause.name))
      refuse(Code::clause, directive.first_line, fmt::format("the clause '{}'", clause.text),
             "a data region around it, or a kernel by hand");
}

void Writer::read_data_clauses() {
  for (const Clause& clause : _directive.clauses) {
    if (!is_data_clause(clause.name))
      continue;
    if (clause.has_modifier)
      refuse(Code::modifier, _directive.first_line,
             fmt::format("the modifier in '{}'", clause.text),
             "an update before or after the region");
    if (clause.name == "no_create")
      refuse(Code::clause, _directive.first_line, fmt::format("the clause '{}'", clause.text),
             "present where the array is on the device");
    for (std::size_t i = 0; i < clause.objects.size(); ++i) {
      const Expr& object = clause.objects[i];
      if (object.op == Op::other || object.op == Op::element)
        refuse(Code::no_plain_array, _directive.first_line,
               fmt::format("'{}' in the clause '{}'", clause.written[i], clause.text),
               "a whole array, or a contiguous section of it");
      _data[object.entity] = {&clause, i};
      std::string way = clause.name;
      for (const std::string_view before : {"present_or_", "p"})
        if (way.starts_with(before) && way != "present")
          way.erase(0, before.size());
      _kernel.region.push_back({way, clause.written[i], entity(object.entity).name});
    }
  }
}

std::string Writer::parenthesized(const std::string& text) {
  return text.find_first_of("+-*/?&|^<>= ") == std::string::npos ? text : fmt::format("({})", text);
}

void Writer::require_whole(const Expr& one, int line) const {
  const bool is_asked = one.op == Op::lower || one.op == Op::extent;
  const bool is_bound = one.op == Op::intrinsic && (one.text == "lbound" || one.text == "ubound");
  if ((!is_asked && !is_bound) || one.text == of_assignment)
    return;
  const auto used = _used.find(is_bound ? one.operands[0].entity : one.entity);
  if (used != _used.end() && used->second.section != nullptr)
    refuse(Code::no_plain_array, line,
           fmt::format("a bound or size of '{}', of which a clause names a part,",
                       entity(used->first).name),
           "the whole array in the clause, or the bound before the construct");
}

void Writer::finish(const std::string& body) {
  walk({_construct}, [&](const Statement& one) {
    const auto look = [&](const Expr& part) { require_whole(part, one.first_line); };
    for (const Expr& operand : one.operands)
      walk(operand, look);
    for (const Statement::Part& part : one.parts)
      walk(part.condition, look);
  });
  std::string head;
  std::vector<std::string> declarations;
  const bool all_present = [&] {
    for (const Clause& clause : _directive.clauses)
      if (clause.name == "default")
        return clause.word == "present";
    return false;
  }();
  for (auto& [index, used] : _used) {
    const Entity& one = entity(index);
    const std::string type = cpp_type(one.type);
    const std::string interface = interface_type(one.type);
    Parameter parameter;
    parameter.name = used.name;
    while (parameter.name.back() == '_') // no name of Fortran begins or ends so
      parameter.name.pop_back();
    parameter.kind = interface_kind(one.type);
    parameter.actual = one.name;
    const std::string intent = used.is_written ? "inout" : "in";
    switch (used.role) {
    case Role::array: {
      if (!_data.contains(index)) {
        const std::string way = all_present ? "present" : used.is_written ? "copy" : "copyin";
        _kernel.region.push_back({way, one.name, one.name});
      }
      std::string colons = ":";
      for (int d = 1; d < one.rank; ++d)
        colons += ", :";
      const bool has_bounds = (one.is_allocatable || one.is_pointer) && used.section == nullptr;
      parameter.declaration =
          fmt::format("{}{}, intent({}){} :: {}({})", interface,
                      has_bounds ? one.is_allocatable ? ", allocatable" : ", pointer" : "",
                      has_bounds && one.is_pointer ? "in" : intent,
                      one.is_pointer && has_bounds ? "" : ", target", parameter.name, colons);
      parameter.cpp = fmt::format("const gangway::Descriptor& host_{}", used.name);
      if (used.section != nullptr)
        parameter.actual = used.section->written[used.object];
      std::string bounds;
      std::vector<Parameter> more;
      if (!has_bounds)
        bounds = lower_bounds(index, used, more);
      head += fmt::format("  const gangway::FArray<{}{}, {}> {}(\"{}\", host_{}{});\n",
                          used.is_written ? "" : "const ", type, one.rank, used.name, one.name,
                          used.name, bounds);
      _kernel.parameters.push_back(parameter);
      for (Parameter& extra : more)
        _kernel.parameters.push_back(std::move(extra));
      continue;
    }
    case Role::value:
      if (one.type.base == Base::complex) { // by reference: C++ has another type than C
        parameter.declaration = fmt::format("{}, intent(in) :: {}", interface, parameter.name);
        parameter.cpp = fmt::format("const {}* host_{}", type, used.name);
        head += fmt::format("  const {0} {1} = *host_{1};\n", type, used.name);
        break;
      }
      parameter.declaration = fmt::format("{}, value :: {}", interface, parameter.name);
      parameter.cpp = fmt::format("{} {}", type, used.name);
      break;
    case Role::reduction:
      parameter.declaration = fmt::format("{}, intent(inout) :: {}", interface, parameter.name);
      parameter.cpp = fmt::format("{}* {}", type, used.name);
      head += fmt::format("  gangway::fortran::require_host_result({0}, \"{1}\");\n", used.name,
                          one.name);
      break;
    case Role::device:
      parameter.declaration =
          fmt::format("{}, intent({}), target :: {}", interface, intent, parameter.name);
      parameter.cpp = fmt::format("{}* host_{}", type, used.name);
      head +=
          fmt::format("  auto* const {1} = static_cast<{0}*>(gangway::device_pointer(host_{1}));\n",
                      type, used.name);
      if (body.find(used.name + "_view)") != std::string::npos)
        head += fmt::format("  const gangway::fortran::DeviceScalar<{0}> {1}_view({1});\n", type,
                            used.name);
      break;
    case Role::local:
      break;
    }
    _kernel.parameters.push_back(parameter);
  }
  for (const auto& [index, first] : _firsts) {
    const Entity& one = entity(index);
    Parameter parameter;
    parameter.name = first.name;
    while (parameter.name.back() == '_')
      parameter.name.pop_back();
    parameter.kind = interface_kind(one.type);
    parameter.actual = one.name;
    parameter.declaration = fmt::format("{}, intent(in) :: {}({})", interface_type(one.type),
                                        parameter.name, first.count);
    parameter.cpp = fmt::format("const {}* host_{}", cpp_type(one.type), first.name);
    head += fmt::format("  const {0} {1}(host_{1});\n", first.type, first.name);
    _kernel.parameters.push_back(std::move(parameter));
  }
  std::string parameters;
  for (const Parameter& parameter : _kernel.parameters)
    parameters += (parameters.empty() ? "" : ", ") + parameter.cpp;
  const bool is_async = find_clause(_directive, "async") != nullptr;
  _kernel.cpp = fmt::format("extern \"C\" void {}({}) {{\n{}{}{}}}\n", _kernel.name, parameters,
                            head, body, is_async ? "" : "  Kokkos::fence(\"" + label() + "\");\n");
}

std::string Writer::lower_bounds(int index, const Used& used, std::vector<Parameter>& more) {
  const Entity& one = entity(index);
  std::string bounds;
  bool all_one = true;
  for (int d = 0; d < one.rank; ++d) {
    std::string low;
    if (used.section != nullptr) {
      const Expr& subscript =
          used.section->objects[used.object].operands[static_cast<std::size_t>(d)];
      if (subscript.op != Op::range)
        refuse(Code::no_plain_array, _directive.first_line,
               fmt::format("'{}' has fewer dimensions than its array",
                           used.section->written[used.object]),
               "the whole array, or a section with a range for each dimension");
      const Expr& first = subscript.operands[0];
      if (first.op == Op::literal)
        low = first.text;
      else if (first.op != Op::absent) {
        const std::string name = fmt::format("{}_lower{}", used.name, d + 1);
        // The host computes it, as it computes the section.
        const std::string written = used.section->written[used.object];
        more.push_back({section_lower(written, d), "long " + name, name,
                        "integer(c_long), value :: " + name, "c_long"});
        low = name;
      }
    }
    if (low.empty() && static_cast<std::size_t>(d) < one.bounds.size() &&
        one.bounds[static_cast<std::size_t>(d)].has_lower)
      low = std::to_string(one.bounds[static_cast<std::size_t>(d)].lower);
    if (low.empty()) {
      const std::string name = fmt::format("{}_lower{}", used.name, d + 1);
      more.push_back({fmt::format("lbound({}, {}, 8)", one.name, d + 1), "long " + name, name,
                      "integer(c_long), value :: " + name, "c_long"});
      low = name;
    }
    all_one = all_one && low == "1";
    bounds += (d > 0 ? ", " : "") + low;
  }
  return all_one ? "" : fmt::format(", {{{}}}", bounds);
}

std::string Writer::section_lower(const std::string& section, int dimension) const {
  int depth = 0;
  int d = 0;
  std::string text;
  for (const char c : section) {
    if (c == '(' && depth++ == 0)
      continue;
    if (c == ')' && --depth == 0)
      break;
    if (depth == 1 && c == ',') {
      ++d;
      continue;
    }
    if (depth == 1 && c == ':' && d == dimension)
      return fmt::format("int({}, 8)", text);
    if (depth >= 1 && d == dimension)
      text += c;
  }
  refuse(Code::no_plain_array, _directive.first_line, fmt::format("the section '{}'", section),
         "the whole array");
}

bool is_compute(const std::string& directive) {
  return directive.rfind("parallel", 0) == 0 || directive.rfind("kernels", 0) == 0 ||
         directive.rfind("serial", 0) == 0;
}

Kernel write_kernel(const Surroundings& around, const Statement& construct) {
  Writer writer(around, construct, "");
  try {
    return writer.write();
  } catch (const Refusal& refusal) {
    if (!writer.takes_branches())
      throw;
    return Writer(around, construct, refusal.what()).write();
  }
}

} // namespace gangway::port::fortran::translation
