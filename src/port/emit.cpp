// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit.hpp"

#include "port/clang_places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace gangway::port {
namespace {

/// How many iterations a loop has, if it has any.
std::string count_of(const Loop& loop) {
  const bool from_zero = loop.low == "0";
  if (from_zero && loop.step == "1")
    return loop.high;
  // The difference of unsigned numbers is no less than 0, and huge.
  std::string length = loop.wide ? fmt::format("static_cast<long>({})", loop.high) : loop.high;
  if (!from_zero)
    length += " - " + in_parentheses(loop.low);
  if (loop.step == "1")
    return length;
  const std::string step = in_parentheses(loop.step);
  return fmt::format("({} + {} - 1) / {}", length, step, step);
}
/// The index of the iteration that `number` counts from 0.
std::string index_of(const Loop& loop, const std::string& number) {
  const std::string stepped =
      loop.step == "1" ? number
                       : fmt::format("{} * {}", in_parentheses(number), in_parentheses(loop.step));
  return loop.low == "0" ? stepped
                         : fmt::format("{} + {}", in_parentheses(loop.low),
                                       loop.step == "1" ? in_parentheses(stepped) : stepped);
}
bool counts_itself(const Loop& loop) {
  return loop.low == "0" && loop.step == "1";
}

std::string cast(const std::string& type, const std::string& text) {
  return type == "long" ? text : fmt::format("static_cast<{}>({})", type, text);
}

/// A kernel's parts.
struct Parts {
  std::string policy;
  std::string parameters;
  std::vector<std::string> head; ///< what makes the indices
};

std::string fresh_in(const std::string& text, std::string name) {
  while (text.find(name) != std::string::npos)
    name += '_';
  return name;
}

Parts parts_of(const Kernel& kernel, const std::string& text) {
  Parts parts;
  if (kernel.policy == Policy::one) {
    parts.policy = "gangway::range(0, 1)";
    parts.parameters = "const long";
  } else if (kernel.policy == Policy::range) {
    const Loop& loop = kernel.loops.front();
    if (loop.step == "1") {
      parts.policy = fmt::format("gangway::range({}, {})", loop.low, loop.high);
      parts.parameters = fmt::format("const {} {}", loop.type, loop.index);
    } else {
      const std::string number = fresh_in(text, loop.index + "_number");
      parts.policy = fmt::format("gangway::range(0, {})", count_of(loop));
      parts.parameters = "const long " + number;
      parts.head.push_back(fmt::format("const {} {} = {};", loop.type, loop.index,
                                       cast(loop.type, index_of(loop, number))));
    }
  } else if (kernel.policy == Policy::tiles) {
    std::vector<std::string> extents;
    std::vector<std::string> parameters;
    for (const Loop& loop : kernel.loops) {
      extents.push_back(loop.wide && counts_itself(loop)
                            ? fmt::format("static_cast<long>({})", count_of(loop))
                            : count_of(loop));
      if (counts_itself(loop)) {
        parameters.push_back(fmt::format("const {} {}", loop.type, loop.index));
        continue;
      }
      const std::string number = fresh_in(text, loop.index + "_number");
      parameters.push_back("const long " + number);
      parts.head.push_back(fmt::format("const {} {} = {};", loop.type, loop.index,
                                       cast(loop.type, index_of(loop, number))));
    }
    parts.policy = fmt::format("gangway::tile_policy<{}>({{{}}}, {{{}}})", kernel.loops.size(),
                               fmt::join(extents, ", "), fmt::join(kernel.tile, ", "));
    parts.parameters = fmt::format("{}", fmt::join(parameters, ", "));
  } else {
    const std::string number = fresh_in(text, "iteration");
    std::vector<std::string> counts;
    for (const Loop& loop : kernel.loops)
      counts.push_back(count_of(loop));
    parts.policy =
        fmt::format("gangway::range(0, gangway::iterations({}))", fmt::join(counts, ", "));
    parts.parameters = "const long " + number;
    for (std::size_t d = 0; d < kernel.loops.size(); ++d) {
      const Loop& loop = kernel.loops[d];
      std::string own = number;
      for (std::size_t inner = kernel.loops.size(); inner-- > d + 1;)
        own = fmt::format("{} / {}", own, in_parentheses(counts[inner]));
      if (d > 0)
        own = fmt::format("{} % {}", own, in_parentheses(counts[d]));
      parts.head.push_back(fmt::format(
          "const {} {} = {};", loop.type, loop.index,
          cast(loop.type, counts_itself(loop) ? own : index_of(loop, "(" + own + ")"))));
    }
  }
  return parts;
}

std::string reducer_of(const Reducer& reducer, const std::string& into) {
  static const std::map<std::string, std::string> names{
      {"+", "Sum"},  {"*", "Prod"}, {"max", "Max"}, {"min", "Min"},
      {"&", "BAnd"}, {"|", "BOr"},  {"&&", "LAnd"}, {"||", "LOr"}};
  return fmt::format("Kokkos::{}<{}>({})", names.at(reducer.operation), reducer.type, into);
}
/// What the variable held before joins in.
std::string combined(const Reducer& reducer, const std::string& part) {
  const std::string& name = reducer.variable;
  if (reducer.operation == "max" || reducer.operation == "min")
    return fmt::format("{} = Kokkos::{}({}, {});", name, reducer.operation, name, part);
  if (reducer.operation == "&&" || reducer.operation == "||")
    return fmt::format("{} = {} {} {};", name, name, reducer.operation, part);
  return fmt::format("{} {}= {};", name, reducer.operation, part);
}

class Emitter {
public:
  Emitter(const Unit& unit, const Plan& plan) : _unit(unit), _plan(plan), _edits(unit.text) {}

  Edits::Result emit() {
    bool any = false;
    for (std::size_t f = 0; f < _unit.functions.size(); ++f)
      if (_plan.device_functions[f])
        mark_function(_unit.functions[f]);
    // What is inside first, for it may end where the outer one does.
    for (std::size_t id = _unit.directives.size(); id-- > 0;) {
      if (_plan.verdicts[id].outcome == Outcome::refused)
        remark(id);
      else {
        any = true;
        emit(id);
      }
    }
    if (any) {
      if (_plan.guard)
        add_guard();
      if (_unit.is_c)
        become_cpp();
      for (const Span& header : _unit.openacc_headers)
        if (!_plan.keeps_openacc_header)
          _edits.remove(header);
      add_includes();
    }
    return _edits.result();
  }

private:
  const Unit& _unit;
  const Plan& _plan;
  Edits _edits;
  bool _ranges = false;

  [[nodiscard]] std::size_t compute_around(std::size_t id) const {
    for (std::size_t up = _unit.directives[id].parent; up != none; up = _unit.directives[up].parent)
      if (_unit.directives[up].is_compute())
        return up;
    return none;
  }

  void remark(std::size_t id) {
    if (compute_around(id) != none)
      return; // said above the construct
    const Verdict& verdict = _plan.verdicts[id];
    std::string text = fmt::format("// gangway port: not translated: {}\n", verdict.refusal);
    if (!verdict.by_hand.empty())
      text +=
          fmt::format("// By hand: {}{}\n", verdict.by_hand,
                      verdict.row.empty() ? "" : fmt::format(" (porting guide, {})", verdict.row));
    _edits.insert_lines(_unit.directives[id].pragma.begin, text);
  }

  void emit(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    if (compute_around(id) != none)
      return; // with the construct
    if (directive.is_compute()) {
      emit_compute(id, directive, _plan.computes.at(id));
    } else if (directive.construct == "data") {
      emit_region(directive, data_lines(_plan.regions.at(id)));
    } else if (directive.construct == "host_data") {
      emit_host_data(id, directive);
    } else if (const auto lines = _plan.statements.find(id); lines != _plan.statements.end()) {
      std::string text;
      for (const std::string& line : lines->second)
        text += line + "\n";
      _edits.replace(directive.pragma, text);
    } else {
      _edits.remove(directive.pragma);
    }
  }

  // --- data ---

  [[nodiscard]] std::string data_lines(const std::vector<Entry>& entries) const {
    std::string text;
    const std::string& data = _plan.data_name;
    for (const Entry& entry : entries) {
      const Variable& named = _unit.variables[entry.section.variable];
      const std::string arguments = fmt::format("{}, {}", host_address(entry.section, named),
                                                fmt::join(entry.section.extents, ", "));
      const std::string call = fmt::format("{}.{}({})", data, entry.clause, arguments);
      const bool read_only = entry.clause == "copyin" && entry.written && !named.element_const;
      if (!entry.used || read_only)
        text += fmt::format("static_cast<void>({});\n", call);
      if (read_only) // copyin gives a view that kernels may not write
        text += fmt::format("const auto {} = {}.present({});\n", entry.view, data, arguments);
      else if (entry.used)
        text += fmt::format("const auto {} = {};\n", entry.view, call);
    }
    return text.empty() ? "" : fmt::format("gangway::Data {};\n{}", data, text);
  }
  /// Lines behind the brace that opens the directive's statement.
  void open_block(const Directive& directive, const std::string& lines) {
    if (lines.empty())
      return;
    const unsigned inside = directive.statement.begin + 1;
    const bool line_ends = _unit.text[inside] == '\n' || _unit.text[inside] == '\r';
    _edits.insert(inside, "\n" + (line_ends ? lines.substr(0, lines.size() - 1) : lines));
  }

  void emit_region(const Directive& directive, const std::string& lines) {
    if (directive.braces) {
      _edits.remove(directive.pragma);
      open_block(directive, lines);
    } else if (directive.last) {
      _edits.replace(directive.pragma, lines);
    } else {
      _edits.replace(directive.pragma, "{\n" + lines);
      _edits.insert(directive.statement.end, "\n}");
    }
  }

  void emit_host_data(std::size_t id, const Directive& directive) {
    std::string lines;
    for (const Entry& entry : _plan.host_regions.at(id)) {
      const Variable& named = _unit.variables[entry.section.variable];
      const std::string type = (named.element_const ? "const " : "") + named.element + "*";
      lines += fmt::format("{} const {} = static_cast<{}>(gangway::device_pointer({}));\n", type,
                           entry.view, type, named.path);
      for (const Use& use : directive.uses)
        if (use.variable == entry.section.variable)
          _edits.replace(use.name, entry.view);
    }
    emit_region(directive, lines);
  }

  // --- kernels ---

  void emit_compute(std::size_t id, const Directive& directive, const Compute& compute) {
    const std::string on_host =
        compute.condition.empty() ? "" : without_directives(directive.statement);
    for (const Kernel& kernel : compute.kernels)
      rewrite_body(id, directive, compute, kernel);
    std::string lines = data_lines(compute.data);
    for (const std::string& pointer : compute.pointers)
      lines += pointer + "\n";
    const bool combined = directive.construct != "parallel" && directive.construct != "kernels";
    std::string open;
    std::string close;
    if (!compute.condition.empty()) {
      open = fmt::format("if ({}) {{\n", compute.condition);
      close = fmt::format("\n}} else {{\n{}\n}}", on_host);
    }
    if (combined) {
      const Kernel& kernel = compute.kernels.front();
      const bool scope = close.empty() && !directive.last &&
                         !(lines.empty() && kernel.before.empty() && kernel.reducers.empty());
      emit_kernel(kernel, directive.pragma, open + (scope ? "{\n" : "") + lines,
                  (scope ? "\n}" : "") + close, false);
      return;
    }
    for (auto kernel = compute.kernels.rbegin(); kernel != compute.kernels.rend(); ++kernel) {
      const bool has_pragma = kernel->whole.begin < kernel->body.begin &&
                              _unit.text.substr(kernel->whole.begin).find('#') != std::string::npos;
      Span pragma{kernel->whole.begin, kernel->whole.begin};
      if (has_pragma)
        for (const Directive& inner : _unit.directives)
          if (inner.pragma.begin == kernel->whole.begin)
            pragma = inner.pragma;
      emit_kernel(*kernel, pragma, "", "", true);
    }
    if (directive.braces) {
      _edits.replace(directive.pragma, open);
      open_block(directive, lines);
      if (!close.empty())
        _edits.insert(directive.statement.end, close);
    } else {
      _edits.replace(directive.pragma, open + "{\n" + lines);
      _edits.insert(directive.statement.end, "\n}" + close);
    }
  }

  void emit_kernel(const Kernel& kernel, Span pragma, const std::string& open,
                   const std::string& close, bool in_block) {
    _ranges = _ranges || kernel.policy != Policy::tiles;
    const Parts parts = parts_of(kernel, _unit.text);
    const bool scope = in_block && !(kernel.before.empty() && kernel.reducers.empty());
    std::string before = open + (scope ? "{\n" : "");
    for (const std::string& line : kernel.before)
      before += line + "\n";
    std::string parameters = parts.parameters;
    std::string reducers;
    std::string after;
    for (const Reducer& reducer : kernel.reducers) {
      const std::string part = fresh_in(_unit.text, reducer.variable + "_part");
      before += fmt::format("{} {}{{}};\n", reducer.type, part);
      parameters += fmt::format(", {}& {}", reducer.type, reducer.variable);
      reducers += ", " + reducer_of(reducer, part);
      after += "\n" + combined(reducer, part);
    }
    std::string header = fmt::format("Kokkos::{}(\"{}\", {}, KOKKOS_LAMBDA({}) {{",
                                     kernel.reducers.empty() ? "parallel_for" : "parallel_reduce",
                                     kernel.label, parts.policy, parameters);
    for (const auto* lines : {&parts.head, &kernel.head})
      for (const std::string& line : *lines)
        header += "\n" + line;
    const std::string footer = "}" + reducers + ");" + after + (scope ? "\n}" : "") + close;
    const unsigned begins =
        kernel.loops.empty() ? kernel.body.begin : kernel.loops.front().whole.begin;
    const unsigned inside = kernel.braces ? kernel.body.begin + 1 : kernel.body.begin;
    if (const char next = _unit.text[inside]; next != '\n' && next != '\r')
      header += '\n';
    _edits.replace(pragma, before);
    header = comments_in({begins, inside}) + header;
    _edits.replace({begins, inside}, header);
    if (kernel.braces)
      _edits.replace({kernel.body.end - 1, std::max(kernel.body.end, kernel.whole.end)},
                     comments_in({kernel.body.end, kernel.whole.end}) + footer);
    else if (kernel.body.end < kernel.whole.end)
      _edits.replace({kernel.body.end, kernel.whole.end},
                     "\n" + comments_in({kernel.body.end, kernel.whole.end}) + footer);
    else
      _edits.insert(kernel.body.end, "\n" + footer);
  }

  /// The comments of a part that goes, each on a line of its own.
  [[nodiscard]] std::string comments_in(Span span) const {
    std::string found;
    for (unsigned at = span.begin; at + 1 < span.end; ++at) {
      const std::string_view rest = std::string_view(_unit.text).substr(at, span.end - at);
      if (rest.starts_with('"')) {
        const std::size_t close = rest.find('"', 1);
        at += close == std::string_view::npos ? 0 : static_cast<unsigned>(close);
      } else if (rest.starts_with("//") || rest.starts_with("/*")) {
        const bool line = rest[1] == '/';
        std::size_t close = line ? rest.find_first_of("\r\n") : rest.find("*/", 2);
        close = close == std::string_view::npos ? rest.size() : line ? close : close + 2;
        found += std::string(rest.substr(0, close)) + "\n";
        at += static_cast<unsigned>(close) - 1;
      }
    }
    return found;
  }

  [[nodiscard]] std::string without_directives(Span span) const {
    std::string text;
    for (unsigned at = span.begin; at < span.end;) {
      const std::size_t newline = _unit.text.find('\n', at);
      unsigned end = newline == std::string::npos
                         ? span.end
                         : std::min(span.end, static_cast<unsigned>(newline) + 1);
      if (is_directive(std::string_view(_unit.text).substr(at, end - at)))
        end = std::min(span.end, lines_from(at, at, _unit.text).end);
      else
        text += _unit.text.substr(at, end - at);
      at = end;
    }
    return text;
  }

  void rewrite_body(std::size_t id, const Directive& directive, const Compute& compute,
                    const Kernel& kernel) {
    for (const Use& use : directive.uses) {
      const auto binding = compute.bindings.find(use.variable);
      if (!kernel.body.holds(use.name) || binding == compute.bindings.end() || use.macro)
        continue;
      rewrite_use(use, binding->second);
    }
    rename_calls(directive.calls, &kernel.body);
    if (!kernel.loops.empty())
      for (const Span& span : kernel.loops.back().continues)
        _edits.replace(span, "return");
    for (std::size_t inner = id + 1; inner < _unit.directives.size(); ++inner) {
      const Directive& part = _unit.directives[inner];
      if (!kernel.body.holds({part.pragma.end, part.pragma.end}) || compute_around(inner) != id)
        continue;
      if (part.construct.starts_with("atomic"))
        emit_atomic(part);
      else
        _edits.remove(part.pragma);
    }
  }

  void rewrite_use(const Use& use, const Binding& binding) {
    if (binding.access == Access::element_zero) {
      _edits.replace(use.name, binding.name + "(0)");
    } else if (binding.access == Access::renamed) {
      _edits.replace(use.name, binding.name);
    } else {
      // Bracket by bracket, so that what is between them stays what it is.
      _edits.replace({use.whole.begin, use.subscripts.front().begin}, binding.name + "(");
      for (std::size_t s = 1; s < use.subscripts.size(); ++s)
        _edits.replace({use.subscripts[s - 1].end, use.subscripts[s].begin}, ", ");
      _edits.replace({use.subscripts.back().end, use.whole.end}, ")");
    }
  }

  void rename_calls(const std::vector<Call>& calls, const Span* within) {
    for (const Call& call : calls) {
      const std::string name = device_function(call.name);
      if (call.function == none && !name.empty() && !call.macro &&
          (within == nullptr || within->holds(call.callee)))
        _edits.replace(call.callee, name);
    }
  }

  void emit_atomic(const Directive& directive) {
    const Atomic& atomic = directive.atomic;
    const std::string target = "&" + _edits.text(*atomic.target);
    const std::string value = atomic.value ? _edits.text(*atomic.value) : "1";
    const std::string captured = atomic.captured ? _edits.text(*atomic.captured) + " = " : "";
    std::string call;
    if (atomic.operation.empty() && !atomic.value)
      call = fmt::format("Kokkos::atomic_load({})", target);
    else if (atomic.operation.empty() && atomic.captured)
      call = fmt::format("Kokkos::atomic_exchange({}, {})", target, value);
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
    _edits.remove(directive.pragma);
    _edits.replace(directive.statement, comments_in(directive.statement) + captured + call + ";");
  }

  // --- the rest of the file ---

  void mark_function(const Function& function) {
    for (const unsigned at : function.declarations) {
      const std::string_view rest = std::string_view(_unit.text).substr(at);
      if (rest.starts_with("KOKKOS_"))
        continue;
      if (rest.starts_with("inline "))
        _edits.replace({at, at + 7}, "KOKKOS_INLINE_FUNCTION ");
      else if (rest.starts_with("static inline "))
        _edits.replace({at, at + 14}, "static KOKKOS_INLINE_FUNCTION ");
      else
        _edits.insert(at, "KOKKOS_FUNCTION ");
    }
    rename_calls(function.calls, nullptr);
  }

  void add_guard() {
    for (const Function& function : _unit.functions)
      if (function.is_main)
        _edits.insert(function.body, fmt::format("\nconst Kokkos::ScopeGuard {};\n",
                                                 fresh_in(_unit.text, "kokkos")));
  }

  void become_cpp() {
    for (const auto& [at, type] : _unit.void_casts)
      _edits.insert(at, "(" + type + ")");
    for (const Span& keyword : _unit.restricts)
      _edits.replace(keyword, "__restrict");
  }

  void add_includes() {
    std::string lines = "#include <Kokkos_Core.hpp>\n#include <gangway/gangway.hpp>\n";
    if (_ranges)
      lines += "#include <gangway/range.hpp>\n";
    if (_unit.first_include)
      _edits.insert(*_unit.first_include, lines);
    else
      _edits.insert(behind_comments(), lines + "\n");
  }
  /// The beginning of the first line that holds more than comments.
  [[nodiscard]] unsigned behind_comments() const {
    const std::string& text = _unit.text;
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
};

} // namespace

Edits::Result emit(const Unit& unit, const Plan& plan) {
  return Emitter(unit, plan).emit();
}

} // namespace gangway::port
