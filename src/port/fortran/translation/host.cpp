// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gangway::port::fortran::translation {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : text)
    if (c == '\n') {
      lines.push_back(line);
      line.clear();
    } else if (c != '\r') {
      line += c;
    }
  if (!line.empty())
    lines.push_back(line);
  return lines;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const Clause* clause_named(const Directive& directive, std::string_view name) {
  for (const Clause& clause : directive.clauses)
    if (clause.name == name)
      return &clause;
  return nullptr;
}

[[noreturn]] void refuse(Code code, int line, const std::string& text, const std::string& by_hand) {
  throw Refusal(code, line, text, by_hand);
}

class Host {
public:
  Host(const Program& program, const std::string& source, const FileNames& names,
       const Begin& begin, const Declared& declared, const std::map<int, Message>& refused)
      : _program(program), _lines(lines_of(source)), _kernels_file(names.kernels), _begin(begin),
        _declared(declared), _refused(refused) {
    for (const char c : names.prefix)
      _prefix += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (_prefix.empty() || std::isalpha(static_cast<unsigned char>(_prefix[0])) == 0)
      _prefix = "k" + _prefix;
    _prefix = lower(_prefix).substr(0, 50); // a name of Fortran has 63 characters
  }

  Translated write() {
    for (const Unit& unit : _program.units)
      if (!unit.is_foreign)
        write(unit);
    for (const Module& module : _program.modules)
      write(module);
    tell_unread();
    _result.host = text();
    if (!_kernels.empty()) {
      _result.kernels =
          "// Kernels of a Fortran source, by gangway port.\n#include <gangway/gangway.hpp>\n"
          "#include <gangway/fortran_kernels.hpp>\n";
      if (!_function_texts.empty()) {
        _result.kernels += "\nnamespace {\n";
        for (const std::string& function : _function_texts)
          _result.kernels += "\n" + function;
        _result.kernels += "\n} // namespace\n";
      }
      for (const std::string& kernel : _kernels)
        _result.kernels += "\n" + kernel;
    }
    std::stable_sort(_result.findings.begin(), _result.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.line < b.line; });
    return std::move(_result);
  }

private:
  const Program& _program;
  std::vector<std::string> _lines;
  std::string _kernels_file;
  const Begin _begin;
  const Declared& _declared;
  const std::map<int, Message>& _refused; ///< by line
  std::string _prefix;                    ///< of the kernels' names
  Translated _result;
  std::vector<std::string> _kernels;
  std::set<std::string> _functions; ///< that kernels call
  std::vector<std::string> _function_texts;
  std::map<int, std::string> _before;                   ///< text before a line
  std::map<int, std::string> _after;                    ///< text after a line
  std::map<int, std::pair<int, std::string>> _in_place; ///< from a line to another one
  bool _uses_module = false;

  const Entity& entity(int index) const {
    return _program.entities[static_cast<std::size_t>(index)];
  }

  std::string text() const {
    std::string made;
    if (_uses_module)
      made = "#include <gangway/fortran/here.inc>\n";
    const int count = static_cast<int>(_lines.size());
    for (int line = 1; line <= count; ++line) {
      if (const auto found = _before.find(line); found != _before.end())
        made += found->second;
      int last = line;
      if (const auto found = _in_place.find(line); found != _in_place.end()) {
        made += found->second.second;
        last = found->second.first;
      } else {
        made += _lines[static_cast<std::size_t>(line) - 1] + "\n";
      }
      for (int one = line; one <= last; ++one)
        if (const auto found = _after.find(one); found != _after.end())
          made += found->second;
      line = last;
    }
    return made;
  }

  // --- lines ----------------------------------------------------------------------------------

  const std::string& line(int number) const {
    static const std::string none;
    return number >= 1 && number <= static_cast<int>(_lines.size())
               ? _lines[static_cast<std::size_t>(number) - 1]
               : none;
  }
  std::string indent_of(int number) const {
    const std::string& one = line(number);
    std::size_t spaces = one.find_first_not_of(" \t");
    if (spaces == std::string::npos)
      spaces = 0;
    return _program.is_fixed_form ? std::string(std::max<std::size_t>(spaces, 6), ' ')
                                  : one.substr(0, spaces);
  }
  bool is_directive(int number) const {
    const std::string one = lower(line(number));
    const std::size_t at = one.find_first_not_of(" \t");
    if (at == std::string::npos)
      return false;
    if (_program.is_fixed_form)
      return at == 0 && one.size() > 5 && (one[0] == 'c' || one[0] == '!' || one[0] == '*') &&
             one.compare(1, 4, "$acc") == 0;
    return one.compare(at, 5, "!$acc") == 0;
  }
  /// Returns the last line of a directive that begins in this one, with its continuations.
  int last_line(int first) const {
    int last = first;
    for (;;) {
      if (!is_directive(last + 1))
        return last;
      if (_program.is_fixed_form) {
        const std::string& next = line(last + 1);
        if (next.size() < 6 || next[5] == ' ' || next[5] == '0')
          return last;
      } else {
        std::string one = line(last);
        one = one.substr(0, one.find('!', one.find('!') + 1)); // a comment may follow
        const std::size_t end = one.find_last_not_of(" \t");
        if (end == std::string::npos || one[end] != '&')
          return last;
      }
      ++last;
    }
  }

  /// Tells of directives that are in the text, and that the reader did not find.
  void tell_unread() {
    std::set<int> seen;
    const auto see = [&](int first, int last) {
      for (int number = first; number <= last; ++number)
        seen.insert(number);
    };
    for (const Module& module : _program.modules)
      for (const Directive& one : module.declare)
        see(one.first_line, last_line(one.first_line));
    for (const Unit& unit : _program.units) {
      if (unit.is_foreign)
        continue;
      for (const Directive& one : unit.declarative)
        see(one.first_line, last_line(one.first_line));
      walk(unit.body, [&](const Statement& one) {
        if (one.act != Act::directive || one.directive.first_line == 0)
          return;
        if (is_compute(one.directive.name))
          see(one.directive.first_line, one.last_line);
        else
          see(one.directive.first_line, last_line(one.directive.first_line));
      });
    }
    for (int number = 1; number <= static_cast<int>(_lines.size()); ++number) {
      if (!is_directive(number) || seen.contains(number))
        continue;
      std::string text = lower(line(number));
      text = text.substr(text.find("$acc") + 4);
      text.erase(0, text.find_first_not_of(" \t"));
      if (text.compare(0, 3, "end") != 0) {
        Directive said;
        said.name = text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
        said.first_line = number;
        tell_refused(said,
                     Refusal(Code::not_compiled, number,
                             "it is in a module's declarations, or in a branch that these flags do "
                             "not take",
                             "module gangway by hand (docs/fortran.md), or the other flags"));
      }
      number = last_line(number);
    }
  }

  // --- units ----------------------------------------------------------------------------------

  struct Around {
    const Unit* unit = nullptr;
    std::set<int> on_device;
    bool is_changed = false;
    std::string interfaces;
    std::set<std::string> names;
  };

  void write(const Unit& unit) {
    Around around;
    around.unit = &unit;
    around.names = {unit.names.begin(), unit.names.end()};
    for (const Directive& one : unit.declarative)
      declarative(one);
    for (std::size_t index = 0; index < _program.entities.size(); ++index)
      if (_declared.scalars.contains(_program.entities[index].key))
        around.on_device.insert(static_cast<int>(index));
    write(unit.body, around);
    around.is_changed = runtime(unit) || around.is_changed;
    around.is_changed = allocations(unit) || around.is_changed;
    const auto mpi = std::find_if(unit.body.begin(), unit.body.end(), [&](const Statement& one) {
      return one.last_line == _begin.line;
    });
    if (_begin.line > 0 && mpi != unit.body.end()) {
      const std::string indent = indent_of(mpi->first_line);
      _after[_begin.line] +=
          indent + "call gangway_initialize(GANGWAY_HERE)\n" + enter_declared(indent);
      around.is_changed = true;
    }
    if (!around.is_changed && !unit.is_main)
      return;
    if (unit.takes_name()) {
      _result.findings.push_back({unit.first_line, "program", name_is_taken(), {}, ""});
      return;
    }
    _uses_module = true;
    const int from = unit.first_line > 0 ? unit.first_line : unit.start_line;
    const std::string indent = indent_of(from) + "  ";
    const std::string begin = indent + "use gangway\n";
    std::string interfaces;
    if (!around.interfaces.empty())
      interfaces = indent + "interface ! " + _kernels_file + "\n" + around.interfaces + indent +
                   "end interface\n";
    if (_begin.is_after_mpi ? _begin.line > 0 && mpi != unit.body.end() : unit.is_main)
      interfaces += interface_of_declared(indent);
    if (unit.first_line > 0)
      _after[unit.head_line] += begin;
    else // a main program without that statement
      _before[from] = indent_of(from) + "program gangway_main\n" + begin + _before[from];
    if (unit.use_line > 0)
      _after[unit.use_line] += interfaces;
    else
      _before[from] += interfaces;
    if (unit.is_main)
      begin_and_end(unit);
  }
  static Message name_is_taken() {
    return {Code::macro_takes_name, "a name of the program's own is 'gangway'",
            "another name for it", ""};
  }

  /// Returns the last line of a statement that begins in this one.
  int last_of_statement(int first) const {
    int last = first;
    while (!_program.is_fixed_form && last < static_cast<int>(_lines.size())) {
      const std::string& one = line(last);
      const std::size_t end = one.find_last_not_of(' ');
      if (end == std::string::npos || one[end] != '&')
        break;
      ++last;
    }
    return last;
  }

  /// Calls of OpenACC's runtime library become those of module gangway, as far as there are some.
  /// Returns whether anything changed.
  bool runtime(const Unit& unit) {
    bool all = true;
    std::map<int, std::string> changed;
    std::vector<Place> dropped; // if the call around each of them becomes another one
    for (auto place = unit.runtime_names.rbegin(); place != unit.runtime_names.rend(); ++place) {
      const bool is_use =
          std::any_of(unit.openacc_uses.begin(), unit.openacc_uses.end(), [&](int use) {
            return use <= place->line && place->line <= last_of_statement(use);
          });
      if (is_use || is_replaced(place->line))
        continue;
      if (is_dropped(unit, *place)) {
        dropped.push_back(*place);
        continue;
      }
      std::string text = changed.contains(place->line) ? changed[place->line] : line(place->line);
      if (becomes(*place, text)) {
        changed[place->line] = text;
        continue;
      }
      _result.stays.push_back(*place);
      all = false;
    }
    for (const auto& [number, text] : changed)
      _in_place[number] = {number, text + "\n"};
    for (const Place& place : dropped)
      if (changed.contains(place.line))
        _result.gone.push_back(place);
    if (all)
      for (const int use : unit.openacc_uses)
        _in_place[use] = {last_of_statement(use), indent_of(use) + "! use openacc\n"};
    return !changed.empty() || (all && !unit.openacc_uses.empty());
  }
  /// Returns whether the name is in the device type of a call that becomes one without it.
  bool is_dropped(const Unit& unit, const Place& place) const {
    return std::any_of(
        unit.runtime_names.begin(), unit.runtime_names.end(), [&](const Place& outer) {
          if (outer.line != place.line || outer.column >= place.column ||
              (outer.name != "acc_get_num_devices" && outer.name != "acc_get_device_num"))
            return false;
          int depth = 0;
          for (int at = outer.column; at < place.column; ++at) {
            const char c = line(place.line)[static_cast<std::size_t>(at) - 1];
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
          }
          return depth > 0;
        });
  }
  /// Returns whether the line is a part of what was translated.
  bool is_replaced(int number) const {
    const auto next = _in_place.upper_bound(number);
    return next != _in_place.begin() && std::prev(next)->second.first >= number;
  }
  /// Changes the name in its line, and its arguments. Names are changed from right to left.
  static bool becomes(const Place& place, std::string& text) {
    struct Rule {
      std::string_view name;
      std::size_t arguments; ///< that stay
      std::size_t dropped;   ///< 1 if the last one is left out: a queue, or a device type
    };
    static const std::map<std::string, Rule, std::less<>> rules{
        {"acc_copyin", {"gangway_enter_data_copyin", 1, 0}},
        {"acc_pcopyin", {"gangway_enter_data_copyin", 1, 0}},
        {"acc_present_or_copyin", {"gangway_enter_data_copyin", 1, 0}},
        {"acc_copyin_async", {"gangway_enter_data_copyin", 1, 1}},
        {"acc_create", {"gangway_enter_data_create", 1, 0}},
        {"acc_pcreate", {"gangway_enter_data_create", 1, 0}},
        {"acc_present_or_create", {"gangway_enter_data_create", 1, 0}},
        {"acc_create_async", {"gangway_enter_data_create", 1, 1}},
        {"acc_copyout", {"gangway_exit_data_copyout", 1, 0}},
        {"acc_copyout_async", {"gangway_exit_data_copyout", 1, 1}},
        {"acc_copyout_finalize", {"gangway_exit_data_copyout_finalize", 1, 0}},
        {"acc_copyout_finalize_async", {"gangway_exit_data_copyout_finalize", 1, 1}},
        {"acc_delete", {"gangway_exit_data_delete", 1, 0}},
        {"acc_delete_async", {"gangway_exit_data_delete", 1, 1}},
        {"acc_delete_finalize", {"gangway_exit_data_delete_finalize", 1, 0}},
        {"acc_delete_finalize_async", {"gangway_exit_data_delete_finalize", 1, 1}},
        {"acc_update_device", {"gangway_update_device", 1, 0}},
        {"acc_update_device_async", {"gangway_update_device", 1, 1}},
        {"acc_update_self", {"gangway_update_self", 1, 0}},
        {"acc_update_self_async", {"gangway_update_self", 1, 1}},
        {"acc_is_present", {"gangway_is_present", 1, 0}},
        {"acc_wait", {"gangway_wait", 1, 0}},
        {"acc_async_wait", {"gangway_wait", 1, 0}},
        {"acc_wait_all", {"gangway_wait", 0, 0}},
        {"acc_async_wait_all", {"gangway_wait", 0, 0}},
        {"acc_async_test", {"gangway_async_test", 1, 0}},
        {"acc_get_num_devices", {"gangway_device_count", 0, 1}},
        {"acc_get_device_num", {"gangway_device_number", 0, 1}}};
    const std::size_t at = static_cast<std::size_t>(place.column) - 1;
    if (place.column < 1 || lower(text).compare(at, place.name.size(), place.name) != 0)
      return false;
    const auto rule = rules.find(place.name);
    if (rule == rules.end())
      return false;
    std::size_t from = text.find_first_not_of(' ', at + place.name.size());
    if (from == std::string::npos || text[from] != '(') {
      if (rule->second.arguments > 0)
        return false;
      text.replace(at, place.name.size(), rule->second.name);
      return true;
    }
    std::vector<std::string> arguments{""};
    int depth = 0;
    std::size_t to = from;
    for (; to < text.size(); ++to) {
      const char c = text[to];
      if (c == '\'' || c == '"' || c == '!' || c == '&')
        return false;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0)
        break;
      if (depth == 1 && c == ',')
        arguments.emplace_back();
      else if (depth > 1 || c != '(')
        arguments.back() += c;
    }
    if (depth != 0)
      return false;
    if (arguments.size() == 1 && arguments[0].find_first_not_of(' ') == std::string::npos)
      arguments.clear();
    const std::size_t wanted = rule->second.arguments + rule->second.dropped;
    if (wanted > 0 && arguments.size() == wanted + 1 &&
        (rule->second.name.find("_data_") != std::string_view::npos ||
         rule->second.name.find("_update_") != std::string_view::npos) &&
        !give_length(arguments))
      return false;
    if (arguments.size() != wanted)
      return false;
    arguments.resize(rule->second.arguments);
    text.replace(at, to - at + 1,
                 fmt::format("{}({})", rule->second.name, fmt::join(arguments, ",")));
    return true;
  }

  /// Makes one argument of an array's first element, `a(1)`, and a number of bytes. Returns whether
  /// they are that.
  static bool give_length(std::vector<std::string>& arguments) {
    const std::string& first = arguments[0];
    const std::size_t open = first.find('(');
    if (open == std::string::npos || first.find_first_of(",:(", open + 1) != std::string::npos)
      return false;
    const std::string name = first.substr(0, open);
    const std::string index = first.substr(open + 1, first.rfind(')') - open - 1);
    arguments[0] =
        fmt::format("{0}({1}:{1}+({2})/(storage_size({0})/8)-1)", name, index, arguments[1]);
    arguments.erase(arguments.begin() + 1);
    return true;
  }

  void declarative(const Directive& one) {
    if (one.first_line > 0 && one.name == "routine" && clause_named(one, "bind") == nullptr) {
      // Kernels get a function of C++ where they call it.
      _in_place[one.first_line] = {last_line(one.first_line),
                                   indent_of(one.first_line) + "! a function for kernels, too\n"};
      _result.findings.push_back({one.first_line, one.name, {}, {}, ""});
      return;
    }
    tell_refused(one, Refusal(Code::clause, one.first_line, fmt::format("'{}'", one.name),
                              one.name == "routine" ? "a function of C++ for what kernels call"
                                                    : "a data region around its statements"));
  }

  void begin_and_end(const Unit& unit) {
    if (unit.body.empty())
      return;
    const int first = unit.body.front().first_line;
    if (!_begin.is_after_mpi)
      _before[first] = indent_of(first) + "call gangway_initialize(GANGWAY_HERE)\n" +
                       enter_declared(indent_of(first)) + _before[first];
    const Statement& last = unit.body.back();
    const bool stops = (last.act == Act::call && last.name == "exit") ||
                       (last.act == Act::other && (last.name == "stop" || last.name == "error"));
    const std::string end = indent_of(last.first_line) + "call gangway_finalize(GANGWAY_HERE)\n";
    if (stops)
      _before[last.first_line] += end;
    else
      _after[last.last_line] += end;
  }

  // --- declare --------------------------------------------------------------------------------

  /// Writes the procedure that enters the module's variables where the program begins.
  void write(const Module& module) {
    const std::string indent = indent_of(module.end_line) + "  ";
    std::string calls;
    for (const Directive& said : module.declare) {
      if (_refused.contains(said.first_line)) {
        tell_refused(said, Refusal(Code::clause, said.first_line, "", "")); // with that reason
        continue;
      }
      std::set<std::string> lasts;
      for (const Clause& clause : said.clauses)
        for (std::size_t n = 0; n < clause.objects.size(); ++n) {
          const Entity& variable = entity(clause.objects[n].entity);
          lasts.insert(clause.name == "link"     ? "where data clauses name it"
                       : variable.is_allocatable ? "while it is allocated"
                                                 : "while the program runs");
          if (clause.name != "link" && !variable.is_allocatable)
            calls +=
                fmt::format("{}  call gangway_enter_data_{}({}, \"{}\", GANGWAY_HERE)\n", indent,
                            _declared.ways.at(variable.key), clause.written[n], clause.written[n]);
        }
      if (is_directive(said.first_line))
        _in_place[said.first_line] = {last_line(said.first_line),
                                      fmt::format("{}! on the device {}\n",
                                                  indent_of(said.first_line),
                                                  fmt::join(lasts, ", or "))};
      _result.findings.push_back({said.first_line, said.name, {}, {}, ""});
    }
    if (calls.empty())
      return;
    _uses_module = true;
    _before[module.end_line] +=
        fmt::format("{0}{1}subroutine {2}() bind(c)\n{1}  use gangway\n{3}{1}end subroutine\n",
                    module.has_procedures ? "" : indent_of(module.end_line) + "contains\n", indent,
                    enters_declared(module.name), calls);
  }
  std::string enter_declared(const std::string& indent) const {
    std::string made;
    for (const std::string& module : _declared.modules)
      made += fmt::format("{}call enter_{}()\n", indent, enters_declared(module).substr(8));
    return made;
  }
  std::string interface_of_declared(const std::string& indent) const {
    if (_declared.modules.empty())
      return "";
    std::string made = indent + "interface ! what modules declare\n";
    for (const std::string& module : _declared.modules)
      made +=
          fmt::format("{0}  subroutine enter_{1}() bind(c, name=\"{2}\")\n{0}  end subroutine\n",
                      indent, enters_declared(module).substr(8), enters_declared(module));
    return made + indent + "end interface\n";
  }
  /// Arrays that modules declare come to the device after they are allocated, and leave it before
  /// they are deallocated. Returns whether the unit has such statements.
  bool allocations(const Unit& unit) {
    bool found = false;
    for (const Allocation& one : _program.allocations) {
      const Entity& array = entity(one.entity);
      const auto way = _declared.ways.find(array.key);
      if (&_program.units[one.unit] != &unit || array.key.empty() || way == _declared.ways.end())
        continue;
      found = true;
      std::string text;
      for (int number = one.first_line; number <= one.last_line; ++number)
        text += lower(line(number));
      text.erase(0, text.find_first_not_of(" \t"));
      const bool is_plain = text.starts_with(one.allocates ? "allocate" : "deallocate") &&
                            text.find("stat") == std::string::npos &&
                            text.find(';') == std::string::npos;
      const std::string call =
          fmt::format("{}{}call gangway_{}({}, \"{}\", GANGWAY_HERE)\n", indent_of(one.first_line),
                      is_plain ? "" : fmt::format("if (allocated({})) ", array.name),
                      one.allocates ? "enter_data_" + way->second : "exit_data_delete_finalize",
                      array.name, array.name);
      if (one.allocates)
        _after[one.last_line] += call;
      else
        _before[one.first_line] += call;
    }
    return found;
  }

  /// Returns the scalars that the host may read after the construct, outside of constructs.
  std::set<int> read_after(const Statement& construct, const Unit& unit) const {
    std::set<int> found{unit.result};
    for (const Unit& other : _program.units) // internal procedures read others' variables
      if (&other != &unit && !other.is_foreign)
        found.merge(reads_of_host(other.body));
    bool jumps = false;
    walk(unit.body, [&](const Statement& one) { jumps = jumps || may_jump(one); });
    if (jumps || !add_reads_after(construct, unit.body, found))
      found.merge(reads_of_host(unit.body));
    return found;
  }
  /// Returns whether the statement may go to a label, backwards too.
  bool may_jump(const Statement& one) const {
    if (one.act != Act::other && one.act != Act::call)
      return false;
    if (one.first_line == 0)
      return true;
    std::string text;
    std::string code; // without comments
    for (int number = one.first_line; number <= one.last_line; ++number) {
      std::string words = lower(line(number));
      words.erase(std::remove_if(words.begin(), words.end(),
                                 [](char c) { return c == ' ' || c == '\t' || c == '&'; }),
                  words.end());
      text += words;
      code += words.substr(0, words.find('!'));
    }
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    if (one.act == Act::call)
      return has("(*") || has(",*");                           // a label as an argument
    const std::string rest = code.substr(code.rfind(')') + 1); // labels of an arithmetic if
    return has("goto") || has("err=") || has("end=") || has("eor=") ||
           (!rest.empty() && rest.find_first_not_of("0123456789,") == std::string::npos);
  }

  /// Adds what is read after the construct in these statements, and in all of the loops around it.
  /// Returns whether it is in them.
  bool add_reads_after(const Statement& construct, const std::vector<Statement>& body,
                       std::set<int>& found) const {
    for (auto one = body.begin(); one != body.end(); ++one) {
      bool is_inside = &*one == &construct;
      if (!is_inside)
        is_inside = add_reads_after(construct, one->body, found);
      for (auto part = one->parts.begin(); part != one->parts.end() && !is_inside; ++part)
        is_inside = add_reads_after(construct, part->body, found);
      if (!is_inside)
        continue;
      const bool repeats = one->act != Act::branch && one->act != Act::directive;
      found.merge(reads_of_host({repeats ? one : std::next(one), body.end()}));
      return true;
    }
    return false;
  }

  /// Returns the scalars that the host reads outside of compute constructs.
  std::set<int> reads_of_host(const std::vector<Statement>& body) const {
    std::set<int> found;
    for (const Statement& one : body) {
      if (one.act == Act::directive && is_compute(one.directive.name)) {
        // A variable that a construct reads and does not set has a value of the host.
        std::set<int> set;
        walk(one.body, [&](const Statement& inner) {
          if (inner.act == Act::assign)
            set.insert(inner.operands[0].entity);
          if (inner.act == Act::loop)
            set.insert(inner.variable);
        });
        walk_expressions(one.body, [&](const Expr& inner) {
          if (inner.entity >= 0 && !set.contains(inner.entity))
            found.insert(inner.entity);
        });
        continue;
      }
      if (one.act == Act::directive) {
        found.merge(reads_of_host(one.body));
        continue;
      }
      for (std::size_t n = 0; n < one.operands.size(); ++n)
        if (one.act == Act::assign && n == 0)
          for (const Expr& subscript : one.operands[0].operands)
            found.merge(entities_of(subscript));
        else
          found.merge(entities_of(one.operands[n]));
      for (const Statement::Part& part : one.parts) {
        found.merge(entities_of(part.condition));
        found.merge(reads_of_host(part.body));
      }
      found.merge(reads_of_host(one.body));
    }
    return found;
  }

  // --- statements -----------------------------------------------------------------------------

  void write(const std::vector<Statement>& body, Around& around) {
    for (const Statement& one : body) {
      if (one.act == Act::directive) {
        directive(one, around);
        continue;
      }
      for (const Statement::Part& part : one.parts)
        write(part.body, around);
      write(one.body, around);
    }
  }

  void tell_refused(const Directive& said, const Refusal& why) {
    const auto known = _refused.find(said.first_line);
    Message message = known != _refused.end()
                          ? known->second
                          : Message{why.code(),
                                    why.line() == 0 || why.line() == said.first_line
                                        ? why.what()
                                        : fmt::format("{} (line {})", why.what(), why.line()),
                                    why.by_hand(), std::string(rule_of(why.code()).row)};
    if (said.first_line > 0) {
      const std::string indent = indent_of(said.first_line);
      _before[said.first_line] += fmt::format("{}! gangway port: not translated: {} [{}]\n", indent,
                                              message.text, port::name_of(message.code));
      if (!message.by_hand.empty())
        _before[said.first_line] += fmt::format("{}! By hand: {}\n", indent, message.by_hand);
    }
    _result.findings.push_back({said.first_line, said.name, std::move(message), {}, ""});
  }

  void directive(const Statement& one, Around& around) {
    const Directive& said = one.directive;
    try {
      if (_refused.contains(said.first_line))
        refuse(Code::clause, said.first_line, "", ""); // with that reason
      if (around.unit->takes_name())
        refuse(name_is_taken().code, said.first_line, name_is_taken().text,
               name_is_taken().by_hand);
      if (said.first_line == 0)
        refuse(Code::in_another_file, 0, "a directive of an included file",
               "move it into this source");
      if (!is_directive(said.first_line))
        refuse(Code::directive_of_macro, said.first_line, "a directive that a macro makes",
               "write it where the macro is used");
      if (is_compute(said.name))
        compute(one, around);
      else if (said.name == "data")
        data(one, around);
      else if (said.name == "enter data" || said.name == "exit data")
        enter_exit(one, around);
      else if (said.name == "update")
        update(one, around);
      else if (said.name == "wait")
        wait(one, around);
      else if (said.name == "host_data")
        host_data(one, around);
      else if (is_of_routine(said, *around.unit))
        replace(said, indent_of(said.first_line) + "! of the function for kernels\n", around);
      else if (said.name == "init" || said.name == "shutdown")
        begin_or_end(said, around);
      else if (said.name == "set")
        set(said, around);
      else
        refuse(Code::orphan, said.first_line, fmt::format("'{}' here", said.name),
               "module gangway by hand (docs/fortran.md)");
      if (std::none_of(_result.findings.begin(), _result.findings.end(),
                       [&](const Finding& finding) {
                         return finding.line == said.first_line && finding.directive == said.name;
                       }))
        _result.findings.push_back({said.first_line, said.name, {}, {}, ""});
    } catch (const Refusal& refusal) {
      tell_refused(said, refusal);
      if (said.name == "data" || said.name == "host_data")
        write(one.body, around);
    }
    if (is_of_routine(said, *around.unit))
      write(one.body, around);
  }
  /// Returns whether the directive concerns the function of C++ that kernels call.
  static bool is_of_routine(const Directive& said, const Unit& unit) {
    return (said.name == "loop" || said.name == "atomic" || said.name == "cache") &&
           std::any_of(unit.declarative.begin(), unit.declarative.end(),
                       [](const Directive& one) { return one.name == "routine"; });
  }

  std::string unused(const std::string& wanted, const Around& around) const {
    std::string name = wanted;
    while (around.names.contains(name))
      name += "_";
    return name;
  }
  std::string condition(const Directive& said) const {
    const Clause* const clause = clause_named(said, "if");
    if (clause == nullptr)
      return "";
    if (clause->value_texts.size() != 1)
      refuse(Code::clause, said.first_line, fmt::format("the clause '{}'", clause->text),
             "an if around it");
    return clause->value_texts[0];
  }

  /// Refuses lines of a preprocessor in a construct, whose other branch would be lost, and other
  /// statements in its last line.
  void require_own_lines(int first, int last) const {
    for (int number = first; number <= last; ++number) {
      const std::string& one = line(number);
      const std::size_t at = one.find_first_not_of(" \t");
      if (at != std::string::npos && one[at] == '#')
        refuse(Code::not_compiled, number, "a line of the preprocessor in the construct",
               "the construct in each of the branches");
    }
    std::string rest = lower(line(last));
    rest = rest.substr(0, rest.find('!'));
    std::size_t begin = rest.find(';');
    while (begin != std::string::npos) {
      const std::size_t end = rest.find(';', begin + 1);
      std::string part = rest.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
      part.erase(std::remove(part.begin(), part.end(), ' '), part.end());
      if (!part.empty() && part.compare(0, 5, "enddo") != 0)
        refuse(Code::statement, last, "another statement in the construct's last line",
               "a line of its own for it");
      begin = end;
    }
  }

  /// Writes an interface and a call.
  void compute(const Statement& one, Around& around) {
    const Directive& said = one.directive;
    const Surroundings surroundings{_program, *around.unit, around.on_device,
                                    read_after(one, *around.unit), _prefix};
    const Clause* const self = clause_named(said, "self");
    const std::string only_if = condition(said);
    if (self != nullptr && self->value_texts.size() != 1)
      refuse(Code::clause, said.first_line, fmt::format("the clause '{}'", self->text),
             "the loops as they are, for the host");
    if (self != nullptr && !only_if.empty())
      refuse(Code::clause, said.first_line, "the clauses 'if' and 'self' at once", "one of them");
    require_own_lines(said.first_line, one.last_line);
    Kernel kernel = write_kernel(surroundings, one);
    const std::string indent = indent_of(said.first_line);
    const std::string inner = indent + "  ";
    std::string made;
    const std::string call = call_of(kernel, kernel.region.empty() ? indent : inner);
    if (kernel.region.empty()) {
      made = call;
    } else {
      const std::string region = unused(fmt::format("region_line{}", said.first_line), around);
      made = fmt::format("{}block\n{}type(gangway_data) :: {}\n", indent, inner, region);
      for (const RegionClause& clause : kernel.region)
        made += fmt::format("{}call {}%{}({}, \"{}\", GANGWAY_HERE)\n", inner, region, clause.way,
                            clause.object, clause.name);
      made += call;
      made += fmt::format("{}call {}%close(GANGWAY_HERE)\n{}end block\n", inner, region, indent);
    }
    if (!only_if.empty() || self != nullptr) {
      std::string original;
      for (int number = last_line(said.first_line) + 1; number <= one.last_line; ++number)
        original += line(number) + "\n";
      const std::string test =
          self != nullptr ? fmt::format(".not. ({})", self->value_texts[0]) : only_if;
      made =
          fmt::format("{0}if ({1}) then\n{2}{0}else\n{3}{0}end if\n", indent, test, made, original);
    }
    _in_place[said.first_line] = {std::max(one.last_line, last_line(said.first_line)), made};
    around.is_changed = true;
    around.interfaces += interface_of(kernel, indent_of(around.unit->first_line) + "    ");
    for (const DeviceFunction& function : kernel.functions)
      if (_functions.insert(function.name).second)
        _function_texts.push_back(function.cpp);
    _kernels.push_back(kernel.cpp);
    Finding finding{said.first_line, said.name, {}, std::move(kernel.notes), kernel.name};
    if (clause_named(said, "async") != nullptr)
      finding.notes.push_back(say<Code::one_queue>("async"));
    _result.findings.push_back(std::move(finding));
  }
  static std::string call_of(const Kernel& kernel, const std::string& indent) {
    std::vector<std::string> actual;
    for (const Parameter& parameter : kernel.parameters)
      actual.push_back(parameter.actual);
    return fmt::format("{}call {}({})\n", indent, kernel.name, fmt::join(actual, ", "));
  }
  static std::string interface_of(const Kernel& kernel, const std::string& indent) {
    std::vector<std::string> names;
    std::set<std::string> kinds;
    std::string declarations;
    for (const Parameter& parameter : kernel.parameters) {
      names.push_back(parameter.name);
      if (!parameter.kind.empty())
        kinds.insert(parameter.kind);
      declarations += fmt::format("{}  {}\n", indent, parameter.declaration);
    }
    std::string made =
        fmt::format("{}subroutine {}({}) bind(c)\n", indent, kernel.name, fmt::join(names, ", "));
    if (!kinds.empty())
      made += fmt::format("{}  use, intrinsic :: iso_c_binding, only: {}\n", indent,
                          fmt::join(kinds, ", "));
    return made + declarations + indent + "end subroutine\n";
  }

  static void check_clauses(const Directive& said, const std::set<std::string>& known) {
    for (const Clause& clause : said.clauses) {
      if (!known.contains(clause.name))
        refuse(Code::clause, said.first_line, fmt::format("the clause '{}'", clause.text),
               "module gangway by hand (docs/fortran.md)");
      if (clause.has_modifier)
        refuse(Code::modifier, said.first_line, fmt::format("the modifier in '{}'", clause.text),
               "an update before or after the region");
      for (std::size_t n = 0; n < clause.objects.size(); ++n)
        if (clause.objects[n].op == Op::other && clause.objects[n].text != component_of_element)
          refuse(Code::no_plain_array, said.first_line,
                 fmt::format("'{}' in '{}'", clause.written[n], clause.text),
                 "whole arrays, or contiguous sections of them");
    }
  }
  static std::string way_of(const std::string& clause) {
    std::string way = clause;
    for (const std::string_view before : {"present_or_", "p"})
      if (way.starts_with(before) && way != "present")
        way.erase(0, before.size());
    return way;
  }
  std::string name_of(const Clause& clause, std::size_t n) const {
    const int index = clause.objects[n].entity;
    return index >= 0 ? entity(index).name : clause.written[n];
  }

  void data(const Statement& one, Around& around) {
    const Directive& said = one.directive;
    check_clauses(said,
                  {"copy", "pcopy", "present_or_copy", "copyin", "pcopyin", "present_or_copyin",
                   "copyout", "pcopyout", "present_or_copyout", "create", "pcreate",
                   "present_or_create", "present", "if", "async", "wait", "default"});
    const std::string indent = indent_of(said.first_line);
    const std::string inner = indent + "  ";
    const std::string region = unused(fmt::format("region_line{}", said.first_line), around);
    const std::string only_if = condition(said);
    std::string calls;
    const std::set<int> before = around.on_device;
    for (const Clause& clause : said.clauses)
      for (std::size_t n = 0; n < clause.objects.size(); ++n) {
        const int index = clause.objects[n].entity;
        if (index >= 0 && entity(index).rank == 0) {
          if (!only_if.empty())
            refuse(Code::if_on_scalars, said.first_line, "'if' on data that holds scalars",
                   "a region in each branch");
          around.on_device.insert(index);
        }
        calls += fmt::format("{}call {}%{}({}, \"{}\", GANGWAY_HERE)\n",
                             only_if.empty() ? inner : inner + "  ", region, way_of(clause.name),
                             clause.written[n], name_of(clause, n));
      }
    std::string begin = fmt::format("{}block\n{}type(gangway_data) :: {}\n", indent, inner, region);
    if (only_if.empty())
      begin += calls;
    else
      begin += fmt::format("{0}if ({1}) then\n{2}{0}end if\n", inner, only_if, calls);
    _in_place[said.first_line] = {last_line(said.first_line), begin};
    _in_place[one.last_line] = {
        one.last_line,
        fmt::format("{}call {}%close(GANGWAY_HERE)\n{}end block\n", inner, region, indent)};
    around.is_changed = true;
    write(one.body, around);
    around.on_device = before;
  }

  void begin_or_end(const Directive& said, Around& around) {
    check_clauses(said, {"device_num", "device_type", "if"});
    if (clause_named(said, "device_num") != nullptr)
      set(said, around);
    else
      replace(said,
              fmt::format("{}! the program {} Kokkos\n", indent_of(said.first_line),
                          said.name == "init" ? "began" : "ends"),
              around);
  }
  void set(const Directive& said, Around& around) {
    check_clauses(said, {"device_num", "device_type", "if"});
    const Clause* const number = clause_named(said, "device_num");
    const std::string indent = indent_of(said.first_line);
    if (number == nullptr)
      return replace(said, indent + "! Kokkos has the devices that it was built for\n", around);
    if (number->value_texts.size() != 1)
      refuse(Code::clause, said.first_line, fmt::format("the clause '{}'", number->text),
             "gangway_initialize(device=…)");
    replace(said,
            fmt::format("{}if (gangway_device_number() /= {}) error stop 'another device is "
                        "Kokkos''s'\n",
                        indent, number->value_texts[0]),
            around);
  }
  void replace(const Directive& said, const std::string& calls, Around& around) {
    const std::string only_if = condition(said);
    const std::string indent = indent_of(said.first_line);
    _in_place[said.first_line] = {
        last_line(said.first_line),
        only_if.empty() ? calls
                        : fmt::format("{0}if ({1}) then\n{2}{0}end if\n", indent, only_if, calls)};
    around.is_changed = true;
  }

  void enter_exit(const Statement& one, Around& around) {
    const Directive& said = one.directive;
    check_clauses(said,
                  {"copyin", "pcopyin", "present_or_copyin", "create", "pcreate",
                   "present_or_create", "copyout", "delete", "finalize", "if", "async", "wait"});
    const bool is_enter = said.name == "enter data";
    const bool finalizes = clause_named(said, "finalize") != nullptr;
    std::string calls;
    for (const Clause& clause : said.clauses)
      for (std::size_t n = 0; n < clause.objects.size(); ++n)
        calls += fmt::format("{}call gangway_{}_data_{}{}({}, \"{}\", GANGWAY_HERE)\n",
                             indent_of(said.first_line), is_enter ? "enter" : "exit",
                             way_of(clause.name), finalizes ? "_finalize" : "", clause.written[n],
                             name_of(clause, n));
    replace(said, calls, around);
  }

  void update(const Statement& one, Around& around) {
    const Directive& said = one.directive;
    check_clauses(said, {"self", "host", "device", "if", "if_present", "async", "wait"});
    const bool asks = clause_named(said, "if_present") != nullptr;
    std::string calls;
    const std::string indent = indent_of(said.first_line);
    for (const Clause& clause : said.clauses)
      for (std::size_t n = 0; n < clause.objects.size(); ++n) {
        const std::string& object = clause.written[n];
        calls +=
            fmt::format("{}{}call gangway_update_{}({}, \"{}\", GANGWAY_HERE)\n", indent,
                        asks ? fmt::format("if (gangway_is_present({})) ", object) : "",
                        clause.name == "device" ? "device" : "self", object, name_of(clause, n));
      }
    replace(said, calls, around);
  }

  /// In a block of its own the array's name is a pointer to the device's memory.
  void host_data(const Statement& one, Around& around) {
    const Directive& said = one.directive;
    check_clauses(said, {"use_device"});
    const std::string indent = indent_of(said.first_line);
    const std::string inner = indent + "  ";
    std::string places;
    std::string finds;
    std::string pointers;
    std::string targets;
    int count = 0;
    for (const Clause& clause : said.clauses)
      for (std::size_t n = 0; n < clause.objects.size(); ++n) {
        const Expr& object = clause.objects[n];
        const Entity& array = entity(std::max(object.entity, 0));
        const std::string type = array.type.base == Base::real      ? "real"
                                 : array.type.base == Base::integer ? "integer"
                                 : array.type.base == Base::complex ? "complex"
                                                                    : "";
        if (object.op != Op::variable || array.rank == 0 || type.empty() || array.is_component ||
            array.is_assumed_size || array.is_assumed_rank || array.is_polymorphic)
          refuse(Code::use_device, said.first_line,
                 fmt::format("use_device of '{}'", clause.written[n]),
                 "gangway_device_pointer, and c_f_pointer");
        const std::string number = fmt::format("line{}_{}", said.first_line, ++count);
        const std::string place = unused("device_" + number, around);
        const std::string shape = unused("shape_" + number, around);
        const std::string low = unused("lower_" + number, around);
        places += fmt::format("{0}type(c_ptr) :: {1}\n{0}integer(8) :: {2}({4}), {3}({4})\n", inner,
                              place, shape, low, array.rank);
        finds += fmt::format("{0}{1} = gangway_device_pointer({2}, \"{2}\", GANGWAY_HERE)\n"
                             "{0}{3} = shape({2}, 8)\n{0}{4} = lbound({2}, kind=8)\n",
                             inner, place, array.name, shape, low);
        std::string colons = ":";
        std::string bounds = low + "(1):";
        for (int d = 2; d <= array.rank; ++d) {
          colons += ", :";
          bounds += fmt::format(", {}({}):", low, d);
        }
        pointers += fmt::format("{}{}({}), pointer, contiguous :: {}({})\n", inner + "  ", type,
                                array.type.kind, array.name, colons);
        targets += fmt::format("{0}call c_f_pointer({1}, {2}, {3})\n{0}{2}({4}) => {2}\n",
                               inner + "  ", place, array.name, shape, bounds);
      }
    if (count == 0)
      refuse(Code::use_device, said.first_line, "host_data without use_device", "no directive");
    if (has_directives(one.body))
      refuse(Code::inside_host_data, said.first_line, "directives in host_data", "move them out");
    _in_place[said.first_line] = {
        last_line(said.first_line),
        fmt::format("{0}block\n{1}use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr\n{2}{3}"
                    "{1}block\n{4}{5}",
                    indent, inner, places, finds, pointers, targets)};
    _in_place[one.last_line] = {one.last_line,
                                fmt::format("{}end block\n{}end block\n", inner, indent)};
    around.is_changed = true;
  }
  static bool has_directives(const std::vector<Statement>& body) {
    bool found = false;
    walk(body, [&](const Statement& one) { found = found || one.act == Act::directive; });
    return found;
  }

  void wait(const Statement& one, Around& around) {
    const Directive& said = one.directive;
    check_clauses(said, {"queues", "if", "async"});
    std::string calls;
    const std::string indent = indent_of(said.first_line);
    const Clause* const queues = clause_named(said, "queues");
    if (queues == nullptr || queues->value_texts.empty())
      calls = indent + "call gangway_wait()\n";
    else
      for (const std::string& queue : queues->value_texts)
        calls += fmt::format("{}call gangway_wait({})\n", indent, queue);
    replace(said, calls, around);
  }
};

} // namespace

Translated translate(const Program& program, const std::string& source, const FileNames& names,
                     const Begin& begin, const Declared& declared,
                     const std::map<int, Message>& refused) {
  return Host(program, source, names, begin, declared, refused).write();
}

} // namespace gangway::port::fortran::translation
