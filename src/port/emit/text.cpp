// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit/text.hpp"

#include "port/device_functions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace gangway::port {
namespace {

/// Returns the index of the iteration that `number` counts from 0.
std::string index_of(const Loop& loop, const std::string& number) {
  const std::string stepped =
      loop.step == "1" ? number
                       : fmt::format("{} * {}", in_parentheses(number), in_parentheses(loop.step));
  return loop.low == "0" ? stepped
                         : fmt::format("{} + {}", in_parentheses(loop.low),
                                       loop.step == "1" ? in_parentheses(stepped) : stepped);
}
std::string cast(const std::string& type, const std::string& text) {
  return type == "long" ? text : fmt::format("static_cast<{}>({})", type, text);
}

/// Returns a name of ours, as in the guide; `other` if the source has that name.
std::string own_name(const Unit& unit, const char* name, const char* other) {
  return std::find(unit.names.begin(), unit.names.end(), name) == unit.names.end()
             ? name
             : unit.fresh(other);
}

} // namespace

std::string operand_of(const Loop& loop, const std::string& text) {
  return loop.wide && !is_number(text) ? fmt::format("static_cast<long>({})", text)
                                       : in_parentheses(text);
}
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
std::vector<std::string> counts_of(const std::vector<Loop>& loops) {
  std::vector<std::string> counts;
  for (const Loop& loop : loops)
    counts.push_back(count_of(loop));
  return counts;
}

bool counts_itself(const Loop& loop) {
  return loop.low == "0" && loop.step == "1";
}

std::string index_line(const Loop& loop, const std::string& number) {
  return fmt::format("const {} {} = {};", loop.type, loop.index,
                     cast(loop.type, counts_itself(loop) ? number : index_of(loop, number)));
}
std::vector<std::string> index_lines(const std::vector<Loop>& loops, const std::string& number) {
  const std::vector<std::string> counts = counts_of(loops);
  std::vector<std::string> lines;
  for (std::size_t d = 0; d < loops.size(); ++d) {
    std::string own = number;
    for (std::size_t inner = loops.size(); inner-- > d + 1;)
      own = fmt::format("{} / {}", own, in_parentheses(counts[inner]));
    if (d > 0)
      own = fmt::format("{} % {}", own, in_parentheses(counts[d]));
    lines.push_back(
        index_line(loops[d], loops.size() == 1 || counts_itself(loops[d]) ? own : "(" + own + ")"));
  }
  return lines;
}

std::string team_of(const Unit& unit) {
  return own_name(unit, "gang", "team");
}
std::string worker_of(const Unit& unit) {
  return own_name(unit, "worker", "thread");
}
std::string gangs_of(const Unit& unit) {
  return own_name(unit, "gangs", "teams");
}

std::string plain_address(const std::string& address, const Variable& named) {
  return named.element_volatile
             ? fmt::format("const_cast<{}{}*>({})", named.element_const ? "const " : "",
                           named.element, address)
             : address;
}

std::string host_address(const Section& section, const Variable& named) {
  if (named.shape == Shape::scalar || named.shape == Shape::other)
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

std::string declaration(const Variable& named) {
  std::string type = named.type;
  if (const auto at = type.find('$'); at != std::string::npos)
    type.replace(at, 1, named.name);
  return type + ";";
}

std::string on_queue(const Queue& queue) {
  return queue ? fmt::format("gangway::queue({}), ", *queue) : "";
}

std::string reduction_of(const Reducer& reducer, const std::string& into) {
  return reducer.operation == "+" // of a plain variable
             ? into
             : fmt::format("gangway::reduction::{}({})", operator_of(reducer.operation)->gangway,
                           into);
}

std::string kokkos_name(const Call& call) {
  const std::string name = device_function(call);
  return name.empty() ? "" : "Kokkos::" + name;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

std::string comments_in(const Unit& unit, Span span) {
  std::string found;
  for (unsigned at = span.begin; at + 1 < span.end; ++at) {
    const std::string_view rest = std::string_view(unit.text).substr(at, span.end - at);
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

std::string line_break(const Unit& unit, unsigned at) {
  return unit.text[at] == '\n' || unit.text[at] == '\r' ? "" : "\n";
}

} // namespace gangway::port
