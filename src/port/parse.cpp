// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse.hpp"

#include "port/clang_places.hpp"
#include "port/parse/bodies.hpp"
#include "port/parse/declarations.hpp"
#include "port/parse/keywords.hpp"
#include "port/parse/pragmas.hpp"
#include "port/parse/reading.hpp"
#include "port/parse/words.hpp"
#include "port/source_text.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

namespace gangway::port {
namespace {

using namespace clang;

/// Sorts the directives by place, and renumbers all that refers to them.
void sort_directives(Unit& unit) {
  std::vector<std::size_t> order(unit.directives.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return unit.directives[a].pragma.begin < unit.directives[b].pragma.begin;
  });
  std::vector<std::size_t> now_at(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    now_at[order[i]] = i;
  std::vector<Directive> sorted;
  for (const std::size_t old : order)
    sorted.push_back(std::move(unit.directives[old]));
  const auto follow = [&](std::size_t& id) { id = id == none ? none : now_at[id]; };
  const std::function<void(Step&)> follow_steps = [&](Step& step) {
    if (step.loop)
      follow(step.loop->directive);
    for (Step& inner : step.steps)
      follow_steps(inner);
  };
  const auto follow_all = [&](std::vector<Piece>& pieces) {
    for (Piece& piece : pieces) {
      follow(piece.directive);
      for (Loop& loop : piece.loops)
        follow(loop.directive);
      if (piece.step)
        follow_steps(*piece.step);
    }
  };
  for (Directive& directive : sorted) {
    follow(directive.parent);
    follow_all(directive.pieces);
  }
  for (Function& function : unit.functions)
    follow_all(function.pieces);
  unit.directives = std::move(sorted);
}

void read(ASTContext& context, Unit& unit) {
  Reading reading(context, unit);
  find_words(reading);
  read_declarations(reading, context.getTranslationUnitDecl());
  for (const FunctionDecl* function : reading.bodies)
    read_body(reading, function);
  for (auto& [directive, function] : reading.routines) {
    unit.directives[directive].function = function_of(reading, function);
    if (unit.directives[directive].function == none)
      unit.directives[directive].outside = outside_of(reading, function);
  }
  find_strays(reading);
  find_other_pragmas(reading);
  find_names(reading);
  if (unit.is_c)
    find_restricts(reading);
  sort_directives(unit);
}

/// Returns whether the lines of a conditional have only conditions and includes of openacc.h.
bool only_includes_openacc(const std::string& lines) {
  LangOptions language;
  language.LineComment = true;
  Lexer lexer(SourceLocation(), language, lines.data(), lines.data(), lines.data() + lines.size());
  static const std::set<std::string> conditions{"if",      "ifdef", "ifndef",   "elif",
                                                "elifdef", "else",  "elifndef", "endif"};
  bool is_directive = false;
  std::string directive; // its first word
  std::string included;
  const auto is_fine = [&] {
    return directive != "include" || included == "<openacc.h>" || included == "\"openacc.h\"";
  };
  Token token;
  for (bool ends = false; !ends;) {
    ends = lexer.LexFromRawLexer(token);
    if (token.is(tok::eof))
      break;
    const std::string word(lexer.getBufferLocation() - token.getLength(), token.getLength());
    if (token.isAtStartOfLine()) {
      if (!is_fine() || token.isNot(tok::hash))
        return false;
      is_directive = true;
    } else if (is_directive) {
      is_directive = false;
      directive = word;
      included.clear();
      if (directive != "include" && !conditions.contains(directive))
        return false;
    } else {
      included += word;
    }
  }
  return is_fine();
}

/// Finder of macros that are nothing but an OpenACC directive, where they are alone on their lines.
class MacroPragmas {
public:
  explicit MacroPragmas(Preprocessor& preprocessor)
      : _preprocessor(preprocessor), _sources(preprocessor.getSourceManager()) {}

  /// Notes a pragma that `_Pragma` writes.
  void pragma(SourceLocation at) {
    if (Use* const use = use_at(at))
      ++use->pragmas;
  }
  /// Notes the parser's next token.
  void token(const Token& token) {
    if (token.is(tok::annot_pragma_openacc) || token.is(tok::annot_pragma_openacc_end)) {
      _in_directive = token.is(tok::annot_pragma_openacc);
      return;
    }
    if (!token.getLocation().isMacroID() || token.isAnnotation())
      return;
    Use* const use = use_at(token.getLocation());
    if (use == nullptr)
      return;
    if (!_in_directive) {
      use->is_directive = false;
      return;
    }
    if (token.hasLeadingSpace() && !use->directive.empty())
      use->directive += ' ';
    use->directive += _preprocessor.getSpelling(token);
  }
  /// Returns the text with a `#pragma` for each of them, in as many lines, and where those are.
  [[nodiscard]] std::string written_out(const std::string& text,
                                        std::vector<WrittenOut>& to) const {
    std::string made;
    unsigned from = 0;
    for (const auto& [begin, use] : _uses) {
      const Span lines = lines_from(begin, use.end, text);
      const auto is_blank = [&](unsigned first, unsigned last) {
        return text.substr(first, last - first).find_first_not_of(" \t\r\n") == std::string::npos;
      };
      const std::size_t before = text.rfind('\n', begin);
      const auto line = static_cast<unsigned>(before == std::string::npos ? 0 : before + 1);
      if (use.pragmas != 1 || !use.is_directive || use.directive.empty() ||
          !is_blank(line, begin) || !is_blank(use.end, lines.end))
        continue;
      made.append(text, from, line - from);
      const auto first = static_cast<unsigned>(made.size());
      made += text.substr(line, begin - line) + "#pragma acc " + use.directive;
      const std::string whole = text.substr(line, lines.end - line);
      to.push_back({{first, 0}, whole});
      made.append(static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n')), '\n');
      to.back().lines.end = static_cast<unsigned>(made.size());
      from = lines.end;
    }
    made.append(text, from);
    return made;
  }

private:
  struct Use {
    unsigned end = 0;
    int pragmas = 0;
    bool is_directive = true; ///< and nothing else
    std::string directive;
  };
  Preprocessor& _preprocessor;
  SourceManager& _sources;
  std::map<unsigned, Use> _uses; ///< by where they begin
  bool _in_directive = false;

  Use* use_at(SourceLocation at) {
    const CharSourceRange whole = _sources.getExpansionRange(at);
    if (_sources.getFileID(whole.getBegin()) != _sources.getMainFileID())
      return nullptr;
    Use& use = _uses[_sources.getFileOffset(whole.getBegin())];
    const unsigned end = _sources.getFileOffset(whole.getEnd()) +
                         Lexer::MeasureTokenLength(whole.getEnd(), _sources, {});
    use.end = std::max(use.end, end);
    return &use;
  }
};

/// Observer of the preprocessor: notes includes, macros, and branches that ask for OpenACC.
class Watcher : public PPCallbacks {
public:
  Watcher(SourceManager& sources, Unit& unit, MacroPragmas& pragmas)
      : _sources(sources), _unit(unit), _pragmas(pragmas) {}

  void PragmaDirective(SourceLocation at, PragmaIntroducerKind kind) override {
    if (kind == PIK__Pragma)
      _pragmas.pragma(at);
  }

  void InclusionDirective(SourceLocation hash, const Token&, StringRef name, bool, CharSourceRange,
                          OptionalFileEntryRef, StringRef, StringRef, const clang::Module*, bool,
                          SrcMgr::CharacteristicKind) override {
    if (_sources.getFileID(hash) != _sources.getMainFileID())
      return;
    const unsigned begin = _sources.getFileOffset(hash);
    const StringRef text = _sources.getBufferData(_sources.getMainFileID());
    const std::size_t newline = text.find('\n', begin);
    const auto end = static_cast<unsigned>(newline == StringRef::npos ? text.size() : newline + 1);
    if (name == "openacc.h")
      _unit.openacc_headers.push_back({begin, end});
    if (_depth == 0 && !_unit.first_include)
      _unit.first_include = begin;
  }
  void MacroDefined(const Token& name, const MacroDirective* directive) override {
    const SourceLocation at = directive->getLocation();
    if (at.isInvalid() || _sources.isInSystemHeader(at) || _sources.isWrittenInBuiltinFile(at))
      return;
    const bool is_here = _sources.getFileID(at) == _sources.getMainFileID();
    const std::string called = name.getIdentifierInfo()->getName().str();
    Macro macro;
    macro.takes_arguments = directive->getMacroInfo()->isFunctionLike();
    if (is_here)
      macro.place = {_sources.getSpellingLineNumber(at), _sources.getSpellingColumnNumber(at)};
    _unit.macros[called] = macro;
    // A macro that begins with an underscore configures the headers after it.
    if (is_here && !_unit.first_include && !_unit.first_macro && !called.starts_with('_'))
      _unit.first_macro = line_of(_depth == 0 ? at : _condition);
  }
  void MacroUndefined(const Token& name, const MacroDefinition&, const MacroDirective*) override {
    _unit.macros.erase(name.getIdentifierInfo()->getName().str());
  }
  void If(SourceLocation at, SourceRange condition, ConditionValueKind) override {
    enter(at, CharSourceRange::getTokenRange(condition));
  }
  void Elif(SourceLocation at, SourceRange condition, ConditionValueKind, SourceLocation) override {
    note(at, Lexer::getSourceText(CharSourceRange::getTokenRange(condition), _sources, {}));
  }
  void Ifdef(SourceLocation at, const Token& name, const MacroDefinition&) override {
    enter_named(at, name);
  }
  void Ifndef(SourceLocation at, const Token& name, const MacroDefinition&) override {
    enter_named(at, name);
  }
  void Endif(SourceLocation at, SourceLocation begin) override {
    if (_sources.getFileID(at) != _sources.getMainFileID())
      return;
    --_depth;
    note_branches(begin, at);
  }

private:
  void enter(SourceLocation at, CharSourceRange condition) {
    if (_sources.getFileID(at) != _sources.getMainFileID())
      return;
    if (_depth++ == 0)
      _condition = at;
    note(at, Lexer::getSourceText(condition, _sources, {}));
  }
  void enter_named(SourceLocation at, const Token& name) {
    if (_sources.getFileID(at) != _sources.getMainFileID())
      return;
    if (_depth++ == 0)
      _condition = at;
    note(at, name.getIdentifierInfo() != nullptr ? name.getIdentifierInfo()->getName() : "");
  }
  void note(SourceLocation at, StringRef condition) {
    if (_sources.getFileID(at) == _sources.getMainFileID() && condition.contains("_OPENACC"))
      _unit.told.push_back({{_sources.getSpellingLineNumber(at), 1}, {}, say<Code::branch>()});
  }
  /// Moves the remarks on a conditional whose branches only include openacc.h to the conditional.
  void note_branches(SourceLocation begin, SourceLocation end) {
    const unsigned line = _sources.getSpellingLineNumber(begin);
    const auto first =
        std::stable_partition(_unit.told.begin(), _unit.told.end(), [&](const Obstacle& one) {
          return one.message.code != Code::branch || one.place.line < line;
        });
    if (first == _unit.told.end())
      return;
    const std::string text = _sources.getBufferData(_sources.getMainFileID()).str();
    const unsigned last = _sources.getFileOffset(end);
    const unsigned begins = line_of(begin);
    OpenaccBranches found{{begins, lines_from(last, last, text).end}, {}};
    if (!only_includes_openacc(text.substr(begins, found.lines.end - begins)))
      return;
    found.told = {first, _unit.told.end()};
    _unit.told.erase(first, _unit.told.end());
    std::erase_if(_unit.openacc_branches, [&](const OpenaccBranches& inner) {
      if (!found.lines.holds(inner.lines))
        return false;
      found.told.insert(found.told.end(), inner.told.begin(), inner.told.end());
      return true;
    });
    _unit.openacc_branches.push_back(std::move(found));
  }
  [[nodiscard]] unsigned line_of(SourceLocation at) const {
    const StringRef text = _sources.getBufferData(_sources.getMainFileID());
    unsigned begin = _sources.getFileOffset(at);
    while (begin > 0 && text[begin - 1] != '\n')
      --begin;
    return begin;
  }

  SourceManager& _sources;
  Unit& _unit;
  MacroPragmas& _pragmas;
  int _depth = 0;
  SourceLocation _condition; ///< the outermost one around
};

class Consumer : public ASTConsumer {
public:
  Consumer(Unit& unit, std::shared_ptr<MacroPragmas> pragmas, std::string& text, bool& done)
      : _unit(unit), _pragmas(std::move(pragmas)), _text(text), _done(done) {}
  void HandleTranslationUnit(ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    read(context, _unit);
    _text = _pragmas->written_out(_unit.text, _unit.written_out);
    _done = true;
  }

private:
  Unit& _unit;
  std::shared_ptr<MacroPragmas> _pragmas;
  std::string& _text;
  bool& _done;
};

class Action : public ASTFrontendAction {
public:
  Action(Unit& unit, std::string& text, bool& done) : _unit(unit), _text(text), _done(done) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    Preprocessor& preprocessor = compiler.getPreprocessor();
    auto pragmas = std::make_shared<MacroPragmas>(preprocessor);
    preprocessor.addPPCallbacks(
        std::make_unique<Watcher>(compiler.getSourceManager(), _unit, *pragmas));
    preprocessor.setTokenWatcher([pragmas](const Token& token) { pragmas->token(token); });
    return std::make_unique<Consumer>(_unit, std::move(pragmas), _text, _done);
  }

private:
  Unit& _unit;
  std::string& _text;
  bool& _done;
};

class Factory : public tooling::FrontendActionFactory {
public:
  Factory(Unit& unit, std::string& text, bool& done) : _unit(unit), _text(text), _done(done) {}
  std::unique_ptr<FrontendAction> create() override {
    return std::make_unique<Action>(_unit, _text, _done);
  }

private:
  Unit& _unit;
  std::string& _text;
  bool& _done;
};

} // namespace

namespace {

/// Reads a file, with `text` in place of its own if there is one.
std::optional<Unit> parse_once(const std::string& file, const std::string& directory,
                               const std::vector<std::string>& flags, DiagnosticConsumer* listener,
                               const std::string* text, std::string& written_out) {
  Unit unit;
  unit.file = file;
  bool done = false;
  std::vector<std::string> arguments{"-fopenacc", "-w", "-resource-dir", clang_resources()};
  if (const std::string headers = openacc_headers(); !headers.empty())
    arguments.insert(arguments.end(), {"-idirafter", headers});
  if (!file.ends_with(".c"))
    arguments.emplace_back("-std=c++20");
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const tooling::FixedCompilationDatabase database(directory, arguments);
  const std::string place = std::filesystem::absolute(file).string();
  tooling::ClangTool tool(database, {place});
  tool.setPrintErrorMessage(false);
  tool.setDiagnosticConsumer(listener); // null: they are printed
  tool.clearArgumentsAdjusters();       // they would add options that ask for other output
  tool.appendArgumentsAdjuster(tooling::getClangSyntaxOnlyAdjuster());
  if (text != nullptr)
    tool.mapVirtualFile(place, *text); // and keeps no copies
  Factory factory(unit, written_out, done);
  if (tool.run(&factory) != 0 || !done)
    return std::nullopt;
  return unit;
}

/// Reads a file the same way, and again with a `#pragma` for each macro that is a directive.
std::optional<Unit> parse(const std::string& file, const std::string& directory,
                          const std::vector<std::string>& flags, DiagnosticConsumer* listener,
                          const std::string* text = nullptr) {
  std::string changed;
  std::optional<Unit> unit = parse_once(file, directory, flags, listener, text, changed);
  if (!unit || unit->written_out.empty())
    return unit;
  IgnoringDiagConsumer nobody;
  std::string unused;
  std::optional<Unit> other = parse_once(file, directory, flags, &nobody, &changed, unused);
  if (!other || other->directives.size() != unit->directives.size()) {
    unit->written_out.clear();
    return unit;
  }
  other->written_out = std::move(unit->written_out);
  return other;
}

} // namespace

std::optional<Unit> parse(const std::string& file, const std::string& directory,
                          const std::vector<std::string>& flags) {
  if (file.ends_with(".c")) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    IgnoringDiagConsumer nobody;
    // If a header has such a name, too, the changed text fails, and we read the file as it is.
    for (const bool has_bool : {false, true}) {
      const WithoutKeywords changed = without_keywords(text, has_bool);
      if (changed.renamed.empty())
        break;
      if (std::optional<Unit> unit = parse(file, directory, flags, &nobody, &changed.text)) {
        for (const std::string& name : changed.renamed)
          unit->told.push_back({{1, 1}, {}, say<Code::keyword>(name, name + "_"), false});
        return unit;
      }
    }
  }
  return parse(file, directory, flags, nullptr);
}

bool is_older_c(const std::string& file, const std::string& directory,
                std::vector<std::string> flags) {
  if (!file.ends_with(".c"))
    return false;
  flags.emplace_back("-std=gnu89");
  IgnoringDiagConsumer nobody;
  return parse(file, directory, flags, &nobody).has_value();
}

} // namespace gangway::port
