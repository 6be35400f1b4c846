// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Directives for the translator: each line of the input is one, in the place of its number in a
// program that has one of every kind. What Clang takes is translated, or refused in words.
#include "fuzz.hpp"

#include "port/decide.hpp"
#include "port/emit.hpp"
#include "port/format.hpp"
#include "port/parse.hpp"
#include "port/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace gangway;
using fuzz::require;

/// What stands before each directive (of a function, a region, a loop, a loop in it, a statement, a
/// loop, and two that stand alone), and behind the last.
constexpr std::array<std::string_view, 9> program{
    "struct Grid { int n; double* u; };\n",
    "static double twice(double v) { return 2 * v; }\n"
    "double solve(int n, int m, double* a, const double* b, int* c, double (*d)[8], Grid* grid) {\n"
    "  double s = 0, t = 1, work[16];\n",
    "  {\n",
    "    for (int i = 0; i < n; ++i) {\n",
    "      for (int j = 0; j < m; ++j) {\n"
    "        work[j % 16] = b[i] * d[i][j % 8] + twice(grid->u[j]);\n",
    "        c[j] += 1;\n"
    "        a[i] += work[j % 16];\n      }\n    }\n",
    "    for (int i = 0; i < n; ++i) s += a[i] * t;\n",
    "  }\n",
    "  return s;\n}\n"};

/// The program with the input's lines for directives; no line, no directive.
std::string source_of(std::string_view lines) {
  std::string source;
  for (std::size_t place = 0; place < program.size(); ++place) {
    source += program[place];
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    if (!line.empty() && place + 1 < program.size())
      source.append("#pragma acc ").append(line).append("\n");
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return source;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  static const fuzz::MemoryFile errors;
  file.assign(source_of({reinterpret_cast<const char*>(data), size}));
  const fuzz::ErrorsTo there(errors.descriptor());
  const std::string name = file.path().string();
  std::vector<port::Unit> units;
  if (std::optional<port::Unit> parsed = port::parse(name, "/", {"-xc++"}))
    units.push_back(std::move(*parsed));
  else
    return 0; // Clang does not take it, and said so
  port::Plan plan = std::move(port::decide(units).front());
  port::Unit* const unit = &units.front();
  require(plan.verdicts.size() == unit->directives.size(), "a verdict for each directive");
  for (const port::Verdict& verdict : plan.verdicts)
    if (verdict.outcome == port::Outcome::refused)
      require(!verdict.said.empty(), "a refusal says why");
  const std::string text = port::format(port::emit(*unit, plan), name);
  require(text == port::format(port::emit(*unit, plan), name), "the same again", text);
  if (!plan.changes && plan.outcome() == port::Outcome::translated)
    require(unit->directives.empty() || text != unit->text, "a translation is another text", text);
  std::vector<port::Translation> translations;
  translations.push_back({std::move(*unit), std::move(plan)});
  const std::string told = port::text_report(translations);
  for (std::size_t begin = 0; begin < told.size();) {
    const std::size_t end = std::min(told.find('\n', begin), told.size());
    const std::string line = told.substr(begin, end - begin);
    require(std::none_of(line.begin(), line.end(),
                         [](unsigned char c) { return c < ' ' || c == 0x7f; }) &&
                line.find("\xc2\x9b") == line.npos,
            "what is told can be shown", line);
    begin = end + 1;
  }
  require(nlohmann::json::accept(port::json_report(translations)), "JSON");
  const std::string page = port::html_report(translations);
  require(page.ends_with("</html>\n") && page.find("<script") == page.npos &&
              std::none_of(
                  page.begin(), page.end(),
                  [](unsigned char c) { return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f; }),
          "a page without markup of the source's", page);
  return 0;
}
