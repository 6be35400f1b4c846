// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/page_style.hpp"
#include "port/report_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace gangway::port {
namespace {

/// Styles that the referee's pages do not need: lines of code in a table, and the three outcomes.
constexpr std::string_view own_style = R"(h2, li, p { overflow-wrap: anywhere; }
nav li { min-width: 0; }
td.source { min-width: 22rem; }
.source pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8125rem; tab-size: 4; }
td.told { min-width: 18rem; }
td p { margin: 0 0 .3rem; }
.outcome { font-weight: 600; white-space: nowrap; }
.outcome.translated { color: var(--good); }
.outcome.assumed { color: var(--openacc); }
.outcome.refused { color: var(--bad); }
@media print { td.source, td.told { min-width: 0; } }
)";

/// Number of directives left to do that the page's head lists at most; the tables have the rest.
constexpr std::size_t most_listed = 50;

/// Escapes text from a file or about it, so that the page has no markup from it.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : shown(text))
    switch (letter) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    case '\'':
      safe += "&#39;";
      break;
    default:
      safe += letter;
    }
  return safe;
}

/// Escapes text, and marks what is between two backticks as code.
std::string with_code(std::string_view text) {
  std::string made;
  bool code = false;
  for (const char letter : escaped(text))
    if (letter == '`') {
      made += code ? "</code>" : "<code>";
      code = !code;
    } else {
      made += letter;
    }
  if (code)
    made += "</code>";
  return made;
}

/// Returns the text with the macros that the reader wrote out.
std::string source_of(const Unit& unit) {
  std::string text;
  unsigned from = 0;
  for (const WrittenOut& macro : unit.written_out) {
    text.append(unit.text, from, macro.lines.begin - from).append(macro.source);
    from = macro.lines.end;
  }
  return text.append(unit.text, from);
}

/// Lines of a source, with their tabs and without their ends.
class Lines {
public:
  explicit Lines(std::string_view text) : _text(text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (at == 0 || text[at - 1] == '\n')
        _begins.push_back(at);
    }
  }

  /// Returns line `number`, counted from 1, and those that backslashes continue it in. The text is
  /// escaped; empty if there is no such line.
  [[nodiscard]] std::string from(unsigned number) const {
    std::string code;
    for (std::size_t line = number; line >= 1 && line <= _begins.size(); ++line) {
      const std::string_view text = one(line);
      for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
        end = text.find('\t', begin);
        code += escaped(text.substr(begin, end == std::string_view::npos ? end : end - begin));
        if (end != std::string_view::npos)
          code += '\t';
      }
      if (!text.ends_with('\\'))
        break;
      code += '\n';
    }
    return code;
  }

private:
  std::string_view _text;
  std::vector<std::size_t> _begins;

  [[nodiscard]] std::string_view one(std::size_t number) const {
    const std::size_t begin = _begins[number - 1];
    const std::size_t end = number < _begins.size() ? _begins[number] : _text.size();
    std::string_view text = _text.substr(begin, end - begin);
    while (text.ends_with('\n') || text.ends_with('\r'))
      text.remove_suffix(1);
    return text;
  }
};

/// Returns the anchor of a directive in the page, made of its file, line, column and number. The
/// number is needed because a macro may bring several directives from one place.
std::string anchor(std::size_t file, const Place& place, std::size_t id) {
  return fmt::format("f{}-{}-{}-{}", file + 1, place.line, place.column, id);
}

std::string outcome_cell(Outcome outcome) {
  return fmt::format("<td class=\"outcome {0}\">{0}</td>", name_of(outcome));
}

std::string paragraph(std::string_view what, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p><strong>{}:</strong> {}</p>", what, with_code(text));
}
std::string paragraph(std::string_view what, std::string_view text, Code code) {
  return fmt::format("<p><strong>{}:</strong> {} <small>{}</small></p>", what, with_code(text),
                     name_of(code));
}

/// Returns the cell about a directive: what it becomes, why, and what to do by hand.
std::string told(const Verdict& verdict) {
  std::string cell;
  if (verdict.outcome != Outcome::refused)
    cell = paragraph("Becomes", verdict.becomes);
  for (const ClauseTold& clause : verdict.clauses)
    cell +=
        paragraph(fmt::format("{}:{} {}", clause.place.line, clause.place.column, clause.clause),
                  clause.becomes);
  for (const Message* message : in_order(verdict)) {
    const Outcome outcome = message->outcome();
    cell += paragraph(outcome == Outcome::refused   ? "Why"
                      : outcome == Outcome::assumed ? "Assumed"
                                                    : "Note",
                      message->text, message->code);
    cell += paragraph("By hand", message->by_hand);
  }
  if (!verdict.row.empty())
    cell += fmt::format("<p><strong>Guide:</strong> <code>{}</code></p>",
                        escaped(place_in_guide(verdict.row)));
  return cell;
}

std::string row(const std::string& id, const Place& place, const std::string& source,
                Outcome outcome, const std::string& cell) {
  return fmt::format("<tr{}><th scope=\"row\">{}</th><td class=\"source\"><pre>{}</pre></td>{}"
                     "<td class=\"told\">{}</td></tr>\n",
                     id.empty() ? "" : fmt::format(" id=\"{}\"", id),
                     place.line == 0 ? "" : fmt::format("{}:{}", place.line, place.column), source,
                     outcome_cell(outcome), cell);
}

std::string table(const std::string& name, std::string_view caption, std::string_view head,
                  const std::string& rows) {
  return fmt::format("<p class=\"caption\" id=\"{0}\">{1}</p>\n"
                     "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{0}\">"
                     "\n<table>\n<thead><tr>{2}</tr></thead>\n<tbody>\n{3}</tbody>\n</table>\n"
                     "</div>\n",
                     name, caption, head, rows);
}

constexpr std::string_view head_of_directives =
    "<th scope=\"col\">line</th><th scope=\"col\">source</th><th scope=\"col\">outcome</th>"
    "<th scope=\"col\">what to know</th>";

std::string section_of(const Translation& translation, std::size_t file) {
  const auto& [unit, plan, output, kernels] = translation;
  std::string text = fmt::format("<section aria-labelledby=\"f{0}\">\n<h2 id=\"f{0}\">{1}</h2>\n",
                                 file + 1, escaped(unit.file));
  if (!output.empty())
    text +=
        fmt::format("<p>Written to <code>{}</code>{}.</p>\n", escaped(output),
                    kernels.empty() ? "" : fmt::format(" and <code>{}</code>", escaped(kernels)));
  const std::string source = source_of(unit);
  const Lines lines(source);
  std::string rows;
  for (std::size_t id = 0; id < unit.directives.size(); ++id) {
    const Directive& directive = unit.directives[id];
    const Verdict& verdict = plan.verdicts[id];
    rows += row(anchor(file, directive.place, id), directive.place,
                lines.from(directive.place.line), verdict.outcome, told(verdict));
  }
  if (!rows.empty())
    text += table(fmt::format("f{}-directives", file + 1), "Its directives, in their order.",
                  head_of_directives, rows);
  rows.clear();
  for (const auto& [place, message] : plan.remarks)
    rows += row(
        "", place, lines.from(place.line), message.outcome(),
        fmt::format("<p>{} <small>{}</small></p>", with_code(message.text), name_of(message.code)) +
            paragraph(message.outcome() == Outcome::refused ? "By hand" : "Check or change",
                      message.by_hand));
  if (!rows.empty())
    text += table(fmt::format("f{}-remarks", file + 1),
                  "What is no directive of this file, and somebody has to look at.",
                  head_of_directives, rows);
  if (unit.directives.empty() && plan.remarks.empty())
    text += "<p>It has no directives.</p>\n";
  return text + "</section>\n";
}

/// Returns links to the directives of one outcome.
std::string list_of(const std::vector<Translation>& translations, Outcome outcome) {
  std::string items;
  std::size_t count = 0;
  for (std::size_t file = 0; file < translations.size(); ++file) {
    const auto& [unit, plan, output, kernels] = translations[file];
    for (std::size_t id = 0; id < unit.directives.size(); ++id) {
      if (plan.verdicts[id].outcome != outcome || ++count > most_listed)
        continue;
      const Directive& directive = unit.directives[id];
      items += fmt::format(
          "<li><a href=\"#{}\">{}:{}</a>: {}{}</li>\n", anchor(file, directive.place, id),
          escaped(unit.file), directive.place.line, escaped(name_of(directive.construct)),
          outcome == Outcome::refused ? ", " + with_code(plan.verdicts[id].said.front().text) : "");
    }
  }
  if (count > most_listed)
    items += fmt::format("<li>and {} more, in the tables below</li>\n", count - most_listed);
  return items;
}

std::string what_is_left(const std::vector<Translation>& translations, const Counts& counts) {
  const auto [translated, assumed, refused] = counts;
  const auto directives = [](std::size_t count) {
    return fmt::format("{} {}", count, count == 1 ? "directive is" : "directives are");
  };
  std::string text;
  if (refused > 0)
    text += fmt::format("<div class=\"alarm\">\n<p class=\"failed\">{} refused, and left to "
                        "be done by hand:</p>\n<ul>\n{}</ul>\n</div>\n",
                        directives(refused), list_of(translations, Outcome::refused));
  if (assumed > 0)
    text += fmt::format("<div class=\"notice\">\n<p>{} assumed to be right, if what is said there "
                        "holds:</p>\n<ul>\n{}</ul>\n</div>\n",
                        directives(assumed), list_of(translations, Outcome::assumed));
  if (refused + assumed == 0)
    text += translated == 0 ? "<p>There are no directives.</p>\n"
                            : "<p>All directives are translated.</p>\n";
  return text;
}

std::string table_of_files(const std::vector<Translation>& translations, const Counts& sum) {
  const auto cells = [](const Counts& counts, std::size_t remarks) {
    return fmt::format("<td class=\"number\">{}</td><td class=\"number\">{}</td>"
                       "<td class=\"number\">{}</td><td class=\"number\">{}</td>",
                       counts[0], counts[1], counts[2], remarks);
  };
  std::string rows;
  std::size_t remarks = 0;
  for (std::size_t file = 0; file < translations.size(); ++file) {
    const auto& [unit, plan, output, kernels] = translations[file];
    remarks += plan.remarks.size();
    rows += fmt::format("<tr><th scope=\"row\"><a href=\"#f{}\">{}</a></th>{}</tr>\n", file + 1,
                        escaped(unit.file), cells(counts_of(plan), plan.remarks.size()));
  }
  if (translations.size() > 1)
    rows += fmt::format("<tr><th scope=\"row\">all</th>{}</tr>\n", cells(sum, remarks));
  return table("counts", "Directives by what became of them, and remarks about other lines.",
               "<th scope=\"col\">file</th><th scope=\"col\" class=\"number\">translated</th>"
               "<th scope=\"col\" class=\"number\">assumed</th>"
               "<th scope=\"col\" class=\"number\">refused</th>"
               "<th scope=\"col\" class=\"number\">remarks</th>",
               rows);
}

} // namespace

std::string html_report(const std::vector<Translation>& translations) {
  const Counts counts = counts_of(translations);
  std::string page = fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="Gangway">
<title>Gangway: what became of the OpenACC</title>
<link rel="icon" href="data:,">
<style>
{}{}</style>
</head>
<body>
<header>
<h1>What became of the OpenACC</h1>
<p class="lead">{} {} by <code>gangway port</code>: {} translated, {} assumed, {} refused.</p>
<nav aria-label="Contents">
<ul>
<li><a href="#glance">At a glance</a></li>
)",
      page_style, own_style, counts[0] + counts[1] + counts[2],
      counts[0] + counts[1] + counts[2] == 1 ? "directive" : "directives", counts[0], counts[1],
      counts[2]);
  for (std::size_t file = 0; file < translations.size(); ++file)
    page += fmt::format("<li><a href=\"#f{}\">{}</a></li>\n", file + 1,
                        escaped(translations[file].unit.file));
  page += "<li><a href=\"#reading\">How to read this</a></li>\n</ul>\n</nav>\n</header>\n<main>\n"
          "<section aria-labelledby=\"glance\">\n<h2 id=\"glance\">At a glance</h2>\n";
  page += table_of_files(translations, counts);
  page += what_is_left(translations, counts);
  page += "</section>\n";
  for (std::size_t file = 0; file < translations.size(); ++file)
    page += section_of(translations[file], file);
  page += R"(<section aria-labelledby="reading">
<h2 id="reading">How to read this</h2>
<dl>
<dt class="outcome translated">translated</dt><dd>It means the same.</dd>
<dt class="outcome assumed">assumed</dt><dd>It means the same if something holds that the source does not say; what, and how to check it, stands beside it.</dd>
<dt class="outcome refused">refused</dt><dd>It stays as it was, below a remark. Why, and what to do by hand, stands beside it.</dd>
</dl>
<p>Rows of the guide are headings of the pages in Gangway's <code>docs/guide</code>.</p>
</section>
</main>
</body>
</html>
)";
  return page;
}

} // namespace gangway::port
