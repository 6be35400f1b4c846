// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit/data.hpp"

#include "port/emit/text.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gangway::port {
namespace {

/// Returns the argument of a clause for an array; with its name if a verification prints it.
std::string array_of(const Writer& to, const Section& section, const Variable& named) {
  const std::string address = host_address(section, named);
  return to.plan.verify ? fmt::format("gangway::named(\"{}\", {})", named.path, address) : address;
}

std::string transfer(const Writer& to, const Action& action) {
  const Variable& named = to.unit.variables[action.section.variable];
  const std::string address = host_address(action.section, named);
  const std::string call =
      fmt::format("gangway::{}{}({}{}, {})", rule_of(action.clause).function,
                  action.finalize ? "_finalize" : "", on_queue(action.queue),
                  array_of(to, action.section, named), fmt::join(action.section.extents, ", "));
  const std::string present =
      fmt::format("gangway::is_present({}, {})", address, elements_of(action.section));
  std::string text;
  if (action.if_present)
    text += fmt::format("if ({})\n", present);
  if (action.zero)
    text += fmt::format("if (!{})\nKokkos::deep_copy({}, 0);\nelse\n", present, call);
  return text + call + ";\n";
}

/// Returns the type of the elements that a kernel reaches.
std::string element_of(const Variable& named, bool read_only = false) {
  return (named.element_const || read_only ? "const " : "") + named.element;
}
/// Returns the type of a pointer to the variable's elements, which may be arrays; the function
/// after it, how a variable of that type is declared.
std::string pointer_type(const Variable& named) {
  return named.extents.empty()
             ? element_of(named) + "*"
             : fmt::format("{} (*)[{}]", element_of(named), fmt::join(named.extents, "]["));
}
std::string pointer_declared(const Variable& named) {
  return named.extents.empty() ? pointer_type(named) : "auto*";
}

std::string elements_line(const Name& name, const Variable& named) {
  const std::string address = name.of + ".data()";
  const std::string less = name.low.empty() ? "" : " - " + in_parentheses(name.low);
  const std::string element = element_of(named, name.read_only);
  if (name.extents.size() == 1)
    return fmt::format("{}* const {} = {}{};", element, name.name, address, less);
  std::string inner;
  for (std::size_t d = 1; d < name.extents.size(); ++d)
    inner += "[" + name.extents[d] + "]";
  return fmt::format("auto* const {} = reinterpret_cast<{} (*){}>({}){};", name.name, element,
                     inner, address, less);
}

/// Returns a declaration of the kernel's own variable, with the extents of a clause if it has any.
std::string own_line(const Name& name, const Variable& named) {
  if (name.extents.empty())
    return declaration(named);
  return fmt::format("{} {}[{}];", named.element, named.name, fmt::join(name.extents, "]["));
}

void emit_region(Writer& to, const Directive& directive, const std::string& lines) {
  if (directive.braces) {
    to.edits.remove(directive.pragma);
    open_block(to, directive, lines);
  } else if (directive.last) {
    to.edits.replace(directive.pragma, lines);
  } else {
    to.edits.replace(directive.pragma, "{\n" + lines);
    to.edits.insert(directive.statement.end, "\n}");
  }
}

} // namespace

std::string data_lines(const Writer& to, const std::vector<Entry>& entries,
                       const std::string& data) {
  const Unit& unit = to.unit;
  std::string text;
  bool linked = false;
  for (const Entry& entry : entries) {
    const Variable& named = unit.variables[entry.section.variable];
    if (entry.section.rows) {
      linked = true;
      const std::string call = fmt::format(
          "{}.rows(gangway::named(\"{}\", {}), {}, gangway::by::{}({}))", data, named.name,
          named.path, entry.section.extents[0], entry.clause, entry.section.extents[1]);
      text += entry.used ? fmt::format("const auto {} = {};\n", entry.view, call)
                         : fmt::format("static_cast<void>({});\n", call);
      continue;
    }
    const std::string arguments = fmt::format("{}, {}", array_of(to, entry.section, named),
                                              fmt::join(entry.section.extents, ", "));
    const std::string call = fmt::format("{}.{}({})", data, entry.clause, arguments);
    if (entry.low_used && !entry.low_name.empty())
      text += fmt::format("const auto {} = {};\n", entry.low_name, entry.section.low);
    if (entry.zero) {
      // Only an array that is made here is set to zero: one that is present has its values.
      const std::string held = unit.fresh(entry.view + "_held");
      text += fmt::format("const bool {} = gangway::is_present({}, {});\n"
                          "const auto {} = {};\n"
                          "if (!{})\nKokkos::deep_copy({}, 0);\n",
                          held, host_address(entry.section, named), elements_of(entry.section),
                          entry.view, call, held, entry.view);
      continue;
    }
    const bool read_only =
        entry.clause == ClauseKind::copyin && entry.written && !named.element_const;
    if (!entry.used || read_only)
      text += fmt::format("static_cast<void>({});\n", call);
    if (read_only) // copyin gives a view that kernels may not write
      text += fmt::format("const auto {} = {}.present({});\n", entry.view, data, arguments);
    else if (entry.used)
      text += fmt::format("const auto {} = {};\n", entry.view, call);
  }
  return text.empty()
             ? ""
             : fmt::format("gangway::{} {};\n{}", linked ? "LinkedData" : "Data", data, text);
}

std::string action_lines(const Writer& to, const std::vector<Action>& actions) {
  std::string text;
  for (const Action& action : actions)
    switch (action.does) {
    case Action::Does::fence:
      text += action.queue ? fmt::format("gangway::queue({}).fence();\n", *action.queue)
                           : "Kokkos::fence();\n";
      break;
    case Action::Does::wait:
      text += fmt::format("gangway::wait_async(gangway::queue({}), gangway::queue({}));\n",
                          action.value, *action.queue);
      break;
    case Action::Does::transfer:
      text += transfer(to, action);
      break;
    case Action::Does::default_queue:
      text += fmt::format("gangway::set_default_queue({});\n", action.value);
      break;
    case Action::Does::device:
      text += fmt::format("static_cast<void>(gangway::select_device({}));\n", action.value);
      break;
    }
  return text;
}

std::vector<std::string> name_lines(const Unit& unit, const std::vector<Name>& names) {
  std::vector<std::string> lines;
  for (const Name& name : names) {
    if (name.is == Name::Is::copy) { // of no variable, but of what a text says
      lines.push_back(fmt::format("const auto {} = {};", name.name, name.of));
      continue;
    }
    const Variable& named = unit.variables[name.variable];
    switch (name.is) {
    case Name::Is::copy:
      break;
    case Name::Is::own:
      lines.push_back(own_line(name, named));
      break;
    case Name::Is::started:
      lines.push_back(fmt::format("{} {} = {};", named.element, named.name, name.of));
      break;
    case Name::Is::address:
      lines.push_back(fmt::format(
          "{} const {} = static_cast<{}>(gangway::device_pointer(gangway::named(\"{}\", {})));",
          pointer_declared(named), name.name, pointer_type(named), named.path,
          plain_address(named.path, named)));
      break;
    case Name::Is::same_address:
      lines.push_back(
          fmt::format("{} const {} = {};", pointer_declared(named), named.name, name.of));
      break;
    case Name::Is::rows: {
      const std::string type = (named.element_const ? "const " : "") + named.row_element + "**";
      lines.push_back(
          fmt::format("{} const {} = const_cast<{}>({}.data());", type, named.name, type, name.of));
      break;
    }
    case Name::Is::elements:
      lines.push_back(elements_line(name, named));
      break;
    case Name::Is::element:
      lines.push_back(fmt::format("auto& {} = {}(0);", named.name, name.of));
      break;
    case Name::Is::mirror:
      lines.push_back(fmt::format("auto {} = {}{};", name.name,
                                  named.shape == Shape::pointer ? "*" : "", named.name));
      break;
    case Name::Is::member: {
      std::string from = name.of + (name.extents.empty() ? "" : ".data()");
      if (name.read_only && !named.element_const) // the view's elements are const
        from = fmt::format("const_cast<{}*>({})", named.element, from);
      lines.push_back(fmt::format("{}{} = {}{};", name.name, named.within, from,
                                  name.low.empty() ? "" : " - " + in_parentheses(name.low)));
      break;
    }
    case Name::Is::mirrored:
      lines.push_back(named.shape == Shape::pointer
                          ? fmt::format("const auto* const {} = &{};", named.name, name.of)
                          : fmt::format("const auto& {} = {};", named.name, name.of));
      break;
    case Name::Is::snapshot:
      lines.push_back(fmt::format("const Kokkos::View<{}*, gangway::DeviceSpace> {}(\"{}\", {});",
                                  named.element, name.name, named.name, name.extents.front()));
      lines.push_back(
          fmt::format("gangway::memcpy_to_device({}.data(), {}, {}.span() * sizeof({}));",
                      name.name, named.path, name.name, named.element));
      break;
    case Name::Is::filled: {
      const std::string i = unit.fresh("element");
      lines.push_back(
          fmt::format("for (std::size_t {0} = 0; {0} < {1}.extent(0); ++{0})\n{2}[{0}] = {1}({0});",
                      i, name.of, named.name));
      break;
    }
    }
  }
  return lines;
}

void open_block(Writer& to, const Directive& directive, const std::string& lines) {
  if (lines.empty())
    return;
  const unsigned inside = directive.statement.begin + 1;
  const bool line_ends = line_break(to.unit, inside).empty();
  to.edits.insert(inside, "\n" + (line_ends ? lines.substr(0, lines.size() - 1) : lines));
}

void emit_data(Writer& to, std::size_t id) {
  std::string lines = data_lines(to, to.plan.regions.at(id), to.plan.data_name);
  if (const auto condition = to.plan.conditions.find(id);
      condition != to.plan.conditions.end() && !lines.empty())
    lines.insert(lines.find('\n') + 1, fmt::format("if ({}) {{\n", condition->second)) += "}\n";
  emit_region(to, to.unit.directives[id], action_lines(to, to.plan.waits.at(id)) + lines);
}

void emit_declare(Writer& to, std::size_t id) {
  const auto entries = to.plan.regions.find(id);
  to.edits.replace(to.unit.directives[id].pragma,
                   entries == to.plan.regions.end()
                       ? ""
                       : data_lines(to, entries->second, to.plan.declared_name));
}

void emit_host_data(Writer& to, std::size_t id) {
  const Directive& directive = to.unit.directives[id];
  // Functions called here may use another queue, and in OpenACC the kernels before have ended.
  std::string lines = "Kokkos::fence();\n";
  std::string condition;
  if (const Clause* const given = directive.clause(ClauseKind::if_)) {
    condition = to.unit.fresh("by_device");
    lines += fmt::format("const bool {} = {};\n", condition, given->argument);
  }
  for (const Entry& entry : to.plan.host_regions.at(id)) {
    const Variable& named = to.unit.variables[entry.section.variable];
    const std::string type = (named.element_const ? "const " : "") + named.element + "*";
    std::string when = condition;
    if (directive.clause(ClauseKind::if_present) != nullptr)
      when += fmt::format("{}gangway::is_present({}, 1)", when.empty() ? "" : " && ",
                          plain_address(named.path, named));
    const std::string device = fmt::format("static_cast<{}>(gangway::device_pointer({}))", type,
                                           plain_address(named.path, named));
    lines += when.empty() ? fmt::format("{} const {} = {};\n", type, entry.view, device)
                          : fmt::format("{} const {} = {} ? {} : {};\n", type, entry.view, when,
                                        device, host_address(entry.section, named));
    for (const Use& use : directive.uses)
      if (use.variable == entry.section.variable)
        to.edits.replace(use.name, entry.view);
  }
  emit_region(to, directive, lines);
}

void emit_statement(Writer& to, std::size_t id) {
  const auto found = to.plan.statements.find(id);
  if (found == to.plan.statements.end())
    return to.edits.remove(to.unit.directives[id].pragma);
  const auto& [condition, actions] = found->second;
  const std::string lines = action_lines(to, actions);
  to.edits.replace(to.unit.directives[id].pragma,
                   condition.empty() || lines.empty()
                       ? lines
                       : fmt::format("if ({}) {{\n{}}}\n", condition, lines));
}

} // namespace gangway::port
