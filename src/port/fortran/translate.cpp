// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translate.hpp"

#include "port/fortran/decide.hpp"
#include "port/fortran/translation/arrays.hpp"
#include "port/fortran/translation/concurrent.hpp"
#include "port/fortran/translation/declared.hpp"
#include "port/fortran/translation/expressions.hpp"
#include "port/fortran/translation/host.hpp"
#include "port/fortran/translation/procedures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace gangway::port::fortran {
namespace {

/// Returns the refusals of the plan, by line, of directives that are in no compute construct.
std::map<int, Message> refusals_of(const Unit& unit, const Plan& plan) {
  std::map<int, Message> refusals;
  for (std::size_t id = 0; id < plan.verdicts.size(); ++id)
    if (plan.verdicts[id].outcome == Outcome::refused && unit.compute_around(id) == none)
      refusals.emplace(unit.directives[id].place.line, plan.verdicts[id].said.front());
  return refusals;
}

/// Returns whether a line in a branch may be lost: it is empty, a comment that is no directive, or
/// brings OpenACC's names.
bool may_go(std::string line) {
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  line.erase(0, line.find_first_not_of(" \t\r"));
  return line.empty() || (line[0] == '!' && !line.starts_with("!$")) ||
         line.starts_with("use openacc") ||
         (line.find("include") < 2 && line.find("openacc_lib.h") != std::string::npos);
}

/// Remarks on branches that ask for `_OPENACC` and have more in them than what brings its names.
void tell_branches(const std::string& text, Plan& plan) {
  struct Branch {
    unsigned line = 0;
    bool asks = false;
  };
  std::vector<Branch> open;
  std::set<unsigned> told;
  std::istringstream stream(text);
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') {
      for (const Branch& branch : open)
        if (branch.asks && !may_go(line) && told.insert(branch.line).second)
          plan.remarks.push_back({{branch.line, 1}, say<Code::branch>()});
      continue;
    }
    const std::size_t begin = line.find_first_not_of(" \t", at + 1);
    const std::string word = begin == std::string::npos ? "" : line.substr(begin);
    const bool asks = line.find("_OPENACC") != std::string::npos;
    if (word.starts_with("if"))
      open.push_back({number, asks});
    else if (word.starts_with("elif") && !open.empty())
      open.back().asks = open.back().asks || asks;
    else if (word.starts_with("endif") && !open.empty())
      open.pop_back();
  }
}

/// Names the function in what a compute construct becomes, and its file.
void name_kernel(Verdict& verdict, const std::string& kernel, const std::string& file) {
  for (const auto& [general, name] :
       {std::pair<std::string_view, std::string_view>{"NAME", kernel}, {"FILE_kernels.cpp", file}})
    if (const std::size_t at = verdict.becomes.find(general); at != std::string::npos)
      verdict.becomes.replace(at, general.size(), name);
}

/// Makes the plan say what the translation did.
void settle(const Unit& unit, Plan& plan, const translation::Translated& made) {
  for (const translation::Finding& finding : made.findings) {
    const auto line = static_cast<unsigned>(finding.line);
    const auto directive =
        std::find_if(unit.directives.begin(), unit.directives.end(),
                     [&](const Directive& one) { return one.place.line == line; });
    if (directive != unit.directives.end()) {
      Verdict& verdict =
          plan.verdicts[static_cast<std::size_t>(directive - unit.directives.begin())];
      if (finding.refusal)
        verdict.refuse(*finding.refusal);
      if (!finding.kernel.empty())
        name_kernel(verdict, finding.kernel, name_of_kernels(unit.file));
      for (const Message& note : finding.notes)
        tell(verdict, note);
    } else if (finding.refusal && line > 0) // of an included file `decide` has told
      plan.remarks.push_back({{line, 1}, *finding.refusal});
  }
  follow(unit, plan);
  for (const translation::Place& place : made.gone)
    std::erase_if(plan.remarks, [&](const Remark& remark) {
      return remark.place.line == static_cast<unsigned>(place.line) &&
             remark.place.column == static_cast<unsigned>(place.column);
    });
  for (const translation::Place& place : made.stays) {
    const Place where{static_cast<unsigned>(place.line), static_cast<unsigned>(place.column)};
    const auto is_there = [&](const Remark& remark) {
      return remark.place.line == where.line && remark.place.column == where.column;
    };
    const auto call = std::find_if(plan.remarks.begin(), plan.remarks.end(), is_there);
    if (call == plan.remarks.end())
      plan.remarks.push_back({where, say<Code::stays>(place.name)});
    else if (call->message.outcome() != Outcome::refused)
      call->message = say<Code::stays>(place.name).by("module gangway by hand (docs/fortran.md)");
  }
  std::stable_sort(plan.remarks.begin(), plan.remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.place.line < b.place.line; });
}

bool calls_mpi_init(const translation::Statement& one) {
  return one.act == translation::Act::call &&
         (one.name == "mpi_init" || one.name == "mpi_init_thread");
}

/// Place of the program's call of MPI_Init.
struct MpiInit {
  std::size_t source = none;
  int first_line = 0;
  int last_line = 0;
  bool is_fit = true; ///< Kokkos can begin after it: it is the only one, and no branch has it
};

/// Returns the call, if the main program is one of the sources, too.
std::optional<MpiInit> mpi_init_of(const std::vector<Source>& sources) {
  std::optional<MpiInit> found;
  bool has_main = false;
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (const translation::Unit& unit : sources[i].program.units) {
      has_main = has_main || (unit.is_main && sources[i].wanted);
      const auto is_here = [&](const translation::Statement& call) {
        return std::any_of(unit.body.begin(), unit.body.end(),
                           [&](const translation::Statement& one) { return &one == &call; });
      };
      translation::walk(unit.body, [&](const translation::Statement& one) {
        if (calls_mpi_init(one))
          found = MpiInit{i, one.first_line, one.last_line,
                          !found && sources[i].wanted && one.first_line > 0 && is_here(one) &&
                              !unit.takes_name()};
      });
    }
  return has_main ? found : std::nullopt;
}

/// Decides about `declare` in modules.
translation::Declared declared_of(const std::vector<Source>& sources,
                                  const std::vector<Plan>& plans) {
  std::vector<translation::DeclaringSource> declaring;
  bool has_begin = false;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    declaring.push_back(
        {&source.program, source.wanted,
         source.wanted ? refusals_of(source.unit, plans[i]) : std::map<int, Message>()});
    for (const translation::Unit& unit : source.program.units)
      has_begin = has_begin || (source.wanted && unit.is_main && !unit.takes_name());
  }
  return translation::declared_in(declaring, has_begin);
}

} // namespace

std::string name_of_kernels(const std::string& source) {
  return std::filesystem::path(source).stem().string() + "_kernels.cpp";
}

std::vector<Texts> translate(std::vector<Source>& sources, std::vector<Plan>& plans) {
  std::vector<Texts> texts(sources.size());
  std::set<std::string> prefixes;
  const std::optional<MpiInit> mpi = mpi_init_of(sources);
  const bool is_after_mpi = mpi && mpi->is_fit;
  std::vector<const translation::Program*> programs;
  for (const Source& source : sources)
    programs.push_back(&source.program);
  for (Source& source : sources)
    if (source.wanted)
      translation::add_procedures(source.program, programs);
  if (mpi && !is_after_mpi && mpi->source < plans.size() && sources[mpi->source].wanted)
    plans[mpi->source].remarks.push_back(
        {{static_cast<unsigned>(mpi->first_line), 1}, say<Code::mpi>()});
  const translation::Declared declared = declared_of(sources, plans);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Source& source = sources[i];
    if (!source.wanted)
      continue;
    const std::string stem = std::filesystem::path(source.unit.file).stem().string();
    std::string prefix = stem;
    for (int number = 2; !prefixes.insert(prefix).second; ++number)
      prefix = fmt::format("{}_{}", stem, number);
    translation::expand_concurrent(source.program);
    translation::expand_arrays(source.program);
    std::map<int, Message> refused = refusals_of(source.unit, plans[i]);
    refused.insert(declared.refused[i].begin(), declared.refused[i].end());
    translation::Translated made = translation::translate(
        source.program, source.unit.text, {name_of_kernels(source.unit.file), prefix},
        {is_after_mpi, is_after_mpi && mpi->source == i ? mpi->last_line : 0}, declared, refused);
    tell_branches(source.unit.text, plans[i]);
    settle(source.unit, plans[i], made);
    plans[i].changes = made.host != source.unit.text;
    texts[i] = {std::move(made.host), std::move(made.kernels)};
  }
  return texts;
}

} // namespace gangway::port::fortran
