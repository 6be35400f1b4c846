// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// gangway-port, which `gangway port` runs: OpenACC in, Kokkos out. Exit status: 0 all was
/// translated, 3 something was assumed, 2 something was refused, or bad usage or input.

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/places.hpp"
#include "port/check.hpp"
#include "port/decide.hpp"
#include "port/emit.hpp"
#include "port/format.hpp"
#include "port/inputs.hpp"
#include "port/macros.hpp"
#include "port/options.hpp"
#include "port/parse.hpp"
#include "port/report.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

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

/// Becomes the program beside this one that reads Fortran: it needs Flang's libraries. Returns only
/// by UsageError, where there is none.
[[noreturn]] void become_fortran(char** arguments) {
  const std::string reader = (base::program_file().parent_path() / "gangway-port-fortran").string();
  execv(reader.c_str(), arguments);
  throw base::UsageError(fmt::format(
      "there is no {}, which reads Fortran. It is built where the libraries and headers "
      "of Flang 22 are (libflang-22-dev in Debian); docs/port/fortran.md says more",
      reader));
}

int port(const Options& options, char** arguments) {
  require_one_way(options);
  // Errors that we can foresee are reported before we read or write any source.
  std::vector<fs::path> places;
  std::set<fs::path> taken;
  const Inputs inputs = find_inputs(options.files, options.commands, options.flags, options.output);
  if (inputs.sources.empty() && inputs.headers.empty() && !inputs.fortran.empty())
    become_fortran(arguments);
  for (const Input& input : inputs.sources) {
    std::error_code error;
    const fs::path place = place_of_output(input, options);
    if (!place.empty() && !taken.insert(fs::weakly_canonical(place, error)).second)
      throw base::UsageError(fmt::format(
          "{}: two of the sources would be written there; translate them into different folders",
          place.string()));
    places.push_back(place);
  }
  std::vector<fs::path> sources;
  for (const Input& input : inputs.sources)
    sources.push_back(input.file);
  require_places_for_reports(options, sources, places);

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
    translations.push_back({std::move(unit), std::move(plan)});
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
  std::string left_out;
  if (inputs.without > 0)
    left_out = fmt::format("{} {} without OpenACC\n", inputs.without,
                           inputs.without == 1 ? "source is" : "sources are");
  if (!inputs.fortran.empty())
    left_out += fmt::format("{} Fortran {} left out: --fortran reads them\n", inputs.fortran.size(),
                            inputs.fortran.size() == 1 ? "source is" : "sources are");
  return write_reports(options, translations, left_out);
}

int dispatch(int argc, char** argv) {
  Options options;
  if (const auto status = read_options(options, argc, argv))
    return *status;
  if (options.fortran)
    become_fortran(argv);
  if (answer(options, rules_table()))
    return all_translated;
  return port(options, argv);
}

} // namespace

int main(int argc, char** argv) {
  return run(dispatch, argc, argv);
}
