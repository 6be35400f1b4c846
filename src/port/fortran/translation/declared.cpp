// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/declared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace gangway::port::fortran::translation {
namespace {

class Decider {
public:
  Decider(const std::vector<DeclaringSource>& sources, bool has_begin)
      : _sources(sources), _has_begin(has_begin) {}

  Declared decide() {
    for (const DeclaringSource& source : _sources) {
      std::map<int, Message> refused;
      for (const Module& module : source.program->modules) {
        bool enters = false;
        for (const Directive& one : module.declare) {
          tell_scalars(*source.program, one);
          if (!source.is_wanted || source.refused.contains(one.first_line))
            continue;
          if (const auto why = problem_of(*source.program, module, one))
            refused.emplace(one.first_line, *why);
          else
            enters = take(*source.program, one) || enters;
        }
        if (enters)
          _made.modules.push_back(module.name);
      }
      _made.refused.push_back(std::move(refused));
    }
    return std::move(_made);
  }

private:
  const std::vector<DeclaringSource>& _sources;
  bool _has_begin;
  Declared _made;

  static const Entity& entity(const Program& program, int index) {
    return program.entities[static_cast<std::size_t>(index)];
  }
  static Message say(Code code, std::string text, std::string by_hand) {
    return {code, std::move(text), std::move(by_hand), ""};
  }

  void tell_scalars(const Program& program, const Directive& one) {
    for (const Clause& clause : one.clauses)
      for (const Expr& object : clause.objects)
        if (object.op == Op::variable && entity(program, object.entity).rank == 0)
          _made.scalars.insert(entity(program, object.entity).key);
  }
  /// Adds the variables. Returns whether some are there from the program's begin.
  bool take(const Program& program, const Directive& one) {
    bool enters = false;
    for (const Clause& clause : one.clauses)
      for (const Expr& object : clause.objects) {
        const Entity& variable = entity(program, object.entity);
        if (clause.name == "link")
          continue;
        const bool has_values = clause.name == "copyin" || variable.has_value;
        _made.ways[variable.key] = has_values ? "copyin" : "create";
        enters = enters || !variable.is_allocatable;
      }
    return enters;
  }
  std::optional<Message> problem_of(const Program& program, const Module& module,
                                    const Directive& one) const {
    if (one.first_line == 0)
      return say(Code::in_another_file, "a directive of an included file",
                 "move it into this source");
    if (module.name == "gangway")
      return say(Code::macro_takes_name, "a name of the program's own is 'gangway'",
                 "another name for it");
    for (const Clause& clause : one.clauses)
      for (std::size_t n = 0; n < clause.objects.size(); ++n)
        if (auto why = problem_of(program, clause, clause.objects[n], clause.written[n]))
          return why;
    return std::nullopt;
  }
  std::optional<Message> problem_of(const Program& program, const Clause& clause,
                                    const Expr& object, const std::string& written) const {
    const auto no = [&](const std::string& what, const std::string& by_hand) {
      return say(Code::declare_of_part, fmt::format("'declare' of '{}', {}", written, what),
                 by_hand);
    };
    if (clause.name != "create" && clause.name != "copyin" && clause.name != "device_resident" &&
        clause.name != "link")
      return say(Code::clause, fmt::format("the clause '{}'", clause.text),
                 "create or copyin in the module");
    const std::string by_enter = "enter data and exit data where the array is made";
    if (object.op != Op::variable)
      return no("which is no whole array and no number", by_enter);
    const Entity& variable = entity(program, object.entity);
    if (variable.type.base != Base::integer && variable.type.base != Base::real &&
        variable.type.base != Base::logical && variable.type.base != Base::complex)
      return no("which has no numbers", by_enter);
    if (variable.is_pointer || variable.is_common || variable.is_coarray || variable.is_volatile ||
        variable.key.empty())
      return no("a pointer, coarray, or volatile or common variable", by_enter);
    if (clause.name == "link")
      return variable.rank > 0 ? std::nullopt
                               : std::optional(no("a scalar, by 'link'", "create and update"));
    if (variable.is_allocatable)
      return variable.rank == 0 ? std::optional(no("an allocatable scalar", "no allocatable one"))
                                : problem_of_allocatable(variable.key, written);
    if (!_has_begin)
      return say(Code::declare_without_main,
                 "'declare' of a module's variables, and no source has the main program",
                 "name the source that has it beside this one");
    return std::nullopt;
  }
  /// Returns why the translation cannot see when the array is allocated.
  std::optional<Message> problem_of_allocatable(const std::string& key,
                                                const std::string& written) const {
    const auto no = [&](const std::string& what, const std::string& by_hand) {
      return say(Code::declare_of_part, fmt::format("'declare' of '{}', {}", written, what),
                 by_hand);
    };
    for (const DeclaringSource& source : _sources) {
      const Program& program = *source.program;
      if (std::any_of(program.reallocated.begin(), program.reallocated.end(),
                      [&](int one) { return entity(program, one).key == key; }))
        return no("which a call or an assignment may allocate",
                  fmt::format("{0}(:) = … for {0} = …, and allocate statements", written));
      for (const Allocation& one : program.allocations)
        if (entity(program, one.entity).key == key) {
          if (!source.is_wanted || program.units[one.unit].takes_name())
            return no("which a source allocates that stays as it is",
                      "the allocate statement in a source with directives");
          if (!one.is_fit)
            return no("which a statement with a label, or of an included file, allocates",
                      "an allocate statement without that");
        }
    }
    return std::nullopt;
  }
};

} // namespace

std::string enters_declared(const std::string& module) {
  return "gangway_declare_" + module.substr(0, 47); // a name of Fortran has 63 characters
}

Declared declared_in(const std::vector<DeclaringSource>& sources, bool has_begin) {
  return Decider(sources, has_begin).decide();
}

} // namespace gangway::port::fortran::translation
