// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide.hpp"

#include "base/contains.hpp"
#include "port/clang_places.hpp"
#include "port/runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <utility>

namespace gangway::port {
namespace {

using base::contains;

/// Ends the decision on a directive.
struct Refusal {
  std::string what;
  std::string by_hand;
  std::string row;
};

/// Refused by a rule of code's.
Refusal by_rule(std::string_view word, std::string what) {
  const Rule& rule = *rule_of(word, Kind::code);
  return {std::move(what), std::string(rule.becomes), std::string(rule.row)};
}

/// Whether `word` stands in `text` as a word of its own.
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos;
       at += word.size()) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_word(text[at + word.size()]);
    if (begins && ends)
      return true;
  }
  return false;
}

class Decider {
public:
  Decider(const Unit& unit, bool queues) : _unit(unit), _queues(queues) {}

  Plan decide() {
    _plan.verdicts.resize(_unit.directives.size());
    _plan.device_functions.resize(_unit.functions.size());
    _plan.gang_functions.resize(_unit.functions.size());
    _plan.declared_name = _unit.fresh("declared");
    for (const std::string name : {"data", "data_region", "gangway_data"})
      if (!_unit.words.contains(name)) {
        _plan.data_name = name;
        break;
      }
    for (std::size_t id = 0; id < _unit.directives.size(); ++id) {
      const Directive& directive = _unit.directives[id];
      Verdict& verdict = _plan.verdicts[id];
      if (const Rule* const rule = rule_of(directive.construct, Kind::construct)) {
        verdict.becomes = rule->becomes;
        verdict.row = rule->row;
      }
      if (_unit.compute_around(id) != none)
        continue; // it is decided with the construct that it stands in
      try {
        decide(id);
      } catch (const Refusal& refusal) {
        refuse(id, refusal);
      }
    }
    mark_regions();
    tell_what_stays_in_regions();
    decide_others();
    for (Verdict& verdict : _plan.verdicts)
      if (verdict.outcome != Outcome::refused && !verdict.assumptions.empty())
        verdict.outcome = Outcome::assumed;
    return std::move(_plan);
  }

private:
  const Unit& _unit;
  bool _queues; ///< `async` is kept
  Plan _plan;
  std::map<std::size_t, int> _kernels_in; ///< by function
  std::map<std::size_t, std::string>
      _checked; ///< functions called in kernels, and what speaks against it
  /// Arrays of regions that kernels name, as (region, variable), and whether they write them.
  std::map<std::pair<std::size_t, std::size_t>, bool> _region_uses;

  [[nodiscard]] std::vector<std::size_t> within(std::size_t id) const {
    std::vector<std::size_t> found;
    for (std::size_t other = id + 1; other < _unit.directives.size(); ++other)
      if (_unit.compute_around(other) == id)
        found.push_back(other);
      else if (_unit.directives[other].pragma.begin >= _unit.directives[id].statement.end)
        break;
    return found;
  }
  [[nodiscard]] std::string text(Span span) const {
    return _unit.text.substr(span.begin, span.end - span.begin);
  }
  [[nodiscard]] const Variable& variable(std::size_t id) const { return _unit.variables[id]; }

  void refuse(std::size_t id, const Refusal& refusal) {
    Verdict& verdict = _plan.verdicts[id];
    verdict.outcome = Outcome::refused;
    verdict.refusal = refusal.what;
    verdict.by_hand = refusal.by_hand;
    if (!refusal.row.empty())
      verdict.row = refusal.row;
    _plan.computes.erase(id);
    if (_unit.directives[id].is_compute())
      for (const std::size_t inner : within(id)) {
        Verdict& part = _plan.verdicts[inner];
        part.outcome = Outcome::refused;
        part.refusal =
            fmt::format("it is part of the construct in line {}", _unit.directives[id].place.line);
        part.by_hand = verdict.by_hand;
      }
  }

  // --- clauses ---

  /// Refuses what no rule takes; notes what is left out.
  void check_clauses(std::size_t id, std::size_t told) {
    const Directive& directive = _unit.directives[id];
    Verdict& verdict = _plan.verdicts[told];
    for (const Obstacle& obstacle : directive.obstacles)
      if (obstacle.span.begin == directive.pragma.begin)
        throw Refusal{obstacle.what, obstacle.by_hand, ""};
    for (const Span& name : _unit.runtime_names)
      if (directive.pragma.holds(name) && is_of_runtime(text(name)))
        throw Refusal{fmt::format("'{}' in a clause", text(name)),
                      "a variable for it before the directive", "the-runtime-library"};
    for (const Clause& clause : directive.clauses) {
      const Rule* const rule = rule_of(clause.name, Kind::clause);
      if (rule == nullptr)
        throw Refusal{fmt::format("the clause '{}'", clause.name), "there is no rule for it", ""};
      if (rule->outcome == Outcome::refused)
        throw Refusal{
            fmt::format("the clause '{}'", clause.name == "self()" ? "self" : clause.name),
            std::string(rule->becomes), std::string(rule->row)};
      for (const std::string& modifier : clause.modifiers)
        if (modifier != "zero")
          throw Refusal{fmt::format("the modifier '{}' of '{}'", modifier, clause.name),
                        "an update before or after the region", "update"};
      for (const Section& section : clause.sections)
        if (section.variable != none && variable(section.variable).holds_pointers &&
            is_data_clause(clause.name))
          throw Refusal{fmt::format("the elements of '{}', of type {}, have pointers in them",
                                    section.text, variable(section.variable).element),
                        "a data clause, and a View, for each array they lead to",
                        "the-name-that-hides"};
      for (const Section& section : clause.sections)
        if (!section.problem.empty() && clause.name != "private" && clause.name != "firstprivate" &&
            clause.name != "reduction")
          throw Refusal{section.problem, "name contiguous arrays of numbers, with their lengths",
                        "data-copy-copyin-copyout-create"};
      if (clause.name == "device_num")
        assume(verdict, "'device_num' has to be that of Kokkos' own device, or this throws "
                        "RuntimeError: give it to the ScopeGuard in main, or as KOKKOS_DEVICE_ID");
      if (clause.name == "device_type" && stands_for_devices(directive)) {
        if (contains(clause.arguments, std::string("host")))
          throw Refusal{"'device_type(host)'", "nothing: Kokkos' device is chosen when it is built",
                        "the-runtime-library"};
        assume(verdict, "'device_type' is left out: Kokkos has the devices that it was built for");
      } else if (clause.name == "device_type")
        assume(verdict, "device_type and the clauses behind it are left out: look whether the "
                        "shape matters, and "
                        "say it with gangway::for_device");
      if (!_queues && (clause.name == "async" || clause.name == "wait"))
        note(verdict,
             fmt::format("'{}' is dropped: everything is on one queue, in the order of the source",
                         clause.name));
      if (clause.name == "num_gangs" || clause.name == "num_workers" ||
          clause.name == "vector_length")
        note(verdict, fmt::format("'{}({})' is left to Kokkos", clause.name, clause.argument));
    }
  }
  /// `device_type` is no list of clauses there, but what is meant.
  static bool stands_for_devices(const Directive& directive) {
    return directive.construct == "set" || directive.construct == "init" ||
           directive.construct == "shutdown";
  }
  /// Whether openacc.h declares it, as far as is known here.
  static bool is_of_runtime(const std::string& name) {
    return rule_of(name, Kind::routine) != nullptr || name.starts_with("acc_device_") ||
           name.starts_with("acc_async_");
  }
  static void assume(Verdict& verdict, const std::string& text) {
    if (!contains(verdict.assumptions, text))
      verdict.assumptions.push_back(text);
  }
  static void note(Verdict& verdict, const std::string& text) {
    if (!contains(verdict.notes, text))
      verdict.notes.push_back(text);
  }

  static bool is_data_clause(const std::string& name) {
    return name == "copy" || name == "copyin" || name == "copyout" || name == "create" ||
           name == "present" || name == "deviceptr" || name == "device_resident";
  }

  // --- directives ---

  void decide(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    const Rule* const rule = rule_of(directive.construct, Kind::construct);
    if (rule == nullptr || rule->outcome == Outcome::refused)
      throw Refusal{fmt::format("'{}'", directive.construct),
                    rule == nullptr ? "there is no rule for it" : std::string(rule->becomes), ""};
    check_clauses(id, id);
    if (directive.is_compute() || directive.construct == "data" || directive.construct == "declare")
      require_one_section_each(directive);
    if (directive.is_compute())
      decide_compute(id);
    else if (directive.construct == "data")
      decide_region(id);
    else if (directive.construct == "declare")
      decide_declare(id);
    else if (directive.construct == "set" || directive.construct == "init")
      decide_set(id);
    else if (directive.construct == "host_data")
      decide_host_data(id);
    else if (directive.construct == "routine")
      decide_routine(id);
    else if (directive.construct == "wait")
      _plan.statements[id] = waits_for(directive.queues, queue_of(directive));
    else if ((directive.construct == "loop" || directive.construct.starts_with("atomic")) &&
             directive.function != none && _plan.device_functions[directive.function])
      decide_orphan(id);
    else if (directive.construct == "loop" || directive.construct.starts_with("atomic"))
      throw Refusal{
          fmt::format("'{}' outside of a compute construct", directive.construct),
          "it is an orphan: translate it with the construct whose kernel calls this function",
          "routine"};
    else if (directive.construct == "cache" || directive.construct == "shutdown")
      _plan.statements[id] = {};
    else
      decide_executable(id);
  }

  /// Of one array there is one View.
  void require_one_section_each(const Directive& directive) const {
    std::set<std::size_t> seen;
    for (const Clause& clause : directive.clauses)
      if (is_data_clause(clause.name))
        for (const Section& section : clause.sections)
          if (section.variable != none && !seen.insert(section.variable).second)
            throw by_rule("two sections of one array",
                          fmt::format("'{}' is named a second time", section.text));
  }
  void require_lengths(const Section& section) const {
    if (section.extents.empty())
      throw Refusal{fmt::format("'{}' has no length", section.text),
                    "write its section, as in a[0:n]", "data-copy-copyin-copyout-create"};
  }

  [[nodiscard]] bool is_bare_pointer(const Section& section) const {
    return section.extents.empty() && section.variable != none &&
           variable(section.variable).shape == Shape::pointer;
  }

  /// A name of the variable's for kernels: of a member the way to it, for two structures may have
  /// one of that name.
  [[nodiscard]] static std::string plain_name(const Variable& named) {
    if (!named.member)
      return named.name;
    std::string name;
    for (const char c : named.path)
      if (is_word(c))
        name += c;
      else if (!name.empty() && name.back() != '_')
        name += '_';
    return name.starts_with("this_") ? name.substr(5) : name;
  }

  Entry entry_of(const Clause& clause, const Section& section) const {
    Entry entry;
    entry.clause = clause.name == "device_resident" ? "create" : clause.name;
    entry.section = section;
    entry.view = _unit.fresh(plain_name(variable(section.variable)) + "_view");
    entry.zero = contains(clause.modifiers, std::string("zero"));
    if (entry.zero && section.rows)
      throw Refusal{fmt::format("'zero' of the rows '{}'", section.text), "a kernel that sets them",
                    "rows-of-pointers"};
    return entry;
  }

  void decide_region(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    _plan.regions[id] = entries_of(directive);
    if (const Clause* const condition = directive.clause("if")) {
      for (const Entry& entry : _plan.regions[id])
        if (variable(entry.section.variable).shape == Shape::scalar || entry.section.rows) {
          _plan.regions.erase(id);
          throw Refusal{"'if' on data that holds scalars, or rows that pointers lead to",
                        "a region in each branch", "if"};
        }
      _plan.conditions[id] = condition->argument;
      note(_plan.verdicts[id],
           "the kernels in it ask for their arrays by themselves, and find them "
           "present if it holds them");
    }
    _plan.waits[id] = waits_of(directive);
  }
  [[nodiscard]] std::vector<Entry> entries_of(const Directive& directive) const {
    std::vector<Entry> entries;
    for (const Clause& clause : directive.clauses)
      if (is_data_clause(clause.name) && clause.name != "deviceptr")
        for (const Section& section : clause.sections) {
          if (clause.name == "present" && is_bare_pointer(section))
            continue; // kernels ask for its address
          require_lengths(section);
          entries.push_back(entry_of(clause, section));
          if (!is_number(section.low))
            entries.back().low_name = _unit.fresh(plain_name(variable(section.variable)) + "_low");
        }
    return entries;
  }

  /// In a function a region to its end; of globals one of main's.
  void decide_declare(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    if (directive.function != none) {
      if (!directive.in_function)
        throw Refusal{"'declare' in an inner block", "a data region", "declare"};
      _plan.regions[id] = entries_of(directive);
      return;
    }
    if (std::none_of(_unit.functions.begin(), _unit.functions.end(),
                     [](const Function& function) { return function.is_main; }))
      throw Refusal{
          "'declare' of globals, and 'main' is in another file",
          "a Data in main, behind the ScopeGuard, or enter_data_create and exit_data_delete "
          "there",
          "declare"};
    for (const Entry& entry : entries_of(directive)) {
      const Variable& named = variable(entry.section.variable);
      if (named.shape == Shape::pointer || entry.section.rows || !entry.section.low.empty())
        throw Refusal{fmt::format("'declare' of '{}', which is no whole array and no number",
                                  entry.section.text),
                      "enter_data where the array is made", "declare"};
      _plan.declared.push_back(entry);
    }
  }
  /// Whether `main` has the global on the device.
  [[nodiscard]] bool is_declared(std::size_t id) const {
    return std::any_of(_plan.declared.begin(), _plan.declared.end(),
                       [&](const Entry& entry) { return entry.section.variable == id; });
  }

  void decide_set(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    std::vector<std::string> lines;
    for (const Clause& clause : directive.clauses)
      if (clause.name == "default_async")
        lines.push_back(fmt::format("gangway::set_default_queue({});", clause.argument));
      else if (clause.name == "device_num")
        lines.push_back(
            fmt::format("static_cast<void>(gangway::select_device({}));", clause.argument));
    if (const Clause* const condition = directive.clause("if");
        condition != nullptr && !lines.empty()) {
      lines.insert(lines.begin(), fmt::format("if ({}) {{", condition->argument));
      lines.emplace_back("}");
    }
    _plan.statements[id] = std::move(lines);
  }

  void decide_host_data(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    std::vector<Entry> entries;
    for (const Clause& clause : directive.clauses)
      if (clause.name == "use_device")
        for (const Section& section : clause.sections) {
          const Variable& named = variable(section.variable);
          if (named.shape != Shape::pointer && named.shape != Shape::array)
            throw Refusal{fmt::format("use_device of '{}', which is no array", named.path),
                          "gangway::device_pointer of its address", "deviceptr"};
          for (const Use& use : directive.uses)
            if (use.variable == section.variable &&
                (use.macro ||
                 (use.writes && use.subscripts.empty() && named.shape == Shape::pointer)))
              throw Refusal{
                  fmt::format("'{}' is used by a macro, or made to point elsewhere, in the block",
                              named.path),
                  "a pointer of its own from gangway::device_pointer", "deviceptr"};
          entries.push_back(entry_of(clause, section));
          entries.back().view = _unit.fresh(plain_name(named) + "_device");
        }
    _plan.host_regions[id] = std::move(entries);
  }

  // --- queues ---

  /// The instance of the directive's `async`; empty where everything is on the default one.
  [[nodiscard]] std::string queue_of(const Directive& directive) const {
    const Clause* const async = directive.clause("async");
    return !_queues || async == nullptr ? "" : fmt::format("gangway::queue({})", async->argument);
  }
  /// Statements that wait for these queues, or for all; where the wait has a queue of its own it is
  /// that which waits.
  [[nodiscard]] std::vector<std::string> waits_for(const std::vector<std::string>& queues,
                                                   const std::string& own) const {
    if (!_queues || queues.empty())
      return {"Kokkos::fence();"};
    std::vector<std::string> lines;
    for (const std::string& queue : queues)
      lines.push_back(
          own.empty() ? fmt::format("gangway::queue({}).fence();", queue)
                      : fmt::format("gangway::wait_async(gangway::queue({}), {});", queue, own));
    return lines;
  }
  /// Of the directive's clauses `wait`.
  [[nodiscard]] std::vector<std::string> waits_of(const Directive& directive) const {
    std::vector<std::string> lines;
    for (const Clause& clause : directive.clauses)
      if (_queues && clause.name == "wait")
        for (const std::string& line : waits_for(clause.arguments, queue_of(directive)))
          lines.push_back(line);
    return lines;
  }

  void decide_executable(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    static const std::map<std::string, std::map<std::string, std::string>> calls{
        {"update", {{"self", "update_self"}, {"device", "update_device"}}},
        {"enter data", {{"copyin", "enter_data_copyin"}, {"create", "enter_data_create"}}},
        {"exit data", {{"copyout", "exit_data_copyout"}, {"delete", "exit_data_delete"}}}};
    const auto& names = calls.at(directive.construct);
    const std::string_view finalize = directive.clause("finalize") != nullptr ? "_finalize" : "";
    std::vector<std::string> lines;
    std::string bare;
    for (const Clause& clause : directive.clauses)
      if (const auto name = names.find(clause.name); name != names.end())
        for (Section section : clause.sections) {
          if (clause.name == "delete" && is_bare_pointer(section)) {
            bare += fmt::format("{}'{}'", bare.empty() ? "" : ", ", section.text);
            section.extents = {"1"}; // what holds its first element
          }
          require_lengths(section);
          if (section.rows)
            throw Refusal{fmt::format("'{}' is of rows that pointers lead to", section.text),
                          "a LinkedData with rows, or a call for each row and gangway::attach",
                          "rows-of-pointers"};
          const std::string queue = directive.construct == "update" ? queue_of(directive) : "";
          const std::string call =
              queue.empty()
                  ? fmt::format("gangway::{}{}({});", name->second, finalize, arguments_of(section))
                  : fmt::format("gangway::{}_async({}, {});", name->second, queue,
                                arguments_of(section));
          const std::string present =
              fmt::format("gangway::is_present({}, {})", host_of(section), elements_of(section));
          if (directive.clause("if_present") != nullptr)
            lines.push_back(fmt::format("if ({})", present));
          if (contains(clause.modifiers, std::string("zero")))
            lines.push_back(fmt::format("if (!{})\nKokkos::deep_copy({}, 0);\nelse", present,
                                        call.substr(0, call.size() - 1)));
          lines.push_back(call);
        }
    if (!bare.empty())
      assume(
          _plan.verdicts[id],
          fmt::format("no length is given of {}: the whole array that was entered there is taken "
                      "to be meant, not the pointer. Look whether one was",
                      bare));
    // Data that leaves is needed by what is on its queue.
    std::vector<std::string> before = waits_of(directive);
    if (const std::string queue = queue_of(directive);
        !queue.empty() && directive.construct != "update")
      before.push_back(queue + ".fence();");
    lines.insert(lines.begin(), before.begin(), before.end());
    if (const Clause* const condition = directive.clause("if")) {
      lines.insert(lines.begin(), fmt::format("if ({}) {{", condition->argument));
      lines.emplace_back("}");
    }
    _plan.statements[id] = std::move(lines);
  }

  [[nodiscard]] std::string host_of(const Section& section) const {
    return host_address(section, variable(section.variable));
  }
  [[nodiscard]] std::string arguments_of(const Section& section) const {
    return fmt::format("{}, {}", host_of(section), fmt::join(section.extents, ", "));
  }

  // --- functions ---

  void decide_routine(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    if (directive.clause("gang") != nullptr)
      require_gang_loops(directive);
    for (const char* const level : {"worker", "vector"})
      if (directive.clause(level) != nullptr)
        note(_plan.verdicts[id],
             fmt::format("'{}': each thread that calls it does its loops in order; for a team it "
                         "would take the member",
                         level));
    if (directive.function == none)
      throw Refusal{"routine for a function that this file does not define",
                    "KOKKOS_FUNCTION before it where it is defined, in a header", "routine"};
    if (const std::string problem = check_function(directive.function); !problem.empty())
      throw Refusal{problem, "write it without", "routine"};
    _plan.device_functions[directive.function] = true;
    _plan.gang_functions[directive.function] = directive.clause("gang") != nullptr;
  }
  /// A `routine gang` is called by all threads of all teams, which share out the iterations of its
  /// loops: nothing else may be in it.
  void require_gang_loops(const Directive& directive) {
    const auto fail = [](const std::string& why) {
      throw Refusal{fmt::format("routine gang, and {}", why),
                    "the loop over the gangs in the caller, the function for one", "routine"};
    };
    if (directive.function == none)
      return; // said below
    const Function& function = _unit.functions[directive.function];
    if (function.returns || !function.has_parameters)
      fail("the function returns something, or takes nothing");
    for (const Function& other : _unit.functions)
      for (const Call& call : other.calls)
        if (call.function == directive.function)
          fail(fmt::format("'{}' calls it outside of a construct", other.name));
    for (const Piece& piece : function.pieces) {
      if (piece.declares)
        continue;
      const Directive* const own =
          piece.directive == none ? nullptr : &_unit.directives[piece.directive];
      if (own == nullptr || own->construct != "loop" || piece.loops.empty() ||
          own->clause("seq") != nullptr)
        fail("there is more in it than loops over gangs");
      if (own->clause("reduction") != nullptr || own->clause("collapse") != nullptr ||
          own->clause("tile") != nullptr)
        fail("a loop of it has 'reduction', 'collapse' or 'tile'");
      if (const Loop& loop = piece.loops.front(); !loop.problem.empty() || loop.macro_continues)
        fail(fmt::format("the loop in line {} is no range", loop.place.line));
    }
  }
  [[nodiscard]] bool is_gang_routine(std::size_t function) const {
    return std::any_of(_unit.directives.begin(), _unit.directives.end(), [&](const Directive& one) {
      return one.construct == "routine" && one.function == function &&
             one.clause("gang") != nullptr;
    });
  }
  /// In a function that kernels call.
  void decide_orphan(std::size_t id) {
    const Directive& directive = _unit.directives[id];
    Verdict& verdict = _plan.verdicts[id];
    if (directive.construct != "loop")
      return check_atomic(id, directive);
    verdict.becomes = "a plain loop in each thread";
    if (_plan.gang_functions[directive.function]) {
      const auto& pieces = _unit.functions[directive.function].pieces;
      if (std::any_of(pieces.begin(), pieces.end(),
                      [&](const Piece& piece) { return piece.directive == id; })) {
        verdict.becomes = "`gangway::loop_gang_vector`, whose iterations all lanes share out";
        return;
      }
    }
    if (directive.clause("seq") == nullptr)
      tell_of_levels(directive, verdict);
    for (const Clause& clause : directive.clauses)
      if (clause.name == "private" && !clause.sections.empty())
        throw Refusal{fmt::format("'private({})' in a function", clause.sections.front().text),
                      "a variable that is declared in the loop", "private"};
  }

  /// What speaks against calling the function in a kernel.
  std::string check_function(std::size_t id) {
    if (const auto found = _checked.find(id); found != _checked.end())
      return found->second;
    _checked[id] = ""; // also of a function that calls itself
    const Function& function = _unit.functions[id];
    std::string problem;
    if (function.is_member)
      problem = fmt::format("'{}' is a member function", function.name);
    else if (function.is_main)
      problem = "'main' is called";
    for (const Obstacle& obstacle : function.obstacles)
      if (!obstacle.what.starts_with("a return"))
        problem =
            fmt::format("'{}' has {} (line {})", function.name, obstacle.what, obstacle.place.line);
    for (const Use& use : function.globals)
      if (!variable(use.variable).constant)
        problem = fmt::format("'{}' names the global variable '{}'", function.name,
                              variable(use.variable).name);
    const bool is_routine =
        std::any_of(_unit.directives.begin(), _unit.directives.end(), [&](const Directive& other) {
          return other.construct == "routine" && other.function == id;
        });
    for (const Directive& within_it : _unit.directives) {
      if (within_it.function != id || within_it.construct == "routine")
        continue;
      const bool is_plain =
          within_it.construct == "loop" ||
          (within_it.construct.starts_with("atomic") && within_it.atomic.problem.empty());
      if (!is_routine || !is_plain)
        problem =
            fmt::format("'{}' has the directive '{}' in it", function.name, within_it.construct);
    }
    for (const Call& call : function.calls)
      if (problem.empty())
        problem = check_call(call);
    _checked[id] = problem;
    return problem;
  }

  std::string check_call(const Call& call) {
    if (call.name == "acc_on_device" && call.function == none)
      return "";
    if (!device_function(call).empty()) {
      if (_unit.is_c && call.name.ends_with("abs") && !call.name.starts_with("f"))
        return fmt::format("it calls '{}', which in C takes whole numbers only", call.name);
      if (call.macro)
        return fmt::format("a macro calls '{}'", call.name);
      return "";
    }
    if (call.function != none)
      return check_function(call.function);
    if (call.constant && !call.system)
      return "";
    if (call.system)
      return fmt::format("it calls '{}', of which Kokkos has no device function that is known here",
                         call.name);
    return fmt::format("it calls '{}', which is defined in another file", call.name);
  }
  void mark_called(const std::vector<Call>& calls, Verdict& verdict) {
    for (const Call& call : calls) {
      if (call.constant && call.function == none && device_function(call).empty())
        assume(verdict, fmt::format("'{}' of another file is constexpr: nvcc takes it with "
                                    "--expt-relaxed-constexpr, or "
                                    "give it KOKKOS_FUNCTION",
                                    call.name));
      if (call.function == none || _plan.device_functions[call.function])
        continue;
      _plan.device_functions[call.function] = true;
      if (_unit.functions[call.function].declared_elsewhere)
        assume(verdict, fmt::format("'{}' is declared in a header, too: nvcc wants KOKKOS_FUNCTION "
                                    "there as well",
                                    call.name));
      mark_called(_unit.functions[call.function].calls, verdict);
    }
  }

  // --- compute constructs ---

  /// What a compute construct is decided from.
  struct Around {
    std::size_t id = none;
    const Directive* directive = nullptr;
    Verdict* verdict = nullptr;
    Compute compute;
    std::vector<std::size_t> inner;
    std::set<std::size_t> absorbed; ///< loop directives that are part of a policy
    bool is_kernels = false;
    std::set<std::size_t> bound;
  };

  void decide_compute(std::size_t id) {
    Around around;
    around.id = id;
    around.directive = &_unit.directives[id];
    around.verdict = &_plan.verdicts[id];
    around.inner = within(id);
    around.compute.queue = queue_of(_unit.directives[id]);
    around.compute.waits = waits_of(_unit.directives[id]);
    around.is_kernels = around.directive->construct.starts_with("kernels");
    const Directive& directive = *around.directive;
    for (const Obstacle& obstacle : directive.obstacles)
      throw Refusal{fmt::format("{} (line {})", obstacle.what, obstacle.place.line),
                    obstacle.by_hand, ""};
    for (const std::size_t inner : around.inner) {
      check_clauses(inner, inner);
      const Directive& within_it = _unit.directives[inner];
      if (within_it.construct.starts_with("atomic"))
        check_atomic(inner, within_it);
    }
    for (const Call& call : directive.calls)
      if (const std::string problem = check_call(call); !problem.empty())
        throw Refusal{problem,
                      "write it so that the kernel calls functions of this file or of Kokkos",
                      "routine"};
    if (const Clause* const condition = directive.clause("if")) {
      around.compute.condition = condition->argument;
      for (const Call& call : directive.calls)
        if (_unit.is_c && !call.casts.empty())
          throw Refusal{
              fmt::format("'if', and '{}' is called with what C converts to double", call.name),
              "say the conversion in the source", "if"};
    }

    for (const Call& call : directive.calls)
      if (call.function != none && is_gang_routine(call.function) &&
          (!_plan.gang_functions[call.function] ||
           std::none_of(directive.pieces.begin(), directive.pieces.end(),
                        [&](const Piece& piece) { return gang_call(around, piece) == &call; })))
        throw Refusal{fmt::format("it calls '{}', a routine gang, which is refused or no statement "
                                  "of its own",
                                  call.name),
                      "the loop over the gangs in the caller, the function for one", "routine"};

    bind_named(around);
    if (directive.construct.starts_with("serial") || is_one_gang(around)) {
      add_single(around, directive.statement, directive.braces, directive.set_first);
      if (directive.construct == "parallel" && directive.clause("num_gangs") == nullptr)
        note(*around.verdict, "it has no loop over gangs, so that every gang would do all of it: "
                              "here one does, on one thread; a loop that is to be shared out wants "
                              "`loop`");
    } else
      for (const Piece& piece : directive.pieces)
        add_piece(around, piece);
    if (std::all_of(around.compute.kernels.begin(), around.compute.kernels.end(),
                    [](const Kernel& kernel) { return kernel.policy == Policy::value; }))
      throw Refusal{"there is no loop in it", "take it out", "parallel-and-loop"};
    for (const std::size_t inner : around.inner)
      if (_unit.directives[inner].construct == "loop" && !around.absorbed.contains(inner))
        decide_plain_loop(around, inner);
    bind_others(around);
    find_values(around);
    for (Kernel& kernel : around.compute.kernels)
      for (Reducer& reducer : kernel.reducers)
        if (const auto bound = around.compute.bindings.find(reducer.id);
            bound != around.compute.bindings.end())
          reducer.view = bound->second.name;
    for (const Kernel& kernel : around.compute.kernels)
      for (const Reducer& reducer : kernel.reducers)
        if (!reducer.elements.empty() && is_held(around, reducer.id))
          if (const auto bound = around.compute.bindings.find(reducer.id);
              bound == around.compute.bindings.end() || bound->second.access != Access::elements)
            throw by_rule("a reduction into what the device has under no name here",
                          fmt::format("reduction({}: {}): it is on the device, and more than its "
                                      "elements are used",
                                      reducer.operation, reducer.variable));
    require_no_values_handed_on(around);
    // The host, or a library, has the address of what is `deviceptr`.
    for (Kernel& kernel : around.compute.kernels)
      kernel.fence = directive.clause("async") == nullptr &&
                     std::any_of(around.bound.begin(), around.bound.end(),
                                 [&](std::size_t bound) { return uses(around, kernel, bound); });
    std::stable_sort(around.compute.data.begin(), around.compute.data.end(),
                     [&](const Entry& one, const Entry& other) {
                       return order_of(directive, one) < order_of(directive, other);
                     });
    mark_called(directive.calls, *around.verdict);
    _plan.computes[id] = std::move(around.compute);
  }

  /// Without a loop to share out, one gang is one thread. How many gangs there are where no clause
  /// says so is the implementation's to choose; those of `worker` and `vector` share out within
  /// one.
  bool is_one_gang(const Around& around) const {
    const Directive& directive = *around.directive;
    const Clause* const gangs = directive.clause("num_gangs");
    if (directive.construct != "parallel" || (gangs != nullptr && gangs->number != 1))
      return false;
    if (std::any_of(directive.calls.begin(), directive.calls.end(), [&](const Call& call) {
          return call.function != none && _plan.gang_functions[call.function];
        }))
      return false;
    if (gangs != nullptr && std::all_of(directive.pieces.begin(), directive.pieces.end(),
                                        [](const Piece& piece) { return piece.loops.empty(); }))
      return true;
    return std::all_of(around.inner.begin(), around.inner.end(), [&](std::size_t id) {
      const Directive& inner = _unit.directives[id];
      return inner.construct != "loop" ||
             (inner.clause("gang") == nullptr &&
              (inner.clause("worker") != nullptr || inner.clause("vector") != nullptr ||
               inner.clause("seq") != nullptr));
    });
  }

  /// Where the clauses name the array: data comes and goes in their order, and behind it what no
  /// clause names.
  static std::size_t order_of(const Directive& directive, const Entry& entry) {
    std::size_t order = 0;
    for (const Clause& clause : directive.clauses)
      if (is_data_clause(clause.name))
        for (const Section& section : clause.sections) {
          if (section.variable == entry.section.variable)
            return order;
          ++order;
        }
    return order;
  }

  void check_atomic(std::size_t id, const Directive& directive) {
    if (!directive.atomic.problem.empty())
      throw Refusal{fmt::format("{} (line {})", directive.atomic.problem, directive.place.line),
                    "a loop around Kokkos::atomic_compare_exchange", "atomic"};
    if (directive.atomic.rounds)
      note(_plan.verdicts[id],
           "the operand is rounded to the target's type before the operation, not after it");
  }

  /// The clauses of a loop: its directive's, or the combined construct's.
  [[nodiscard]] const Directive* directive_of(const Around& around, const Loop& loop,
                                              std::size_t depth) const {
    if (loop.directive != none)
      return &_unit.directives[loop.directive];
    return depth == 0 && around.directive->construct.ends_with(" loop") ? around.directive
                                                                        : nullptr;
  }

  void add_piece(Around& around, const Piece& piece) {
    const Directive& directive = *around.directive;
    if (piece.loops.empty()) {
      if (piece.directive != none)
        throw Refusal{fmt::format("'{}' on something other than a for loop (line {})",
                                  _unit.directives[piece.directive].construct,
                                  _unit.directives[piece.directive].place.line),
                      "a for loop with an index", "parallel-and-loop"};
      if (!around.is_kernels && !piece.constant.empty()) {
        add_value(around, piece);
        return;
      }
      if (const Call* const call = gang_call(around, piece);
          call != nullptr && directive.construct == "parallel") {
        add_gangs(around, piece, *call);
        return;
      }
      if (!around.is_kernels)
        throw Refusal{"there are statements beside its loops, which every gang would do",
                      "a kernel for each step", "parallel-and-loop"};
      if (const std::string why = why_not_on_host(around, piece.span); !why.empty()) {
        if (piece.declares)
          throw Refusal{fmt::format("a declaration beside the loops {}", why),
                        "the variable before the construct, in a data clause of it",
                        "serial-and-num_gangs1"};
        note(
            *around.verdict,
            fmt::format("a statement beside the loops {}: a kernel of one iteration does it", why));
        add_single(around, piece.span, false, {});
      }
      return;
    }
    const Directive* const own = directive_of(around, piece.loops.front(), 0);
    if (own == nullptr && !around.is_kernels)
      throw Refusal{"a loop without `loop` in it, which every gang would do", "parallel loop",
                    "parallel-and-loop"};
    bool parallel = own == nullptr || own->clause("seq") == nullptr;
    const bool promised = own != nullptr && own->clause("independent") != nullptr;
    const bool left_open =
        (around.is_kernels && !promised) ||
        (own != nullptr && own->clause("auto") != nullptr && own->clause("independent") == nullptr);
    if (parallel && !left_open && !piece.loops.front().problem.empty())
      throw Refusal{fmt::format("the loop in line {} is no range: {}",
                                piece.loops.front().place.line, piece.loops.front().problem),
                    "a for loop from a first to a last index", "parallel-and-loop"};
    if (parallel && left_open) {
      const std::string why = dependence(around, piece.loops.front(), own);
      if (why.empty()) {
        assume(*around.verdict,
               fmt::format("the loop in line {} is taken to be parallel: each array that it writes "
                           "has one subscript in it, with '{}'. "
                           "Check that the arrays do not overlap, and that no two '{}' give the "
                           "same subscript",
                           piece.loops.front().place.line, piece.loops.front().index,
                           piece.loops.front().index));
      } else {
        parallel = false;
        note(*around.verdict,
             fmt::format("the loop in line {} runs on one thread of the device: {}",
                         piece.loops.front().place.line, why));
      }
    }
    if (parallel) {
      add_loops(around, piece, own);
    } else {
      if (!directive.construct.ends_with(" loop") && !around.is_kernels)
        note(*around.verdict,
             fmt::format("the loop in line {} is done once, where each gang did it",
                         piece.loops.front().place.line));
      if (piece.directive != none)
        around.absorbed.insert(piece.directive);
      const Loop& loop = piece.loops.front();
      add_single(around, loop.whole, false, piece.set_first);
      Kernel& kernel = around.compute.kernels.back();
      kernel.whole = piece.span;
      kernel.indices = {loop.variable};
    }
  }

  /// Why a loop in `kernels` cannot be taken to be parallel; empty if it can.
  std::string dependence(const Around& around, const Loop& loop, const Directive* own) const {
    if (!loop.problem.empty())
      return loop.problem;
    std::map<std::size_t, std::set<std::string>> subscripts;
    std::set<std::size_t> written;
    for (const Use& use : around.directive->uses) {
      if (!loop.body.holds(use.name))
        continue;
      const Variable& named = variable(use.variable);
      if (named.shape == Shape::pointer || named.shape == Shape::array) {
        std::string all;
        for (const Span& subscript : use.subscripts)
          all += "[" + squeezed(text(subscript)) + "]";
        if (use.macro || use.subscripts.empty()) {
          written.insert(use.variable);
          all = "?";
        }
        subscripts[use.variable].insert(all);
        if (use.writes) {
          written.insert(use.variable);
          if (!has_word(all, loop.index))
            return fmt::format("'{}' is written at a place that is not its index's own",
                               named.path);
          if (all.find_first_of("%/&>?") != std::string::npos || indirect(around, use))
            return fmt::format("where '{}' is written is not plain", named.path);
        }
      } else if (use.writes && use.variable != loop.variable &&
                 !contains(loop.set_first, use.variable) && !is_reduced(own, use.variable) &&
                 !is_private(around, own, use.variable)) {
        return fmt::format("'{}' goes from one iteration to the next", named.path);
      }
    }
    for (const std::size_t array : written)
      if (subscripts[array].size() > 1 || subscripts[array].contains("?"))
        return fmt::format("'{}' is written, and used with other subscripts", variable(array).path);
    for (const std::size_t inner : around.inner)
      if (_unit.directives[inner].construct.starts_with("atomic"))
        return "there are atomics in it";
    for (const Call& call : around.directive->calls)
      if (call.function != none && loop.body.holds(call.callee))
        return fmt::format("it calls '{}'", call.name);
    return "";
  }
  bool indirect(const Around& around, const Use& use) const {
    return std::any_of(
        around.directive->uses.begin(), around.directive->uses.end(), [&](const Use& other) {
          return !other.subscripts.empty() &&
                 std::any_of(use.subscripts.begin(), use.subscripts.end(),
                             [&](const Span& subscript) { return subscript.holds(other.name); });
        });
  }
  static std::string squeezed(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
  }
  static bool names(const Directive* directive, const char* clause_name, std::size_t variable) {
    if (directive == nullptr)
      return false;
    for (const Clause& clause : directive->clauses)
      if (clause.name == clause_name)
        for (const Section& section : clause.sections)
          if (section.variable == variable)
            return true;
    return false;
  }
  static bool is_reduced(const Directive* own, std::size_t variable) {
    return names(own, "reduction", variable);
  }
  static bool is_private(const Around& around, const Directive* own, std::size_t variable) {
    return names(own, "private", variable) || names(around.directive, "private", variable);
  }

  /// Why a statement beside the loops of `kernels` is none for the host; empty if it is.
  std::string why_not_on_host(const Around& around, Span span) const {
    for (const std::size_t inner : around.inner)
      if (span.holds(_unit.directives[inner].pragma))
        return "has directives in it";
    for (const Use& use : around.directive->uses)
      if (span.holds(use.name) && (variable(use.variable).shape != Shape::scalar ||
                                   region_of(around.id, use.variable).first != none ||
                                   around.compute.bindings.contains(use.variable)))
        return fmt::format("uses '{}'", variable(use.variable).path);
    for (const Call& call : around.directive->calls)
      if (span.holds(call.callee))
        return fmt::format("calls '{}'", call.name);
    return "";
  }

  std::string label(const Around& around) {
    const int number = ++_kernels_in[around.directive->function];
    const std::string name = around.directive->function == none
                                 ? "kernel"
                                 : _unit.functions[around.directive->function].name;
    return number == 1 ? name : fmt::format("{} {}", name, number);
  }

  /// One thread does the statement, which sets these scalars before it reads them.
  void add_single(Around& around, Span statement, bool braces, std::vector<std::size_t> set_first) {
    Kernel kernel;
    kernel.label = label(around);
    kernel.policy = Policy::one;
    kernel.whole = kernel.body = statement;
    kernel.braces = braces;
    kernel.set_first = std::move(set_first);
    add_reducers_of(around, kernel, *around.directive);
    for (const std::size_t inner : around.inner)
      if (statement.holds(_unit.directives[inner].statement))
        add_reducers_of(around, kernel, _unit.directives[inner]);
    around.compute.kernels.push_back(std::move(kernel));
  }

  /// What each gang works out for itself, from what is on the device, one does for all, and the
  /// host gets it: it may bound a loop.
  void add_value(Around& around, const Piece& piece) {
    for (const Use& use : around.directive->uses)
      if (use.writes && use.subscripts.empty() && piece.value.holds(use.name))
        throw Refusal{fmt::format("'{}' is written where '{}' is set beside the loops",
                                  variable(use.variable).path, piece.constant),
                      "a kernel for each step", "parallel-and-loop"};
    Kernel kernel;
    kernel.label = label(around);
    kernel.policy = Policy::value;
    kernel.whole = piece.span;
    kernel.body = piece.value;
    kernel.reducers.push_back({"+", piece.constant, piece.type, none, "", ""});
    around.compute.kernels.push_back(std::move(kernel));
    note(*around.verdict,
         fmt::format("'{}' is worked out in a kernel of its own, which the host waits for",
                     piece.constant));
  }

  /// The statement is a call of a `routine gang`.
  [[nodiscard]] const Call* gang_call(const Around& around, const Piece& piece) const {
    for (const Call& call : around.directive->calls)
      if (call.callee.begin == piece.span.begin && call.function != none &&
          _plan.gang_functions[call.function])
        return &call;
    return nullptr;
  }
  void add_gangs(Around& around, const Piece& piece, const Call& call) {
    const Directive& directive = *around.directive;
    const Clause* const gangs = directive.clause("num_gangs");
    const Clause* const vector = directive.clause("vector_length");
    Kernel kernel;
    kernel.label = label(around);
    kernel.policy = Policy::gangs;
    kernel.whole = kernel.body = piece.span;
    kernel.arguments = call.arguments;
    // Each lane takes an iteration of the loop over gangs.
    kernel.teams = fmt::format("{{.vector = {}}}, {}", vector == nullptr ? "128" : vector->argument,
                               gangs == nullptr ? "1024" : gangs->argument);
    if (gangs == nullptr)
      note(*around.verdict, "no clause says how many gangs there are: 1024");
    note(*around.verdict,
         fmt::format("the lanes of all teams share out the loops over gangs in '{}'", call.name));
    around.compute.kernels.push_back(std::move(kernel));
  }

  void add_loops(Around& around, const Piece& piece, const Directive* own) {
    Kernel kernel;
    kernel.label = label(around);
    kernel.whole = piece.span;
    std::size_t wanted = 1;
    bool tiled = false;
    const auto collapsed = [&](const Directive* directive) -> std::size_t {
      if (directive == nullptr)
        return 1;
      if (const Clause* const tile = directive->clause("tile")) {
        tiled = true;
        kernel.tile = tile->arguments;
        // OpenACC names the innermost loop's size first.
        std::reverse(kernel.tile.begin(), kernel.tile.end());
        return tile->arguments.size();
      }
      const Clause* const collapse = directive->clause("collapse");
      if (collapse != nullptr && collapse->number < 1)
        throw Refusal{"collapse of a number that is not known", "a number", "collapse"};
      return collapse == nullptr ? 1 : static_cast<std::size_t>(collapse->number);
    };
    wanted = collapsed(own);
    if (wanted > piece.loops.size())
      throw Refusal{
          fmt::format(
              "collapse or tile of {} loops, of which {} are in each other without anything else",
              wanted, piece.loops.size()),
          "loops that stand alone in each other", "collapse"};
    for (std::size_t d = 0; d < wanted; ++d)
      if (const std::string why = why_not_with(around, piece, d); !why.empty())
        throw Refusal{fmt::format("the loop in line {}: {}", piece.loops[d].place.line, why),
                      "bounds that are known before the kernel", "collapse"};
    // A nest that has nothing between its loops is one index space, whichever levels its loops
    // name.
    std::size_t taken = wanted;
    while (!tiled && taken < piece.loops.size()) {
      const Directive* const next = directive_of(around, piece.loops[taken], taken);
      if (next == nullptr || next->clause("seq") != nullptr ||
          (next->clause("auto") != nullptr && next->clause("independent") == nullptr) ||
          next->clause("tile") != nullptr || next->clause("private") != nullptr)
        break;
      const std::size_t more = collapsed(next);
      bool possible = taken + more <= piece.loops.size() && taken + more <= 6;
      for (std::size_t d = taken; possible && d < taken + more; ++d)
        possible = why_not_with(around, piece, d).empty();
      // A sum over the inner loop alone is no sum of the kernel's.
      for (const Clause& clause : next->clauses)
        if (clause.name == "reduction")
          for (const Section& section : clause.sections)
            possible = possible && (is_reduced(own, section.variable) ||
                                    is_reduced(around.directive, section.variable));
      if (!possible)
        break;
      around.absorbed.insert(piece.loops[taken].directive);
      taken += more;
    }
    if (piece.loops.front().directive != none)
      around.absorbed.insert(piece.loops.front().directive);
    kernel.loops.assign(piece.loops.begin(),
                        piece.loops.begin() + static_cast<std::ptrdiff_t>(taken));
    if (kernel.loops.back().macro_continues)
      throw by_rule("a macro with a `continue`",
                    fmt::format("a macro has a 'continue' of the loop in line {}",
                                kernel.loops.back().place.line));
    kernel.body = kernel.loops.back().body;
    kernel.braces = kernel.loops.back().braces;
    kernel.set_first = kernel.loops.back().set_first;
    add_reducers(around, kernel, own);
    if (taken > 6)
      throw Refusal{"more than six loops in one index space", "collapse fewer", "collapse"};
    kernel.policy = taken == 1 && !tiled                   ? Policy::range
                    : kernel.reducers.empty() && taken > 1 ? Policy::tiles
                                                           : Policy::flat;
    if (kernel.policy == Policy::tiles) {
      choose_tile(kernel, tiled);
    } else if (tiled) {
      note(*around.verdict, "'tile' is left to Kokkos");
      kernel.policy = taken == 1 ? Policy::range : Policy::flat;
    }
    copy_bounds(kernel);
    for (const Loop& loop : kernel.loops)
      tell_held_bounds(around, loop);
    around.compute.kernels.push_back(std::move(kernel));
  }

  /// The host's members, globals and what its pointers lead to are read before the kernel, where
  /// that makes its indices from them.
  void copy_bounds(Kernel& kernel) const {
    for (Loop& loop : kernel.loops) {
      const bool counted = loop.low == "0" && loop.step == "1";
      if (loop.bounds_are_local || (counted && kernel.policy != Policy::flat) ||
          (loop.step == "1" && kernel.policy == Policy::range))
        continue;
      for (const auto& [text, what] : {std::pair{&loop.low, "_low"}, std::pair{&loop.high, "_high"},
                                       std::pair{&loop.step, "_step"}}) {
        if (is_number(*text))
          continue;
        const std::string name = _unit.fresh(loop.index + what);
        kernel.before.push_back(fmt::format("const auto {} = {};", name, *text));
        *text = name;
      }
    }
  }
  void tell_held_bounds(const Around& around, const Loop& loop) const {
    for (const Use& use : around.directive->uses)
      if (Span{loop.whole.begin, loop.body.begin}.holds(use.name) &&
          use.variable != loop.variable && variable(use.variable).shape == Shape::scalar &&
          region_of(around.id, use.variable).first != none)
        assume(*around.verdict,
               fmt::format("'{}' bounds the loop in line {}, while a data region holds it; {}",
                           variable(use.variable).path, loop.place.line,
                           rule_of("a bound that a data region holds", Kind::code)->becomes));
  }
  static void choose_tile(Kernel& kernel, bool tiled) {
    static const std::vector<std::string> by_default{"1", "1", "1", "1", "4", "32"};
    if (!tiled)
      kernel.tile.assign(by_default.end() - static_cast<std::ptrdiff_t>(kernel.loops.size()),
                         by_default.end());
    for (std::size_t d = 0; d < kernel.tile.size(); ++d)
      if (kernel.tile[d] == "*")
        kernel.tile[d] = d + 1 == kernel.tile.size() ? "32" : "4";
  }

  /// Why the loop at that depth can be no dimension of an index space; empty if it can.
  std::string why_not_with(const Around& around, const Piece& piece, std::size_t depth) const {
    const Loop& loop = piece.loops[depth];
    if (!loop.problem.empty())
      return loop.problem;
    for (std::size_t outer = 0; outer < depth; ++outer)
      if (contains(loop.reads, piece.loops[outer].index))
        return fmt::format("its bounds depend on '{}'", piece.loops[outer].index);
    const Span header{loop.whole.begin, loop.body.begin};
    for (const Use& use : around.directive->uses)
      if (header.holds(use.name) && variable(use.variable).shape != Shape::scalar &&
          (!use.subscripts.empty() || use.macro || is_named(around, use.variable) ||
           region_of(around.id, use.variable).first != none))
        return fmt::format("its bounds read '{}', which is on the device",
                           variable(use.variable).path);
    return "";
  }

  void add_reducers(Around& around, Kernel& kernel, const Directive* own) {
    std::vector<const Directive*> sources{around.directive, own};
    for (const Loop& loop : kernel.loops)
      if (loop.directive != none)
        sources.push_back(&_unit.directives[loop.directive]);
    for (const Directive* source : sources)
      if (source != nullptr)
        add_reducers_of(around, kernel, *source);
  }
  /// Those of one directive, but for what each iteration has for itself.
  void add_reducers_of(Around& around, Kernel& kernel, const Directive& source) {
    for (const Clause& clause : source.clauses)
      if (clause.name == "reduction")
        for (const Section& section : clause.sections)
          if (&source == around.directive || kernel.policy != Policy::one ||
              (!contains(kernel.set_first, section.variable) &&
               !is_private_in(around, kernel, section.variable)))
            add_reducer(around, kernel, clause, section);
  }

  void add_reducer(Around& around, Kernel& kernel, const Clause& clause, const Section& section) {
    static const std::set<std::string> known{"+", "*", "max", "min", "&", "|", "^", "&&", "||"};
    const auto fail = [&](const std::string& why) {
      throw Refusal{fmt::format("reduction({}: {}): {}", clause.operation, section.text, why),
                    "a scalar for each result, or atomics", "reduction"};
    };
    if (section.variable == none || !section.problem.empty())
      fail("it is no scalar variable");
    const Variable& reduced = variable(section.variable);
    if ((reduced.shape != Shape::scalar && reduced.shape != Shape::array) || reduced.member)
      fail("it is no scalar variable");
    std::string elements;
    if (reduced.shape == Shape::array) {
      // Each thread has all of them, so they are few, and their number is known.
      constexpr int most = 64;
      if (reduced.extents.size() != 1 || !is_number(reduced.extents.front()) ||
          reduced.extents.front().size() > 2 || std::stoi(reduced.extents.front()) > most ||
          !section.low.empty())
        fail(fmt::format("it is no array of one dimension and at most {} elements, taken as a "
                         "whole",
                         most));
      elements = reduced.extents.front();
    }
    if (!known.contains(clause.operation))
      fail("Kokkos has no reducer for it");
    if (const std::string holder = held_on_device(around, section.variable); !holder.empty())
      throw by_rule("a reduction into what the device has under no name here",
                    fmt::format("reduction({}: {}): {}", clause.operation, section.text, holder));
    if (reduced.reference)
      assume(*around.verdict,
             fmt::format("'{}' is a reference, and what it names is taken not to be on the device. "
                         "Check that no caller has it in a data region",
                         reduced.name));
    const bool used = std::any_of(
        around.directive->uses.begin(), around.directive->uses.end(), [&](const Use& use) {
          return use.variable == section.variable && kernel.body.holds(use.name);
        });
    const bool known_already =
        std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                    [&](const Reducer& one) { return one.variable == reduced.name; });
    if (used && !known_already)
      kernel.reducers.push_back(
          {clause.operation, reduced.name, reduced.element, section.variable, "", elements});
  }

  /// A gang is a thread here, and what its workers and lanes share out is done by that one: the
  /// same results, and on a device far slower where the loop is long.
  static void tell_of_levels(const Directive& directive, Verdict& verdict) {
    for (const char* const clause : {"collapse", "tile"})
      if (directive.clause(clause) != nullptr)
        note(verdict, fmt::format("'{}' is dropped: each thread does the loops in order", clause));
    const bool is_level = directive.clause("worker") != nullptr ||
                          directive.clause("vector") != nullptr ||
                          directive.clause("gang") != nullptr;
    note(verdict, is_level ? "each thread does it in order: where it is long, a team shares it out "
                             "faster, by TeamThreadRange, ThreadVectorRange or TeamVectorRange "
                             "(porting guide, gang-worker-vector)"
                           : "each thread does it in order; a level of its own is a team's");
  }
  [[nodiscard]] static const Kernel& kernel_of(const Around& around, Span part) {
    return *std::find_if(around.compute.kernels.begin(), around.compute.kernels.end(),
                         [&](const Kernel& kernel) { return kernel.whole.holds(part); });
  }

  /// Whether the construct finds it on the device, in a region around or by `present`.
  bool is_held(const Around& around, std::size_t id) const {
    return region_of(around.id, id).first != none || names(around.directive, "present", id);
  }
  /// What has the variable on the device behind the construct, without a View that is known here;
  /// empty where nothing does. Its value there is not the host's.
  std::string held_on_device(const Around& around, std::size_t id) const {
    if (is_held(around, id))
      return "";
    for (const char* const clause : {"create", "copyin", "deviceptr"})
      if (names(around.directive, clause, id))
        return fmt::format("'{}' leaves it on the device", clause);
    if (const Directive* const holder = holder_elsewhere(id))
      return fmt::format("'{}' in line {} holds it on the device", holder->construct,
                         holder->place.line);
    return "";
  }
  /// The directive, here or in what may be called from here, that has the variable on the device.
  [[nodiscard]] const Directive* holder_elsewhere(std::size_t id) const {
    for (const Directive& directive : _unit.directives)
      if (directive.construct == "enter data" || directive.construct == "declare" ||
          (directive.construct == "data" && variable(id).global))
        for (const Clause& clause : directive.clauses)
          if (names(&directive, clause.name.c_str(), id))
            return &directive;
    return nullptr;
  }

  /// A `loop` that is no dimension of a policy: each thread does it in order.
  void decide_plain_loop(Around& around, std::size_t id) {
    const Directive& directive = _unit.directives[id];
    Verdict& verdict = _plan.verdicts[id];
    verdict.becomes = "a plain loop in each thread";
    if (directive.clause("seq") == nullptr && !around.directive->construct.starts_with("serial"))
      tell_of_levels(directive, verdict);
    for (const Clause& clause : directive.clauses)
      if (clause.name == "private")
        for (const Section& section : clause.sections)
          for (const Use& use : around.directive->uses)
            if (use.variable == section.variable && !directive.statement.holds(use.name) &&
                kernel_of(around, directive.pragma).body.holds(use.name))
              throw Refusal{fmt::format("'{}' is private to an inner loop, and used outside of it",
                                        variable(section.variable).path),
                            "two variables", "private"};
  }

  // --- variables of kernels ---

  /// The nearest region around that holds the variable, and where in its entries; none where there
  /// is none.
  [[nodiscard]] std::pair<std::size_t, std::size_t> region_of(std::size_t id,
                                                              std::size_t variable) const {
    for (std::size_t up = _unit.directives[id].parent; up != none; up = _unit.directives[up].parent)
      if (const auto region = _plan.regions.find(up);
          region != _plan.regions.end() && !_plan.conditions.contains(up))
        for (std::size_t e = 0; e < region->second.size(); ++e)
          if (region->second[e].section.variable == variable)
            return {up, e};
    const Directive& directive = _unit.directives[id];
    for (const auto& [other, entries] : _plan.regions)
      if (const Directive& declare = _unit.directives[other];
          declare.construct == "declare" && declare.function == directive.function && other < id)
        for (std::size_t e = 0; e < entries.size(); ++e)
          if (entries[e].section.variable == variable)
            return {other, e};
    return {none, 0};
  }

  [[nodiscard]] static bool same_place(const Section& one, const Section& other) {
    if (squeezed(one.low) != squeezed(other.low) || one.extents.size() != other.extents.size())
      return false;
    return std::equal(
        one.extents.begin(), one.extents.end(), other.extents.begin(),
        [](const std::string& a, const std::string& b) { return squeezed(a) == squeezed(b); });
  }

  bool is_in_kernels(const Around& around, const Use& use) const {
    return std::any_of(around.compute.kernels.begin(), around.compute.kernels.end(),
                       [&](const Kernel& kernel) { return kernel.body.holds(use.name); });
  }

  /// What the construct's own data clauses name.
  void bind_named(Around& around) {
    for (std::size_t up = around.directive->parent; up != none; up = _unit.directives[up].parent)
      for (const Clause& clause : _unit.directives[up].clauses)
        if (clause.name == "deviceptr")
          for (const Section& section : clause.sections)
            around.bound.insert(section.variable);
    for (const Directive& declare : _unit.directives)
      if (declare.construct == "declare" && declare.function != none &&
          declare.function == around.directive->function)
        for (const Clause& clause : declare.clauses)
          if (clause.name == "deviceptr")
            for (const Section& section : clause.sections)
              around.bound.insert(section.variable);
    for (const Clause& clause : around.directive->clauses) {
      if (!is_data_clause(clause.name))
        continue;
      for (const Section& section : clause.sections) {
        const bool reduced = is_reduced(around.directive, section.variable) ||
                             reduced_within(around, section.variable);
        if (reduced && variable(section.variable).shape == Shape::scalar &&
            !is_held(around, section.variable))
          continue; // the reduction brings it back
        if (clause.name == "deviceptr") {
          around.bound.insert(section.variable);
          continue;
        }
        if (section.extents.empty() && clause.name != "present")
          require_lengths(section);
        around.compute.bindings[section.variable] = {};
      }
    }
  }
  bool reduced_within(const Around& around, std::size_t variable) const {
    return std::any_of(around.inner.begin(), around.inner.end(), [&](std::size_t inner) {
      return is_reduced(&_unit.directives[inner], variable);
    });
  }

  const Section* named_section(const Around& around, std::size_t variable,
                               std::string& clause_name) const {
    for (const Clause& clause : around.directive->clauses)
      if (is_data_clause(clause.name))
        for (const Section& section : clause.sections)
          if (section.variable == variable) {
            clause_name = clause.name;
            return &section;
          }
    return nullptr;
  }

  /// Decides, for each variable that kernels use, how they reach it.
  void bind_others(Around& around) {
    std::set<std::size_t> seen;
    std::set<std::size_t> named;
    for (const auto& [id, binding] : around.compute.bindings)
      named.insert(id);
    around.compute.bindings.clear();
    for (const Use& use : around.directive->uses) {
      if (!is_in_kernels(around, use) || !seen.insert(use.variable).second ||
          around.bound.contains(use.variable))
        continue;
      const Variable& used = variable(use.variable);
      if (is_private_to_kernels(around, use.variable))
        continue;
      if (used.shape == Shape::scalar && is_carried(around, use.variable)) {
        bind_array(around, use.variable);
        continue;
      }
      if (used.shape == Shape::array && is_reducer(around, used.name) &&
          !is_held(around, use.variable))
        continue;
      if (used.shape != Shape::scalar && firstprivate(around, use.variable)) {
        bind_firstprivate(around, use.variable);
        continue;
      }
      if (used.table) {
        bind_rows(around, use.variable);
        continue;
      }
      if (used.shape == Shape::other) {
        bind_other_shape(around, use.variable);
        continue;
      }
      if (used.shape == Shape::scalar && !named.contains(use.variable) &&
          region_of(around.id, use.variable).first == none && !is_declared(use.variable))
        continue; // find_values
      if (used.shape == Shape::scalar && is_reducer(around, used.name) &&
          !is_held(around, use.variable))
        continue;
      bind_array(around, use.variable);
    }
    // What clauses name and no kernel uses still comes and goes.
    for (const Clause& clause : around.directive->clauses)
      if (is_data_clause(clause.name) && clause.name != "deviceptr")
        for (const Section& section : clause.sections)
          if (named.contains(section.variable) && !seen.contains(section.variable) &&
              !section.extents.empty() && region_of(around.id, section.variable).first == none)
            around.compute.data.push_back(entry_of(clause, section));
  }

  /// Whether it goes from one iteration to the next in a loop of `kernels` that runs on one thread:
  /// as `copy`, which it is by default.
  bool is_carried(const Around& around, std::size_t id) const {
    return around.is_kernels && !names(around.directive, "firstprivate", id) &&
           std::any_of(around.compute.kernels.begin(), around.compute.kernels.end(),
                       [&](const Kernel& kernel) {
                         return kernel.policy == Policy::one && !contains(kernel.set_first, id) &&
                                !is_reducer_of(kernel, id) && is_written(around, kernel, id);
                       });
  }
  static bool is_written(const Around& around, const Kernel& kernel, std::size_t id) {
    return std::any_of(around.directive->uses.begin(), around.directive->uses.end(),
                       [&](const Use& use) {
                         return use.variable == id && use.writes && kernel.body.holds(use.name);
                       });
  }
  static bool is_reducer_of(const Kernel& kernel, std::size_t id) {
    return std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                       [&](const Reducer& one) { return one.id == id; });
  }
  static bool is_reducer(const Around& around, const std::string& name) {
    return std::any_of(
        around.compute.kernels.begin(), around.compute.kernels.end(), [&](const Kernel& kernel) {
          return std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                             [&](const Reducer& one) { return one.variable == name; });
        });
  }

  /// What an inner loop makes private is so in the kernel that it is part of.
  bool is_private_in(const Around& around, const Kernel& kernel, std::size_t id) const {
    if (names(around.directive, "private", id))
      return true;
    return std::any_of(around.inner.begin(), around.inner.end(), [&](std::size_t inner) {
      return kernel.whole.holds(_unit.directives[inner].pragma) &&
             names(&_unit.directives[inner], "private", id);
    });
  }
  /// Whether all kernels that use the variable have it private. Errors: Refusal where some do, and
  /// others need more than its value before.
  bool is_private_to_kernels(const Around& around, std::size_t id) const {
    std::size_t all = 0;
    std::size_t own = 0;
    for (const Kernel& kernel : around.compute.kernels)
      if (uses(around, kernel, id)) {
        ++all;
        own += is_private_in(around, kernel, id) ? 1U : 0U;
      }
    const Variable& used = variable(id);
    if (own > 0 && own < all &&
        (used.shape != Shape::scalar || used.global || used.member || is_named(around, id) ||
         region_of(around.id, id).first != none))
      throw by_rule(
          "private in one kernel of a construct, shared in another",
          fmt::format("'{}' is private in one kernel of the construct, and shared in another",
                      used.path));
    return own > 0 && own == all;
  }
  static bool uses(const Around& around, const Kernel& kernel, std::size_t id) {
    return std::any_of(
        around.directive->uses.begin(), around.directive->uses.end(),
        [&](const Use& use) { return use.variable == id && kernel.body.holds(use.name); });
  }
  static bool is_named(const Around& around, std::size_t id) {
    return std::any_of(around.directive->clauses.begin(), around.directive->clauses.end(),
                       [&](const Clause& clause) {
                         return is_data_clause(clause.name) &&
                                names(around.directive, clause.name.c_str(), id);
                       });
  }

  void bind_other_shape(Around& around, std::size_t id) const {
    const Variable& used = variable(id);
    if (!used.copyable || used.global || used.member || used.holds_pointers)
      throw Refusal{fmt::format("'{}' of type {} in a kernel", used.path, used.element),
                    "a View of each array, and copies of the numbers", "the-name-that-hides"};
    for (const Use& use : around.directive->uses)
      if (use.variable == id && use.writes && is_in_kernels(around, use))
        throw Refusal{fmt::format("'{}' of type {} is written in a kernel, or what is in it may be",
                                  used.path, used.element),
                      "an array of one element", "scalars-in-data-clauses"};
    note(*around.verdict, fmt::format("'{}' is captured by value", used.path));
  }

  /// Rows that pointers lead to, on the device a table of the rows there.
  void bind_rows(Around& around, std::size_t id) {
    const Variable& used = variable(id);
    std::string clause_name;
    const Section* const section = named_section(around, id, clause_name);
    const auto [region, index] = region_of(around.id, id);
    Entry entry;
    const bool from_region = region != none && !used.reassigned && section == nullptr;
    if (from_region) {
      entry = _plan.regions.at(region)[index];
      _region_uses[{region, index}] = true;
    } else if (section != nullptr || region != none) {
      entry.clause = section != nullptr ? clause_name : "present";
      entry.section = section != nullptr ? *section : _plan.regions.at(region)[index].section;
      entry.view = _unit.fresh(plain_name(used) + "_view");
      entry.used = entry.written = true;
    }
    if (!entry.section.rows)
      throw Refusal{fmt::format("'{}' of type {} in a kernel", used.path, used.element),
                    "its rows in a data clause, a[0:rows][0:columns]", "rows-of-pointers"};
    for (const Clause& clause : around.directive->clauses)
      for (const Section& named : clause.sections)
        if (&named == section && contains(clause.modifiers, std::string("zero")))
          throw Refusal{fmt::format("'zero' of the rows '{}'", named.text),
                        "a kernel that sets them", "rows-of-pointers"};
    bool whole = false;
    for (const Use& use : around.directive->uses)
      if (use.variable == id && is_in_kernels(around, use)) {
        whole = whole || use.macro || use.subscripts.empty();
        if (use.writes && use.subscripts.size() < 2)
          throw Refusal{fmt::format("a pointer of the rows '{}' is written in a kernel, or may be",
                                    used.path),
                        "the exchange on the host, and attach", "rows-of-pointers"};
      }
    if (whole && used.member)
      throw Refusal{fmt::format("the rows '{}' as a whole in a kernel", used.path),
                    "a local variable for the table", "rows-of-pointers"};
    if (!whole)
      around.compute.bindings[id] = {Access::renamed, entry.view};
    const std::string type = (used.element_const ? "const " : "") + used.row_element + "**";
    for (Kernel& kernel : around.compute.kernels)
      if (whole && uses(around, kernel, id))
        kernel.head.push_back(fmt::format("{} const {} = const_cast<{}>({}.data());", type,
                                          used.name, type, entry.view));
    if (!from_region)
      around.compute.data.push_back(std::move(entry));
  }

  /// Each iteration has an array of its own, which begins as the host's is.
  void bind_firstprivate(Around& around, std::size_t id) {
    const Variable& used = variable(id);
    const auto fail = [&](const std::string& why) {
      throw Refusal{fmt::format("'{}' is firstprivate, and {}", used.path, why),
                    "an array of the kernel's own, set in it", "private"};
    };
    const Section* section = nullptr;
    for (const Clause& clause : around.directive->clauses)
      if (clause.name == "firstprivate")
        for (const Section& named : clause.sections)
          if (named.variable == id)
            section = &named;
    if (section == nullptr || !section->problem.empty() || !section->low.empty() ||
        section->extents.size() != 1 || used.shape == Shape::other || used.member ||
        used.holds_pointers)
      fail("no array of one dimension that begins at 0");
    const std::string& elements = section->extents.front();
    const std::string before = _unit.fresh(used.name + "_before");
    around.compute.pointers.push_back(
        fmt::format("const Kokkos::View<{}*, gangway::DeviceSpace> {}(\"{}\", {});", used.element,
                    before, used.name, elements));
    around.compute.pointers.push_back(
        fmt::format("gangway::memcpy_to_device({}.data(), {}, {}.span() * sizeof({}));", before,
                    used.path, before, used.element));
    const std::string i = _unit.fresh("element");
    for (Kernel& kernel : around.compute.kernels) {
      if (!uses(around, kernel, id))
        continue;
      if (used.shape == Shape::array && is_number(elements))
        kernel.head.push_back(declaration(used));
      else
        add_slices(around, kernel, id, elements);
      kernel.head.push_back(fmt::format("for (std::size_t {} = 0; {} < {}.extent(0); ++{})\n{}[{}] "
                                        "= {}({});",
                                        i, i, before, i, used.name, i, before, i));
    }
  }

  /// Memory for an array of each iteration's own, whose length is known when the program runs.
  void add_slices(Around& around, Kernel& kernel, std::size_t id, const std::string& elements) {
    const Variable& used = variable(id);
    const bool is_range = kernel.policy == Policy::range && kernel.loops.front().low == "0" &&
                          kernel.loops.front().step == "1";
    if (!is_range && kernel.policy != Policy::one)
      throw Refusal{
          fmt::format("'{}' is private, of variable length, and the loop is no plain range "
                      "from 0",
                      used.path),
          "a constant length, or team scratch", "private-on-a-gang-loop"};
    const std::string slices = _unit.fresh(used.name + "_private");
    kernel.before.push_back(fmt::format(
        "const Kokkos::View<{}**, Kokkos::LayoutRight, gangway::DeviceSpace> "
        "{}(Kokkos::view_alloc(Kokkos::WithoutInitializing, \"{}\"), {}, {});",
        used.element, slices, used.name,
        is_range ? fmt::format("gangway::iterations({})", kernel.loops.front().high) : "1",
        elements));
    kernel.head.push_back(fmt::format("{}* const {} = &{}({}, 0);", used.element, used.name, slices,
                                      is_range ? kernel.loops.front().index : "0"));
    note(*around.verdict,
         fmt::format(
             "'{}' has memory on the device for each iteration: where that is too much, team "
             "scratch (porting guide, private-on-a-gang-loop)",
             used.path));
  }

  void bind_array(Around& around, std::size_t id) {
    const Variable& used = variable(id);
    bool written = false;
    bool plain = true; // every use has a subscript for each dimension
    std::string clause_name;
    const Section* section = named_section(around, id, clause_name);
    const auto [region, index] = region_of(around.id, id);
    Entry entry;
    bool from_region = false;
    if (region != none)
      if (const auto [around_it, outer] = region_of(region, id);
          around_it != none && !same_place(_plan.regions.at(region)[index].section,
                                           _plan.regions.at(around_it)[outer].section))
        throw by_rule("two sections of one array",
                      fmt::format("two regions hold different parts of '{}'", used.path));
    if (region != none && !used.reassigned) {
      const Entry& held = _plan.regions.at(region)[index];
      if (section == nullptr || section->extents.empty() || same_place(*section, held.section)) {
        from_region = true;
        entry = held;
      }
    }
    Section implicit;
    if (!from_region && section == nullptr) {
      implicit = implicit_section(id);
      section = &implicit;
      const Clause* const by_default = around.directive->clause("default");
      const bool is_present = by_default != nullptr && by_default->argument == "present";
      clause_name = is_present || is_declared(id) ? "present" : "copy";
      if (by_default != nullptr && by_default->argument == "none")
        note(*around.verdict, fmt::format("'{}' is named by no clause here", used.path));
    }
    if (!from_region) {
      entry.clause = clause_name;
      entry.section = *section;
      entry.view = _unit.fresh(plain_name(used) + "_view");
      for (const Clause& clause : around.directive->clauses)
        for (const Section& named : clause.sections)
          entry.zero =
              entry.zero || (&named == section && contains(clause.modifiers, std::string("zero")));
    }
    const std::size_t rank = entry.section.extents.size();
    if (used.element_volatile)
      note(*around.verdict,
           fmt::format("the elements of '{}' are volatile, and here they are not", used.path));
    if (used.holds_pointers)
      throw Refusal{fmt::format("the elements of '{}', of type {}, have pointers in them",
                                used.path, used.element),
                    "an array for each of them", "the-name-that-hides"};
    for (const Use& use : around.directive->uses)
      if (use.variable == id && is_in_kernels(around, use)) {
        if (used.shape == Shape::pointer && use.writes && use.subscripts.empty())
          throw Refusal{fmt::format("'{}' is made to point elsewhere in a kernel", used.path),
                        "a pointer of the kernel's own", "private"};
        written = written || use.writes || (used.shape != Shape::scalar && use.subscripts.empty());
        plain = plain && !use.macro &&
                (used.shape == Shape::scalar ||
                 use.subscripts.size() == (rank == 0 ? 1 + used.extents.size() : rank));
      }
    if (rank == 0) { // a pointer to something on the device, nobody says how much
      if (used.shape != Shape::pointer || !used.extents.empty())
        throw Refusal{fmt::format("the extents of '{}' are not known", used.path),
                      "name them in a data clause", "data-copy-copyin-copyout-create"};
      bind_pointer(around, id, plain);
      return;
    }
    if (used.shape == Shape::scalar) {
      if (!plain)
        throw Refusal{fmt::format("a macro uses '{}', which a data clause names", used.path),
                      "write the macro out", "scalars-in-data-clauses"};
      around.compute.bindings[id] = {Access::element_zero, entry.view};
    } else if (plain && entry.section.low.empty()) {
      around.compute.bindings[id] = {Access::elements, entry.view};
    } else {
      bind_as_pointer(around, id, entry, written);
      if (from_region)
        _plan.regions.at(region)[index].low_used = true;
    }
    if (from_region)
      _region_uses[{region, index}] = _region_uses[{region, index}] || written;
    else {
      entry.used = true;
      entry.written = written;
      around.compute.data.push_back(std::move(entry));
    }
    if (used.member || used.global)
      note(*around.verdict, fmt::format("'{}', {}, has a View of its own here", used.path,
                                        used.member ? "of a structure" : "a global array"));
  }

  [[nodiscard]] Section implicit_section(std::size_t id) const {
    const Variable& used = variable(id);
    Section section;
    section.variable = id;
    section.text = used.path;
    if (used.shape == Shape::array) {
      section.extents = used.extents;
      for (const std::string& extent : section.extents)
        if (extent.empty())
          throw Refusal{fmt::format("the extents of '{}' are not known", used.path),
                        "name them in a data clause", "data-copy-copyin-copyout-create"};
    } else if (used.shape == Shape::scalar) {
      section.extents = {"1"};
    }
    return section;
  }

  void bind_pointer(Around& around, std::size_t id, bool plain) {
    const Variable& used = variable(id);
    const std::string name = _unit.fresh(plain_name(used) + "_device");
    const std::string type = (used.element_const ? "const " : "") + used.element + "*";
    around.compute.pointers.push_back(
        fmt::format("{} const {} = static_cast<{}>(gangway::device_pointer({}));", type, name, type,
                    plain_address(used.path, used)));
    note(*around.verdict,
         fmt::format("'{}' has no length here: its device address is taken, and has to be present",
                     used.path));
    if (!plain && has_macro_use(around, id)) {
      if (used.member)
        throw Refusal{fmt::format("a macro uses the member '{}'", used.path), "write the macro out",
                      "the-name-that-hides"};
      for (Kernel& kernel : around.compute.kernels)
        kernel.head.push_back(fmt::format("{} const {} = {};", type, used.name, name));
      return;
    }
    around.compute.bindings[id] = {Access::renamed, name};
  }
  bool has_macro_use(const Around& around, std::size_t id) const {
    return std::any_of(around.directive->uses.begin(), around.directive->uses.end(),
                       [&](const Use& use) { return use.variable == id && use.macro; });
  }

  /// The kernel gets a pointer under the array's own name, for pointer arithmetic, calls and
  /// macros.
  void bind_as_pointer(Around& around, std::size_t id, const Entry& entry, bool written) {
    const Variable& used = variable(id);
    if (used.member && has_macro_use(around, id))
      throw Refusal{fmt::format("a macro uses the member '{}'", used.path), "write the macro out",
                    "the-name-that-hides"};
    const std::string name = used.member ? _unit.fresh(plain_name(used)) : used.name;
    std::string address = entry.view + ".data()";
    std::string low_name = entry.low_name;
    if (low_name.empty() && !entry.section.low_is_local) {
      low_name = _unit.fresh(plain_name(used) + "_low");
      around.compute.pointers.push_back(
          fmt::format("const auto {} = {};", low_name, entry.section.low));
    }
    if (!entry.section.low.empty()) {
      if (entry.section.extents.size() > 1)
        throw Refusal{
            fmt::format("'{}' does not begin at 0, in more than one dimension", entry.section.text),
            "the whole array", "data-copy-copyin-copyout-create"};
      address += " - " + in_parentheses(low_name.empty() ? entry.section.low : low_name);
    }
    const std::string element =
        (used.element_const || (entry.clause == "copyin" && !written) ? "const " : "") +
        used.element;
    std::string line;
    if (entry.section.extents.size() == 1) {
      line = fmt::format("{}* const {} = {};", element, name, address);
    } else {
      std::string inner;
      for (std::size_t d = 1; d < entry.section.extents.size(); ++d)
        inner += "[" + entry.section.extents[d] + "]";
      line = fmt::format("auto* const {} = reinterpret_cast<{} (*){}>({});", name, element, inner,
                         address);
    }
    for (Kernel& kernel : around.compute.kernels)
      if (uses(around, kernel, id))
        kernel.head.push_back(line);
    if (used.member)
      around.compute.bindings[id] = {Access::renamed, name};
  }

  /// Scalars: captured, copied, private, or refused.
  void find_values(Around& around) {
    for (Kernel& kernel : around.compute.kernels) {
      std::set<std::size_t> seen;
      for (const Use& use : around.directive->uses) {
        if (!kernel.body.holds(use.name) || around.bound.contains(use.variable))
          continue;
        const Variable& used = variable(use.variable);
        const bool is_private = is_private_in(around, kernel, use.variable);
        if ((used.shape != Shape::scalar && !is_private) || !seen.insert(use.variable).second)
          continue;
        if (const auto bound = around.compute.bindings.find(use.variable);
            bound != around.compute.bindings.end() && bound->second.access == Access::element_zero)
          continue;
        find_value(around, kernel, use.variable, is_private);
      }
    }
  }

  void find_value(Around& around, Kernel& kernel, std::size_t id, bool is_private) {
    const Variable& used = variable(id);
    if (std::any_of(kernel.loops.begin(), kernel.loops.end(),
                    [&](const Loop& loop) { return loop.variable == id; }) ||
        std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                    [&](const Reducer& one) { return one.variable == used.name; }))
      return;
    bool written = false;
    bool macro = false;
    for (const Use& use : around.directive->uses)
      if (use.variable == id && kernel.body.holds(use.name)) {
        written = written || use.writes;
        macro = macro || use.macro;
      }
    if (is_private) {
      if (used.member || (used.shape == Shape::other && !used.copyable))
        throw Refusal{fmt::format("'{}' is private, of type {}", used.path, used.element),
                      "a variable of the kernel's", "private"};
      if (used.shape == Shape::array && contains(used.extents, ""))
        throw Refusal{fmt::format("'{}' is private, and its extents are not known", used.path),
                      "team scratch", "private-on-a-gang-loop"};
      declare_private(around, kernel, id);
      return;
    }
    if (around.is_kernels && !is_private)
      if (const Directive* const holder = holder_elsewhere(id))
        throw by_rule(
            "a scalar that `enter data` holds, in `kernels`",
            fmt::format("'{}' is a scalar that '{}' in line {} holds on the device, which "
                        "'kernels' would take",
                        used.path, holder->construct, holder->place.line));
    if (!written) {
      if (used.constant || (!used.global && !used.member))
        return; // captured, or known when compiling
      if (macro)
        throw Refusal{fmt::format("a macro uses '{}', which is {}", used.path,
                                  used.member ? "a member" : "global"),
                      "write the macro out", "global-variables"};
      const std::string copy = _unit.fresh(plain_name(used) + "_value");
      kernel.before.push_back(fmt::format("const auto {} = {};", copy, used.path));
      around.compute.bindings[id] = {Access::renamed, copy};
      note(*around.verdict, fmt::format("'{}', {}, is copied for the kernel", used.path,
                                        used.member ? "of a structure" : "a global variable"));
      return;
    }
    if (used.member || used.global)
      throw Refusal{fmt::format("'{}', {}, is written in a kernel", used.path,
                                used.member ? "a member" : "a global variable"),
                    "reduction, private, or an array of one element", "scalars-in-data-clauses"};
    // One gang's own, which begins with the value before, is what a scalar is that no clause names.
    const bool implied =
        kernel.policy == Policy::one && !around.is_kernels && !contains(kernel.set_first, id);
    if (firstprivate(around, id) || implied) {
      const std::string before = _unit.fresh(used.name + "_before");
      kernel.before.push_back(fmt::format("const auto {} = {};", before, used.name));
      kernel.head.push_back(fmt::format("{} {} = {};", used.element, used.name, before));
      return;
    }
    if (contains(kernel.set_first, id)) {
      kernel.head.push_back(declaration(used));
      if (around.is_kernels && !contains(kernel.indices, id))
        assume(*around.verdict,
               fmt::format("'{}' is taken to be private: each iteration sets it first. Check that "
                           "its value is not read behind the region",
                           used.name));
      return;
    }
    throw Refusal{
        fmt::format("'{}' is written in a kernel, and no clause says what comes of it", used.name),
        "reduction or private, or a data clause", "private"};
  }
  /// A scalar of the host's that is a kernel's own in one kernel brings nothing to what comes after
  /// it.
  void require_no_values_handed_on(const Around& around) const {
    const auto& kernels = around.compute.kernels;
    for (const Piece& piece : around.directive->pieces)
      for (const Use& use : around.directive->uses) {
        if (!piece.span.holds(use.name) || contains(piece.set_first, use.variable) ||
            variable(use.variable).shape != Shape::scalar)
          continue;
        const auto is_of = [&](const Kernel& kernel) { return kernel.whole.holds(use.name); };
        const auto own = std::find_if(kernels.begin(), kernels.end(), is_of);
        if (const auto bound = around.compute.bindings.find(use.variable);
            own == kernels.end() && bound != around.compute.bindings.end() &&
            bound->second.access == Access::element_zero)
          throw by_rule("a scalar set in a kernel, and read behind it in the same construct",
                        fmt::format("'{}' is a kernel's, and the host's beside the loops",
                                    variable(use.variable).name));
        if (own != kernels.end() &&
            (is_private_in(around, *own, use.variable) || is_index(*own, use.variable)))
          continue;
        for (const Kernel& earlier : kernels)
          if (earlier.whole.begin < piece.span.begin && !earlier.whole.holds(piece.span) &&
              leaves_another(around, earlier, use))
            throw by_rule(
                "a scalar set in a kernel, and read behind it in the same construct",
                fmt::format("'{}' is set in a kernel, and read behind it in the same construct",
                            variable(use.variable).name));
      }
  }
  static bool is_index(const Kernel& kernel, std::size_t id) {
    return contains(kernel.indices, id) ||
           std::any_of(kernel.loops.begin(), kernel.loops.end(),
                       [&](const Loop& loop) { return loop.variable == id; });
  }
  /// Whether the kernel has a variable of its own where the source sets the host's.
  bool leaves_another(const Around& around, const Kernel& kernel, const Use& use) const {
    const std::size_t id = use.variable;
    const auto bound = around.compute.bindings.find(id);
    if (is_private_in(around, kernel, id) || firstprivate(around, id) ||
        (bound != around.compute.bindings.end() && bound->second.access == Access::element_zero))
      return false;
    if (std::any_of(kernel.reducers.begin(), kernel.reducers.end(),
                    [&](const Reducer& one) { return one.variable == variable(id).name; }))
      return false;
    return is_index(kernel, id) || is_written(around, kernel, id);
  }
  /// Of `private(w[0:4])` with a pointer `w` the elements are private, not the pointer.
  void declare_private(Around& around, Kernel& kernel, std::size_t id) {
    const Variable& used = variable(id);
    const auto look = [&](const Directive& directive) -> const Section* {
      for (const Clause& clause : directive.clauses)
        if (clause.name == "private")
          for (const Section& section : clause.sections)
            if (section.variable == id && (!section.extents.empty() || !section.problem.empty()))
              return &section;
      return nullptr;
    };
    const Section* section = used.shape == Shape::pointer ? look(*around.directive) : nullptr;
    if (used.shape == Shape::pointer)
      for (const std::size_t inner : around.inner)
        if (section == nullptr && kernel.whole.holds(_unit.directives[inner].pragma))
          section = look(_unit.directives[inner]);
    if (section != nullptr && (!section->low.empty() || !section->problem.empty()))
      throw Refusal{fmt::format("'{}' is private, and no whole array", section->text),
                    "team scratch", "private-on-a-gang-loop"};
    const std::vector<std::string>& extents = section == nullptr ? used.extents : section->extents;
    const bool constant = std::all_of(extents.begin(), extents.end(), is_number);
    if (!constant && extents.size() > 1)
      throw Refusal{fmt::format("'{}' is private, and an array of variable length", used.path),
                    "a constant length, or team scratch", "private-on-a-gang-loop"};
    if (!constant) {
      add_slices(around, kernel, id, extents.front());
    } else if (section == nullptr) {
      kernel.head.push_back(declaration(used));
    } else {
      std::string elements = fmt::format("{} {}", used.element, used.name);
      for (const std::string& extent : extents)
        elements += "[" + extent + "]";
      kernel.head.push_back(elements + ";");
    }
  }
  static std::string declaration(const Variable& used) {
    std::string type = used.type;
    if (const auto at = type.find('$'); at != std::string::npos)
      type.replace(at, 1, used.name);
    return type + ";";
  }
  static bool firstprivate(const Around& around, std::size_t id) {
    return names(around.directive, "firstprivate", id);
  }

  void mark_regions() {
    for (const auto& [place, written] : _region_uses) {
      Entry& entry = _plan.regions.at(place.first)[place.second];
      entry.used = true;
      entry.written = written;
    }
  }

  /// A kernel that stays in a region runs on the host, whose arrays are not those of the region.
  void tell_what_stays_in_regions() {
    for (std::size_t id = 0; id < _unit.directives.size(); ++id) {
      const Directive& directive = _unit.directives[id];
      if (_plan.verdicts[id].outcome != Outcome::refused || _unit.compute_around(id) != none)
        continue;
      for (std::size_t up = directive.parent; up != none; up = _unit.directives[up].parent)
        if (_unit.directives[up].construct == "data" &&
            _plan.verdicts[up].outcome != Outcome::refused)
          assume(_plan.verdicts[up],
                 fmt::format("'{}' in line {} stays, and the host does what it stands on, with its "
                             "own arrays: {}",
                             directive.construct, directive.place.line,
                             rule_of("a refused construct in a data region", Kind::code)->becomes));
    }
  }

  // --- what is no directive ---

  void decide_runtime_calls() {
    for (const RuntimeCall& call : _unit.runtime_calls) {
      const RuntimeText made = runtime_text(call);
      _plan.runtime.push_back(made.text);
      if (made.text.empty()) {
        _plan.remarks.push_back({call.place, Outcome::refused,
                                 fmt::format("'{}' stays as it is", call.name), made.by_hand});
        continue;
      }
      _plan.changes = true;
      _plan.remarks.push_back({call.place, made.assumed ? Outcome::assumed : Outcome::translated,
                               fmt::format("'{}' becomes {}", call.name, made.becomes),
                               made.assumed ? made.by_hand : ""});
    }
    for (const RuntimeName& name : _unit.device_names) {
      _plan.names.push_back(runtime_name(name));
      bool in_call = false;
      for (std::size_t i = 0; i < _unit.runtime_calls.size(); ++i)
        if (_unit.runtime_calls[i].whole.holds(name.span)) {
          in_call = true;
          if (_plan.runtime[i].empty()) // it stays, and with it what it is asked for
            _plan.names.back().clear();
        }
      _plan.changes = _plan.changes || !_plan.names.back().empty();
      if (_plan.names.back().empty() && !in_call)
        _plan.remarks.push_back({name.place, Outcome::refused,
                                 fmt::format("'{}' stays as it is", name.name),
                                 "gangway::device_type() says what Kokkos has"});
    }
    for (const Span& name : _unit.runtime_names) {
      bool gone = false;
      for (std::size_t i = 0; i < _unit.runtime_calls.size(); ++i)
        gone = gone || (!_plan.runtime[i].empty() && _unit.runtime_calls[i].whole.holds(name));
      for (std::size_t i = 0; i < _unit.device_names.size(); ++i)
        gone = gone || (!_plan.names[i].empty() && _unit.device_names[i].span.holds(name));
      _plan.keeps_openacc_header = _plan.keeps_openacc_header || !gone;
    }
  }

  void decide_others() {
    for (const Obstacle& stray : _unit.strays)
      _plan.remarks.push_back({stray.place, Outcome::refused, stray.what, stray.by_hand});
    for (const Obstacle& branch : _unit.branches)
      _plan.remarks.push_back(
          {branch.place, Outcome::assumed,
           branch.what +
               ", which is not defined where the port is compiled: decide which side is meant",
           "KOKKOS_VERSION, or neither"});
    _plan.changes =
        std::any_of(_plan.verdicts.begin(), _plan.verdicts.end(),
                    [](const Verdict& verdict) { return verdict.outcome != Outcome::refused; });
    decide_runtime_calls();
    if (_unit.is_c && _plan.changes)
      _plan.remarks.push_back(
          {{1, 1},
           Outcome::assumed,
           "C becomes C++, and its functions have C++ names for the linker: other C sources that "
           "call them, or that they call, do not find them",
           "extern \"C\" around the headers that both sides include"});
    for (const Function& function : _unit.functions)
      if (function.is_main && _plan.changes) {
        _plan.guard = true;
        if (_unit.uses_mpi)
          _plan.remarks.push_back(
              {function.place, Outcome::assumed,
               "Kokkos begins first in 'main', and ends last: with MPI it has to begin after "
               "MPI_Init and end before MPI_Finalize",
               "braces around what is between the two, with the ScopeGuard in them"});
      }
  }
};

} // namespace

Outcome Plan::outcome() const {
  Outcome worst = Outcome::translated;
  for (const Verdict& verdict : verdicts)
    worst = std::max(worst, verdict.outcome);
  for (const Remark& remark : remarks)
    worst = std::max(worst, remark.outcome);
  return worst;
}

Plan decide(const Unit& unit, bool queues) {
  return Decider(unit, queues).decide();
}

std::string plain_address(const std::string& address, const Variable& named) {
  return named.element_volatile
             ? fmt::format("const_cast<{}{}*>({})", named.element_const ? "const " : "",
                           named.element, address)
             : address;
}

std::string host_address(const Section& section, const Variable& named) {
  if (named.shape == Shape::scalar)
    return plain_address("&" + named.path, named);
  if (section.extents.size() > 1) {
    std::string first = fmt::format("&{}[{}]", named.path, section.low.empty() ? "0" : section.low);
    for (std::size_t d = 1; d < section.extents.size(); ++d)
      first += "[0]";
    return plain_address(first, named);
  }
  const std::string first = plain_address(named.path, named);
  return section.low.empty() ? first : first + " + " + in_parentheses(section.low);
}

std::string elements_of(const Section& section) {
  if (section.extents.size() == 1)
    return section.extents.front();
  std::vector<std::string> factors;
  for (const std::string& extent : section.extents)
    factors.push_back(in_parentheses(extent));
  return fmt::format("{}", fmt::join(factors, " * "));
}

std::string device_function(const Call& call) {
  if (!call.system || call.function != none)
    return "";
  static const std::set<std::string> known{
      "abs",   "acos",     "acosh", "asin",  "asinh",  "atan",      "atan2", "atanh",
      "cbrt",  "ceil",     "cos",   "cosh",  "erf",    "erfc",      "exp",   "exp2",
      "expm1", "fabs",     "fdim",  "floor", "fma",    "fmax",      "fmin",  "fmod",
      "hypot", "isfinite", "isinf", "isnan", "lgamma", "log",       "log10", "log1p",
      "log2",  "max",      "min",   "pow",   "printf", "remainder", "round", "sin",
      "sinh",  "sqrt",     "tan",   "tanh",  "tgamma", "trunc"};
  std::string plain = call.name;
  if (plain.size() > 2 && plain.back() == 'f' && !known.contains(plain))
    plain.pop_back();
  if (plain == "labs" || plain == "llabs")
    plain = "abs";
  return known.contains(plain) ? "Kokkos::" + plain : "";
}

} // namespace gangway::port
