// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/options.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "port/codes.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>

namespace gangway::port {
namespace {

namespace fs = std::filesystem;

/// Refuses an empty name, for CLI11's check(): a script's unset variable leaves one.
CLI::Validator file_name() {
  return {[](const std::string& name) -> std::string {
            return name.empty() ? "the name is empty; give one, or leave the option out" : "";
          },
          ""};
}

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

} // namespace

std::optional<int> read_options(Options& options, int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (std::string_view(arguments[i]) == "--") {
      options.flags.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      arguments.resize(i);
    }
  CLI::App app(
      "Translates OpenACC C and C++ into C++ with Kokkos and Gangway, and OpenACC Fortran into "
      "Fortran with kernels in C++. Says of each directive what became of it.");
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
  app.add_flag("--fortran", options.fortran,
               "Read the Fortran sources only, of folders and lists that have others, too");
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
  return std::nullopt;
}

bool answer(const Options& options, const std::string& rules) {
  if (options.rules) {
    fmt::print("{}", rules);
    return true;
  }
  if (options.codes) {
    fmt::print("{}", explanations());
    return true;
  }
  if (!options.explain.empty()) {
    const std::string page = explanation(options.explain);
    if (page.empty())
      throw base::UsageError(
          fmt::format("--explain {}: there is no such code; they are those of a report, as GW2006",
                      options.explain));
    fmt::print("{}", page);
    return true;
  }
  if (options.files.empty() && options.commands.empty())
    throw base::UsageError("a source is needed: gangway port FILE… (--check | --output DIR | "
                           "--in-place) [-- compiler flags]");
  return false;
}

void require_one_way(const Options& options) {
  if (static_cast<int>(options.check) + static_cast<int>(options.in_place) +
          static_cast<int>(!options.output.empty()) !=
      1)
    throw base::UsageError("give one of --check, --output DIR and --in-place: only "
                           "--in-place overwrites a source");
}

void require_places_for_reports(const Options& options, const std::vector<fs::path>& sources,
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
    for (const fs::path& source : sources)
      if (base::is_same_file(report, source))
        throw base::UsageError(fmt::format("{} is a source, and no place for a report", report));
    for (const fs::path& place : places)
      if (!place.empty() && base::is_same_file(report, place))
        throw base::UsageError(
            fmt::format("{} is where a translation goes, and no place for a report", report));
    base::require_writable(report);
  }
}

void tell_of_missing_main(std::vector<Translation>& translations) {
  const auto changes = [](const Translation& one) { return one.plan.changes; };
  const auto first = std::find_if(translations.begin(), translations.end(), changes);
  if (first == translations.end() ||
      std::any_of(translations.begin(), translations.end(), [](const Translation& one) {
        return std::any_of(one.unit.functions.begin(), one.unit.functions.end(),
                           [](const Function& function) { return function.is_main; });
      }))
    return;
  Message message = say<Code::no_main>();
  if (first->unit.is_fortran)
    message =
        std::move(message).by("`call gangway_initialize(GANGWAY_HERE)` as its first statement");
  first->plan.remarks.insert(first->unit.is_fortran ? first->plan.remarks.begin()
                                                    : first->plan.remarks.end(),
                             {{0, 0}, std::move(message)});
}

int write_reports(const Options& options, const std::vector<Translation>& translations,
                  const std::string& left_out) {
  Outcome worst = Outcome::translated;
  for (const Translation& translation : translations)
    worst = std::max(worst, translation.plan.outcome());
  bool printed = false;
  for (const auto& [option, place] : reports_of(options))
    if (place == "-") {
      fmt::print("{}", report_by(option, translations));
      printed = true;
    }
  if (!printed)
    fmt::print("{}{}", text_report(translations), left_out);
  for (const auto& [option, place] : reports_of(options))
    if (place != "-")
      base::write_whole(place, report_by(option, translations));
  return worst == Outcome::refused   ? refused_or_bad
         : worst == Outcome::assumed ? something_assumed
                                     : all_translated;
}

int run(int (*dispatch)(int, char**), int argc, char** argv) {
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

} // namespace gangway::port
