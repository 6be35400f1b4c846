// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/check.hpp"

#include "port/clang_places.hpp"
#include "port/stand_ins_text.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

namespace gangway::port {
namespace {

using namespace clang;
namespace fs = std::filesystem;

/// Returns the source position of a place in the new text; for new text, where it was inserted.
unsigned source_of(const Edits::Result& result, unsigned at) {
  const auto behind =
      std::upper_bound(result.kept.begin(), result.kept.end(), at,
                       [](unsigned place, const Edits::Kept& kept) { return place < kept.begin; });
  if (behind == result.kept.begin())
    return 0;
  const Edits::Kept& kept = *std::prev(behind);
  const unsigned moved = kept.from + (at - kept.begin);
  return behind == result.kept.end() ? moved : std::min(moved, behind->from);
}

/// Returns whether an error is about names of the libraries, which the stand-ins do not all have.
bool is_of_libraries(const std::string& what) {
  for (const char* const library : {"'Kokkos'", "'gangway'", "'Kokkos::", "'gangway::"})
    if (what.find(library) != std::string::npos)
      return true;
  return false;
}

class Listener : public DiagnosticConsumer {
public:
  Listener(const Edits::Result& result, const std::string& text, std::vector<Flaw>& flaws)
      : _result(result), _text(text), _flaws(flaws) {}

  void HandleDiagnostic(DiagnosticsEngine::Level level, const clang::Diagnostic& told) override {
    DiagnosticConsumer::HandleDiagnostic(level, told);
    if (level < DiagnosticsEngine::Error)
      return;
    llvm::SmallString<128> message;
    told.FormatDiagnostic(message);
    Flaw flaw;
    flaw.what = message.str().str();
    if (!told.hasSourceManager() || told.getLocation().isInvalid()) {
      flaw.where = "the command"; // and nothing was read
      _flaws.push_back(std::move(flaw));
      return;
    }
    const SourceManager& sources = told.getSourceManager();
    const SourceLocation at = sources.getExpansionLoc(told.getLocation());
    const PresumedLoc place = sources.getPresumedLoc(at);
    if (sources.getFileID(at) == sources.getMainFileID()) {
      flaw.at = source_of(_result, sources.getFileOffset(at));
    } else {
      flaw.at = static_cast<unsigned>(_text.size());
      flaw.where = std::string(place.getFilename()) + ":" + std::to_string(place.getLine());
    }
    flaw.of_libraries = is_of_libraries(flaw.what) || flaw.where.starts_with(stand_in_folder);
    _includes_them = _includes_them || flaw.where.find("gangway/") != std::string::npos ||
                     flaw.where.find("Kokkos_Core_fwd") != std::string::npos;
    _flaws.push_back(std::move(flaw));
  }

  static constexpr const char* stand_in_folder = "/stand-ins";

  /// Returns whether the source includes those libraries' own headers, which conflict with the
  /// stand-ins.
  [[nodiscard]] bool includes_them() const { return _includes_them; }

private:
  bool _includes_them = false;
  const Edits::Result& _result;
  const std::string& _text;
  std::vector<Flaw>& _flaws;
};

} // namespace

std::vector<Flaw> flaws_of(const Edits::Result& result, const Unit& unit,
                           const std::string& directory, const std::vector<std::string>& flags) {
  std::vector<Flaw> flaws;
  const std::string folder = Listener::stand_in_folder;
  std::vector<std::string> arguments{"-x",
                                     "c++",
                                     "-Wno-everything",
                                     "-Wno-register",
                                     "-ferror-limit=0",
                                     "-fno-caret-diagnostics",
                                     "-fno-spell-checking",
                                     "-resource-dir",
                                     clang_resources(),
                                     "-isystem",
                                     folder};
  if (unit.is_c) // Clang takes designators in C++ that others do not
    arguments.insert(arguments.end(), {"-Werror=reorder-init-list", "-Werror=c99-designator"});
  if (const std::string headers = openacc_headers(); !headers.empty())
    arguments.insert(arguments.end(), {"-idirafter", headers});
  if (unit.is_c)
    std::copy_if(flags.begin(), flags.end(), std::back_inserter(arguments),
                 [](const std::string& flag) { return !flag.starts_with("-std="); });
  else
    arguments.emplace_back("-std=c++20"),
        arguments.insert(arguments.end(), flags.begin(), flags.end());
  if (unit.is_c)
    arguments.emplace_back("-std=c++20");
  fs::path file = fs::absolute(unit.file);
  if (file.extension() == ".c")
    file.replace_extension(".cpp");
  const tooling::FixedCompilationDatabase database(directory, arguments);
  tooling::ClangTool tool(database, {file.string()});
  // The tool keeps no copies of its arguments here.
  const std::string forward = "#pragma once\n#include <Kokkos_Core.hpp>\n";
  const std::string all = "#pragma once\n" + std::string(stand_ins);
  const std::array<std::pair<std::string, const std::string*>, 3> mapped{
      {{file.string(), &result.text},
       {folder + "/Kokkos_Core.hpp", &all},
       {folder + "/gangway/gangway.hpp", &forward}}};
  for (const auto& [name, text] : mapped)
    tool.mapVirtualFile(name, *text);
  Listener listener(result, unit.text, flaws);
  tool.setDiagnosticConsumer(&listener);
  tool.setPrintErrorMessage(false);
  tool.clearArgumentsAdjusters();
  tool.appendArgumentsAdjuster(tooling::getClangSyntaxOnlyAdjuster());
  if (tool.run(tooling::newFrontendActionFactory<SyntaxOnlyAction>().get()) != 0 &&
      listener.getNumErrors() == 0)
    flaws.push_back(
        {static_cast<unsigned>(unit.text.size()), "the translation", "it was not read"});
  return listener.includes_them() ? std::vector<Flaw>() : flaws;
}

} // namespace gangway::port
