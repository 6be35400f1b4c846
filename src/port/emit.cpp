// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit.hpp"

#include "port/device_functions.hpp"
#include "port/emit/bodies.hpp"
#include "port/emit/data.hpp"
#include "port/emit/kernels.hpp"
#include "port/emit/runtime.hpp"
#include "port/emit/teams.hpp"
#include "port/emit/text.hpp"
#include "port/emit/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace gangway::port {
namespace {

void remark(Writer& to, std::size_t id) {
  const Verdict& verdict = to.plan.verdicts[id];
  const Message& why = verdict.said.front();
  std::string text =
      fmt::format("// gangway port: not translated: {} [{}]\n", why.text, name_of(why.code));
  if (!why.by_hand.empty())
    text +=
        fmt::format("// By hand: {}{}\n", why.by_hand,
                    verdict.row.empty() ? "" : fmt::format(" (porting guide, {})", verdict.row));
  to.edits.insert_lines(to.unit.directives[id].pragma.begin, text);
}

void emit(Writer& to, std::size_t id) {
  if (to.unit.compute_around(id) != none)
    return; // with the construct
  if (to.plan.verdicts[id].outcome == Outcome::refused)
    return remark(to, id);
  const Directive& directive = to.unit.directives[id];
  if (directive.is_compute())
    emit_compute(to, id);
  else if (is_atomic(directive.construct))
    emit_atomic(to, directive);
  else if (directive.construct == Construct::data)
    emit_data(to, id);
  else if (directive.construct == Construct::declare)
    emit_declare(to, id);
  else if (directive.construct == Construct::host_data)
    emit_host_data(to, id);
  else
    emit_statement(to, id);
}

void mark_declarations(Writer& to, const std::vector<unsigned>& declarations) {
  for (const unsigned at : declarations) {
    const std::string_view rest = std::string_view(to.unit.text).substr(at);
    if (rest.starts_with("KOKKOS_"))
      continue;
    if (rest.starts_with("inline "))
      to.edits.replace({at, at + 7}, "KOKKOS_INLINE_FUNCTION ");
    else if (rest.starts_with("static inline "))
      to.edits.replace({at, at + 14}, "static KOKKOS_INLINE_FUNCTION ");
    else
      to.edits.insert(at, "KOKKOS_FUNCTION ");
  }
}

void mark_function(Writer& to, const Function& function, bool is_gang) {
  if (is_gang)
    share_out(to, function);
  for (const std::string& line : names_for_macros(function.calls))
    to.edits.insert(function.body, "\n" + line);
  std::set<std::size_t> tables; // which the host has in its memory
  for (const Use& use : function.globals)
    if (const Variable& named = to.unit.variables[use.variable];
        !named.initializer.empty() && tables.insert(use.variable).second) {
      std::string declared = named.type;
      declared.replace(declared.find('$'), 1, named.name);
      if (declared.starts_with("const "))
        declared.erase(0, 6);
      to.edits.insert(function.body,
                      fmt::format("\nconstexpr {} = {};", declared, named.initializer));
    }
  mark_declarations(to, function.declarations);
  rename_calls(to, function.calls, nullptr);
}

void add_guard(Writer& to) {
  for (const Function& function : to.unit.functions)
    if (function.is_main) {
      std::string lines = fmt::format("const Kokkos::ScopeGuard {};\n", to.unit.fresh("kokkos")) +
                          data_lines(to, to.plan.declared, to.plan.declared_name);
      if (line_break(to.unit, function.body).empty())
        lines.pop_back(); // the source has it
      to.edits.insert(function.body, "\n" + lines);
    }
}

/// Keeps C's conversions of arguments, because C++ would call the function of the argument's type
/// where C calls that of `double`.
void keep_conversions(Writer& to) {
  for (std::size_t f = 0; f < to.unit.functions.size(); ++f)
    if (!to.plan.device_functions[f])
      convert_arguments(to, to.unit.functions[f].calls);
  for (std::size_t id = 0; id < to.unit.directives.size(); ++id)
    if (to.unit.directives[id].is_compute() && to.plan.verdicts[id].outcome == Outcome::refused)
      convert_arguments(to, to.unit.directives[id].calls);
}
/// Makes C++ of C. It runs first, because its insertions go outside later changes at a place.
void become_cpp(Writer& to) {
  keep_conversions(to);
  for (const auto& [at, type] : to.unit.void_casts)
    to.edits.insert(at, "(" + type + ")");
  for (const unsigned at : to.unit.ints)
    to.edits.insert(at, "+");
  for (const Function& function : to.unit.functions) {
    for (const unsigned at : function.bare_returns)
      to.edits.insert(at, " {}");
    if (function.open_end != none)
      to.edits.insert(static_cast<unsigned>(function.open_end), "return {};\n");
  }
  for (const Span& keyword : to.unit.restricts)
    to.edits.replace(keyword, "__restrict");
  for (const Span& keyword : to.unit.bools)
    to.edits.replace(keyword, "bool");
  for (const auto& [span, text] : to.unit.for_cpp)
    to.edits.replace(span, text);
}

/// Returns the beginning of the first line that holds more than comments.
unsigned behind_comments(const std::string& text) {
  unsigned line = 0;
  for (unsigned at = 0; at < text.size();) {
    if (text.compare(at, 2, "//") == 0) {
      at = static_cast<unsigned>(std::min(text.find('\n', at), text.size()));
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", at + 2);
      at = static_cast<unsigned>(close == std::string::npos ? text.size() : close + 2);
    } else if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      if (text[at] == '\n')
        line = at + 1;
      ++at;
    } else {
      break;
    }
  }
  return line;
}

void add_includes(Writer& to) {
  const std::string lines = "#include <Kokkos_Core.hpp>\n#include <gangway/gangway.hpp>\n";
  // The includes come before the source's macros, because Kokkos' headers would expand those.
  if (to.unit.first_macro)
    to.edits.insert_first(*to.unit.first_macro, lines);
  else if (to.unit.first_include)
    to.edits.insert_first(*to.unit.first_include, lines);
  else
    to.edits.insert_first(behind_comments(to.unit.text), lines + "\n");
}

/// Removes the includes of openacc.h, with the conditionals that have nothing else.
void remove_openacc_headers(Writer& to) {
  std::vector<Span> lines;
  for (const OpenaccBranches& branches : to.unit.openacc_branches)
    lines.push_back(branches.lines);
  for (const Span& header : to.unit.openacc_headers)
    if (std::none_of(lines.begin(), lines.end(),
                     [&](const Span& branches) { return branches.holds(header); }))
      lines.push_back(header);
  for (const Span& one : lines)
    to.edits.remove(one);
}

} // namespace

Edits::Result emit(const Unit& unit, const Plan& plan) {
  Writer to(unit, plan);
  for (const WrittenOut& macro : unit.written_out)
    for (std::size_t id = 0; id < unit.directives.size(); ++id)
      if (macro.lines.holds(unit.directives[id].pragma) &&
          plan.verdicts[id].outcome == Outcome::refused)
        to.edits.replace_lines(macro.lines, macro.source);
  if (unit.is_c)
    become_cpp(to);
  for (const Span& lines : plan.removed)
    to.edits.remove(lines);
  for (std::size_t f = 0; f < unit.functions.size(); ++f)
    if (plan.device_functions[f])
      mark_function(to, unit.functions[f], plan.gang_functions[f]);
  for (std::size_t f = 0; f < unit.outside.size(); ++f)
    if (plan.device_outside[f])
      mark_declarations(to, unit.outside[f].declarations);
  if (plan.changes)
    replace_runtime_calls(to); // they may be in text that moves as a whole
  // Inner directives come first, because one may end where the outer one does.
  for (std::size_t id = unit.directives.size(); id-- > 0;)
    emit(to, id);
  if (plan.changes) {
    if (plan.guard)
      add_guard(to);
    add_includes(to); // before a header goes: in its place
    if (!plan.keeps_openacc_header)
      remove_openacc_headers(to);
  }
  return to.edits.result();
}

} // namespace gangway::port
