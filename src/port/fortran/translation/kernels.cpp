// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace gangway::port::fortran::translation {
namespace {

using Statements = std::vector<Statement>;

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

/// A loop that is shared out, and what its directive says.
struct Level {
  const Statement* loop;
  int line;
};

/// Branch of an `if` that the host takes, or does not, before it launches a kernel.
struct Taken {
  const Statement* branch = nullptr;
  std::size_t part = 0;
};

/// Kernel to be launched.
struct Launch {
  const Statements* body = nullptr;   ///< of the innermost loop that is shared out
  std::vector<Level> levels;          ///< outermost first; none for what one thread does
  std::vector<const Directive*> said; ///< the directives of the loops
  Statements held;                    ///< the body, where it is not one of the source's
  int line = 0;
  std::vector<Taken> taken; ///< outermost first
};

enum class Role {
  value,     ///< passed by value
  array,     ///< on the device
  device,    ///< scalar on the device
  reduction, ///< passed by reference
  local      ///< of the kernel
};

struct Used {
  Role role = Role::value;
  std::string name; ///< in C++
  bool is_written = false;
  const Clause* section = nullptr; ///< the data clause that names a part of the array
  std::size_t object = 0;
};

class Writer {
public:
  /// For a function that kernels call. `outer` are the functions that call it.
  Writer(const Surroundings& around, const Unit& function, std::vector<const Unit*> outer)
      : Writer(around, nothing(), "") {
    _function = &function;
    _outer = std::move(outer);
    _outer.push_back(&function);
  }
  /// The host takes the branches of `kernels` that it knows, and their loops are kernels.
  /// `one_thread`: the reason why one thread of the device takes them instead, or nothing.
  Writer(const Surroundings& around, const Statement& construct, std::string one_thread)
      : _around(around), _construct(construct), _directive(construct.directive),
        _one_thread(std::move(one_thread)),
        _expressions([this](int entity, int line) { return name_in(entity, line); },
                     [this](const Expr& call, int line) { return function_call(call, line); }) {
    const std::string& name = _directive.name;
    _is_kernels = name.rfind("kernels", 0) == 0;
    _is_serial = name.rfind("serial", 0) == 0;
    _is_combined = name.find("loop") != std::string::npos;
  }

  /// Returns the function, and before it those that it calls.
  std::vector<DeviceFunction> write_function(const std::string& name) {
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
    made.push_back({name, fmt::format("KOKKOS_FUNCTION {} {}({}) {{\n{}}}\n", type, name,
                                      parameters, narrow)});
    return made;
  }

  [[nodiscard]] bool takes_branches() const { return _takes_branches; }

  Kernel write() {
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

private:
  const Surroundings& _around;
  const Statement& _construct;
  const Directive& _directive;
  std::string _one_thread;
  Expressions _expressions;
  Kernel _kernel;
  bool _is_kernels = false;
  bool _is_serial = false;
  bool _is_combined = false;
  std::vector<Launch> _launches;
  std::vector<Taken> _taken; ///< while the launches are planned
  bool _takes_branches = false;
  std::deque<Directive> _implied;     ///< reductions that no clause says
  std::map<int, Used> _used;          ///< of the whole construct
  std::map<int, std::string> _local;  ///< names of the launch's own variables
  std::map<int, std::string> _bounds; ///< names of the device's scalars in a launch's bounds
  std::set<int> _written;             ///< in the construct
  std::map<int, std::pair<const Clause*, std::size_t>> _data; ///< by entity, of its own clauses
  /// Array that a kernel has of its own.
  struct LocalArray {
    std::string name;
    std::string type;
    long count = 0; ///< elements
  };
  std::map<int, LocalArray> _firsts; ///< values of firstprivate arrays in the construct, by entity
  int _labels = 0;
  const Unit* _function = nullptr; ///< that is written in place of a construct
  std::vector<const Unit*> _outer;

  static const Statement& nothing() {
    static const Statement none;
    return none;
  }

  mutable std::vector<const Unit*> _walked;

  const Unit* unit_of(int procedure) const {
    for (const Unit& unit : _around.program.units)
      if (procedure >= 0 && unit.procedure == procedure)
        return &unit;
    return nullptr;
  }

  // --- functions ------------------------------------------------------------------------------

  /// Finds a function of the source. Errors: Refusal if kernels cannot call it.
  const Unit& function_of(int procedure, const std::string& name, int line) const {
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
  std::string function_call(const Expr& call, int line) {
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
  std::vector<DeviceFunction> function_of_kernels(const Unit& unit, const std::string& name,
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
  std::string call_of(const Unit& unit, const std::vector<Expr>& operands, int line) {
    if (operands.size() != unit.dummies.size())
      refuse(Code::unfit_function, line,
             fmt::format("the call of '{}' leaves arguments out", unit.name), "all arguments");
    std::string name = cpp_name(unit.name) + "_routine";
    const auto namesakes =
        std::count_if(_around.program.units.begin(), _around.program.units.end(),
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
        arguments += (n > 0 ? ", " : "") +
                     array_argument(operand, unit, dummy, written.contains(dummy), line);
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

  // --- arrays as arguments --------------------------------------------------------------------

  static bool is_assumed_shape(const Entity& dummy) {
    return dummy.rank > 0 && !dummy.is_assumed_size && !dummy.bounds.empty() &&
           dummy.bounds.front().high.op == Op::absent;
  }
  static bool counts_from_one(const Entity& array) {
    return std::all_of(array.bounds.begin(), array.bounds.end(), [](const Bound& bound) {
      return bound.low.op == Op::absent || (bound.has_lower && bound.lower == 1);
    });
  }
  static std::string dummy_type(const Entity& array, bool is_written) {
    return fmt::format("gangway::fortran::DummyArray<{}{}, {}>", is_written ? "" : "const ",
                       cpp_type(array.type), array.rank);
  }
  /// Returns the parameter for an array: its extents come with it, if its shape is assumed.
  std::string dummy_array(int dummy, bool is_written) {
    const Entity& one = entity(dummy);
    if (is_assumed_shape(one) && counts_from_one(one))
      return dummy_type(one, is_written) + " " + _local[dummy];
    std::string& given = _local[given_of(dummy)];
    given = unique(cpp_name(one.name) + "_given");
    return is_assumed_shape(one)
               ? dummy_type(one, is_written) + " " + given
               : fmt::format("{}{}* {}", is_written ? "" : "const ", cpp_type(one.type), given);
  }
  static int given_of(int dummy) { return -2 - dummy; } ///< place in `_local`
  /// Returns the declaration of the array that the function's statements have, if there is one.
  std::string bounds_of_dummy(int dummy, bool is_written) {
    const auto given = _local.find(given_of(dummy));
    if (given == _local.end())
      return "";
    const Entity& one = entity(dummy);
    const int line = _function->first_line;
    std::string low;
    std::string high;
    for (const Bound& bound : one.bounds) {
      const std::string from =
          bound.low.op == Op::absent ? "1" : _expressions.index(bound.low, line);
      low += (low.empty() ? "" : ", ") + from;
      // The last upper bound of an assumed size is used nowhere.
      high += (high.empty() ? "" : ", ") +
              (bound.high.op == Op::absent ? from : _expressions.index(bound.high, line));
    }
    return fmt::format("        const {0} {1}({2}, {{{3}}}{4});\n", dummy_type(one, is_written),
                       _local[dummy], given->second, low,
                       is_assumed_shape(one) ? "" : fmt::format(", {{{}}}", high));
  }

  /// Returns what a dummy array gets: an address, and with an assumed shape the extents.
  std::string array_argument(const Expr& actual, const Unit& unit, int dummy, bool is_written,
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
  /// Returns whether the range is all of the dimension, as far as constants tell.
  static bool is_whole_range(const std::vector<Bound>& bounds, int d, const Expr& low,
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
  std::string lower_of(int index, const std::string& name, int d) const {
    const auto& bounds = entity(index).bounds;
    const auto n = static_cast<std::size_t>(d);
    return n < bounds.size() && bounds[n].has_lower ? std::to_string(bounds[n].lower)
                                                    : fmt::format("{}.lbound({})", name, d + 1);
  }
  std::string extent_of(int index, const std::string& name, int d) const {
    const auto& bounds = entity(index).bounds;
    const auto n = static_cast<std::size_t>(d);
    return n < bounds.size() && bounds[n].has_extent ? std::to_string(bounds[n].extent)
                                                     : fmt::format("{}.size({})", name, d + 1);
  }

  const Entity& entity(int index) const {
    return _around.program.entities[static_cast<std::size_t>(index)];
  }
  [[noreturn]] static void refuse(Code code, int line, const std::string& text,
                                  const std::string& by_hand) {
    throw Refusal(code, line, text, by_hand);
  }

  // --- clauses --------------------------------------------------------------------------------

  static void check_clauses(const Directive& directive) {
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

  void read_data_clauses() {
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

  // --- launches -------------------------------------------------------------------------------

  void plan_launches() {
    if (_is_combined) {
      if (_construct.body.size() == 1 && _construct.body[0].act == Act::other)
        refuse(Code::no_for_loop, _directive.first_line, _construct.body[0].name,
               "a do loop with bounds");
      if (_construct.body.size() != 1 || _construct.body[0].act != Act::loop)
        refuse(Code::no_for_loop, _directive.first_line, "a loop that is no counted do loop",
               "a do loop with bounds");
      if (_is_serial)
        plan_serial(_construct.body, _directive.first_line, &_directive);
      else
        plan_loop(_construct.body[0], _directive, _directive.first_line);
      return;
    }
    if (_is_serial) {
      plan_serial(_construct.body, _directive.first_line);
      return;
    }
    const bool has_loops =
        std::any_of(_construct.body.begin(), _construct.body.end(), [](const Statement& one) {
          return one.act == Act::directive && one.directive.name == "loop";
        });
    if (!has_loops && !_is_kernels) {
      _kernel.notes.push_back(say<Code::one_gang>());
      plan_serial(_construct.body, _directive.first_line);
      return;
    }
    plan(_construct.body);
  }
  void plan(const Statements& body) {
    for (auto next = body.begin(); next != body.end();) {
      const Statement& one = *next++;
      if (one.act == Act::nothing)
        continue;
      Statements together{one};
      while (sets_made(one) && next != body.end() && next->first_line == one.first_line)
        together.push_back(*next++);
      if (together.size() > 1 && _is_kernels) {
        plan_serial(together, one.first_line);
        continue;
      }
      if (one.act == Act::directive && one.directive.name == "loop") {
        check_clauses(one.directive);
        if (one.body.size() != 1 || one.body[0].act != Act::loop)
          refuse(Code::no_for_loop, one.first_line, "a loop that is no counted do loop",
                 "a do loop with bounds");
        plan_loop(one.body[0], one.directive, one.first_line);
      } else if (one.act == Act::loop && _is_kernels) {
        static const Directive none;
        plan_loop(one, none, one.first_line);
      } else if (_is_kernels && loop_in(one) > 0) {
        plan_branch(one);
      } else if (_is_kernels) {
        plan_serial({one}, one.first_line);
      } else {
        refuse(Code::written_beside, one.first_line, "a statement beside the loops of 'parallel'",
               "a construct of its own for each loop, and the statement between them");
      }
    }
  }
  /// Returns whether the statement begins those that a statement with a sum or the like becomes.
  bool sets_made(const Statement& one) const {
    return one.act == Act::assign && one.operands[0].entity >= 0 &&
           entity(one.operands[0].entity).is_made;
  }
  /// Returns the first line of a loop in a branch, or 0.
  static int loop_in(const Statement& branch) {
    int found = 0;
    if (branch.act == Act::branch)
      walk({branch}, [&](const Statement& one) {
        if (one.act == Act::loop && found == 0)
          found = one.first_line;
      });
    return found;
  }
  void plan_branch(const Statement& one) {
    if (!_one_thread.empty() || !is_of_host(one)) {
      _kernel.notes.push_back(say<Code::one_thread>(
          loop_in(one),
          _one_thread.empty() ? "the device decides about the branch that it is in" : _one_thread));
      plan_serial({one}, one.first_line);
      return;
    }
    _takes_branches = true;
    for (std::size_t part = 0; part < one.parts.size(); ++part) {
      _taken.push_back({&one, part});
      plan(one.parts[part].body);
      _taken.pop_back();
    }
  }
  /// Returns whether the host knows the conditions: no array is in them, and no scalar that the
  /// device has or the construct sets.
  bool is_of_host(const Statement& branch) const {
    const std::set<int> set = written_in(_construct.body);
    bool fits = true;
    for (const Statement::Part& part : branch.parts)
      walk(part.condition, [&](const Expr& one) {
        if (one.op == Op::lower || one.op == Op::extent)
          return;
        fits = fits && one.op != Op::call && one.op != Op::other;
        if (one.entity >= 0)
          fits = fits && entity_rank(one.entity) == 0 && one.op == Op::variable &&
                 !set.contains(one.entity) && !_data.contains(one.entity) &&
                 !_around.on_device.contains(one.entity);
      });
    return fits;
  }
  void plan_serial(const Statements& body, int line, const Directive* said = nullptr) {
    Launch launch;
    launch.held = body;
    launch.line = line;
    if (said != nullptr)
      launch.said.push_back(said);
    launch.taken = _taken;
    _launches.push_back(std::move(launch));
  }

  void plan_loop(const Statement& loop, const Directive& said, int line) {
    const bool is_seq = find_clause(said, "seq") != nullptr;
    const bool promises = find_clause(said, "independent") != nullptr || loop.together > 0 ||
                          (!_is_kernels && find_clause(said, "auto") == nullptr);
    if (is_seq) {
      plan_serial({loop}, line, &said);
      return;
    }
    Launch launch;
    launch.line = line;
    launch.said.push_back(&said);
    launch.levels.push_back({&loop, loop.first_line});
    std::size_t wanted = std::max<std::size_t>(loop.together, 1);
    if (loop.together > 0)
      launch.said.push_back(&loop.directive);
    if (const Clause* const collapse = find_clause(said, "collapse")) {
      if (collapse->values.size() != 1 || collapse->values[0].op != Op::literal)
        refuse(Code::collapse_unknown, line, fmt::format("'{}'", collapse->text),
               "a number of loops");
      wanted = std::max<std::size_t>(wanted, std::stoul(collapse->values[0].text));
    }
    if (const Clause* const tile = find_clause(said, "tile"))
      wanted = std::max<std::size_t>(wanted, tile_rank(*tile));
    while (launch.levels.size() < wanted) {
      const Statement* const inner = only_loop(launch.levels.back().loop->body);
      if (inner == nullptr)
        refuse(Code::too_few_loops, line,
               fmt::format("{} loops are named, and fewer are nested tightly", wanted),
               "statements between the loops go into the innermost one");
      launch.levels.push_back({inner, inner->first_line});
      require_rectangle(launch, line);
    }
    fold(launch, promises);
    launch.body = &launch.levels.back().loop->body;
    if (!promises) {
      Launch wider = launch;
      while (wider.levels.size() < 3 && add_inner(wider))
        ;
      if (is_independent(wider))
        launch = std::move(wider);
    }
    if (launch.levels.size() > 6)
      refuse(Code::too_many_loops, line, "more than six loops that are shared out together",
             "seq for the innermost ones");
    if (!promises && !is_independent(launch)) {
      _kernel.notes.push_back(say<Code::one_thread>(
          loop.first_line, "its iterations are not seen to be independent of each other"));
      plan_serial({loop}, line, &said);
      return;
    }
    launch.taken = _taken;
    _launches.push_back(std::move(launch));
  }
  static std::size_t tile_rank(const Clause& tile) {
    return static_cast<std::size_t>(std::count(tile.text.begin(), tile.text.end(), ',')) + 1;
  }
  /// Returns the loop that is all of the statements, or null; `loop` directives may stand before.
  static const Statement* only_loop(const Statements& body) {
    const Statement* found = nullptr;
    for (const Statement& one : body) {
      if (one.act == Act::nothing)
        continue;
      if (found != nullptr)
        return nullptr;
      found = &one;
    }
    if (found == nullptr)
      return nullptr;
    if (found->act == Act::directive && found->directive.name == "loop" && found->body.size() == 1)
      found = &found->body[0];
    return found->act == Act::loop ? found : nullptr;
  }
  bool is_rectangle(const Launch& launch) const {
    const Statement& last = *launch.levels.back().loop;
    std::set<int> set = written_in(launch.levels.front().loop->body);
    for (const Level& level : launch.levels)
      set.insert(level.loop->variable);
    bool fits = true;
    for (const Expr& bound : last.operands)
      walk(bound, [&](const Expr& one) {
        if (one.op != Op::lower && one.op != Op::extent) // which no kernel changes
          fits = fits && !set.contains(one.entity);
      });
    return fits;
  }
  void require_rectangle(const Launch& launch, int line) const {
    if (!is_rectangle(launch))
      refuse(Code::bounds_inside, line, "the bounds of a collapsed loop depend on the loops around",
             "collapse fewer loops");
  }
  /// Takes the next loop in if it is nested tightly, has no directive, and a range of its own.
  bool add_inner(Launch& launch) const {
    const Statements& body = launch.levels.back().loop->body;
    const Statement* const inner = only_loop(body);
    if (inner == nullptr || std::any_of(body.begin(), body.end(), [](const Statement& one) {
          return one.act == Act::directive;
        }))
      return false;
    Launch tried = launch;
    tried.levels.push_back({inner, inner->first_line});
    if (!is_rectangle(tried))
      return false;
    tried.body = &inner->body;
    launch = std::move(tried);
    return true;
  }
  /// Takes loops in that are nested tightly, and whose directives share them out, too.
  void fold(Launch& launch, bool promises) const {
    while (launch.levels.size() < 3) {
      const Statements& body = launch.levels.back().loop->body;
      const Statement* const inner = only_loop(body);
      if (inner == nullptr)
        return;
      const auto found = std::find_if(
          body.begin(), body.end(), [](const Statement& one) { return one.act == Act::directive; });
      if (found == body.end())
        return;
      const Directive& said = found->directive;
      check_clauses(said);
      if (find_clause(said, "seq") != nullptr || find_clause(said, "collapse") != nullptr ||
          find_clause(said, "tile") != nullptr)
        return;
      const bool inner_promises = find_clause(said, "independent") != nullptr ||
                                  (!_is_kernels && find_clause(said, "auto") == nullptr);
      if (promises && !inner_promises)
        return;
      Launch tried = launch;
      tried.levels.push_back({inner, inner->first_line});
      if (!is_rectangle(tried))
        return;
      tried.said.push_back(&said);
      launch = std::move(tried);
    }
  }

  /// Returns what the procedure sets. Its dummy arguments by `value` are variables of its own.
  std::set<int> set_by(const Unit& unit) const {
    std::set<int> found = written_in(unit.body);
    for (const int dummy : unit.dummies)
      if (entity(dummy).is_value)
        found.erase(dummy);
    return found;
  }
  std::set<int> written_in(const Statements& statements) const {
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

  /// Returns whether no iteration of the loops can see what another one stores: each array that is
  /// written has the loops' variables as subscripts, the same ones wherever it stands.
  bool is_independent(const Launch& launch) const {
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
  int entity_rank(int index) const { return index < 0 ? 0 : entity(index).rank; }

  /// Returns the scalars that the statements may read before they set them. `set` has those that
  /// are set for certain, before and after.
  std::set<int> exposed_reads(const Statements& statements, std::set<int>& set) const {
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
  /// Returns whether the subroutine sets the argument on every way through it.
  bool is_set_always(const Unit& unit, std::size_t n) const {
    std::set<int> set;
    static_cast<void>(exposed_reads(unit.body, set));
    bool returns = false;
    walk(unit.body, [&](const Statement& one) { returns = returns || one.act == Act::return_; });
    return !returns && set.contains(unit.dummies[n]);
  }

  // --- roles ----------------------------------------------------------------------------------

  void find_written() {
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

  const Clause* reduction_of(const Launch& launch, int index) const {
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
  bool is_reduction(const Launch& launch, int index) const {
    return reduction_of(launch, index) != nullptr;
  }
  bool is_private(const Launch& launch, int index, std::string_view name) const {
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

  std::string unique(const std::string& wanted) const {
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

  void require_fit(int index, int line) const {
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

  /// Returns how the construct uses it outside of its launches' own variables.
  Used& use(int index, int line) {
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

  std::string name_in(int index, int line) {
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

  // --- launches -------------------------------------------------------------------------------

  std::string label() const {
    return fmt::format("{}:{}", _around.unit.name.empty() ? "main" : _around.unit.name,
                       _directive.first_line);
  }

  /// Writes launches, and around them the branches from the `depth`th that they are in.
  std::string write_launches(std::size_t from, std::size_t to, std::size_t depth) {
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
  static std::string indented(const std::string& text) {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      made += "  " + text.substr(at, end - at + 1);
      at = end + 1;
    }
    return made;
  }
  std::string write_launch(Launch& launch) {
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
        indices = fmt::format(
            "{0}const {1} {2} = gangway::fortran::value_at<{1}>({3}, {2}_count, {4});\n", indent,
            type, name, lower[0], step[0]);
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
            "{0}const {1} {2} = gangway::fortran::value_at<{1}>({3}, {2}_count{4});\n", indent,
            type, name, lower[n], step[n] == "1" ? std::string() : ", " + step[n]);
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
  static std::string parenthesized(const std::string& text) {
    return text.find_first_of("+-*/?&|^<>= ") == std::string::npos ? text
                                                                   : fmt::format("({})", text);
  }

  /// The host computes the bounds of loops that are shared out. Returns what it does before, to
  /// have the values of scalars that are on the device.
  std::string require_host_value(const Expr& expr, int line) {
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

  std::string bound(const Expr& expr, Type type, int line) {
    std::string text = _expressions.index(expr, line);
    if (expr.op == Op::literal || expr.type == type)
      return text;
    return fmt::format("static_cast<{}>({})", cpp_type(type), text);
  }

  std::vector<int> reductions_of(const Launch& launch) const {
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
  /// Returns whether the variable stands in the inner statements only.
  static bool only_reduced(const Statements& inner, const Statements& all, int index) {
    const auto count = [index](const Statements& statements) {
      int found = 0;
      walk_expressions(statements, [&](const Expr& one) { found += one.entity == index ? 1 : 0; });
      return found;
    };
    return count(inner) == count(all);
  }
  static std::set<int> entities_in(const Statements& statements) {
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

  std::string reducer(int index, const Clause& clause, int line) {
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
  /// Adds reductions of the scalars that iterations only reduce into, and no clause names.
  void imply_reductions() {
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
  Expr scalar(int index) const {
    Expr made;
    made.op = Op::variable;
    made.type = entity(index).type;
    made.entity = index;
    return made;
  }
  /// Returns the operator by which all statements that name the variable reduce into it; else an
  /// empty text.
  static std::string joined_by(const Statements& body, int index) {
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
  static std::string joined_by(const Expr& value, int index) {
    static const std::map<std::string_view, std::string> names{
        {"+", "+"},     {"-", "+"},     {"*", "*"},       {"&&", "and"},  {"||", "or"},
        {"max", "max"}, {"min", "min"}, {"iand", "iand"}, {"ior", "ior"}, {"ieor", "ieor"}};
    const auto name = names.find(value.text);
    if (value.operands.size() < 2 || name == names.end() ||
        (value.op != Op::binary && value.op != Op::intrinsic))
      return "";
    const auto is_it = [&](const Expr& one) {
      return one.op == Op::variable && one.entity == index;
    };
    const Expr& left = value.operands[0];
    if (is_it(left) || (value.text != "-" && is_it(value.operands[1])))
      return name->second;
    return joined_by(left, index) == name->second ? name->second : ""; // (s + a) + b
  }
  Used& result(int index, int line) {
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

  /// Refuses scalars that the iterations of a loop set for themselves, and another loop of the
  /// construct reads.
  void require_none_carried() const {
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

  /// Refuses results that an iteration sets to something that the value before is no part of.
  void require_joined(const Statements& body,
                      const std::vector<std::pair<int, const Clause*>>& results, int line) const {
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

  /// Scalars that one thread sets in `kernels`, and those of its reductions, are on the device,
  /// with an implicit copy.
  void hold_scalars(const Launch& launch) {
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
          _around.on_device.contains(one) || is_loop_variable(launch.held, one) ||
          variable.is_made || is_private(launch, one, "private") ||
          is_private(launch, one, "firstprivate"))
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

  /// Decides about the scalars and private arrays that the launch's body sets, and declares them.
  void declare_locals(const Launch& launch, const Statements& body, const std::set<int>& written,
                      const std::set<int>& indices,
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

  /// Returns the variables of loops that stand nowhere else.
  std::set<int> loop_variables(const Statements& body) const {
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
  static bool is_loop_variable(const Statements& body, int index) {
    bool found = false;
    walk(body, [&](const Statement& one) {
      found = found || (one.act == Act::loop && one.variable == index);
    });
    return found;
  }
  static bool only_atomic(const Statements& body, int index) {
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

  /// Each iteration's copy of the values that the host has where the construct begins.
  void declare_firstprivate_array(int index, int line, std::string& head) {
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
  void declare_private_array(int index, int line, std::string& head) {
    const std::string type = local_array(index, line).type;
    _local[index] = unique(cpp_name(entity(index).name));
    head += fmt::format("        {} {};\n", type, _local[index]);
  }
  /// Returns an array that a kernel has of its own, without a name, or refuses.
  LocalArray local_array(int index, int line) {
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
    return {"", fmt::format("gangway::fortran::LocalArray<{}{}>", cpp_type(one.type), bounds),
            count};
  }

  // --- statements -----------------------------------------------------------------------------

  /// A loop around a statement.
  struct Frame {
    std::string name;
    bool is_lambda = false;
    std::string after; ///< label after the loop, if it is needed
    bool is_used = false;
  };

  std::string write(const Statements& statements, const std::string& indent,
                    std::vector<Frame>& frames) {
    std::string text;
    for (const Statement& one : statements)
      text += write(one, indent, frames);
    return text;
  }

  std::string write(const Statement& one, const std::string& indent, std::vector<Frame>& frames) {
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

  void check_inner(const Clause& clause, int line) const {
    for (const Expr& object : clause.objects)
      if (clause.name == "reduction" && entity_rank(object.entity) > 0)
        refuse(Code::reduction, line, fmt::format("'{}' of an array", clause.text),
               "a scalar for each element");
  }

  std::string assignment(const Statement& one) {
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

  std::string write_loop(const Statement& one, const std::string& indent,
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
  static std::string end_of_loop(const std::string& indent, std::vector<Frame>& frames) {
    const Frame frame = frames.back();
    frames.pop_back();
    return indent + "}\n" + (frame.is_used ? indent + frame.after + ":;\n" : "");
  }
  static Frame* find_frame(const Statement& one, std::vector<Frame>& frames) {
    if (one.name.empty())
      return frames.empty() ? nullptr : &frames.back();
    for (Frame& frame : frames)
      if (frame.name == one.name)
        return &frame;
    return nullptr;
  }
  std::string cycle(const Statement& one, std::vector<Frame>& frames) {
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
  std::string leave(const Statement& one, std::vector<Frame>& frames) {
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

  // --- atomics --------------------------------------------------------------------------------

  /// Update of a place: `x = x + e`.
  struct Update {
    std::string function; ///< of Kokkos: add
    const Expr* operand = nullptr;
  };
  static std::optional<Update> update_of(const Statement& one) {
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

  /// Returns a function that makes the new value of the place from the old one.
  std::string change_of(const Statement& one) {
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

  std::string write_atomic(const Statement& one, const std::string& indent) {
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
        return fmt::format("{}{} = Kokkos::atomic_fetch_{}({}, {});\n", indent, to,
                           update->function, at, _expressions(*update->operand, line));
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

  // --- the function ---------------------------------------------------------------------------

  /// Refuses bounds and extents of arrays of which the construct's clause names a part: the kernel
  /// knows those of the part.
  void require_whole(const Expr& one, int line) const {
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
  void finish(const std::string& body) {
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
        head += fmt::format(
            "  auto* const {1} = static_cast<{0}*>(gangway::device_pointer(host_{1}));\n", type,
            used.name);
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
    _kernel.cpp =
        fmt::format("extern \"C\" void {}({}) {{\n{}{}{}}}\n", _kernel.name, parameters, head, body,
                    is_async ? "" : "  Kokkos::fence(\"" + label() + "\");\n");
  }

  std::string lower_bounds(int index, const Used& used, std::vector<Parameter>& more) {
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
  /// Returns the lower bound of a section's range in its text, as a number of 64 bits.
  std::string section_lower(const std::string& section, int dimension) const {
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
};

} // namespace

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
