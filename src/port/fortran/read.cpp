// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/read.hpp"

#include "base/errors.hpp"
#include "port/fortran/build_info.hpp"
#include "port/fortran/directives.hpp"
#include "port/fortran/translation/read.hpp"
#include "port/fortran/tree.hpp"
#include "port/openacc_lib_text.hpp"
#include "port/openacc_text.hpp"

#include <flang/Parser/message.h>
#include <flang/Parser/parsing.h>
#include <flang/Parser/provenance.h>
#include <flang/Semantics/semantics.h>
#include <flang/Support/Fortran-features.h>
#include <flang/Support/LangOptions.h>
#include <flang/Support/default-kinds.h>
#include <llvm/Support/raw_ostream.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace gangway::port::fortran {
namespace {

namespace fs = std::filesystem;
namespace semantics = Fortran::semantics;

/// Folder for module files, which goes with the object.
class Folder {
public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gangway-port-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw base::UsageError(fmt::format("{}: no folder can be made there", name));
    _place = name;
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(_place, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const fs::path& place() const { return _place; }
  [[nodiscard]] fs::path write(const char* name, std::string_view text) const {
    std::ofstream(_place / name) << text;
    return _place / name;
  }

private:
  fs::path _place;
};

/// Module that a source uses, or that its submodule extends.
struct Used {
  std::string name;
  parser::CharBlock at;
};

/// Finds the modules of a tree, and those that it uses.
class Modules : public Hooks {
public:
  using Hooks::enter;
  std::set<std::string> defined;
  std::vector<Used> used;

  bool enter(const parser::Module& node) override {
    defined.insert(std::get<parser::Statement<parser::ModuleStmt>>(node.t).statement.v.ToString());
    return true;
  }
  bool enter(const parser::Submodule& node) override {
    const parser::SubmoduleStmt& head =
        std::get<parser::Statement<parser::SubmoduleStmt>>(node.t).statement;
    const auto& [ancestor, parent] = std::get<parser::ParentIdentifier>(head.t).t;
    const std::string root = ancestor.ToString();
    defined.insert(root + ":" + std::get<parser::Name>(head.t).ToString());
    used.push_back({root, ancestor.source});
    if (parent)
      used.push_back({root + ":" + parent->ToString(), parent->source});
    return true;
  }
  bool enter(const parser::UseStmt& node) override {
    if (node.nature != parser::UseStmt::ModuleNature::Intrinsic)
      used.push_back({node.moduleName.ToString(), node.moduleName.source});
    return true;
  }
};

/// Source as Flang has it.
class File {
public:
  File(const Input& input, const fs::path& modules)
      : _input(input), _parsing(_cooked), _kinds(kinds_of(input)),
        _semantics(_kinds, _options.features, _language, _cooked) {
    _options.features = features();
    _options.isFixedForm = input.fixed_form;
    _options.fixedFormColumns = input.columns;
    _options.predefinitions.emplace_back("_OPENACC", "201711");
    for (const auto& [name, value] : input.macros)
      _options.predefinitions.emplace_back(name, value);
    _options.searchDirectories = {
        input.file.parent_path().empty() ? "." : input.file.parent_path().string()};
    _options.searchDirectories.insert(_options.searchDirectories.end(), input.folders.begin(),
                                      input.folders.end());
    _options.searchDirectories.push_back(modules.string());
    _options.intrinsicModuleDirectories = {GANGWAY_PORT_FLANG_MODULES};
    _semantics.set_moduleDirectory(modules.string())
        .set_searchDirectories(_options.searchDirectories)
        .set_intrinsicModuleDirectories(_options.intrinsicModuleDirectories);
  }

  /// Parses it. Returns whether Flang takes it, and says what it has against it.
  [[nodiscard]] bool parse() {
    _parsing.Prescan(_absolute, _options);
    if (!_parsing.messages().AnyFatalError())
      _parsing.Parse(llvm::errs());
    if (tell(_parsing.messages()))
      return false;
    if (!_parsing.parseTree() || !_parsing.consumedWholeFile()) {
      static_cast<void>(std::fputs(
          fmt::format("{}: Flang cannot read all of it\n", _input.file.string()).c_str(), stderr));
      return false;
    }
    walk(*_parsing.parseTree(), _modules);
    return true;
  }
  /// Checks it, and writes its module files. Returns whether Flang takes it, as above.
  [[nodiscard]] bool check() {
    semantics::Semantics checks(_semantics, *_parsing.parseTree());
    const bool good = checks.Perform();
    return !tell(_semantics.messages()) && good;
  }
  [[nodiscard]] Source source() {
    Source source = source_of(_input.file.string(), _absolute, *_parsing.parseTree(), _semantics);
    source.program = translation::program_of(*_parsing.parseTree(), _semantics, _input.fixed_form);
    return source;
  }

  [[nodiscard]] const Input& input() const { return _input; }
  [[nodiscard]] const Modules& modules() const { return _modules; }
  [[nodiscard]] const std::vector<std::string>& folders() const {
    return _options.searchDirectories;
  }
  [[nodiscard]] std::string where(const Used& used) const {
    const auto range = _cooked.GetSourcePositionRange(used.at);
    return range ? as_given(fmt::format("{}:{}:{}", *range->first.path, range->first.line,
                                        range->first.column))
                 : _input.file.string();
  }

private:
  Input _input;
  /// Absolute path, because Flang looks for another one in the folders of included files.
  std::string _absolute = fs::absolute(_input.file).string();
  parser::Options _options;
  parser::AllSources _sources;
  parser::AllCookedSources _cooked{_sources};
  parser::Parsing _parsing;
  // The context keeps references to these.
  Fortran::common::IntrinsicTypeDefaultKinds _kinds;
  Fortran::common::LangOptions _language;
  semantics::SemanticsContext _semantics;
  Modules _modules;

  static Fortran::common::LanguageFeatureControl features() {
    Fortran::common::LanguageFeatureControl features;
    features.Enable(Fortran::common::LanguageFeature::OpenACC);
    return features;
  }
  static Fortran::common::IntrinsicTypeDefaultKinds kinds_of(const Input& input) {
    Fortran::common::IntrinsicTypeDefaultKinds kinds;
    kinds.set_defaultRealKind(input.real_kind);
    if (input.real_kind == 8)
      kinds.set_doublePrecisionKind(8);
    kinds.set_defaultIntegerKind(input.integer_kind);
    if (input.integer_kind == 8)
      kinds.set_defaultLogicalKind(8);
    return kinds;
  }
  /// Returns the text with the file's name as the command has it.
  [[nodiscard]] std::string as_given(std::string text) const {
    const std::string name = _input.file.string();
    for (std::size_t at = 0; (at = text.find(_absolute + ':', at)) != std::string::npos;
         at += name.size())
      text.replace(at, _absolute.size(), name);
    return text;
  }
  /// Prints the errors among the messages. Returns whether there are any.
  bool tell(parser::Messages& messages) {
    bool any = false;
    std::string text;
    llvm::raw_string_ostream stream(text);
    messages.ResolveProvenances(_cooked);
    for (const parser::Message& message : messages.messages())
      if (message.IsFatal()) {
        any = true;
        message.Emit(stream, _cooked);
      }
    static_cast<void>(std::fputs(as_given(stream.str()).c_str(), stderr));
    return any;
  }
};

bool is_there(const fs::path& folder, const std::string& module) {
  std::error_code error;
  return fs::exists(folder / (module + ".mod"), error);
}

/// Checks sources in the order of their modules.
class Order {
public:
  Order(std::vector<std::unique_ptr<File>>& files, std::vector<bool>& good)
      : _files(files), _good(good), _states(files.size(), State::untouched) {
    for (std::size_t i = 0; i < files.size(); ++i)
      for (const std::string& name : files[i]->modules().defined)
        _defined.emplace(name, i);
  }
  /// Checks the source after those that it uses. Returns whether Flang takes all of them.
  bool check(std::size_t id) {
    File& file = *_files[id];
    if (_states[id] == State::under_way)
      throw base::UsageError(
          fmt::format("{}: its modules use each other in a circle", file.input().file.string()));
    if (_states[id] == State::done)
      return _good[id];
    _states[id] = State::under_way;
    for (const Used& used : file.modules().used) {
      const auto definition = _defined.find(used.name);
      if (definition != _defined.end()) {
        if (definition->second != id && !check(definition->second))
          _good[id] = false; // Flang said why
      } else if (is_missing(file, used)) {
        throw base::UsageError(fmt::format("{}: module '{}' is in no source that is given. Name "
                                           "its source, or the folder that has "
                                           "it, beside this one, or all of the program by "
                                           "--commands; for one of a library, such as "
                                           "mpi, docs/port/fortran.md says what to do",
                                           file.where(used), used.name));
      }
    }
    _good[id] = _good[id] && file.check();
    _states[id] = State::done;
    return _good[id];
  }
  [[nodiscard]] bool is_checked(std::size_t id) const { return _states[id] == State::done; }

private:
  enum class State { untouched, under_way, done };
  std::vector<std::unique_ptr<File>>& _files;
  std::vector<bool>& _good;
  std::vector<State> _states;
  std::map<std::string, std::size_t> _defined;

  static bool is_missing(const File& file, const Used& used) {
    if (is_there(GANGWAY_PORT_FLANG_MODULES, used.name))
      return false;
    return std::none_of(file.folders().begin(), file.folders().end(),
                        [&](const std::string& folder) { return is_there(folder, used.name); });
  }
};

/// Reads module `openacc` into the folder, unless a source has one.
void read_openacc(const std::vector<std::unique_ptr<File>>& files, const Folder& folder) {
  bool used = false;
  for (const auto& file : files) {
    if (file->modules().defined.count("openacc") != 0)
      return;
    for (const Used& one : file->modules().used)
      used = used || one.name == "openacc";
  }
  if (!used)
    return;
  Input input;
  input.file = folder.write("openacc.f90", openacc);
  File file(input, folder.place());
  if (!file.parse() || !file.check())
    throw base::UsageError("Flang does not take Gangway's own module openacc");
}

} // namespace

std::vector<Source> read(const std::vector<Input>& inputs) {
  std::error_code error;
  if (!fs::exists(GANGWAY_PORT_FLANG_MODULES, error))
    throw base::UsageError(fmt::format("there is no {}, which has Flang's own modules "
                                       "(libflang-22-dev in Debian)",
                                       GANGWAY_PORT_FLANG_MODULES));
  const Folder folder;
  static_cast<void>(folder.write("openacc_lib.h", openacc_lib));
  std::vector<std::unique_ptr<File>> files;
  std::vector<bool> good;
  for (const Input& input : inputs) {
    files.push_back(std::make_unique<File>(input, folder.place()));
    good.push_back(files.back()->parse());
  }
  read_openacc(files, folder);
  Order order(files, good);
  std::vector<Source> sources;
  std::string bad;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (inputs[i].wanted && !(good[i] && order.check(i)) && bad.empty())
      bad = inputs[i].file.string();
  if (!bad.empty())
    throw base::UsageError(fmt::format(
        "{}: Flang does not take it, for what it says above. Flags go after --, as in: {} --check "
        "-- -Iinclude -DNAME",
        bad, bad));
  for (std::size_t i = 0; i < files.size(); ++i)
    if (order.is_checked(i)) {
      sources.push_back(files[i]->source());
      sources.back().wanted = inputs[i].wanted;
    }
  return sources;
}

} // namespace gangway::port::fortran
