// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit/kernels.hpp"

#include "port/device_functions.hpp"
#include "port/emit/bodies.hpp"
#include "port/emit/data.hpp"
#include "port/emit/parts.hpp"
#include "port/emit/teams.hpp"
#include "port/emit/text.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangway::port {
namespace {

constexpr std::string_view token_scope =
    "Kokkos::DefaultExecutionSpace, Kokkos::Experimental::UniqueTokenScope::Global";

bool has_names_before(const Kernel& kernel) {
  return !kernel.before.empty() || !kernel.slices.empty();
}

/// Returns the declarations of the host for the kernel.
std::string lines_before(const Kernel& kernel, const Unit& unit) {
  std::string text = joined_lines(name_lines(unit, kernel.before));
  if (kernel.slices.empty())
    return text;
  const std::string tokens = unit.fresh("tokens");
  text += fmt::format("const Kokkos::Experimental::UniqueToken<{}> {};\n", token_scope, tokens);
  for (const Slice& slice : kernel.slices)
    text += fmt::format("const Kokkos::View<{0}**, Kokkos::LayoutRight, gangway::DeviceSpace> "
                        "{1}(Kokkos::view_alloc(Kokkos::WithoutInitializing, \"{2}\"), "
                        "{3}.size(), {4});\n",
                        unit.variables[slice.variable].element, slice.name,
                        unit.variables[slice.variable].name, tokens, slice.elements);
  return text;
}

/// Returns `double ` for a plain variable; empty for others, whose declarators continue after the
/// name.
std::string type_before(const Variable& named) {
  return named.shape == Shape::scalar && named.type.ends_with('$')
             ? named.type.substr(0, named.type.size() - 1)
             : "";
}

/// Returns where the body may declare the variable: at the loops that count with it, or where a
/// statement of its own block sets it first. Empty if it needs a declaration before that.
std::vector<unsigned> first_places(const Directive& directive, const Span& body, bool is_team,
                                   std::size_t id) {
  std::vector<const Use*> uses;
  for (const Use& use : directive.uses)
    if (use.variable == id && body.holds(use.name)) {
      if (use.macro)
        return {};
      uses.push_back(&use);
    }
  const auto is_earlier = [](const Use* one, const Use* other) {
    return one->name.begin < other->name.begin;
  };
  std::sort(uses.begin(), uses.end(), is_earlier);
  std::vector<unsigned> places;
  std::size_t counted = 0;
  Span before{0, 0};
  for (const Counter& counter : directive.counters) {
    if (counter.variable != id || !body.holds(counter.loop))
      continue;
    if (counter.loop.begin < before.end)
      return {}; // one in the other
    before = counter.loop;
    const auto within = [&](const Use* use) { return counter.loop.holds(use->name); };
    const auto first = std::find_if(uses.begin(), uses.end(), within);
    if (first == uses.end() || !(*first)->writes || (*first)->reads)
      return {};
    places.push_back((*first)->name.begin);
    counted += static_cast<std::size_t>(std::count_if(uses.begin(), uses.end(), within));
  }
  if (!places.empty())
    return counted == uses.size() ? places : std::vector<unsigned>();
  if (is_team || uses.empty())
    return {};
  const Use& first = *uses.front();
  const bool once = std::count_if(uses.begin(), uses.end(),
                                  [&](const Use* use) { return first.sets.holds(use->name); }) == 1;
  return once && first.sets.begin == first.name.begin && first.block.begin == body.begin &&
                 first.block.end == body.end
             ? std::vector<unsigned>{first.name.begin}
             : std::vector<unsigned>();
}

/// Returns the names that the kernel's first lines declare. Every other name is declared where it
/// is first set, unless the body has a `goto`: C++ forbids a jump over a declaration.
std::vector<Name> declare_at_first(Writer& to, const Directive& directive, const Kernel& kernel) {
  const bool jumps = has_word(to.edits.text(kernel.body), "goto");
  const bool is_team = !kernel.marks.empty() || !kernel.shares.empty();
  std::vector<Name> left;
  for (const Name& name : kernel.head) {
    std::string type;
    if (name.is == Name::Is::own && name.extents.empty() && !jumps)
      type = type_before(to.unit.variables[name.variable]);
    const std::vector<unsigned> places =
        type.empty() ? std::vector<unsigned>()
                     : first_places(directive, kernel.body, is_team, name.variable);
    for (const unsigned place : places)
      to.edits.insert(place, type);
    if (places.empty())
      left.push_back(name);
  }
  return left;
}

bool is_volatile(const Reducer& reducer, const Unit& unit) {
  return reducer.id != none && unit.variables[reducer.id].element_volatile;
}

/// Returns whether the kernel needs statements before it that prepare its results.
bool prepares_results(const Kernel& kernel, const Unit& unit) {
  return std::any_of(kernel.reducers.begin(), kernel.reducers.end(), [&](const Reducer& reducer) {
    return !reducer.elements.empty() || !reducer.view.empty() || is_volatile(reducer, unit);
  });
}

/// Returns whether the host declares something before the kernel.
bool declares(const Kernel& kernel, const Unit& unit) {
  return has_names_before(kernel) || prepares_results(kernel, unit) || !kernel.scratch.empty();
}

/// Removes a brace, and its line if it is alone there.
void remove_brace(Writer& to, unsigned at) {
  const std::string& text = to.unit.text;
  unsigned begin = at;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
    --begin;
  const std::size_t end = text.find_first_not_of(" \t\r", at + 1);
  const bool alone =
      (begin == 0 || text[begin - 1] == '\n') && end != std::string::npos && text[end] == '\n';
  to.edits.remove(alone ? Span{begin, static_cast<unsigned>(end) + 1} : Span{at, at + 1});
}

/// Returns the kernel's first lines.
std::vector<std::string> head_lines(Writer& to, const Kernel& kernel, const Directive& directive) {
  const Unit& unit = to.unit;
  std::vector<std::string> lines;
  std::vector<Call> calls;
  std::copy_if(directive.calls.begin(), directive.calls.end(), std::back_inserter(calls),
               [&](const Call& call) { return kernel.body.holds(call.callee); });
  for (std::string& line : names_for_macros(calls))
    lines.push_back(std::move(line));
  if (!kernel.slices.empty()) {
    const std::string token = unit.fresh("token");
    lines.push_back(fmt::format("const Kokkos::Experimental::AcquireUniqueToken<{}> {}({});",
                                token_scope, token, unit.fresh("tokens")));
    for (const Slice& slice : kernel.slices)
      lines.push_back(fmt::format("{0}* const {1} = &{2}({3}.value(), 0);",
                                  unit.variables[slice.variable].element,
                                  unit.variables[slice.variable].name, slice.name, token));
  }
  const std::vector<std::string> names = name_lines(unit, declare_at_first(to, directive, kernel));
  lines.insert(lines.end(), names.begin(), names.end());
  return lines;
}

Parts parts_of(const Kernel& kernel, const Unit& unit, const std::string& on) {
  Parts parts;
  const bool of_gangway = kernel.policy == Policy::gangs || kernel.policy == Policy::teams ||
                          kernel.policy == Policy::workers || kernel.policy == Policy::tiles ||
                          !kernel.reducers.empty();
  parts.call = fmt::format("{}::parallel_{}", of_gangway ? "gangway" : "Kokkos",
                           kernel.reducers.empty() ? "for" : "reduce");
  if (kernel.policy == Policy::gangs) {
    // Each lane takes an iteration of the loop over gangs.
    parts.policy = fmt::format("gangway::team_policy({}{}).vector_length({})", on, kernel.gangs,
                               kernel.vector);
    parts.parameters = fmt::format("const gangway::Parallel<>& {}", team_of(unit));
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
      parts.head.push_back(index_line(loop, number));
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
      parts.head.push_back(index_line(loop, number));
    }
    parts.policy = fmt::format("gangway::tile<{}>({}{{{}}}, {{{}}})", kernel.loops.size(), on,
                               fmt::join(extents, ", "), fmt::join(kernel.tile, ", "));
    parts.parameters = fmt::format("{}", fmt::join(parameters, ", "));
  } else {
    const std::string number = unit.fresh("iteration");
    parts.policy = fmt::format("gangway::range({}0, gangway::iterations({}))", on,
                               fmt::join(counts_of(kernel.loops), ", "));
    parts.parameters = "const long " + number;
    parts.head = index_lines(kernel.loops, number);
  }
  return parts;
}

/// Returns the type of the results of one thread.
std::string type_of(const Reducer& reducer) {
  return reducer.elements.empty()
             ? reducer.type
             : fmt::format("gangway::Elements<{}, {}>", reducer.type, reducer.elements);
}
/// Returns a statement that combines the variable's value with a partial result.
std::string combined(const Reducer& reducer, const std::string& name, const std::string& part) {
  if (reducer.operation == "max" || reducer.operation == "min")
    return fmt::format("{} = Kokkos::{}({}, {});", name, reducer.operation, name, part);
  if (reducer.operation == "&&" || reducer.operation == "||")
    return fmt::format("{} = {} {} {};", name, name, reducer.operation, part);
  return fmt::format("{} {}= {};", name, reducer.operation, part);
}

/// Combines an array element by element.
std::string combined(const Reducer& reducer, const std::string& part, const Unit& unit) {
  const std::string i = unit.fresh("element");
  return fmt::format("for (int {} = 0; {} < {}; ++{})\n{}", i, i, reducer.elements, i,
                     combined(reducer,
                              reducer.view.empty() ? fmt::format("{}[{}]", reducer.variable, i)
                                                   : fmt::format("{}({})", reducer.view, i),
                              fmt::format("{}[{}]", part, i)));
}

void emit_kernel(Writer& to, const Directive& directive, const Kernel& kernel, Span pragma,
                 const std::string& open, const std::string& close, const std::string& on,
                 bool in_block) {
  const Parts parts = parts_of(kernel, to.unit, on);
  const bool scope = in_block && declares(kernel, to.unit);
  std::string before = open + (scope ? "{\n" : "");
  before += lines_before(kernel, to.unit) + joined_lines(parts.before);
  std::string parameters = parts.parameters;
  std::string reducers;
  std::string after;
  for (const Reducer& reducer : kernel.reducers) {
    parameters += fmt::format(", {}& {}", type_of(reducer), reducer.variable);
    std::string into = reducer.variable;
    if (!reducer.elements.empty()) { // begins with the identity, and is combined afterwards
      into = to.unit.fresh(reducer.variable + "_part");
      const std::string result = reduction_of(reducer, into);
      reducers += ", " + result;
      before += fmt::format("{} {}{{}};\n", type_of(reducer), into);
      if (result != into)
        before += fmt::format("{}.init({});\n", result, into);
      after += "\n" + (reducer.view.empty()
                           ? combined(reducer, into, to.unit)
                           : fmt::format("Kokkos::parallel_for(\"{}, {}\", gangway::range({}0, 1), "
                                         "KOKKOS_LAMBDA(const long) {{ {} }});",
                                         kernel.label, reducer.variable, on,
                                         combined(reducer, into, to.unit)));
      continue;
    }
    if (!reducer.view.empty()) {
      into = to.unit.fresh(reducer.variable + "_place");
      before += fmt::format("const auto {} = Kokkos::subview({}, 0);\n", into, reducer.view);
    } else if (is_volatile(reducer, to.unit)) {
      into = to.unit.fresh(reducer.variable + "_part");
      before += fmt::format("{} {} = {};\n", reducer.type, into, reducer.variable);
      after += fmt::format("\n{} = {};", reducer.variable, into);
    }
    reducers += ", " + reduction_of(reducer, into);
  }
  if (kernel.fence)
    after += "\nKokkos::fence();";
  std::string header = fmt::format("{}(\"{}\", {}, KOKKOS_LAMBDA({}) {{", parts.call, kernel.label,
                                   parts.policy, parameters);
  for (const auto& lines : {parts.head, head_lines(to, kernel, directive)})
    for (const std::string& line : lines)
      header += "\n" + line;
  const std::string footer = "}" + reducers + ");" + after + (scope ? "\n}" : "") + close;
  const unsigned begins =
      kernel.loops.empty() ? kernel.body.begin : kernel.loops.front().whole.begin;
  const unsigned inside = kernel.braces ? kernel.body.begin + 1 : kernel.body.begin;
  header += line_break(to.unit, inside);
  if (kernel.loops.empty() && !kernel.braces) {
    // The statement's first word may change, so the text before it changes with it.
    const std::string whole = header + to.edits.text(kernel.body) + "\n" + footer;
    if (pragma.begin < pragma.end)
      to.edits.replace(pragma, before);
    to.edits.replace(kernel.body, pragma.begin < pragma.end ? whole : before + whole);
    return;
  }
  to.edits.replace(pragma, before);
  header = comments_in(to.unit, {begins, inside}) + header;
  to.edits.replace({begins, inside}, header);
  if (kernel.braces)
    to.edits.replace({kernel.body.end - 1, std::max(kernel.body.end, kernel.whole.end)},
                     comments_in(to.unit, {kernel.body.end, kernel.whole.end}) + footer);
  else if (kernel.body.end < kernel.whole.end)
    to.edits.replace({kernel.body.end, kernel.whole.end},
                     "\n" + comments_in(to.unit, {kernel.body.end, kernel.whole.end}) + footer);
  else
    to.edits.insert(kernel.body.end, "\n" + footer);
}

void emit_value(Writer& to, const Directive& directive, const Kernel& kernel,
                const std::string& on) {
  const Reducer& value = kernel.reducers.front();
  const std::string inner = to.unit.fresh(value.variable + "_value");
  std::string text = lines_before(kernel, to.unit);
  text += fmt::format("{} {}{{}};\nKokkos::parallel_reduce(\"{}\", gangway::range({}0, 1), "
                      "KOKKOS_LAMBDA(const long, {}& {}) {{\n",
                      value.type, value.variable, kernel.label, on, value.type, inner);
  text += joined_lines(head_lines(to, kernel, directive));
  text += fmt::format("{} = {};\n}}, {});", inner, to.edits.text(kernel.body), value.variable);
  to.edits.replace(kernel.whole,
                   comments_in(to.unit, {kernel.whole.begin, kernel.body.begin}) + text);
}

std::string without_directives(const Writer& to, Span span) {
  std::string text;
  for (unsigned at = span.begin; at < span.end;) {
    const std::size_t newline = to.unit.text.find('\n', at);
    unsigned end = newline == std::string::npos
                       ? span.end
                       : std::min(span.end, static_cast<unsigned>(newline) + 1);
    if (is_directive(std::string_view(to.unit.text).substr(at, end - at)))
      end = std::min(span.end, lines_from(at, at, to.unit.text).end);
    else
      text += to.unit.text.substr(at, end - at);
    at = end;
  }
  return text;
}

/// Returns the text before and after the kernels of a construct that is held against its original.
std::pair<std::string, std::string> verification(const Writer& to, const Compute& compute,
                                                 const std::string& original) {
  if (!compute.verified)
    return {};
  std::string captures = "&";
  for (const std::size_t own : compute.own)
    captures += ", " + to.unit.variables[own].name;
  std::string results;
  for (const std::size_t result : compute.results)
    results += fmt::format(", gangway::named(\"{0}\", &{0})", to.unit.variables[result].path);
  for (const Kernel& kernel : compute.kernels)
    if (kernel.policy != Policy::value)
      for (const Reducer& reducer : kernel.reducers)
        if (reducer.view.empty())
          results += fmt::format(", gangway::named(\"{0}\", &{0})", reducer.variable);
  return {fmt::format("gangway::verify(\"{}\", [{}]{} {{\n{}\n}}, [&] {{\n",
                      compute.kernels.front().label, captures,
                      compute.own.empty() ? "" : "() mutable", original),
          fmt::format("\n}}{});", results)};
}

} // namespace

void emit_compute(Writer& to, std::size_t id) {
  const Directive& directive = to.unit.directives[id];
  const Compute& compute = to.plan.computes.at(id);
  const std::string on = on_queue(compute.queue);
  const std::string original = compute.condition.empty() && !compute.verified
                                   ? ""
                                   : without_directives(to, directive.statement);
  for (const Kernel& kernel : compute.kernels) {
    put_marks(to, kernel);
    rewrite_body(to, id, compute, kernel);
    for (const Share& share : kernel.shares)
      emit_share(to, directive, share);
    if (kernel.policy == Policy::gangs)
      to.edits.insert(kernel.arguments, team_of(to.unit) + ", ");
  }
  const auto [verify, end_verify] = verification(to, compute, original);
  const std::string lines = action_lines(to, compute.waits) +
                            data_lines(to, compute.data, to.plan.data_name) +
                            joined_lines(name_lines(to.unit, compute.names));
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
    close = fmt::format("\n}} else {{\n{}\n}}", original);
  }
  if (combined) {
    const Kernel& kernel = compute.kernels.front();
    const bool scope =
        close.empty() && !directive.last && (!lines.empty() || declares(kernel, to.unit));
    emit_kernel(to, directive, kernel, directive.pragma,
                open + (scope ? "{\n" : "") + lines + verify,
                end_verify + (scope ? "\n}" : "") + close, on, false);
    return;
  }
  // A construct with one kernel and nothing beside it needs one block at most.
  const bool single = compute.kernels.size() == 1 && directive.pieces.size() == 1;
  for (auto kernel = compute.kernels.rbegin(); kernel != compute.kernels.rend(); ++kernel) {
    if (kernel->policy == Policy::value) {
      emit_value(to, directive, *kernel, on);
      continue;
    }
    Span pragma{kernel->whole.begin, kernel->whole.begin};
    for (std::size_t inner = id + 1; inner < to.unit.directives.size() &&
                                     to.unit.directives[inner].pragma.begin <= pragma.begin;
         ++inner)
      if (to.unit.directives[inner].pragma.begin == pragma.begin)
        pragma = to.unit.directives[inner].pragma;
    emit_kernel(to, directive, *kernel, pragma, "", "", on, !single);
  }
  const bool declares_beside = std::any_of(directive.pieces.begin(), directive.pieces.end(),
                                           [](const Piece& piece) { return piece.declares; });
  if (close.empty() && !compute.verified && !declares_beside &&
      (directive.last || (single && lines.empty() && !declares(first, to.unit)))) {
    to.edits.replace(directive.pragma, lines);
    if (directive.braces) {
      remove_brace(to, directive.statement.begin);
      remove_brace(to, directive.statement.end - 1);
    }
  } else if (directive.braces) {
    to.edits.replace(directive.pragma, open);
    open_block(to, directive, lines + verify);
    if (compute.verified)
      to.edits.insert(directive.statement.end - 1, end_verify.substr(1) + "\n");
    if (!close.empty())
      to.edits.insert(directive.statement.end, close);
  } else {
    to.edits.replace(directive.pragma, open + "{\n" + lines + verify);
    to.edits.insert(directive.statement.end, end_verify + "\n}" + close);
  }
}

} // namespace gangway::port
