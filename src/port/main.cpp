// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// gangway-port, which `gangway port` runs: OpenACC in, Kokkos out. Exit status: 0 all was
/// translated, 3 something was assumed, 2 something was refused, or bad usage or input.

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "port/check.hpp"
#include "port/decide.hpp"
#include "port/emit.hpp"
#include "port/format.hpp"
#include "port/inputs.hpp"
#include "port/macros.hpp"
#include "port/parse.hpp"
#include "port/report.hpp"
#include "port/source_text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace gangway;
using namespace gangway::port;
namespace fs = std::filesystem;

constexpr int all_translated = 0;
constexpr int something_assumed = 3;
constexpr int refused_or_bad = 2;

/// Refuses an empty name, for CLI11's check(): a script's unset variable leaves one.
CLI::Validator file_name() {
  return {[](const std::string& name) -> std::string {
            return name.empty() ? "the name is empty; give one, or leave the option out" : "";
          },
          ""};
}

struct Options {
  std::vector<std::string> files;
  std::string commands;
  std::vector<std::string> flags; ///< behind `--`
  std::string output;
  bool check = false;
  bool in_place = false;
  std::string json;  ///< a file, or - for standard output
  std::string html;  ///< likewise
  std::string sarif; ///< likewise
  bool queues = false;
  bool verify = false;
  bool rules = false;
  bool codes = false;
  std::string explain; ///< a code
};

/// Returns the options that name a report, and the report's file.
std::vector<std::pair<std::string_view, std::string>> reports_of(const Options& options) {
  std::vector<std::pair<std::string_view, std::string>> reports;
  for (const auto& [option, place] :
       {std::pair<std::string_view, std::string>{"--json", options.json},
        {"--html", options.html},
        {"--sarif", options.sarif}})
    if (!place.empty())
      reports.emplace_back(option, place);
  return reports;
}
std::string report_by(std::string_view option, const std::vector<Translation>& translations) {
  return option == "--json"   ? json_report(translations)
         : option == "--html" ? html_report(translations)
                              : sarif_report(translations);
}

/// Returns `solver.cpp` for `solver.c`; other names stay.
fs::path name_of_output(fs::path name) {
  if (name.extension() == ".c")
    name.replace_extension(".cpp");
  return name;
}

/// Returns where the translation goes; empty if it is only reported. Errors: UsageError.
fs::path place_of_output(const Input& input, const Options& options) {
  const fs::path& source = input.file;
  if (options.check)
    return {};
  if (options.in_place) {
    if (source.extension() == ".c")
      throw base::UsageError(fmt::format(
          "{}: what comes out is C++, so a C source cannot be replaced in place; give --output DIR",
          source.string()));
    return source;
  }
  fs::path place = fs::path(options.output) / name_of_output(input.name);
  std::error_code error;
  if (fs::exists(place, error))
    throw base::UsageError(fmt::format(
        "{} exists, and is not overwritten; remove it, or give another --output", place.string()));
  return place;
}

/// Makes a remark on a header with directives, which stay.
Translation header_with_directives(const fs::path& header) {
  Translation told;
  told.unit.file = header.string();
  told.plan.remarks.push_back({{0, 0}, say<Code::in_this_header>()});
  return told;
}

/// Returns whether the translation took care of all directives in the header: each is a `routine`.
bool is_dealt_with(const fs::path& header, const std::vector<Translation>& translations) {
  std::set<unsigned> dealt_with;
  std::error_code error;
  for (const Translation& translation : translations)
    for (const auto& [name, line] : translation.plan.header_routines)
      if (fs::equivalent(name, header, error))
        dealt_with.insert(line);
  std::ifstream stream(header);
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number)
    if (is_directive(line) && !dealt_with.contains(number))
      return false;
  return true;
}

/// Adds a remark for each line that is no C++, and refuses the directive that it comes from.
void tell_flaws(const std::vector<Flaw>& flaws, const Unit& unit, Plan& plan) {
  std::set<std::pair<unsigned, std::string>> told;
  const auto is_in = [](const Flaw& flaw, const Directive& directive) {
    return flaw.where.empty() && flaw.at >= directive.pragma.begin &&
           flaw.at < std::max(directive.pragma.end, directive.statement.end) &&
           (directive.is_compute() || directive.statement.begin == directive.statement.end);
  };
  const auto follows = [&](const Flaw& flaw) {
    return flaw.of_libraries ||
           std::any_of(unit.directives.begin(), unit.directives.end(),
                       [&](const Directive& directive) {
                         return is_in(flaw, directive) &&
                                std::any_of(flaws.begin(), flaws.end(), [&](const Flaw& other) {
                                  return other.of_libraries && is_in(other, directive);
                                });
                       });
  };
  for (const Flaw& flaw : flaws) {
    if (follows(flaw))
      continue;
    Place place;
    if (flaw.where.empty()) {
      const auto begin = unit.text.begin();
      const auto at = begin + std::min<std::ptrdiff_t>(flaw.at, std::ssize(unit.text));
      place = {static_cast<unsigned>(std::count(begin, at, '\n')) + 1, 1};
    }
    if (!told.emplace(place.line, flaw.where).second)
      continue; // one leads to the next
    const Message message = flaw.where.empty() ? say<Code::no_cpp>(place.line, flaw.what)
                                               : say<Code::no_cpp_in_header>(flaw.where, flaw.what);
    plan.remarks.push_back({place, message});
    for (std::size_t id = 0; id < unit.directives.size(); ++id)
      if (is_in(flaw, unit.directives[id]))
        plan.verdicts[id].refuse(message);
  }
  if (told.empty())
    return;
  for (Verdict& verdict : plan.verdicts)
    if (verdict.outcome != Outcome::refused) {
      verdict.outcome = Outcome::assumed;
      verdict.said.push_back(say<Code::after_mending>());
    }
}

/// Checks the files of the reports. Errors: UsageError if one cannot be written, or would replace
/// an input or another output.
void require_places_for_reports(const Options& options, const Inputs& inputs,
                                const std::vector<fs::path>& places) {
  const auto reports = reports_of(options);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& [option, report] = reports[i];
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [before, other] = reports[j];
      if (report == "-" && other == "-")
        throw base::UsageError(fmt::format("{} and {} cannot both be on standard output; name a "
                                           "file for one of them",
                                           before, option));
      if (report != "-" && other != "-" && base::is_same_file(other, report))
        throw base::UsageError(
            fmt::format("{} and {} are both {}; name two files", before, option, report));
    }
    if (report == "-")
      continue;
    for (const Input& input : inputs.sources)
      if (base::is_same_file(report, input.file))
        throw base::UsageError(fmt::format("{} is a source, and no place for a report", report));
    for (const fs::path& place : places)
      if (!place.empty() && base::is_same_file(report, place))
        throw base::UsageError(
            fmt::format("{} is where a translation goes, and no place for a report", report));
    base::require_writable(report);
  }
}

/// Remarks that no source has a `main` to begin Kokkos in, once, on the first source that needs it.
void tell_of_missing_main(std::vector<Translation>& translations) {
  const auto changes = [](const Translation& one) { return one.plan.changes; };
  const auto first = std::find_if(translations.begin(), translations.end(), changes);
  if (first != translations.end() &&
      std::none_of(translations.begin(), translations.end(), [](const Translation& one) {
        return std::any_of(one.unit.functions.begin(), one.unit.functions.end(),
                           [](const Function& function) { return function.is_main; });
      }))
    first->plan.remarks.push_back({{0, 0}, say<Code::no_main>()});
}

int port(const Options& options) {
  if (static_cast<int>(options.check) + static_cast<int>(options.in_place) +
          static_cast<int>(!options.output.empty()) !=
      1)
    throw base::UsageError("give one of --check, --output DIR and --in-place: only "
                           "--in-place overwrites a source");
  // Errors that we can foresee are reported before we read or write any source.
  std::vector<fs::path> places;
  std::set<fs::path> taken;
  const Inputs inputs = find_inputs(options.files, options.commands, options.flags, options.output);
  for (const Input& input : inputs.sources) {
    std::error_code error;
    const fs::path place = place_of_output(input, options);
    if (!place.empty() && !taken.insert(fs::weakly_canonical(place, error)).second)
      throw base::UsageError(fmt::format(
          "{}: two of the sources would be written there; translate them into different folders",
          place.string()));
    places.push_back(place);
  }
  require_places_for_reports(options, inputs, places);

  std::vector<Unit> units;
  for (const Input& input : inputs.sources) {
    const std::string file = input.file.string();
    std::optional<Unit> unit = parse(file, input.directory, input.flags);
    if (!unit)
      throw base::UsageError(fmt::format(
          "{}: Clang does not take it, for what it says above; nothing was written. {}", file,
          is_older_c(file, input.directory, input.flags)
              ? fmt::format("It is C of 1989: {} -- -std=gnu89", file)
              : fmt::format("Its flags go after --, as in: {} -- -Iinclude -DNAME", file)));
    units.push_back(std::move(*unit));
  }
  std::vector<Plan> plans = decide(units, options.queues, options.verify);
  std::vector<Translation> translations;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Input& input = inputs.sources[i];
    Unit& unit = units[i];
    Plan& plan = plans[i];
    Edits::Result result = emit(unit, plan);
    for (const std::string& name : keep_from_macros(result, unit))
      plan.remarks.push_back({unit.macros.at(name).place, say<Code::macro_takes_name>(name)});
    if (result.text != unit.text)
      tell_flaws(flaws_of(result, unit, input.directory, input.flags), unit, plan);
    texts.push_back(format(result, unit.file));
    translations.push_back({std::move(unit), std::move(plan), ""});
  }
  if (!options.output.empty())
    for (const fs::path& place : places) {
      std::error_code error;
      fs::create_directories(place.parent_path(), error);
      if (error)
        throw base::UsageError(fmt::format("--output {}: {}", options.output, error.message()));
    }
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!places[i].empty() && (!options.in_place || texts[i] != translations[i].unit.text)) {
      base::write_whole(places[i], texts[i]);
      translations[i].output = places[i].string();
    }

  tell_of_missing_main(translations);
  for (const fs::path& header : inputs.headers)
    if (!is_dealt_with(header, translations))
      translations.push_back(header_with_directives(header));
  Outcome worst = Outcome::translated;
  for (const Translation& translation : translations)
    worst = std::max(worst, translation.plan.outcome());
  bool printed = false;
  for (const auto& [option, place] : reports_of(options))
    if (place == "-") {
      fmt::print("{}", report_by(option, translations));
      printed = true;
    }
  if (!printed) {
    fmt::print("{}", text_report(translations));
    if (inputs.without > 0)
      fmt::print("{} {} without OpenACC\n", inputs.without,
                 inputs.without == 1 ? "source is" : "sources are");
  }
  for (const auto& [option, place] : reports_of(options))
    if (place != "-")
      base::write_whole(place, report_by(option, translations));
  return worst == Outcome::refused   ? refused_or_bad
         : worst == Outcome::assumed ? something_assumed
                                     : all_translated;
}

int dispatch(int argc, char** argv) {
  Options options;
  std::vector<char*> arguments(argv, argv + argc);
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (std::string_view(arguments[i]) == "--") {
      options.flags.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      arguments.resize(i);
    }
  CLI::App app("Translates OpenACC C and C++ into C++ with Kokkos and Gangway, and says of each "
               "directive what became of it.");
  app.name("gangway port");
  app.footer("Flags of the compiler go after --, as in: gangway port solver.cpp --output ported "
             "-- -Iinclude -DNDEBUG\n"
             "A directive that is refused stays, below a remark.\n"
             "Exit status: 0 all was translated, 3 something was assumed, 2 something was refused, "
             "or bad usage or input.");
  app.add_option("file", options.files,
                 "The sources, and folders to be searched for those that ask for OpenACC");
  app.add_option(
         "--commands", options.commands,
         "Take the flags of each source from this compile_commands.json, and without a file "
         "all its sources")
      ->type_name("FILE")
      ->check(file_name());
  app.add_flag("--check", options.check, "Write nothing, only report");
  app.add_option("--output", options.output, "Write the translations into this folder")
      ->type_name("DIR")
      ->check(file_name());
  app.add_flag("--in-place", options.in_place, "Write the translations over the sources");
  app.add_option("--json", options.json,
                 "Write the report as JSON; - for standard output instead of the text")
      ->type_name("FILE")
      ->check(file_name());
  app.add_option("--html", options.html,
                 "Write the report as a page; - for standard output instead of the text")
      ->type_name("FILE")
      ->check(file_name());
  app.add_option("--sarif", options.sarif,
                 "Write the report as SARIF 2.1.0, for editors and forges; - for standard output "
                 "instead of the text")
      ->type_name("FILE")
      ->check(file_name());
  app.add_flag(
      "--queues", options.queues,
      "Make an instance of each queue of `async`, in place of one for all; for all sources of "
      "a program, or none");
  app.add_flag("--verify", options.verify,
               "Write the original of each construct beside its kernels, so that GANGWAY_VERIFY=1 "
               "compares both when the program runs");
  app.add_flag("--rules", options.rules,
               "Print what becomes of each construct and clause, as Markdown");
  app.add_option("--explain", options.explain,
                 "Print what a code of the report means, why, and what to do")
      ->type_name("CODE");
  app.add_flag("--codes", options.codes, "Print the pages of all codes, as Markdown");
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? all_translated : refused_or_bad;
  }
  if (options.rules) {
    fmt::print("{}", rules_table());
    return all_translated;
  }
  if (options.codes) {
    fmt::print("{}", explanations());
    return all_translated;
  }
  if (!options.explain.empty()) {
    const std::string page = explanation(options.explain);
    if (page.empty())
      throw base::UsageError(
          fmt::format("--explain {}: there is no such code; they are those of a report, as GW2006",
                      options.explain));
    fmt::print("{}", page);
    return all_translated;
  }
  if (options.files.empty() && options.commands.empty())
    throw base::UsageError("a source is needed: gangway port FILE… (--check | --output DIR | "
                           "--in-place) [-- compiler flags]");
  return port(options);
}

} // namespace

int main(int argc, char** argv) {
  try {
    const int status = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // a full disk, or it was closed
      throw base::UsageError("cannot write to the standard output");
    return status;
  } catch (const std::exception& error) {
    static_cast<void>(std::fputs(fmt::format("gangway port: {}\n", error.what()).c_str(), stderr));
  }
  return refused_or_bad;
}
