// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {

std::vector<DeviceFunction> Writer::write_function(const std::string& name) {
  const Unit& unit = *_function;
  std::string parameters;
  std::string head;
  const std::set<int> written = written_in(unit.body);
  for (const int dummy : unit.dummies)
    _local[dummy] = unique(cpp_name(entity(dummy).name));
  for (const int dummy : unit.dummies) {
    const Entity& one = entity(dummy);
    const bool is_written = written.contains(dummy);
    parameters += fmt::format("{}{}", parameters.empty() ? "" : ", ",
                              one.rank > 0 ? dummy_array(dummy, is_written)
                                           : fmt::format("{}{} {}", cpp_type(one.type),
                                                         is_written && !one.is_value ? "&" : "",
                                                         _local[dummy]));
  }
  // Extents of assumed shapes come first, because the others' bounds may be made of them.
  for (const bool is_assumed : {true, false})
    for (const int dummy : unit.dummies)
      if (is_assumed_shape(entity(dummy)) == is_assumed)
        head += bounds_of_dummy(dummy, written.contains(dummy));
  for (const int one : entities_in(unit.body)) {
    const Entity& variable = entity(one);
    if (_local.contains(one) || variable.is_function)
      continue;
    if (!variable.is_made && (variable.is_static || variable.is_component || !variable.is_local))
      refuse(Code::variable, unit.first_line,
             fmt::format("'{}' uses '{}', which is none of its own variables", unit.name,
                         variable.name),
             "an argument for it");
    require_fit(one, unit.first_line);
    if (variable.rank > 0) {
      declare_private_array(one, unit.first_line, head);
    } else {
      _local[one] = unique(cpp_name(variable.name));
      head += fmt::format("        {} {}{{}};\n", cpp_type(variable.type), _local[one]);
    }
  }
  std::vector<Frame> frames;
  std::string text = head + write(unit.body, "        ", frames);
  std::string type = "void";
  if (unit.is_function) {
    type = cpp_type(entity(unit.result).type);
    if (!_local.contains(unit.result))
      refuse(Code::unfit_function, unit.first_line, fmt::format("'{}' sets no result", unit.name),
             "a value for its result");
    text += fmt::format("        return {};\n", _local[unit.result]);
  }
  std::string narrow; // the kernels' indentation is four columns deeper
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    narrow += text.substr(at + 6, end - at - 5);
    at = end + 1;
  }
  std::vector<DeviceFunction> made = std::move(_kernel.functions);
  made.push_back(
      {name, fmt::format("KOKKOS_FUNCTION {} {}({}) {{\n{}}}\n", type, name, parameters, narrow)});
  return made;
}

const Unit& Writer::function_of(int procedure, const std::string& name, int line) const {
  const Unit* found = nullptr;
  for (const Unit& unit : _around.program.units)
    if (procedure >= 0 && unit.procedure == procedure)
      found = &unit;
  const auto no = [&](Code code, const std::string& why) {
    refuse(code, line, fmt::format("the kernel calls '{}', {}", name, why),
           "write what it does in the kernel, or a function of C++ for it");
  };
  if (found == nullptr)
    no(Code::defined_elsewhere, "which is defined elsewhere");
  if (std::find(_outer.begin(), _outer.end(), found) != _outer.end())
    no(Code::unfit_function, "which calls itself");
  for (const int dummy : found->dummies) {
    if (dummy < 0)
      no(Code::unfit_function, "which has a label as an argument");
    const Entity& one = entity(dummy);
    const std::string_view why = one.is_function                ? "a procedure"
                                 : one.is_optional              ? "optional"
                                 : one.is_allocatable           ? "allocatable"
                                 : one.is_pointer               ? "a pointer"
                                 : one.is_polymorphic           ? "polymorphic"
                                 : one.is_assumed_rank          ? "of assumed rank"
                                 : one.is_coarray               ? "a coarray"
                                 : one.is_volatile              ? "volatile"
                                 : cpp_type(one.type).empty()   ? "no number"
                                 : one.rank > 0 && one.is_value ? "an array by value"
                                                                : "";
    if (!why.empty())
      no(Code::unfit_function, fmt::format("whose argument '{}' is {}", one.name, why));
  }
  if (found->is_function &&
      (entity(found->result).rank > 0 || cpp_type(entity(found->result).type).empty()))
    no(Code::unfit_function, "whose result is no number");
  return *found;
}

std::string Writer::function_call(const Expr& call, int line) {
  const Unit& unit = function_of(call.number, call.text, line);
  if (!unit.is_function)
    refuse(Code::call, line, fmt::format("'{}' is no function here", call.text), "a function");
  const std::set<int> written = set_by(unit);
  for (const int dummy : unit.dummies)
    if (written.contains(dummy))
      refuse(Code::unfit_function, line,
             fmt::format("the kernel calls '{}', which changes its arguments", unit.name),
             "a subroutine");
  return call_of(unit, call.operands, line);
}

std::vector<DeviceFunction> Writer::function_of_kernels(const Unit& unit, const std::string& name,
                                                        int line) const {
  try {
    return Writer(_around, unit, _outer).write_function(name);
  } catch (const Refusal& why) {
    if (!unit.is_foreign)
      throw;
    refuse(why.code(), line, fmt::format("'{}', of another source: {}", unit.name, why.what()),
           why.by_hand());
  }
}

std::string Writer::call_of(const Unit& unit, const std::vector<Expr>& operands, int line) {
  if (operands.size() != unit.dummies.size())
    refuse(Code::unfit_function, line,
           fmt::format("the call of '{}' leaves arguments out", unit.name), "all arguments");
  std::string name = cpp_name(unit.name) + "_routine";
  const auto namesakes = std::count_if(_around.program.units.begin(), _around.program.units.end(),
                                       [&](const Unit& other) { return other.name == unit.name; });
  if (namesakes > 1)
    name += fmt::format("_line{}", unit.first_line);
  if (namesakes > 1 && unit.is_foreign) // another source may have one in that line, too
    name += fmt::format("_of_{}", &unit - _around.program.units.data());
  if (std::none_of(_kernel.functions.begin(), _kernel.functions.end(),
                   [&](const DeviceFunction& one) { return one.name == name; }))
    for (DeviceFunction& one : function_of_kernels(unit, name, line))
      if (std::none_of(_kernel.functions.begin(), _kernel.functions.end(),
                       [&](const DeviceFunction& other) { return other.name == one.name; }))
        _kernel.functions.push_back(std::move(one));
  const std::set<int> written = set_by(unit);
  std::string arguments;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    const Expr& operand = operands[n];
    const int dummy = unit.dummies[n];
    if (entity(dummy).rank > 0) {
      arguments +=
          (n > 0 ? ", " : "") + array_argument(operand, unit, dummy, written.contains(dummy), line);
      continue;
    }
    if (!(operand.type == entity(dummy).type) || operand.rank > 0)
      refuse(Code::unfit_function, line,
             fmt::format("an argument of '{}' has another type or rank", unit.name),
             "the same type");
    if (written.contains(dummy) && operand.op != Op::variable && operand.op != Op::element)
      refuse(Code::unfit_function, line,
             fmt::format("'{}' sets an argument that is no variable", unit.name), "a variable");
    arguments += (n > 0 ? ", " : "") + _expressions(operand, line);
  }
  return fmt::format("{}({})", name, arguments);
}

bool Writer::is_assumed_shape(const Entity& dummy) {
  return dummy.rank > 0 && !dummy.is_assumed_size && !dummy.bounds.empty() &&
         dummy.bounds.front().high.op == Op::absent;
}

bool Writer::counts_from_one(const Entity& array) {
  return std::all_of(array.bounds.begin(), array.bounds.end(), [](const Bound& bound) {
    return bound.low.op == Op::absent || (bound.has_lower && bound.lower == 1);
  });
}

std::string Writer::dummy_type(const Entity& array, bool is_written) {
  return fmt::format("gangway::fortran::DummyArray<{}{}, {}>", is_written ? "" : "const ",
                     cpp_type(array.type), array.rank);
}

std::string Writer::dummy_array(int dummy, bool is_written) {
  const Entity& one = entity(dummy);
  if (is_assumed_shape(one) && counts_from_one(one))
    return dummy_type(one, is_written) + " " + _local[dummy];
  std::string& given = _local[given_of(dummy)];
  given = unique(cpp_name(one.name) + "_given");
  return is_assumed_shape(one)
             ? dummy_type(one, is_written) + " " + given
             : fmt::format("{}{}* {}", is_written ? "" : "const ", cpp_type(one.type), given);
}

std::string Writer::bounds_of_dummy(int dummy, bool is_written) {
  const auto given = _local.find(given_of(dummy));
  if (given == _local.end())
    return "";
  const Entity& one = entity(dummy);
  const int line = _function->first_line;
  std::string low;
  std::string high;
  for (const Bound& bound : one.bounds) {
    const std::string from = bound.low.op == Op::absent ? "1" : _expressions.index(bound.low, line);
    low += (low.empty() ? "" : ", ") + from;
    // The last upper bound of an assumed size is used nowhere.
    high += (high.empty() ? "" : ", ") +
            (bound.high.op == Op::absent ? from : _expressions.index(bound.high, line));
  }
  return fmt::format("        const {0} {1}({2}, {{{3}}}{4});\n", dummy_type(one, is_written),
                     _local[dummy], given->second, low,
                     is_assumed_shape(one) ? "" : fmt::format(", {{{}}}", high));
}

std::string Writer::array_argument(const Expr& actual, const Unit& unit, int dummy, bool is_written,
                                   int line) {
  const Entity& to = entity(dummy);
  const auto no = [&](Code code, const std::string& what, const std::string& by_hand) {
    refuse(code, line, fmt::format("the argument '{}' of '{}' {}", to.name, unit.name, what),
           by_hand);
  };
  if (!(actual.type == to.type))
    no(Code::unfit_function, "has another type than what it gets", "the same type");
  if (actual.op != Op::variable && actual.op != Op::section && actual.op != Op::element)
    no(Code::unfit_function, "gets an expression, which would need an array of its own",
       "an array that has its values");
  const Entity& array = entity(actual.entity);
  if (array.rank == 0)
    no(Code::unfit_function, fmt::format("gets the scalar '{}'", array.name), "an array");
  const bool is_assumed = is_assumed_shape(to);
  if (is_assumed && actual.rank != to.rank)
    no(Code::unfit_function, "has another rank than what it gets", "the same rank");
  const std::string name = name_in(actual.entity, line);
  const auto used = _used.find(actual.entity);
  const bool is_part =
      !_local.contains(actual.entity) && used != _used.end() && used->second.section != nullptr;
  std::string first = name + ".data()";
  std::vector<std::string> extents;
  if (actual.op == Op::variable) {
    if (is_part)
      no(Code::unfit_function,
         fmt::format("gets all of '{}', whose clause names a part", array.name),
         "the whole array in the clause, or the part as the argument");
    for (int d = 0; d < array.rank; ++d)
      extents.push_back(extent_of(actual.entity, name, d));
  } else if (actual.op == Op::element) {
    first = "&" + _expressions(actual, line);
  } else {
    std::string at;
    bool is_whole = true; // so far, from the first dimension on
    for (int d = 0; d < array.rank; ++d) {
      const Expr& subscript = actual.operands[static_cast<std::size_t>(d)];
      const bool is_range = subscript.op == Op::range;
      if (!is_range && subscript.rank > 0)
        no(Code::not_contiguous,
           fmt::format("gets elements of '{}' by an array of subscripts", array.name),
           "a loop that copies them into an array of the kernel's own");
      if (is_range && (!is_whole || subscript.operands[2].op != Op::literal ||
                       subscript.operands[2].text != "1"))
        no(Code::not_contiguous,
           fmt::format("gets a section of '{}' that is not contiguous", array.name),
           "a section whose first dimensions are whole, as a(:, j), or a loop that copies it "
           "into an array of the kernel's own");
      at += d > 0 ? ", " : "";
      if (!is_range) {
        at += _expressions.index(subscript, line);
        is_whole = false;
        continue;
      }
      const Expr& low = subscript.operands[0];
      const Expr& high = subscript.operands[1];
      if (is_part && d + 1 == array.rank && (low.op == Op::absent || high.op == Op::absent))
        no(Code::unfit_function,
           fmt::format("gets a section of '{}' without bounds, whose clause names a part",
                       array.name),
           "both bounds in the section");
      const std::string from =
          low.op == Op::absent ? lower_of(actual.entity, name, d) : _expressions.index(low, line);
      at += from;
      extents.push_back(
          low.op == Op::absent && high.op == Op::absent
              ? extent_of(actual.entity, name, d)
              : fmt::format("{} - {} + 1L",
                            high.op == Op::absent
                                ? fmt::format("{} + {} - 1L", lower_of(actual.entity, name, d),
                                              extent_of(actual.entity, name, d))
                                : _expressions.index(high, line),
                            parenthesized(from)));
      is_whole = is_whole && is_whole_range(array.bounds, d, low, high);
    }
    first = fmt::format("{}.address({})", name, at);
  }
  if (!is_assumed)
    return first;
  return fmt::format("{}({}, {{{}}}, {{{}}})", dummy_type(to, is_written), first,
                     fmt::join(std::vector<std::string>(extents.size(), "1"), ", "),
                     fmt::join(extents, ", "));
}

bool Writer::is_whole_range(const std::vector<Bound>& bounds, int d, const Expr& low,
                            const Expr& high) {
  const auto n = static_cast<std::size_t>(d);
  const auto is = [](const Expr& bound, bool is_known, long value) {
    return bound.op == Op::absent ||
           (is_known && bound.op == Op::literal && bound.text == std::to_string(value));
  };
  const Bound bound = n < bounds.size() ? bounds[n] : Bound{};
  return is(low, bound.has_lower, bound.lower) &&
         is(high, bound.has_extent, bound.lower + bound.extent - 1);
}

std::string Writer::lower_of(int index, const std::string& name, int d) const {
  const auto& bounds = entity(index).bounds;
  const auto n = static_cast<std::size_t>(d);
  return n < bounds.size() && bounds[n].has_lower ? std::to_string(bounds[n].lower)
                                                  : fmt::format("{}.lbound({})", name, d + 1);
}

std::string Writer::extent_of(int index, const std::string& name, int d) const {
  const auto& bounds = entity(index).bounds;
  const auto n = static_cast<std::size_t>(d);
  return n < bounds.size() && bounds[n].has_extent ? std::to_string(bounds[n].extent)
                                                   : fmt::format("{}.size({})", name, d + 1);
}

} // namespace gangway::port::fortran::translation
