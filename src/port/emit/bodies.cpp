// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit/bodies.hpp"

#include "port/device_functions.hpp"
#include "port/emit/text.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gangway::port {
namespace {

void convert_arguments(Writer& to, const Call& call) {
  for (const auto& [argument, type] : call.casts) {
    to.edits.insert(argument.begin, "static_cast<" + type + ">(");
    to.edits.insert(argument.end, ")");
  }
}

void rewrite_use(Writer& to, const Use& use, const Binding& binding) {
  if (binding.access == Access::element_zero || binding.access == Access::member) {
    to.edits.replace(use.name, binding.name + "(0)" + binding.within);
  } else if (binding.access == Access::renamed) {
    to.edits.replace(use.name, binding.name);
  } else {
    // Replaces each bracket alone, so that the text between them stays.
    const bool row = use.row && to.unit.variables[use.variable].variable_rows;
    const Span first = use.subscripts.front();
    const std::string text = to.unit.text.substr(first.begin, first.end - first.begin);
    const bool whole = binding.within.empty() || in_parentheses(text) == text;
    const std::string less =
        (whole ? "" : ")") + (binding.within.empty() ? "" : " - " + binding.within);
    to.edits.replace({use.whole.begin, first.begin},
                     (row ? "&" : "") + binding.name + (whole ? "(" : "(("));
    for (std::size_t s = 1; s < use.subscripts.size(); ++s)
      to.edits.replace({use.subscripts[s - 1].end, use.subscripts[s].begin},
                       (s == 1 ? less : "") + ", ");
    to.edits.replace({use.subscripts.back().end, use.whole.end},
                     (use.subscripts.size() == 1 ? less : "") + (row ? ", 0)" : ")"));
  }
}

/// Returns an atomic update that Kokkos has no function for. It evaluates the operand once.
std::string change_call(const Writer& to, const Atomic& atomic, const std::string& target,
                        const std::string& value) {
  const std::string operand = to.unit.fresh("operand");
  const std::string before = to.unit.fresh("before");
  return fmt::format("gangway::{}({}, [{} = {}](const auto {}) {{ return {} {} {}; }})",
                     !atomic.captured || atomic.before ? "atomic_fetch_change"
                                                       : "atomic_change_fetch",
                     target, operand, value, before, atomic.reversed ? operand : before,
                     atomic.symbol, atomic.reversed ? before : operand);
}

} // namespace

void convert_arguments(Writer& to, const std::vector<Call>& calls) {
  for (const Call& call : calls)
    if (!kokkos_name(call).empty() && !call.macro)
      convert_arguments(to, call);
}

void rename_calls(Writer& to, const std::vector<Call>& calls, const Span* within) {
  for (const Call& call : calls) {
    const std::string name = kokkos_name(call);
    if (name.empty() || call.macro || (within != nullptr && !within->holds(call.callee)))
      continue;
    to.edits.replace(call.callee, name);
    convert_arguments(to, call);
  }
}

std::vector<std::string> names_for_macros(const std::vector<Call>& calls) {
  std::map<std::string, bool> converts; // by name, whether C converts an argument to double
  for (const Call& call : calls)
    if (fits_by_using(call))
      converts[call.name] = converts[call.name] || !call.casts.empty();
  std::vector<std::string> lines;
  for (const auto& [name, to_double] : converts)
    lines.push_back(to_double ? fmt::format("const auto {0} = [](const auto... x) {{ return "
                                            "Kokkos::{0}(static_cast<double>(x)...); }};",
                                            name)
                              : fmt::format("using Kokkos::{};", name));
  return lines;
}

void emit_atomic(Writer& to, const Directive& directive) {
  const Atomic& atomic = directive.atomic;
  const std::string target = "&" + to.edits.text(*atomic.target);
  const std::string value = atomic.value ? to.edits.text(*atomic.value) : "1";
  const std::string captured = atomic.captured ? to.edits.text(*atomic.captured) + " = " : "";
  std::string call;
  if (atomic.operation.empty() && !atomic.value)
    call = fmt::format("Kokkos::atomic_load({})", target);
  else if (atomic.operation.empty() && atomic.captured)
    call = fmt::format("Kokkos::atomic_exchange({}, {})", target, value);
  else if (atomic.operation == "change")
    call = change_call(to, atomic, target, value);
  else if (atomic.operation.empty())
    call = fmt::format("Kokkos::atomic_store({}, {})", target, value);
  else if (!atomic.captured && (atomic.operation == "lshift" || atomic.operation == "rshift" ||
                                atomic.operation == "xor"))
    call = fmt::format("static_cast<void>(Kokkos::atomic_fetch_{}({}, {}))", atomic.operation,
                       target, value);
  else if (!atomic.captured)
    call = fmt::format("Kokkos::atomic_{}({}, {})", atomic.operation, target, value);
  else if (atomic.before)
    call = fmt::format("Kokkos::atomic_fetch_{}({}, {})", atomic.operation, target, value);
  else
    call = fmt::format("Kokkos::atomic_{}_fetch({}, {})", atomic.operation, target, value);
  to.edits.remove(directive.pragma);
  to.edits.replace(directive.statement,
                   comments_in(to.unit, directive.statement) + captured + call + ";");
}

void rewrite_body(Writer& to, std::size_t id, const Compute& compute, const Kernel& kernel) {
  const Directive& directive = to.unit.directives[id];
  rename_calls(to, directive.calls, &kernel.body);
  for (const Size& size : directive.sizes)
    if (kernel.body.holds(size.span))
      to.edits.replace(size.span, size.text);
  for (const Use& use : directive.uses) {
    auto binding = kernel.bindings.find(use.variable);
    if (binding == kernel.bindings.end()) {
      binding = compute.bindings.find(use.variable);
      if (binding == compute.bindings.end())
        continue;
    }
    if (!kernel.body.holds(use.name) || use.macro)
      continue;
    if (std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                    [&](const Reducer& reducer) { return reducer.id == use.variable; }))
      continue; // its own part
    if (binding->second.access == Access::renamed &&
        binding->second.name == to.unit.variables[use.variable].path)
      continue; // its own
    rewrite_use(to, use, binding->second);
  }
  if (!kernel.loops.empty())
    for (const Span& span : kernel.loops.back().continues)
      to.edits.replace(span, "return");
  for (std::size_t inner = id + 1; inner < to.unit.directives.size(); ++inner) {
    const Directive& part = to.unit.directives[inner];
    if (!kernel.body.holds({part.pragma.end, part.pragma.end}) ||
        to.unit.compute_around(inner) != id)
      continue;
    if (is_atomic(part.construct))
      emit_atomic(to, part);
    else
      to.edits.remove(part.pragma);
  }
}

} // namespace gangway::port
