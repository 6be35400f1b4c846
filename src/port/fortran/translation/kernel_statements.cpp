// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/writer.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gangway::port::fortran::translation {

std::string Writer::write(const Statements& statements, const std::string& indent,
                          std::vector<Frame>& frames) {
  std::string text;
  for (const Statement& one : statements)
    text += write(one, indent, frames);
  return text;
}

std::string Writer::write(const Statement& one, const std::string& indent,
                          std::vector<Frame>& frames) {
  const int line = one.first_line;
  switch (one.act) {
  case Act::nothing:
    return "";
  case Act::assign:
    return indent + assignment(one) + ";\n";
  case Act::branch: {
    std::string text;
    for (std::size_t n = 0; n < one.parts.size(); ++n) {
      const Statement::Part& part = one.parts[n];
      const bool is_else = part.condition.op == Op::absent;
      text += n == 0 ? indent : " else ";
      if (!is_else)
        text += fmt::format("if ({}) ", _expressions.condition(part.condition, line));
      text += fmt::format("{{\n{}{}}}", write(part.body, indent + "  ", frames), indent);
    }
    return text + "\n";
  }
  case Act::loop:
    return write_loop(one, indent, frames);
  case Act::while_: {
    frames.push_back({one.name, false, {}, false});
    const std::string condition =
        one.operands.empty() ? "true" : _expressions.condition(one.operands[0], line);
    std::string text = fmt::format("{}while ({}) {{\n", indent, condition);
    text += write(one.body, indent + "  ", frames);
    text += end_of_loop(indent, frames);
    return text;
  }
  case Act::cycle:
    return indent + cycle(one, frames) + "\n";
  case Act::exit:
    return indent + leave(one, frames) + "\n";
  case Act::directive:
    if (one.directive.name == "loop") {
      check_clauses(one.directive);
      for (const Clause& clause : one.directive.clauses)
        if (clause.name == "reduction" || clause.name == "private")
          check_inner(clause, line);
      return write(one.body, indent, frames);
    }
    if (one.directive.name == "cache")
      return "";
    if (one.directive.name == "atomic")
      return write_atomic(one, indent);
    refuse(Code::inside_compute, line,
           fmt::format("'{}' inside a compute construct", one.directive.name), "move it out");
  case Act::call: {
    const Unit& unit = function_of(one.procedure, one.name, line);
    return indent + call_of(unit, one.operands, line) + ";\n";
  }
  case Act::return_:
    if (_function == nullptr)
      refuse(Code::statement, line, "'return' in a kernel", "an if around what follows");
    return fmt::format("{}return{};\n", indent,
                       _function->is_function ? " " + name_in(_function->result, line) : "");
  case Act::where_:
    refuse(Code::statement, line, "this form of 'where' in a kernel", "a do loop with if");
  case Act::concurrent:
  case Act::other:
    break;
  }
  refuse(Code::statement, line, fmt::format("'{}' in a kernel", one.name),
         "write it with do, if and assignments, or move it out");
}

void Writer::check_inner(const Clause& clause, int line) const {
  for (const Expr& object : clause.objects)
    if (clause.name == "reduction" && entity_rank(object.entity) > 0)
      refuse(Code::reduction, line, fmt::format("'{}' of an array", clause.text),
             "a scalar for each element");
}

std::string Writer::assignment(const Statement& one) {
  const Expr& to = one.operands[0];
  const Expr& from = one.operands[1];
  const int line = one.first_line;
  if (to.rank > 0)
    refuse(Code::statement, line, "an assignment to a whole array or a section",
           "a do loop over its elements");
  if (to.op != Op::variable && to.op != Op::element)
    refuse(Code::statement, line, fmt::format("an assignment to {}", to.text),
           "a variable or an element of an array");
  if (cpp_type(to.type).empty() || cpp_type(from.type).empty())
    refuse(Code::other_type, line, "an assignment of a type that kernels cannot have",
           "its numbers as arrays and scalars");
  const std::string place = _expressions(to, line);
  const std::string value =
      to.type == from.type
          ? _expressions(from, line)
          : fmt::format("static_cast<{}>({})", cpp_type(to.type), _expressions(from, line));
  return fmt::format("{} = {}", place, value);
}

std::string Writer::write_loop(const Statement& one, const std::string& indent,
                               std::vector<Frame>& frames) {
  const int line = one.first_line;
  const Entity& variable = entity(one.variable);
  if (variable.type.base != Base::integer || cpp_type(variable.type).empty())
    refuse(Code::no_range, line, "a loop that does not count in integers", "an integer variable");
  const std::string type = cpp_type(variable.type);
  // The bounds are those before the loop sets its variable.
  const std::string first = bound(one.operands[0], variable.type, line);
  const std::string last = bound(one.operands[1], variable.type, line);
  std::string step = one.operands.size() > 2 ? bound(one.operands[2], variable.type, line) : "1";
  const bool is_own = !_local.contains(one.variable);
  if (is_own)
    _local[one.variable] = unique(cpp_name(variable.name));
  const std::string name = _local[one.variable];
  const bool is_known_step = one.operands.size() <= 2 || one.operands[2].op == Op::literal;
  const std::set<int> set = written_in(one.body);
  const auto changes = [&](const Expr& expr) {
    bool found = expr.op != Op::literal && expr.op != Op::variable;
    for (const int index : entities_of(expr))
      found = found || set.contains(index) || index == one.variable;
    return found;
  };
  frames.push_back({one.name, false, {}, false});
  std::string text;
  std::string close;
  std::string inner = indent;
  const std::string declared = is_own ? type + " " : "";
  if (is_known_step) {
    const bool is_down = step[0] == '-';
    if (step == "0")
      refuse(Code::no_range, line, "a loop with the step 0", "another step");
    const std::string compare = is_down ? ">=" : "<=";
    const std::string next = step == "1"    ? "++" + name
                             : step == "-1" ? "--" + name
                             : is_down      ? fmt::format("{} -= {}", name, step.substr(1))
                                            : fmt::format("{} += {}", name, step);
    if (!changes(one.operands[1])) {
      text = fmt::format("{}for ({}{} = {}; {} {} {}; {}) {{\n", indent, declared, name, first,
                         name, compare, last, next);
    } else if (is_own) {
      text = fmt::format("{}for ({} {} = {}, {}_last = {}; {} {} {}_last; {}) {{\n", indent, type,
                         name, first, name, last, name, compare, name, next);
    } else {
      text = fmt::format("{0}{{\n{0}  const {1} {2}_last = {3};\n", indent, type, name, last);
      inner = indent + "  ";
      text += fmt::format("{}for ({} = {}; {} {} {}_last; {}) {{\n", inner, name, first, name,
                          compare, name, next);
      close = indent + "}\n";
    }
  } else {
    inner = indent + "  ";
    text = fmt::format("{0}{{\n{0}  const {1} {2}_step = {3};\n{0}  long {2}_trips = "
                       "gangway::fortran::trips<{1}>({4}, {5}, {2}_step);\n",
                       indent, type, name, step, first, last);
    text += fmt::format("{0}for ({1}{2} = {3}; {2}_trips > 0; --{2}_trips, {2} += {2}_step) {{\n",
                        inner, declared, name, first);
    close = indent + "}\n";
  }
  text += write(one.body, inner + "  ", frames);
  text += end_of_loop(inner, frames);
  if (is_own)
    _local.erase(one.variable);
  return text + close;
}

std::string Writer::end_of_loop(const std::string& indent, std::vector<Frame>& frames) {
  const Frame frame = frames.back();
  frames.pop_back();
  return indent + "}\n" + (frame.is_used ? indent + frame.after + ":;\n" : "");
}

Writer::Frame* Writer::find_frame(const Statement& one, std::vector<Frame>& frames) {
  if (one.name.empty())
    return frames.empty() ? nullptr : &frames.back();
  for (Frame& frame : frames)
    if (frame.name == one.name)
      return &frame;
  return nullptr;
}

std::string Writer::cycle(const Statement& one, std::vector<Frame>& frames) {
  Frame* const frame = find_frame(one, frames);
  if (frame == nullptr)
    refuse(Code::statement, one.first_line, "'cycle' of a loop outside of the kernel",
           "an if around what follows");
  if (frame->is_lambda)
    return "return;";
  if (frame == &frames.back())
    return "continue;";
  refuse(Code::statement, one.first_line,
         fmt::format("'cycle {}', of a loop that is not the innermost one", one.name),
         "a logical variable that ends the inner loop");
}

std::string Writer::leave(const Statement& one, std::vector<Frame>& frames) {
  Frame* const frame = find_frame(one, frames);
  if (frame == nullptr)
    refuse(Code::statement, one.first_line, "'exit' of what is no loop in the kernel",
           "an if around what follows");
  if (frame->is_lambda)
    refuse(Code::statement, one.first_line, "'exit' of a loop that is shared out",
           "seq for this loop, or a condition in its body");
  if (frame == &frames.back())
    return "break;";
  if (frame->after.empty())
    frame->after = fmt::format("after_{}", ++_labels);
  frame->is_used = true;
  return fmt::format("goto {};", frame->after);
}

std::optional<Writer::Update> Writer::update_of(const Statement& one) {
  const Expr& place = one.operands[0];
  const Expr& value = one.operands[1];
  if (value.operands.size() != 2)
    return std::nullopt;
  const bool is_first = is_same(value.operands[0], place);
  const bool is_second = is_same(value.operands[1], place);
  if (is_first == is_second)
    return std::nullopt;
  const Expr& other = value.operands[is_first ? 1 : 0];
  if (entities_of(other).contains(place.entity) && place.op == Op::variable)
    return std::nullopt;
  static const std::map<std::string, std::string> functions{
      {"+", "add"},    {"*", "mul"},  {"max", "max"}, {"min", "min"},
      {"iand", "and"}, {"ior", "or"}, {"ieor", "xor"}};
  static const std::map<std::string, std::string> in_order{{"-", "sub"}, {"/", "div"}};
  if (value.op != Op::binary && value.op != Op::intrinsic)
    return std::nullopt;
  if (const auto found = functions.find(value.text); found != functions.end())
    return Update{found->second, &other};
  if (const auto found = in_order.find(value.text); found != in_order.end() && is_first)
    return Update{found->second, &other};
  return std::nullopt;
}

std::string Writer::change_of(const Statement& one) {
  const Expr& place = one.operands[0];
  const std::string type = cpp_type(place.type);
  Expr value = one.operands[1];
  const auto exchange = [&](auto& self, Expr& expr) -> void {
    if (is_same(expr, place)) {
      expr.op = Op::named;
      expr.text = "before";
      expr.operands.clear();
      return;
    }
    for (Expr& operand : expr.operands)
      self(self, operand);
  };
  exchange(exchange, value);
  return fmt::format("[&]({} before) {{ return static_cast<{}>({}); }}", type, type,
                     _expressions(value, one.first_line));
}

std::string Writer::write_atomic(const Statement& one, const std::string& indent) {
  const int line = one.first_line;
  const auto unknown = [&]() {
    refuse(Code::atomic_form, line, fmt::format("this form of 'atomic {}'", one.name),
           "Kokkos' functions, such as Kokkos::atomic_add(&u(i), x)");
  };
  for (const Statement& part : one.body)
    if (part.act == Act::assign && part.operands[0].type.base == Base::complex)
      refuse(Code::atomic_form, line, "an atomic access to a complex number",
             "arrays of its parts, and an access to each of them");
  for (const Statement& part : one.body)
    if (part.act != Act::assign || part.operands[0].rank > 0 ||
        cpp_type(part.operands[0].type).empty())
      unknown();
  const auto place = [&](const Expr& expr) {
    const bool is_callers = // of a function: it may be the device's
        _function != nullptr && entity(expr.entity).is_dummy && !entity(expr.entity).is_value;
    if ((_local.contains(expr.entity) && !is_callers) ||
        (expr.op != Op::element && expr.op != Op::variable))
      refuse(Code::atomic_form, line, "an atomic access to a private variable",
             "an array or a scalar that a data clause names");
    const std::string text = _expressions(expr, line);
    return text[0] == '*' ? text.substr(1) : "&" + text;
  };
  const Statement& first = one.body.at(0);
  if (one.name == "read") {
    if (!(first.operands[0].type == first.operands[1].type))
      unknown();
    return fmt::format("{}{} = Kokkos::atomic_load({});\n", indent,
                       _expressions(first.operands[0], line), place(first.operands[1]));
  }
  if (one.name == "write")
    return fmt::format("{}Kokkos::atomic_store({}, {});\n", indent, place(first.operands[0]),
                       _expressions(first.operands[1], line));
  if (one.name == "update") {
    const auto update = update_of(first);
    if (!update)
      return fmt::format("{}static_cast<void>(gangway::atomic_fetch_change({}, {}));\n", indent,
                         place(first.operands[0]), change_of(first));
    return fmt::format("{}Kokkos::atomic_{}({}, {});\n", indent, update->function,
                       place(first.operands[0]), _expressions(*update->operand, line));
  }
  const Statement& second = one.body.at(1);
  // v = x; x = …
  if (is_same(first.operands[1], second.operands[0])) {
    const std::string to = _expressions(first.operands[0], line);
    const std::string at = place(second.operands[0]);
    if (const auto update = update_of(second))
      return fmt::format("{}{} = Kokkos::atomic_fetch_{}({}, {});\n", indent, to, update->function,
                         at, _expressions(*update->operand, line));
    if (entities_of(second.operands[1]).contains(second.operands[0].entity))
      return fmt::format("{}{} = gangway::atomic_fetch_change({}, {});\n", indent, to, at,
                         change_of(second));
    return fmt::format("{}{} = Kokkos::atomic_exchange({}, {});\n", indent, to, at,
                       _expressions(second.operands[1], line));
  }
  // x = x + e; v = x
  if (is_same(first.operands[0], second.operands[1])) {
    const auto update = update_of(first);
    if (!update)
      return fmt::format("{}{} = gangway::atomic_change_fetch({}, {});\n", indent,
                         _expressions(second.operands[0], line), place(first.operands[0]),
                         change_of(first));
    return fmt::format("{}{} = Kokkos::atomic_{}_fetch({}, {});\n", indent,
                       _expressions(second.operands[0], line), update->function,
                       place(first.operands[0]), _expressions(*update->operand, line));
  }
  unknown();
  return {};
}

} // namespace gangway::port::fortran::translation
