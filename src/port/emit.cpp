// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit.hpp"

#include "port/runtime.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace gangway::port {
namespace {

/// A bound, or the step, to be reckoned with: the difference of unsigned numbers is no less than 0,
/// and huge.
std::string operand_of(const Loop& loop, const std::string& text) {
  return loop.wide && !is_number(text) ? fmt::format("static_cast<long>({})", text)
                                       : in_parentheses(text);
}
/// How many iterations a loop has, if it has any.
std::string count_of(const Loop& loop) {
  const bool from_zero = loop.low == "0";
  if (from_zero && loop.step == "1")
    return loop.high;
  std::string length = loop.wide ? operand_of(loop, loop.high) : loop.high;
  if (!from_zero)
    length += " - " + operand_of(loop, loop.low);
  if (loop.step == "1")
    return length;
  const std::string step = operand_of(loop, loop.step);
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

/// A name of ours, as in the guide; `other` if the source has that name.
std::string name_of(const Unit& unit, const char* name, const char* other) {
  return std::find(unit.names.begin(), unit.names.end(), name) == unit.names.end()
             ? name
             : unit.fresh(other);
}
/// What a gang's handle is called, and a worker's.
std::string team_of(const Unit& unit) {
  return name_of(unit, "gang", "team");
}
std::string worker_of(const Unit& unit) {
  return name_of(unit, "worker", "thread");
}

/// How many iterations each of the loops has.
std::vector<std::string> counts_of(const std::vector<Loop>& loops) {
  std::vector<std::string> counts;
  for (const Loop& loop : loops)
    counts.push_back(count_of(loop));
  return counts;
}
/// What makes the indices of loops in each other of the iteration that `number` counts from 0.
std::vector<std::string> indices_of(const std::vector<Loop>& loops, const std::string& number) {
  const std::vector<std::string> counts = counts_of(loops);
  std::vector<std::string> lines;
  for (std::size_t d = 0; d < loops.size(); ++d) {
    const Loop& loop = loops[d];
    std::string own = number;
    for (std::size_t inner = loops.size(); inner-- > d + 1;)
      own = fmt::format("{} / {}", own, in_parentheses(counts[inner]));
    if (d > 0)
      own = fmt::format("{} % {}", own, in_parentheses(counts[d]));
    const std::string part = loops.size() == 1 ? own : "(" + own + ")";
    lines.push_back(fmt::format("const {} {} = {};", loop.type, loop.index,
                                cast(loop.type, counts_itself(loop) ? own : index_of(loop, part))));
  }
  return lines;
}

/// A kernel's parts.
struct Parts {
  std::string call;
  std::string policy;
  std::vector<std::string> before; ///< what makes the policy
  std::string parameters;
  std::vector<std::string> head; ///< what makes the indices
};

/// The setters of `teams` and `workers`. One gang for each iteration where it has scratch, whose
/// values belong to one.
void team_parts(const Kernel& kernel, const Unit& unit, const std::string& on, Parts& parts) {
  const Loop& loop = kernel.loops.front();
  const bool one = kernel.loops.size() == 1;
  const std::string number = unit.fresh(one ? loop.index + "_number" : "iteration");
  const std::string count =
      fmt::format("gangway::iterations({})", fmt::join(counts_of(kernel.loops), ", "));
  const bool as_it_is = one && counts_itself(loop) && loop.type == "long";
  const bool of_workers = kernel.policy == Policy::workers;
  parts.policy = fmt::format("gangway::{}({}{})", of_workers ? "gang_worker" : "gang", on, count) +
                 kernel.clauses;
  parts.parameters =
      fmt::format("const gangway::{}<>& {}, const long {}", of_workers ? "Worker" : "Gang",
                  of_workers ? worker_of(unit) : team_of(unit), as_it_is ? loop.index : number);
  if (!as_it_is)
    parts.head = indices_of(kernel.loops, number);
  if (kernel.scratch.empty())
    return;
  std::vector<std::string> sizes;
  // A length is read on the host, where it may be a member's or a global variable's.
  const auto length = [&](const Scratch& scratch) {
    return scratch.extent.empty() ? "" : unit.fresh(scratch.name + "_elements");
  };
  for (const Scratch& scratch : kernel.scratch) {
    parts.before.push_back(fmt::format("using {} = {};", scratch.type, scratch.view));
    if (!scratch.extent.empty())
      parts.before.push_back(fmt::format("const long {} = {};", length(scratch), scratch.extent));
    sizes.push_back(fmt::format("{}::shmem_size({})", scratch.type, length(scratch)));
  }
  const std::string gangs = name_of(unit, "gangs", "teams");
  parts.before.push_back(fmt::format("const long {} = {};", gangs, count));
  parts.policy = fmt::format("gangway::gang({}{}).num_gangs({}){}.scratch({}, {})", on, gangs,
                             gangs, kernel.clauses, kernel.scratch_level, fmt::join(sizes, " + "));
  const std::string team = team_of(unit) + ".member()";
  for (const Scratch& scratch : kernel.scratch)
    parts.head.push_back(fmt::format("const {} {}({}.team_scratch({}){}{});", scratch.type,
                                     scratch.name, team, kernel.scratch_level,
                                     scratch.extent.empty() ? "" : ", ", length(scratch)));
  const std::string i = unit.fresh("element");
  for (const auto& [name, from] : kernel.filled)
    parts.head.push_back(fmt::format("gangway::loop_vector({}, 0, {}.extent(0), "
                                     "[&](const std::size_t {}) {{\n{}({}) = {}({});\n}});",
                                     team_of(unit), from, i, name, i, from, i));
  if (!kernel.filled.empty())
    parts.head.push_back(team + ".team_barrier();");
}

bool is_volatile(const Reducer& reducer, const Unit& unit) {
  return reducer.id != none && unit.variables[reducer.id].element_volatile;
}

/// Whether statements before the kernel are for its results.
bool prepares_results(const Kernel& kernel, const Unit& unit) {
  return std::any_of(kernel.reducers.begin(), kernel.reducers.end(), [&](const Reducer& reducer) {
    return !reducer.elements.empty() || !reducer.view.empty() || is_volatile(reducer, unit);
  });
}

/// `reduction(operation: into)` as Gangway writes it; a plain variable is a sum.
std::string reduction_of(const Reducer& reducer, const std::string& into) {
  const std::string_view name = operator_of(reducer.operation)->gangway;
  return name.empty() ? into : fmt::format("gangway::reduction::{}({})", name, into);
}

Parts parts_of(const Kernel& kernel, const Unit& unit, const std::string& queue) {
  Parts parts;
  const bool of_gangway = kernel.policy == Policy::gangs || kernel.policy == Policy::teams ||
                          kernel.policy == Policy::workers || kernel.policy == Policy::tiles ||
                          !kernel.reducers.empty();
  parts.call = fmt::format("{}::parallel_{}", of_gangway ? "gangway" : "Kokkos",
                           kernel.reducers.empty() ? "for" : "reduce");
  const std::string on = queue.empty() ? "" : queue + ", ";
  if (kernel.policy == Policy::gangs) {
    parts.policy = fmt::format("gangway::team_policy({}{}", on, kernel.teams);
    parts.parameters = "const gangway::Parallel<>& gang";
  } else if (kernel.policy == Policy::teams || kernel.policy == Policy::workers) {
    team_parts(kernel, unit, on, parts);
  } else if (kernel.policy == Policy::one) {
    parts.policy = fmt::format("gangway::range({}0, 1)", on);
    parts.parameters = "const long";
  } else if (kernel.policy == Policy::range) {
    const Loop& loop = kernel.loops.front();
    if (loop.step == "1") {
      parts.policy = fmt::format("gangway::range({}{}, {})", on, loop.low, loop.high);
      parts.parameters = fmt::format("const {} {}", loop.type, loop.index);
    } else {
      const std::string number = unit.fresh(loop.index + "_number");
      parts.policy = fmt::format("gangway::range({}0, {})", on, count_of(loop));
      parts.parameters = "const long " + number;
      parts.head.push_back(fmt::format("const {} {} = {};", loop.type, loop.index,
                                       cast(loop.type, index_of(loop, number))));
    }
  } else if (kernel.policy == Policy::tiles) {
    std::vector<std::string> extents;
    std::vector<std::string> parameters;
    for (const Loop& loop : kernel.loops) {
      // A tile's extent may not be negative, as the difference is where a loop has no iterations.
      extents.push_back(!counts_itself(loop)
                            ? fmt::format("gangway::iterations({})", count_of(loop))
                        : loop.wide ? operand_of(loop, loop.high)
                                    : loop.high);
      if (counts_itself(loop)) {
        parameters.push_back(fmt::format("const {} {}", loop.type, loop.index));
        continue;
      }
      const std::string number = unit.fresh(loop.index + "_number");
      parameters.push_back("const long " + number);
      parts.head.push_back(fmt::format("const {} {} = {};", loop.type, loop.index,
                                       cast(loop.type, index_of(loop, number))));
    }
    parts.policy = fmt::format("gangway::tile<{}>({}{{{}}}, {{{}}})", kernel.loops.size(), on,
                               fmt::join(extents, ", "), fmt::join(kernel.tile, ", "));
    parts.parameters = fmt::format("{}", fmt::join(parameters, ", "));
  } else {
    const std::string number = unit.fresh("iteration");
    parts.policy = fmt::format("gangway::range({}0, gangway::iterations({}))", on,
                               fmt::join(counts_of(kernel.loops), ", "));
    parts.parameters = "const long " + number;
    parts.head = indices_of(kernel.loops, number);
  }
  return parts;
}

/// The reducer of an array.
std::string element_wise(const Reducer& reducer, const std::string& into) {
  return fmt::format("gangway::ElementWise<{}<{}>, {}>({})",
                     operator_of(reducer.operation)->reducer, reducer.type, reducer.elements, into);
}
/// What holds the results of one thread.
std::string type_of(const Reducer& reducer) {
  return reducer.elements.empty()
             ? reducer.type
             : fmt::format("gangway::Elements<{}, {}>", reducer.type, reducer.elements);
}
/// What the variable held before joins in.
std::string combined(const Reducer& reducer, const std::string& name, const std::string& part) {
  if (reducer.operation == "max" || reducer.operation == "min")
    return fmt::format("{} = Kokkos::{}({}, {});", name, reducer.operation, name, part);
  if (reducer.operation == "&&" || reducer.operation == "||")
    return fmt::format("{} = {} {} {};", name, name, reducer.operation, part);
  return fmt::format("{} {}= {};", name, reducer.operation, part);
}

/// The same of an array, element by element.
std::string combined(const Reducer& reducer, const std::string& part, const Unit& unit) {
  const std::string i = unit.fresh("element");
  return fmt::format("for (int {} = 0; {} < {}; ++{})\n{}", i, i, reducer.elements, i,
                     combined(reducer,
                              reducer.view.empty() ? fmt::format("{}[{}]", reducer.variable, i)
                                                   : fmt::format("{}({})", reducer.view, i),
                              fmt::format("{}[{}]", part, i)));
}

class Emitter {
public:
  Emitter(const Unit& unit, const Plan& plan) : _unit(unit), _plan(plan), _edits(unit.text) {}

  Edits::Result emit() {
    if (_unit.is_c)
      become_cpp();
    for (const Span& lines : _plan.removed)
      _edits.remove(lines);
    for (std::size_t f = 0; f < _unit.functions.size(); ++f)
      if (_plan.device_functions[f])
        mark_function(_unit.functions[f], _plan.gang_functions[f]);
    if (_plan.changes)
      replace_runtime_calls(); // they may stand in what is moved as a whole
    // What is inside first, for it may end where the outer one does.
    for (std::size_t id = _unit.directives.size(); id-- > 0;) {
      if (_plan.verdicts[id].outcome == Outcome::refused)
        remark(id);
      else
        emit(id);
    }
    if (_plan.changes) {
      if (_plan.guard)
        add_guard();
      add_includes(); // before a header goes: in its place
      for (const Span& header : _unit.openacc_headers)
        if (!_plan.keeps_openacc_header)
          _edits.remove(header);
    }
    return _edits.result();
  }

private:
  const Unit& _unit;
  const Plan& _plan;
  Edits _edits;
  bool _ranges = false;

  void remark(std::size_t id) {
    if (_unit.compute_around(id) != none)
      return; // said above the construct
    const Verdict& verdict = _plan.verdicts[id];
    const Message& why = verdict.said.front();
    std::string text =
        fmt::format("// gangway port: not translated: {} [{}]\n", why.text, name_of(why.code));
    if (!why.by_hand.empty())
      text +=
          fmt::format("// By hand: {}{}\n", why.by_hand,
                      verdict.row.empty() ? "" : fmt::format(" (porting guide, {})", verdict.row));
    _edits.insert_lines(_unit.directives[id].pragma.begin, text);
  }

  void emit(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    if (_unit.compute_around(id) != none)
      return; // with the construct
    if (directive.is_compute()) {
      emit_compute(id, directive, _plan.computes.at(id));
    } else if (is_atomic(directive.construct)) {
      emit_atomic(directive);
    } else if (directive.construct == Construct::data) {
      std::string lines = data_lines(_plan.regions.at(id));
      if (const auto condition = _plan.conditions.find(id);
          condition != _plan.conditions.end() && !lines.empty())
        lines.insert(lines.find('\n') + 1, fmt::format("if ({}) {{\n", condition->second)) += "}\n";
      emit_region(directive, joined_lines(_plan.waits.at(id)) + lines);
    } else if (directive.construct == Construct::declare) {
      const auto entries = _plan.regions.find(id);
      _edits.replace(directive.pragma, entries == _plan.regions.end()
                                           ? ""
                                           : data_lines(entries->second, _plan.declared_name));
    } else if (directive.construct == Construct::host_data) {
      emit_host_data(id, directive);
    } else if (const auto lines = _plan.statements.find(id); lines != _plan.statements.end()) {
      _edits.replace(directive.pragma, joined_lines(lines->second));
    } else {
      _edits.remove(directive.pragma);
    }
  }

  static std::string joined_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
      text += line + "\n";
    return text;
  }

  // --- data ---

  [[nodiscard]] std::string data_lines(const std::vector<Entry>& entries) const {
    return data_lines(entries, _plan.data_name);
  }
  [[nodiscard]] std::string data_lines(const std::vector<Entry>& entries,
                                       const std::string& data) const {
    std::string text;
    bool linked = false;
    for (const Entry& entry : entries) {
      const Variable& named = _unit.variables[entry.section.variable];
      if (entry.section.rows) {
        linked = true;
        const std::string call = fmt::format(
            "{}.rows(gangway::named(\"{}\", {}), {}, gangway::by::{}({}))", data, named.name,
            named.path, entry.section.extents[0], entry.clause, entry.section.extents[1]);
        text += entry.used ? fmt::format("const auto {} = {};\n", entry.view, call)
                           : fmt::format("static_cast<void>({});\n", call);
        continue;
      }
      const std::string arguments = fmt::format("{}, {}", host_address(entry.section, named),
                                                fmt::join(entry.section.extents, ", "));
      const std::string call = fmt::format("{}.{}({})", data, entry.clause, arguments);
      if (entry.low_used && !entry.low_name.empty())
        text += fmt::format("const auto {} = {};\n", entry.low_name, entry.section.low);
      if (entry.zero) {
        // Set to zero only where it is made here: what is present has its values.
        const std::string held = _unit.fresh(entry.view + "_held");
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
    // What is called may use a queue of its own; OpenACC's kernels are done here.
    std::string lines = "Kokkos::fence();\n";
    std::string condition;
    if (const Clause* const given = directive.clause(ClauseKind::if_)) {
      condition = _unit.fresh("by_device");
      lines += fmt::format("const bool {} = {};\n", condition, given->argument);
    }
    for (const Entry& entry : _plan.host_regions.at(id)) {
      const Variable& named = _unit.variables[entry.section.variable];
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
          _edits.replace(use.name, entry.view);
    }
    emit_region(directive, lines);
  }

  // --- kernels ---

  void emit_compute(std::size_t id, const Directive& directive, const Compute& compute) {
    const std::string on_host =
        compute.condition.empty() ? "" : without_directives(directive.statement);
    for (const Kernel& kernel : compute.kernels) {
      put_marks(kernel);
      rewrite_body(id, directive, compute, kernel);
      for (const Share& share : kernel.shares)
        emit_share(directive, share);
      if (kernel.policy == Policy::gangs)
        _edits.insert(kernel.arguments, "gang, ");
    }
    std::string lines = joined_lines(compute.waits) + data_lines(compute.data);
    for (const std::string& pointer : compute.pointers)
      lines += pointer + "\n";
    const Kernel& first = compute.kernels.front();
    const bool is_all = first.policy == Policy::one &&
                        first.whole.begin == directive.statement.begin &&
                        first.whole.end == directive.statement.end; // one gang, on one thread
    const bool combined = is_all || (directive.construct != Construct::parallel &&
                                     directive.construct != Construct::kernels);
    std::string open;
    std::string close;
    if (!compute.condition.empty()) {
      open = fmt::format("if ({}) {{\n", compute.condition);
      close = fmt::format("\n}} else {{\n{}\n}}", on_host);
    }
    if (combined) {
      const Kernel& kernel = compute.kernels.front();
      const bool scope = close.empty() && !directive.last &&
                         !(lines.empty() && kernel.before.empty() &&
                           !prepares_results(kernel, _unit) && kernel.scratch.empty());
      emit_kernel(kernel, directive.pragma, open + (scope ? "{\n" : "") + lines,
                  (scope ? "\n}" : "") + close, compute.queue, false);
      return;
    }
    for (auto kernel = compute.kernels.rbegin(); kernel != compute.kernels.rend(); ++kernel) {
      if (kernel->policy == Policy::value) {
        emit_value(*kernel, compute.queue);
        continue;
      }
      const bool has_pragma = kernel->whole.begin < kernel->body.begin &&
                              _unit.text.substr(kernel->whole.begin).find('#') != std::string::npos;
      Span pragma{kernel->whole.begin, kernel->whole.begin};
      if (has_pragma)
        for (const Directive& inner : _unit.directives)
          if (inner.pragma.begin == kernel->whole.begin)
            pragma = inner.pragma;
      emit_kernel(*kernel, pragma, "", "", compute.queue, true);
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
                   const std::string& close, const std::string& queue, bool in_block) {
    const Parts parts = parts_of(kernel, _unit, queue);
    _ranges = _ranges || kernel.policy != Policy::tiles ||
              parts.policy.find("iterations(") != std::string::npos;
    const bool scope = in_block && !(kernel.before.empty() && parts.before.empty() &&
                                     !prepares_results(kernel, _unit));
    std::string before = open + (scope ? "{\n" : "");
    for (const auto* lines : {&kernel.before, &parts.before})
      for (const std::string& line : *lines)
        before += line + "\n";
    std::string parameters = parts.parameters;
    std::string reducers;
    std::string after;
    for (const Reducer& reducer : kernel.reducers) {
      parameters += fmt::format(", {}& {}", type_of(reducer), reducer.variable);
      std::string into = reducer.variable;
      if (!reducer.elements.empty()) { // begins with nothing, and joins afterwards
        into = _unit.fresh(reducer.variable + "_part");
        reducers += ", " + element_wise(reducer, into);
        before += fmt::format("{} {}{{}};\n{}.init({});\n", type_of(reducer), into,
                              element_wise(reducer, into), into);
        after +=
            "\n" +
            (reducer.view.empty()
                 ? combined(reducer, into, _unit)
                 : fmt::format("Kokkos::parallel_for(\"{}, {}\", gangway::range({}0, 1), "
                               "KOKKOS_LAMBDA(const long) {{ {} }});",
                               kernel.label, reducer.variable, queue.empty() ? "" : queue + ", ",
                               combined(reducer, into, _unit)));
        continue;
      }
      if (!reducer.view.empty()) {
        into = _unit.fresh(reducer.variable + "_place");
        before += fmt::format("const auto {} = Kokkos::subview({}, 0);\n", into, reducer.view);
      } else if (is_volatile(reducer, _unit)) {
        into = _unit.fresh(reducer.variable + "_part");
        before += fmt::format("{} {} = {};\n", reducer.type, into, reducer.variable);
        after += fmt::format("\n{} = {};", reducer.variable, into);
      }
      reducers += ", " + reduction_of(reducer, into);
    }
    if (kernel.fence)
      after += "\nKokkos::fence();";
    std::string header = fmt::format("{}(\"{}\", {}, KOKKOS_LAMBDA({}) {{", parts.call,
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
    if (kernel.loops.empty() && !kernel.braces) {
      // A statement whose first word may be changed: what stands before it goes with it.
      const std::string whole = header + _edits.text(kernel.body) + "\n" + footer;
      if (pragma.begin < pragma.end)
        _edits.replace(pragma, before);
      _edits.replace(kernel.body, pragma.begin < pragma.end ? whole : before + whole);
      return;
    }
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

  void emit_value(const Kernel& kernel, const std::string& queue) {
    _ranges = true;
    const Reducer& value = kernel.reducers.front();
    const std::string inner = _unit.fresh(value.variable + "_value");
    std::string text;
    for (const std::string& line : kernel.before)
      text += line + "\n";
    text += fmt::format("{} {}{{}};\nKokkos::parallel_reduce(\"{}\", gangway::range({}0, 1), "
                        "KOKKOS_LAMBDA(const long, {}& {}) {{\n",
                        value.type, value.variable, kernel.label, queue.empty() ? "" : queue + ", ",
                        value.type, inner);
    for (const std::string& line : kernel.head)
      text += line + "\n";
    text += fmt::format("{} = {};\n}}, {});", inner, _edits.text(kernel.body), value.variable);
    _edits.replace(kernel.whole, comments_in({kernel.whole.begin, kernel.body.begin}) + text);
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

  // --- teams ---

  /// First of all, for what is put there stands before what is changed at the same place.
  void put_marks(const Kernel& kernel) {
    const std::string team = team_of(_unit);
    for (const Mark& mark : kernel.marks)
      _edits.insert(mark.at, mark.what == Mark::What::barrier ? team + ".member().team_barrier();\n"
                             : mark.what == Mark::What::single
                                 ? fmt::format("gangway::single({}, [&] {{\n", team)
                             : mark.what == Mark::What::single_of_thread
                                 ? fmt::format("gangway::single({}, [&] {{\n", worker_of(_unit))
                             : mark.what == Mark::What::end_single ? "\n});"
                             : mark.what == Mark::What::end_share
                                 ? "\n" + share_end(kernel.shares[mark.share])
                             : mark.what == Mark::What::open ? "{\n"
                                                             : "\n}");
  }
  /// Behind the body of a loop that is shared out.
  [[nodiscard]] static std::string share_end(const Share& share) {
    std::string text = "}";
    for (const Reducer& reducer : share.reducers)
      text += ", " + reduction_of(reducer, reducer.variable);
    return text + ");";
  }

  /// A part of a loop's head, which the text of the kernel has no longer, with what became of the
  /// variables in it.
  [[nodiscard]] std::string with_uses(std::string text, Span head,
                                      const Directive& directive) const {
    std::vector<const Use*> uses;
    for (const Use& use : directive.uses)
      if (head.holds(use.whole))
        uses.push_back(&use);
    // Those that others stand in come first: what is in them is changed with them.
    std::stable_sort(uses.begin(), uses.end(), [](const Use* one, const Use* other) {
      return one->whole.end - one->whole.begin > other->whole.end - other->whole.begin;
    });
    std::vector<std::pair<std::string, std::string>> changed;
    for (const Size& size : directive.sizes)
      if (head.holds(size.span))
        changed.emplace_back(_unit.text.substr(size.span.begin, size.span.end - size.span.begin),
                             size.text);
    for (const Use* use : uses)
      changed.emplace_back(_unit.text.substr(use->whole.begin, use->whole.end - use->whole.begin),
                           _edits.text(use->whole));
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const bool begins = at == 0 || !is_word(text[at - 1]);
      const auto found = std::find_if(changed.begin(), changed.end(), [&](const auto& one) {
        return begins && text.compare(at, one.first.size(), one.first) == 0 &&
               (at + one.first.size() == text.size() || !is_word(text[at + one.first.size()]) ||
                !is_word(one.first.back()));
      });
      if (found == changed.end()) {
        result += text[at++];
        continue;
      }
      result += found->second;
      at += found->first.size();
    }
    return result;
  }

  void emit_share(const Directive& directive, const Share& share) {
    Loop loop = share.loop;
    const Span head{loop.whole.begin, loop.body.begin};
    for (std::string* text : {&loop.low, &loop.high, &loop.step})
      *text = with_uses(*text, head, directive);
    std::string index = fmt::format("const {} {}", loop.type, loop.index);
    std::string bounds = loop.low + ", " + loop.high;
    std::string lines;
    if (loop.step != "1" || (loop.wide && loop.low != "0")) {
      const std::string number = _unit.fresh(loop.index + "_number");
      bounds = fmt::format("0, gangway::iterations({})", count_of(loop));
      lines = fmt::format("{} = {};\n", index, cast(loop.type, index_of(loop, number)));
      index = "const long " + number;
    }
    for (const std::string& line : share.head)
      lines += line + "\n";
    if (share.level == Share::Level::threads)
      index = fmt::format("const gangway::Worker<>& {}, {}", worker_of(_unit), index);
    for (const Reducer& reducer : share.reducers)
      index += fmt::format(", {}& {}", reducer.type, reducer.variable);
    const unsigned inside = loop.braces ? loop.body.begin + 1 : loop.body.begin;
    const bool line_ends = _unit.text[inside] == '\n' || _unit.text[inside] == '\r';
    for (const Span& next : loop.continues)
      _edits.replace(next, "return");
    const unsigned begins = std::min(share.pragma.begin, loop.whole.begin);
    _edits.replace(
        {begins, inside},
        comments_in({share.pragma.end, inside}) +
            fmt::format("gangway::loop_{}({}, {}, [&]({}) {{{}{}",
                        share.level == Share::Level::threads ? "worker" : "vector",
                        share.level == Share::Level::lanes_of_thread ? worker_of(_unit)
                                                                     : team_of(_unit),
                        bounds, index, line_ends && lines.empty() ? "" : "\n",
                        line_ends && !lines.empty() ? lines.substr(0, lines.size() - 1) : lines));
    if (loop.braces)
      _edits.replace({loop.body.end - 1, loop.whole.end}, share_end(share));
  }

  void rewrite_body(std::size_t id, const Directive& directive, const Compute& compute,
                    const Kernel& kernel) {
    rename_calls(directive.calls, &kernel.body);
    for (const Size& size : directive.sizes)
      if (kernel.body.holds(size.span))
        _edits.replace(size.span, size.text);
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
          binding->second.name == _unit.variables[use.variable].path)
        continue; // its own
      rewrite_use(use, binding->second);
    }
    if (!kernel.loops.empty())
      for (const Span& span : kernel.loops.back().continues)
        _edits.replace(span, "return");
    for (std::size_t inner = id + 1; inner < _unit.directives.size(); ++inner) {
      const Directive& part = _unit.directives[inner];
      if (!kernel.body.holds({part.pragma.end, part.pragma.end}) ||
          _unit.compute_around(inner) != id)
        continue;
      if (is_atomic(part.construct))
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

  /// Before what is in the arguments is changed: a conversion around one stands outside of that.
  void rename_calls(const std::vector<Call>& calls, const Span* within) {
    for (const Call& call : calls) {
      const std::string name = device_function(call);
      if (name.empty() || call.macro || (within != nullptr && !within->holds(call.callee)))
        continue;
      _edits.replace(call.callee, name);
      convert_arguments(call);
    }
  }

  /// What Kokkos has no function for. The operand is worked out once.
  [[nodiscard]] std::string change_call(const Atomic& atomic, const std::string& target,
                                        const std::string& value) const {
    const std::string operand = _unit.fresh("operand");
    const std::string before = _unit.fresh("before");
    return fmt::format("gangway::{}({}, [{} = {}](const auto {}) {{ return {} {} {}; }})",
                       !atomic.captured || atomic.before ? "atomic_fetch_change"
                                                         : "atomic_change_fetch",
                       target, operand, value, before, atomic.reversed ? operand : before,
                       atomic.symbol, atomic.reversed ? before : operand);
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
    else if (atomic.operation == "change")
      call = change_call(atomic, target, value);
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

  void mark_function(const Function& function, bool is_gang) {
    if (is_gang)
      share_out(function);
    std::set<std::string> usings;
    for (const Call& call : function.calls)
      if (const std::string line = using_for(call); !line.empty() && usings.insert(line).second)
        _edits.insert(function.body, "\n" + line);
    std::set<std::size_t> tables; // which the host has in its memory
    for (const Use& use : function.globals)
      if (const Variable& named = _unit.variables[use.variable];
          !named.initializer.empty() && tables.insert(use.variable).second) {
        std::string declared = named.type;
        declared.replace(declared.find('$'), 1, named.name);
        if (declared.starts_with("const "))
          declared.erase(0, 6);
        _edits.insert(function.body,
                      fmt::format("\nconstexpr {} = {};", declared, named.initializer));
      }
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

  /// The loops of a `routine gang`, for all lanes of all teams.
  void share_out(const Function& function) {
    for (const unsigned at : function.parameters)
      _edits.insert(at, "const gangway::Parallel<>& gang, ");
    for (const Piece& piece : function.pieces) {
      if (piece.loops.empty())
        continue;
      const Loop& loop = piece.loops.front();
      const std::string number = _unit.fresh(loop.index + "_number");
      const std::string head = counts_itself(loop)
                                   ? ""
                                   : fmt::format("\nconst {} {} = {};", loop.type, loop.index,
                                                 cast(loop.type, index_of(loop, number)));
      const std::string parameter = counts_itself(loop)
                                        ? fmt::format("const {} {}", loop.type, loop.index)
                                        : "const long " + number;
      const unsigned inside = loop.braces ? loop.body.begin + 1 : loop.body.begin;
      const std::string line = _unit.text[inside] == '\n' || _unit.text[inside] == '\r' ? "" : "\n";
      _edits.replace({loop.whole.begin, inside},
                     comments_in({loop.whole.begin, inside}) +
                         fmt::format("gangway::loop_gang_vector(gang, 0, {}, [&]({}) {{{}{}",
                                     counts_itself(loop) && !loop.wide
                                         ? loop.high
                                         : fmt::format("gangway::iterations({})", count_of(loop)),
                                     parameter, head, line));
      for (const Span& next : loop.continues)
        _edits.replace(next, "return");
      if (loop.braces)
        _edits.replace({loop.body.end - 1, loop.whole.end}, "});");
      else
        _edits.insert(loop.body.end, "\n});");
    }
  }

  void replace_runtime_calls() {
    for (std::size_t i = 0; i < _unit.device_names.size(); ++i)
      if (!_plan.names[i].empty())
        _edits.replace(_unit.device_names[i].span, _plan.names[i]);
    // What is inside first, for its text is part of what is around it.
    for (std::size_t i = _unit.runtime_calls.size(); i-- > 0;)
      if (!_plan.runtime[i].empty()) {
        const RuntimeCall& call = _unit.runtime_calls[i];
        _edits.replace(call.whole, runtime_call(call, _plan.runtime[i]));
      }
  }
  [[nodiscard]] std::string runtime_call(const RuntimeCall& call, const std::string& form) const {
    std::string text;
    for (std::size_t at = 0; at < form.size(); ++at)
      if (form[at] != '$')
        text += form[at];
      else if (const char what = form[++at]; what == 'p')
        text += counted(call) ? _edits.text(call.arguments[0])
                              : fmt::format("reinterpret_cast<{}char*>({})",
                                            call.element.starts_with("const ") ? "const " : "",
                                            _edits.text(call.arguments[0]));
      else if (what == '&')
        text += _edits.text(call.plain[0]);
      else if (what == 'd')
        text += device_argument(call);
      else if (what == 'n')
        text += call.constant > 0     ? std::to_string(call.constant)
                : call.count.end != 0 ? _edits.text(call.count)
                                      : _edits.text(call.arguments[1]);
      else
        text += _edits.text(call.arguments[static_cast<std::size_t>(what - '0')]);
    return text;
  }
  [[nodiscard]] std::string device_argument(const RuntimeCall& call) const {
    const std::string named = runtime_name({call.place, call.whole, call.device});
    return named.empty()
               ? fmt::format("static_cast<gangway::DeviceType>({})", _edits.text(call.arguments[0]))
               : named;
  }
  static bool counted(const RuntimeCall& call) { return call.constant > 0 || call.count.end != 0; }

  void add_guard() {
    for (const Function& function : _unit.functions)
      if (function.is_main)
        _edits.insert(function.body,
                      fmt::format("\nconst Kokkos::ScopeGuard {};\n{}", _unit.fresh("kokkos"),
                                  data_lines(_plan.declared, _plan.declared_name)));
  }

  /// Where C calls the function of `double` C++ would call that of the argument's type.
  void keep_conversions() {
    for (std::size_t f = 0; f < _unit.functions.size(); ++f)
      if (!_plan.device_functions[f])
        convert_arguments(_unit.functions[f].calls);
    for (std::size_t id = 0; id < _unit.directives.size(); ++id)
      if (_unit.directives[id].is_compute() && _plan.verdicts[id].outcome == Outcome::refused)
        convert_arguments(_unit.directives[id].calls);
  }
  void convert_arguments(const std::vector<Call>& calls) {
    for (const Call& call : calls)
      if (!device_function(call).empty() && !call.macro)
        convert_arguments(call);
  }
  void convert_arguments(const Call& call) {
    for (const auto& [argument, type] : call.casts) {
      _edits.insert(argument.begin, "static_cast<" + type + ">(");
      _edits.insert(argument.end, ")");
    }
  }

  /// First of all, for what is inserted stands outside of what is changed at the same place.
  void become_cpp() {
    keep_conversions();
    for (const auto& [at, type] : _unit.void_casts)
      _edits.insert(at, "(" + type + ")");
    for (const Function& function : _unit.functions) {
      for (const unsigned at : function.bare_returns)
        _edits.insert(at, " {}");
      if (function.open_end != none)
        _edits.insert(static_cast<unsigned>(function.open_end), "return {};\n");
    }
    for (const Span& keyword : _unit.restricts)
      _edits.replace(keyword, "__restrict");
    for (const Span& keyword : _unit.bools)
      _edits.replace(keyword, "bool");
  }

  void add_includes() {
    std::string lines = "#include <Kokkos_Core.hpp>\n#include <gangway/gangway.hpp>\n";
    if (_ranges)
      lines += "#include <gangway/range.hpp>\n";
    // Before the source's macros, which Kokkos' headers would take for theirs.
    if (_unit.first_macro)
      _edits.insert(*_unit.first_macro, lines);
    else if (_unit.first_include)
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
