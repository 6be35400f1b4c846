// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse.hpp"

#include "port/clang_places.hpp"
#include "port/parse/touches.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenACC.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/OpenACCClause.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenACC.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace gangway::port {
namespace {

using namespace clang;
using Parents = std::vector<const Stmt*>;

/// What a program path says first of a scalar: reads it, sets it, or neither. `perhaps`: sets it on
/// some paths, and reads it on none.
enum class First { untouched, set, perhaps, read };

class Reader {
public:
  Reader(ASTContext& context, Unit& unit)
      : _context(context), _sources(context.getSourceManager()), _language(context.getLangOpts()),
        _print(context.getLangOpts()), _unit(unit) {
    _print.Bool = true;
    _print.SuppressTagKeyword = _language.CPlusPlus;
    _unit.is_c = !_language.CPlusPlus;
    _unit.text = _sources.getBufferData(_sources.getMainFileID()).str();
  }

  void read() {
    read_declarations(_context.getTranslationUnitDecl());
    for (const FunctionDecl* function : _bodies)
      read_body(function);
    for (auto& [directive, function] : _routines)
      _unit.directives[directive].function = function_of(function);
    find_strays();
    find_words();
    find_names();
    if (_unit.is_c)
      find_restricts();
    sort_directives();
  }

private:
  ASTContext& _context;
  SourceManager& _sources;
  const LangOptions& _language;
  PrintingPolicy _print;
  Unit& _unit;
  std::vector<const FunctionDecl*> _bodies;
  std::map<const FunctionDecl*, std::size_t> _functions;
  std::vector<std::pair<std::size_t, const FunctionDecl*>> _routines;
  std::map<std::string, std::size_t> _variables;
  std::map<std::size_t, const VarDecl*> _declarations;
  std::map<const Stmt*, std::size_t> _directives;
  std::map<const Stmt*, std::vector<Span>> _continues;
  std::set<const Stmt*> _macro_continues;                   ///< loops with one in a macro's body
  std::vector<std::pair<std::size_t, const Stmt*>> _blocks; ///< whose pieces are to be read
  std::set<std::string> _written_pointers;

  // --- places ---

  [[nodiscard]] bool is_here(SourceLocation at) const {
    return _sources.getFileID(_sources.getExpansionLoc(at)) == _sources.getMainFileID();
  }
  [[nodiscard]] unsigned offset(SourceLocation at) const {
    return _sources.getFileOffset(_sources.getExpansionLoc(at));
  }
  [[nodiscard]] Place place(SourceLocation at) const {
    return {_sources.getExpansionLineNumber(at), _sources.getExpansionColumnNumber(at)};
  }
  [[nodiscard]] Span span(SourceRange range) const {
    CharSourceRange characters =
        Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range), _sources, _language);
    if (characters.isInvalid())
      characters = Lexer::getAsCharRange(_sources.getExpansionRange(range), _sources, _language);
    return {_sources.getFileOffset(characters.getBegin()),
            _sources.getFileOffset(characters.getEnd())};
  }
  /// A statement with its semicolon; a construct with its directive's lines and what it applies to.
  [[nodiscard]] Span statement_span(const Stmt* statement) const {
    if (isa<OpenACCConstructStmt>(statement)) {
      Span whole = pragma_span(statement->getBeginLoc(), statement->getEndLoc());
      if (const Stmt* const inner = associated(statement))
        whole.end = statement_span(inner).end;
      return whole;
    }
    Span whole = span(statement->getSourceRange());
    const Stmt* tail = nullptr;
    if (const auto* counted = dyn_cast<ForStmt>(statement))
      tail = counted->getBody();
    else if (const auto* loop = dyn_cast<WhileStmt>(statement))
      tail = loop->getBody();
    else if (const auto* ranged = dyn_cast<CXXForRangeStmt>(statement))
      tail = ranged->getBody();
    else if (const auto* branch = dyn_cast<IfStmt>(statement))
      tail = branch->getElse() != nullptr ? branch->getElse() : branch->getThen();
    if (tail != nullptr)
      whole.end = std::max(whole.end, statement_span(tail).end);
    else if (!isa<CompoundStmt>(statement)) {
      unsigned at = whole.end;
      while (at < _unit.text.size() &&
             std::isspace(static_cast<unsigned char>(_unit.text[at])) != 0)
        ++at;
      if (_unit.text[whole.end - 1] != ';' && at < _unit.text.size() && _unit.text[at] == ';')
        whole.end = at + 1;
    }
    return whole;
  }
  /// The lines of a directive, those that a backslash continues included.
  [[nodiscard]] Span pragma_span(SourceLocation first, SourceLocation last) const {
    unsigned begin = offset(first);
    unsigned end = std::max(offset(last), begin);
    while (begin > 0 && _unit.text[begin - 1] != '\n')
      --begin;
    return lines_from(begin, end, _unit.text);
  }
  [[nodiscard]] std::string text(Span span) const {
    return _unit.text.substr(span.begin, span.end - span.begin);
  }
  /// As it is written; what a macro's body wrote, as the compiler prints it.
  [[nodiscard]] std::string text(const Expr* expression) const {
    const CharSourceRange characters = Lexer::makeFileCharRange(
        CharSourceRange::getTokenRange(expression->getSourceRange()), _sources, _language);
    if (characters.isValid() && is_here(expression->getBeginLoc()) &&
        !in_macro_body(expression->getBeginLoc())) {
      const std::string written = text(span(expression->getSourceRange()));
      // A macro's name in place of an operation would be taken apart by what comes beside it.
      const bool is_macro = expression->getBeginLoc().isMacroID() &&
                            _sources.getExpansionLoc(expression->getBeginLoc()) ==
                                _sources.getExpansionLoc(expression->getEndLoc());
      return is_macro && is_operation(expression) ? "(" + written + ")" : written;
    }
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    expression->IgnoreParenImpCasts()->printPretty(stream, nullptr, _print);
    return printed;
  }
  static bool is_operation(const Expr* expression) {
    const Expr* const plain = expression->IgnoreImpCasts();
    return isa<BinaryOperator>(plain) || isa<AbstractConditionalOperator>(plain) ||
           isa<CXXOperatorCallExpr>(plain);
  }
  /// As it is written, so that `+` and `-` may stand beside it.
  [[nodiscard]] std::string operand(const Expr* expression) const {
    const Expr* const plain = expression->IgnoreImpCasts();
    const auto* operation = dyn_cast<BinaryOperator>(plain);
    const bool binds =
        !is_operation(plain) ||
        (operation != nullptr && (operation->isMultiplicativeOp() || operation->isAdditiveOp()));
    return binds ? text(expression) : in_parentheses(text(expression));
  }
  /// Whether it is made of numbers and of scalars that a kernel captures.
  bool is_local(const Stmt* expression) const {
    if (expression == nullptr)
      return true;
    if (isa<MemberExpr>(expression) || isa<CXXThisExpr>(expression) || isa<CallExpr>(expression) ||
        isa<ArraySubscriptExpr>(expression) || isa<CXXDependentScopeMemberExpr>(expression) ||
        isa<OverloadExpr>(expression))
      return false;
    if (const auto* unary = dyn_cast<UnaryOperator>(expression);
        unary != nullptr && unary->getOpcode() == UO_Deref)
      return false;
    if (const auto* reference = dyn_cast<DeclRefExpr>(expression))
      if (const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
          variable != nullptr && variable->hasGlobalStorage() &&
          !variable->isUsableInConstantExpressions(_context))
        return false;
    for (const Stmt* child : const_cast<Stmt*>(expression)->children())
      if (!is_local(child))
        return false;
    return true;
  }
  [[nodiscard]] bool in_macro_body(SourceLocation at) const {
    if (!at.isMacroID() || _sources.isMacroArgExpansion(at))
      return false;
    // A macro that is the whole expression, such as a constant's name, is read as it is written.
    return !Lexer::isAtStartOfMacroExpansion(at, _sources, _language);
  }
  [[nodiscard]] std::string type_text(QualType type) const {
    return type.getUnqualifiedType().getAsString(_print);
  }
  /// OpenACCAssociatedStmtConstruct knows, but its classof is always false (Clang 22).
  static const Stmt* associated(const Stmt* construct) {
    if (isa<OpenACCWaitConstruct>(construct) || isa<OpenACCCacheConstruct>(construct))
      return nullptr;
    for (const Stmt* child : const_cast<Stmt*>(construct)->children())
      return child;
    return nullptr;
  }
  static const Stmt* alone(const Stmt* statement) {
    while (const auto* block = dyn_cast<CompoundStmt>(statement)) {
      if (block->size() != 1)
        return statement;
      statement = block->body_front();
    }
    return statement;
  }

  // --- declarations ---

  void read_declarations(const DeclContext* scope) {
    for (const Decl* declaration : scope->decls()) {
      if (const auto* construct = dyn_cast<OpenACCConstructDecl>(declaration)) {
        read_declarative(construct);
        continue;
      }
      const auto* function = dyn_cast<FunctionDecl>(declaration);
      if (const auto* pattern = dyn_cast<FunctionTemplateDecl>(declaration))
        function = pattern->getTemplatedDecl();
      if (function != nullptr) {
        read_function(function);
      } else if (const auto* pattern = dyn_cast<ClassTemplateDecl>(declaration)) {
        if (is_here(declaration->getLocation()))
          read_declarations(pattern->getTemplatedDecl());
      } else if (const auto* inner = dyn_cast<DeclContext>(declaration)) {
        if (is_here(declaration->getLocation()) || isa<NamespaceDecl>(declaration) ||
            isa<LinkageSpecDecl>(declaration))
          read_declarations(inner);
      }
    }
  }

  void read_function(const FunctionDecl* function) {
    if (const auto* routine = function->getAttr<OpenACCRoutineDeclAttr>();
        routine != nullptr && !routine->isInherited()) {
      if (is_here(routine->getLocation()))
        add_routine(routine->getRange(), routine->Clauses, function);
      else if (!_sources.isInSystemHeader(routine->getLocation()))
        stray(routine->getLocation(), "it stands in a header");
    }
    if (!is_here(function->getLocation()) || function->isImplicit())
      return;
    if (function->isThisDeclarationADefinition() && function->getBody() != nullptr) {
      static_cast<void>(function_of(function));
      _bodies.push_back(function);
    }
  }

  std::size_t function_of(const FunctionDecl* function) {
    const FunctionDecl* const definition = function->getDefinition();
    if (definition == nullptr || !is_here(definition->getLocation()))
      return none;
    const auto [found, is_new] =
        _functions.emplace(definition->getCanonicalDecl(), _unit.functions.size());
    if (is_new) {
      Function read;
      read.name = definition->getNameAsString();
      read.place = place(definition->getLocation());
      read.is_main = definition->isMain();
      read.is_member = isa<CXXMethodDecl>(definition);
      read.returns = !definition->getReturnType()->isVoidType();
      read.has_parameters = definition->getNumParams() > 0;
      for (const FunctionDecl* declared : definition->redecls())
        if (!is_here(declared->getLocation()))
          read.declared_elsewhere = true;
        else if (declared->getTemplateInstantiationPattern() == nullptr) {
          read.declarations.push_back(offset(declared->getBeginLoc()));
          if (const FunctionTypeLoc type = declared->getFunctionTypeLoc())
            read.parameters.push_back(offset(type.getLParenLoc()) + 1);
        }
      if (definition->getBody() != nullptr)
        read.body = offset(definition->getBody()->getBeginLoc()) + 1;
      _unit.functions.push_back(std::move(read));
    }
    return found->second;
  }

  void read_declarative(const OpenACCConstructDecl* construct, std::size_t function = none,
                        bool outermost = false) {
    if (!is_here(construct->getDirectiveLoc())) {
      if (!_sources.isInSystemHeader(construct->getDirectiveLoc()))
        stray(construct->getDirectiveLoc(), "it stands in a header");
      return;
    }
    const auto* routine = dyn_cast<OpenACCRoutineDecl>(construct);
    if (routine == nullptr) {
      const std::size_t added =
          add_directive(construct->getSourceRange(), "declare", construct->clauses());
      _unit.directives[added].function = function;
      _unit.directives[added].in_function = outermost;
      return;
    }
    const Expr* const named = routine->getFunctionReference();
    const auto* reference =
        named != nullptr ? dyn_cast<DeclRefExpr>(named->IgnoreParenImpCasts()) : nullptr;
    add_routine(routine->getSourceRange(), routine->clauses(),
                reference != nullptr ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr);
  }

  void add_routine(SourceRange range, ArrayRef<const OpenACCClause*> clauses,
                   const FunctionDecl* function) {
    const std::size_t added = add_directive(range, "routine", clauses);
    if (function != nullptr)
      _routines.emplace_back(added, function);
  }

  void stray(SourceLocation at, const std::string& why) {
    const PresumedLoc where = _sources.getPresumedLoc(_sources.getExpansionLoc(at));
    _unit.strays.push_back({{0, 0},
                            {},
                            std::string("the directive in ") + where.getFilename() + ":" +
                                std::to_string(where.getLine()) + " is not translated: " + why,
                            "translate that file too, or move what it holds into this one"});
  }

  // --- directives and clauses ---

  /// What a clause of that name has named in the very same words says nothing more.
  static void leave_out_repeated(const Directive& directive, Clause& read) {
    std::vector<Section> sections;
    for (Section& section : read.sections) {
      const auto is_same = [&](const Section& other) {
        return other.variable == section.variable && other.text == section.text;
      };
      const auto has_it = [&](const std::vector<Section>& named) {
        return std::any_of(named.begin(), named.end(), is_same);
      };
      const bool repeated =
          section.variable != none &&
          (has_it(sections) || std::any_of(directive.clauses.begin(), directive.clauses.end(),
                                           [&](const Clause& before) {
                                             return before.name == read.name &&
                                                    before.modifiers == read.modifiers &&
                                                    before.operation == read.operation &&
                                                    has_it(before.sections);
                                           }));
      if (!repeated)
        sections.push_back(std::move(section));
    }
    read.sections = std::move(sections);
  }

  std::size_t add_directive(SourceRange range, const std::string& construct,
                            ArrayRef<const OpenACCClause*> clauses) {
    Directive directive;
    directive.place = place(range.getBegin());
    directive.construct = construct;
    directive.pragma = pragma_span(range.getBegin(), range.getEnd());
    directive.text = joined(text(directive.pragma));
    if (range.getBegin().isMacroID() || !_sources.isWrittenInMainFile(range.getBegin()))
      directive.obstacles.push_back({directive.place, directive.pragma,
                                     "the directive comes from a macro",
                                     "write it as a #pragma where the macro is used"});
    bool of_a_device = false;
    for (const OpenACCClause* clause : clauses) {
      Clause read = read_clause(clause);
      // Of `set`, `init` and `shutdown` it is a device, of others whose clauses follow.
      of_a_device = of_a_device || (read.name == "device_type" && construct != "set" &&
                                    construct != "init" && construct != "shutdown");
      if (of_a_device)
        read.name = "device_type"; // it and what follows are one device's
      leave_out_repeated(directive, read);
      directive.clauses.push_back(std::move(read));
    }
    _unit.directives.push_back(std::move(directive));
    return _unit.directives.size() - 1;
  }

  template <class Kind>
  static std::string printed(Kind kind) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << kind;
    return text;
  }

  Clause read_clause(const OpenACCClause* clause) {
    Clause read;
    read.place = place(clause->getBeginLoc());
    read.name = printed(clause->getClauseKind());
    static const std::map<std::string, std::string> synonyms{
        {"pcopy", "copy"},       {"present_or_copy", "copy"},     {"pcopyin", "copyin"},
        {"pcopyout", "copyout"}, {"present_or_copyin", "copyin"}, {"present_or_copyout", "copyout"},
        {"pcreate", "create"},   {"present_or_create", "create"}, {"host", "self"},
        {"dtype", "device_type"}};
    if (const auto synonym = synonyms.find(read.name); synonym != synonyms.end())
      read.name = synonym->second;
    const auto modifiers = [&](OpenACCModifierKind given) {
      using Kind = OpenACCModifierKind;
      for (const auto& [kind, name] :
           {std::pair{Kind::Always, "always"}, std::pair{Kind::AlwaysIn, "alwaysin"},
            std::pair{Kind::AlwaysOut, "alwaysout"}, std::pair{Kind::Zero, "zero"},
            std::pair{Kind::Capture, "capture"}})
        if (isOpenACCModifierBitSet(given, kind))
          read.modifiers.emplace_back(name);
    };
    if (const auto* copy = dyn_cast<OpenACCCopyClause>(clause))
      modifiers(copy->getModifierList());
    if (const auto* copyin = dyn_cast<OpenACCCopyInClause>(clause))
      modifiers(copyin->getModifierList());
    if (const auto* copyout = dyn_cast<OpenACCCopyOutClause>(clause))
      modifiers(copyout->getModifierList());
    if (const auto* create = dyn_cast<OpenACCCreateClause>(clause))
      modifiers(create->getModifierList());

    if (const auto* self = dyn_cast<OpenACCSelfClause>(clause)) {
      if (self->isConditionExprClause()) {
        read.name = "self()";
        read.argument = self->hasConditionExpr() ? text(self->getConditionExpr()) : "true";
      } else {
        for (const Expr* named : self->getVarList())
          read.sections.push_back(read_section(named));
      }
    } else if (const auto* with_condition = dyn_cast<OpenACCIfClause>(clause)) {
      read.argument = text(with_condition->getConditionExpr());
    } else if (const auto* reduction = dyn_cast<OpenACCReductionClause>(clause)) {
      read.operation = printed(reduction->getReductionOp());
      read_sections(reduction->getVarList(), read);
    } else if (const auto* chosen = dyn_cast<OpenACCDefaultClause>(clause)) {
      read.argument = printed(chosen->getDefaultClauseKind());
    } else if (const auto* tile = dyn_cast<OpenACCTileClause>(clause)) {
      for (const Expr* size : tile->getSizeExprs())
        read.arguments.push_back(isa<OpenACCAsteriskSizeExpr>(size) ? "*" : text(size));
    } else if (const auto* collapse = dyn_cast<OpenACCCollapseClause>(clause)) {
      const Expr* const count = collapse->getLoopCount();
      if (const auto value =
              count->isValueDependent() ? std::nullopt : count->getIntegerConstantExpr(_context))
        read.number = value->getExtValue();
    } else if (const auto* gangs = dyn_cast<OpenACCNumGangsClause>(clause)) {
      for (const Expr* count : gangs->getIntExprs())
        read.arguments.push_back(text(count));
      read.argument = read.arguments.empty() ? "" : read.arguments.front();
      const auto value = gangs->getIntExprs()[0]->isValueDependent()
                             ? std::nullopt
                             : gangs->getIntExprs()[0]->getIntegerConstantExpr(_context);
      read.number = value ? value->getExtValue() : 0;
    } else if (const auto* wait = dyn_cast<OpenACCWaitClause>(clause)) {
      if (wait->hasExprs()) {
        for (const Expr* queue : wait->getQueueIdExprs())
          read.arguments.push_back(text(queue));
        if (wait->hasDevNumExpr())
          read.modifiers.emplace_back("devnum");
      }
    } else if (const auto* devices = dyn_cast<OpenACCDeviceTypeClause>(clause)) {
      for (const auto& device : devices->getArchitectures())
        read.arguments.push_back(device.getIdentifierInfo() == nullptr
                                     ? "*"
                                     : device.getIdentifierInfo()->getName().str());
    } else if (const Expr* const number = single_number(clause)) {
      read.argument = text(number);
      const auto value =
          number->isValueDependent() ? std::nullopt : number->getIntegerConstantExpr(_context);
      read.number = value ? value->getExtValue() : 0;
    } else {
      read_variable_list(clause, read);
    }
    return read;
  }

  static const Expr* single_number(const OpenACCClause* clause) {
    const auto number_of = [](const auto* one) {
      return one->hasIntExpr() ? one->getIntExpr() : nullptr;
    };
    if (const auto* one = dyn_cast<OpenACCNumWorkersClause>(clause))
      return number_of(one);
    if (const auto* one = dyn_cast<OpenACCVectorLengthClause>(clause))
      return number_of(one);
    if (const auto* one = dyn_cast<OpenACCWorkerClause>(clause))
      return number_of(one);
    if (const auto* one = dyn_cast<OpenACCVectorClause>(clause))
      return number_of(one);
    if (const auto* one = dyn_cast<OpenACCAsyncClause>(clause))
      return number_of(one);
    if (const auto* one = dyn_cast<OpenACCDeviceNumClause>(clause))
      return number_of(one);
    if (const auto* one = dyn_cast<OpenACCDefaultAsyncClause>(clause))
      return number_of(one);
    return nullptr;
  }

  void read_sections(ArrayRef<Expr*> named, Clause& clause) {
    for (const Expr* variable : named)
      clause.sections.push_back(read_section(variable));
  }
  template <class List>
  void read_variable_list_of(const OpenACCClause* clause, Clause& read) {
    if (const auto* list = dyn_cast<List>(clause))
      read_sections(list->getVarList(), read);
  }
  template <class... Lists>
  void read_variable_lists_of(const OpenACCClause* clause, Clause& read) {
    (read_variable_list_of<Lists>(clause, read), ...);
  }
  void read_variable_list(const OpenACCClause* clause, Clause& read) {
    read_variable_lists_of<OpenACCPrivateClause, OpenACCFirstPrivateClause, OpenACCDevicePtrClause,
                           OpenACCAttachClause, OpenACCDetachClause, OpenACCDeleteClause,
                           OpenACCUseDeviceClause, OpenACCNoCreateClause, OpenACCPresentClause,
                           OpenACCHostClause, OpenACCDeviceClause, OpenACCCopyClause,
                           OpenACCCopyInClause, OpenACCCopyOutClause, OpenACCCreateClause,
                           OpenACCLinkClause, OpenACCDeviceResidentClause>(clause, read);
  }

  Section read_section(const Expr* named) {
    Section section;
    section.text = text(named);
    std::vector<std::pair<const Expr*, const Expr*>>
        bounds; // low and length; of an element the length is null
    std::vector<bool> is_section;
    const Expr* base = named->IgnoreParenImpCasts();
    while (true) {
      if (const auto* part = dyn_cast<ArraySectionExpr>(base)) {
        bounds.insert(bounds.begin(), {part->getLowerBound(), part->getLength()});
        is_section.insert(is_section.begin(), true);
        base = part->getBase()->IgnoreParenImpCasts();
      } else if (const auto* element = dyn_cast<ArraySubscriptExpr>(base)) {
        bounds.insert(bounds.begin(), {element->getIdx(), nullptr});
        is_section.insert(is_section.begin(), false);
        base = element->getBase()->IgnoreParenImpCasts();
      } else {
        break;
      }
    }
    section.variable = variable_of(base);
    if (section.variable == none) {
      section.problem = "'" + section.text + "' is no variable and no member of one";
      return section;
    }
    const Variable& variable = _unit.variables[section.variable];
    if (variable.table && bounds.size() == 2 && is_section[0] && is_section[1]) {
      section.rows = true;
      for (const auto& [low, length] : bounds) {
        if (length == nullptr || (low != nullptr && !is_zero(low)))
          section.problem =
              "'" + section.text + "' is of pointers, and does not begin at 0 or has no length";
        section.extents.push_back(length == nullptr ? "" : text(length));
      }
      return section;
    }
    std::vector<std::string> declared;
    if (variable.shape == Shape::array)
      declared = variable.extents;
    else if (variable.shape == Shape::pointer) {
      if (bounds.empty())
        return section;
      declared.emplace_back();
      declared.insert(declared.end(), variable.extents.begin(), variable.extents.end());
    }
    if (variable.shape == Shape::other)
      section.problem = "'" + variable.path + "' is of type " + variable.element;
    if (bounds.size() > declared.size())
      section.problem =
          "'" + section.text + "' is an array of pointers, or has more dimensions than its type";
    if (!section.problem.empty())
      return section;
    if (variable.shape == Shape::scalar) {
      section.extents = {"1"};
      return section;
    }
    for (std::size_t d = 0; d < declared.size(); ++d) {
      std::string extent = declared[d];
      if (d < bounds.size()) {
        const auto [low, length] = bounds[d];
        const bool from_zero = low == nullptr || is_zero(low);
        if (d > 0 && !(from_zero &&
                       (length == nullptr || text(length) == extent || value_of(length) == extent)))
          section.problem = "'" + section.text + "' takes a part of an inner dimension";
        if (d == 0 && !from_zero) {
          section.low = operand(low);
          section.low_is_local = is_local(low);
        }
        if (d == 0) {
          if (length != nullptr)
            extent = text(length);
          else if (!is_section[d])
            extent = "1";
          else if (extent.empty())
            section.problem = "'" + section.text + "' has no length";
          else if (!from_zero)
            extent += " - " + in_parentheses(section.low);
        }
      }
      if (extent.empty())
        section.problem = "the extents of '" + section.text + "' are not known";
      section.extents.push_back(extent);
    }
    return section;
  }
  bool is_zero(const Expr* expression) const { return value_of(expression) == "0"; }
  std::string value_of(const Expr* expression) const {
    if (expression->isValueDependent())
      return "";
    const auto value = expression->getIntegerConstantExpr(_context);
    return value ? std::to_string(value->getExtValue()) : "";
  }

  // --- variables ---

  /// A name for what a reference refers to that is the same for each reference to it; empty where
  /// there is none.
  std::string key_of(const Expr* expression) const {
    expression = expression->IgnoreParenImpCasts();
    if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
      const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
      return variable == nullptr ? ""
                                 : printed(static_cast<const void*>(variable->getCanonicalDecl()));
    }
    if (const auto* member = dyn_cast<MemberExpr>(expression)) {
      if (!isa<FieldDecl>(member->getMemberDecl()))
        return "";
      const std::string base = key_of(member->getBase());
      return base.empty() ? "" : base + "." + member->getMemberDecl()->getNameAsString();
    }
    return isa<CXXThisExpr>(expression) ? "this" : "";
  }
  static const VarDecl* base_of(const Expr* expression) {
    expression = expression->IgnoreParenImpCasts();
    while (const auto* member = dyn_cast<MemberExpr>(expression))
      expression = member->getBase()->IgnoreParenImpCasts();
    const auto* reference = dyn_cast<DeclRefExpr>(expression);
    return reference == nullptr ? nullptr : dyn_cast<VarDecl>(reference->getDecl());
  }

  std::size_t variable_of(const Expr* expression) {
    expression = expression->IgnoreParenImpCasts();
    const std::string key = key_of(expression);
    if (key.empty() || key == "this")
      return none;
    const auto [found, is_new] = _variables.emplace(key, _unit.variables.size());
    if (!is_new)
      return found->second;
    Variable variable;
    variable.path = text(expression);
    std::erase_if(variable.path, [](unsigned char c) { return std::isspace(c) != 0; });
    QualType type = expression->getType();
    if (const auto* member = dyn_cast<MemberExpr>(expression)) {
      variable.member = true;
      variable.name = member->getMemberDecl()->getNameAsString();
      type = member->getMemberDecl()->getType();
    } else {
      const auto* declaration = cast<VarDecl>(cast<DeclRefExpr>(expression)->getDecl());
      _declarations[found->second] = declaration;
      variable.name = declaration->getNameAsString();
      variable.global = declaration->hasGlobalStorage();
      type = declaration->getType();
      variable.constant = declaration->isConstexpr() ||
                          (type.isConstQualified() && type->isIntegralOrEnumerationType() &&
                           declaration->hasInit() && !declaration->isInitCapture() &&
                           !declaration->getInit()->isValueDependent() &&
                           declaration->getInit()->isEvaluatable(_context));
      variable.reference = type->isReferenceType();
      variable.reassigned = _written_pointers.contains(key) || variable.reference;
    }
    // A function that is called may make a member or a global pointer point elsewhere.
    variable.reassigned = variable.reassigned || variable.member || variable.global;
    read_type(type.getNonReferenceType(), variable);
    _unit.variables.push_back(std::move(variable));
    return found->second;
  }

  /// Whether a structure leads to more than lies in it.
  static bool holds_pointers(QualType type) {
    const RecordDecl* const record = type->getAsRecordDecl();
    if (record == nullptr || record->getDefinition() == nullptr)
      return false;
    for (const FieldDecl* field : record->getDefinition()->fields()) {
      QualType held = field->getType();
      while (const ArrayType* const array = held->getAsArrayTypeUnsafe())
        held = array->getElementType();
      if (held->isAnyPointerType() || held->isReferenceType() || holds_pointers(held))
        return true;
    }
    return false;
  }

  void read_type(QualType type, Variable& variable) {
    variable.type = "$";
    type.getUnqualifiedType().getAsStringInternal(variable.type, _print);
    if (const auto* decayed = type->getAs<DecayedType>())
      type = decayed->getDecayedType();
    variable.shape = Shape::scalar;
    if (type->isPointerType()) {
      variable.shape = Shape::pointer;
      type = type->getPointeeType();
    }
    while (const ArrayType* array = _context.getAsArrayType(type)) {
      if (variable.shape == Shape::scalar)
        variable.shape = Shape::array;
      if (const auto* constant = dyn_cast<ConstantArrayType>(array))
        variable.extents.push_back(std::to_string(constant->getSize().getZExtValue()));
      else if (const auto* of_variable_length = dyn_cast<VariableArrayType>(array);
               of_variable_length != nullptr && of_variable_length->getSizeExpr() != nullptr)
        variable.extents.push_back(text(of_variable_length->getSizeExpr()));
      else
        variable.extents.emplace_back();
      type = array->getElementType();
    }
    variable.element_const = type.isConstQualified();
    variable.element_volatile = type.isVolatileQualified();
    variable.element = type_text(type);
    variable.holds_pointers = holds_pointers(type);
    if (!type->isDependentType() && !type->isIncompleteType() && !type->isFunctionType())
      variable.element_bytes = _context.getTypeSizeInChars(type).getQuantity();
    if (type->isAnyPointerType() || type->isFunctionType()) {
      const QualType led_to = type->isPointerType() ? type->getPointeeType() : QualType();
      variable.table = variable.shape == Shape::pointer && variable.extents.empty() &&
                       !led_to.isNull() && led_to->isArithmeticType() && !type.isConstQualified();
      if (variable.table) {
        variable.element_const = led_to.isConstQualified();
        variable.row_element = type_text(led_to);
      }
      variable.shape = Shape::other;
      variable.copyable = false;
    } else if (type->isRecordType() && variable.shape == Shape::scalar) {
      variable.shape = Shape::other;
      const auto* record = type->getAsCXXRecordDecl();
      variable.copyable =
          record == nullptr || (record->hasDefinition() && record->isTriviallyCopyable());
    } else if (type->isVoidType() || type->isAnyComplexType()) {
      variable.shape = Shape::other;
      variable.copyable = type->isVoidType();
    }
  }

  // --- bodies ---

  void read_body(const FunctionDecl* function) {
    const std::size_t id = function_of(function);
    _written_pointers.clear();
    _blocks.clear();
    Parents parents;
    find_written_pointers(function->getBody(), parents);
    parents.clear();
    Walk walk;
    walk.function = id;
    visit(function->getBody(), parents, walk);
    for (const auto& [directive, block] : _blocks)
      read_pieces(directive, block);
    if (const auto* block = dyn_cast<CompoundStmt>(function->getBody()))
      for (const Stmt* statement : block->body())
        if (!isa<NullStmt>(statement))
          _unit.functions[id].pieces.push_back(piece_of(statement, none));
    const auto* body = dyn_cast<CompoundStmt>(function->getBody());
    if (body != nullptr && !body->body_empty() && function->getReturnType()->isVoidType())
      if (const auto found = _directives.find(body->body_back()); found != _directives.end())
        _unit.directives[found->second].last = true;
  }

  void find_written_pointers(const Stmt* statement, Parents& parents) {
    if (statement == nullptr)
      return;
    if (const auto* expression = dyn_cast<Expr>(statement);
        expression != nullptr && (isa<DeclRefExpr>(expression) || isa<MemberExpr>(expression)) &&
        expression->getType()->isPointerType() && may_be_written(parents))
      _written_pointers.insert(key_of(expression));
    parents.push_back(statement);
    for (const Stmt* child : const_cast<Stmt*>(statement)->children())
      find_written_pointers(child, parents);
    parents.pop_back();
  }

  /// Whether what stands in `parents` is more than the pointer's value: an assignment, `&`, or a
  /// reference that is bound to it, as std::swap does.
  static bool may_be_written(const Parents& parents) {
    auto up = parents.rbegin();
    while (up != parents.rend() && isa<ParenExpr>(*up))
      ++up;
    if (up == parents.rend())
      return false;
    if (const auto* conversion = dyn_cast<ImplicitCastExpr>(*up))
      return conversion->getCastKind() != CK_LValueToRValue;
    if (const auto* conversion = dyn_cast<ExplicitCastExpr>(*up);
        conversion != nullptr && conversion->getCastKind() == CK_ToVoid)
      return false;
    if (const auto* assignment = dyn_cast<BinaryOperator>(*up); // in a template there are no casts
        assignment != nullptr && !assignment->isAssignmentOp())
      return false;
    return !isa<ArraySubscriptExpr>(*up) && !isa<UnaryExprOrTypeTraitExpr>(*up) &&
           !isa<CompoundStmt>(*up);
  }

  struct Walk {
    std::size_t function = none;
    std::size_t directive = none; ///< the innermost
    std::size_t kernel = none;    ///< the compute construct, or the host_data, around
    Span kernel_statement;
    const Stmt* loop = nullptr; ///< the innermost loop
  };

  void visit(const Stmt* statement, Parents& parents, Walk walk) {
    if (statement == nullptr)
      return;
    if (const auto* construct = dyn_cast<OpenACCConstructStmt>(statement)) {
      visit_construct(construct, parents, walk);
      return;
    }
    if (isa<ForStmt>(statement) || isa<WhileStmt>(statement) || isa<DoStmt>(statement) ||
        isa<CXXForRangeStmt>(statement))
      walk.loop = statement;
    if (isa<ContinueStmt>(statement) && walk.loop != nullptr) {
      const Span written = span(statement->getSourceRange());
      if (text(written) == "continue")
        _continues[walk.loop].push_back(written);
      else
        _macro_continues.insert(walk.loop);
    }
    if (const auto* call = dyn_cast<CallExpr>(statement))
      note_runtime_call(call, parents);
    if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
      note_runtime_name(reference, parents);
    if (_unit.is_c)
      note_void_cast(statement);
    bool descend = true;
    note_obstacle(statement, parents, walk);
    if (const auto* call = dyn_cast<CallExpr>(statement))
      note_call(call, walk);
    if (const auto* expression = dyn_cast<Expr>(statement))
      descend = note_use(expression, parents, walk);
    if (!descend)
      return;
    if (const auto* lambda = dyn_cast<LambdaExpr>(statement)) {
      parents.push_back(statement);
      visit(lambda->getBody(), parents, walk);
      parents.pop_back();
      return;
    }
    if (const auto* declarations = dyn_cast<DeclStmt>(statement))
      for (const Decl* declaration : declarations->decls())
        if (const auto* construct = dyn_cast<OpenACCConstructDecl>(declaration))
          read_declarative(construct, walk.function, parents.size() == 1);
    parents.push_back(statement);
    for (const Stmt* child : const_cast<Stmt*>(statement)->children())
      visit(child, parents, walk);
    parents.pop_back();
  }

  void visit_construct(const OpenACCConstructStmt* construct, Parents& parents, Walk walk) {
    const std::size_t id = add_directive(
        construct->getSourceRange(), printed(construct->getDirectiveKind()), construct->clauses());
    _directives[construct] = id;
    {
      Directive& directive = _unit.directives[id];
      directive.parent = walk.directive;
      directive.function = walk.function;
    }
    const Stmt* const applied = associated(construct);
    if (const auto* atomic = dyn_cast<OpenACCAtomicConstruct>(construct)) {
      _unit.directives[id].construct = "atomic";
      read_atomic(atomic, id);
    }
    if (const auto* wait = dyn_cast<OpenACCWaitConstruct>(construct))
      for (const Expr* queue : wait->getQueueIdExprs())
        _unit.directives[id].queues.push_back(text(queue));
    Directive& directive = _unit.directives[id];
    if (walk.kernel != none && directive.construct != "loop" &&
        !directive.construct.starts_with("atomic") && directive.construct != "cache" &&
        _unit.directives[walk.kernel].is_compute())
      _unit.directives[walk.kernel].obstacles.push_back(
          {directive.place, directive.pragma,
           "'" + directive.construct + "' inside a compute construct", "move it out"});
    if (applied == nullptr)
      return;
    directive.statement = statement_span(applied);
    directive.braces = isa<CompoundStmt>(applied);
    const bool is_kernel = directive.is_compute();
    if (is_kernel && walk.kernel != none && !_unit.directives[walk.kernel].is_compute())
      directive.obstacles.push_back({directive.place, directive.pragma,
                                     "it stands in host_data, whose pointers are the device's",
                                     "move it out"});
    walk.directive = id;
    if (walk.kernel == none && (is_kernel || directive.construct == "host_data")) {
      walk.kernel = id;
      walk.kernel_statement = directive.statement;
      walk.loop = nullptr;
    }
    if (is_kernel)
      _blocks.emplace_back(id, applied);
    parents.push_back(construct);
    visit(applied, parents, walk);
    parents.pop_back();
  }

  [[nodiscard]] bool declared_in(const VarDecl* variable, Span where) const {
    return is_here(variable->getLocation()) && offset(variable->getLocation()) >= where.begin &&
           offset(variable->getLocation()) < where.end;
  }

  /// Whether it leads to a place in the body of the innermost loop around it: what becomes a kernel
  /// is such a body, or has it in it.
  [[nodiscard]] bool stays(const GotoStmt* jump, const Parents& parents, const Walk& walk) const {
    const auto loop = std::find_if(parents.rbegin(), parents.rend(),
                                   [](const Stmt* above) { return isa<ForStmt>(above); });
    return loop != parents.rend() && walk.kernel_statement.holds(span((*loop)->getSourceRange())) &&
           span(cast<ForStmt>(*loop)->getBody()->getSourceRange())
               .holds(span(jump->getLabel()->getStmt()->getSourceRange()));
  }

  void note_obstacle(const Stmt* statement, const Parents& parents, const Walk& walk) {
    std::string what;
    std::string by_hand;
    if (isa<ReturnStmt>(statement) && walk.kernel != none)
      what = "a return in a kernel";
    else if (isa<CXXNewExpr>(statement) || isa<CXXDeleteExpr>(statement))
      what = "new or delete in a kernel",
      by_hand = "allocate before it, and name the array in a data clause";
    else if (isa<CXXThrowExpr>(statement) || isa<CXXTryStmt>(statement))
      what = "an exception in a kernel";
    else if (isa<AsmStmt>(statement) || isa<IndirectGotoStmt>(statement) ||
             (isa<GotoStmt>(statement) && walk.kernel != none &&
              !stays(cast<GotoStmt>(statement), parents, walk)))
      what = "goto or asm in a kernel";
    else if (isa<LambdaExpr>(statement))
      what = "a lambda in a kernel", by_hand = "make it a function with `routine seq`";
    else if (isa<CXXThisExpr>(statement) && (parents.empty() || !isa<MemberExpr>(parents.back())))
      what = "'this' in a kernel", by_hand = "copy the members to local variables before it";
    else if (isa<CXXForRangeStmt>(statement))
      what = "a loop over a range in a kernel", by_hand = "write it with an index";
    else if (const auto* declarations = dyn_cast<DeclStmt>(statement)) {
      for (const Decl* declaration : declarations->decls())
        if (const auto* variable = dyn_cast<VarDecl>(declaration)) {
          const auto* record = variable->getType().getNonReferenceType()->getAsCXXRecordDecl();
          if (variable->isStaticLocal() && !variable->isConstexpr())
            what = "the static variable '" + variable->getNameAsString() + "' in a kernel";
          else if (record != nullptr && record->hasDefinition() && !record->isTriviallyCopyable())
            what = "'" + variable->getNameAsString() + "' of class type " +
                   type_text(variable->getType()) + " in a kernel";
          else if (variable->getType()->isVariableArrayType())
            what =
                "'" + variable->getNameAsString() + "', an array of variable length, in a kernel";
        }
    }
    if (what.empty())
      return;
    const Obstacle found{place(statement->getBeginLoc()), span(statement->getSourceRange()), what,
                         by_hand.empty() ? "take it out of the kernel" : by_hand};
    if (walk.kernel != none && _unit.directives[walk.kernel].is_compute())
      _unit.directives[walk.kernel].obstacles.push_back(found);
    if (walk.kernel == none && walk.function != none)
      _unit.functions[walk.function].obstacles.push_back(found);
  }

  void note_runtime_call(const CallExpr* call, const Parents& parents) {
    const FunctionDecl* const callee = call->getDirectCallee();
    if (callee == nullptr)
      return;
    const std::string name = callee->getNameAsString();
    if (name.starts_with("MPI_Init"))
      _unit.uses_mpi = true;
    if (!name.starts_with("acc_") || !is_here(call->getBeginLoc()) ||
        is_here(callee->getLocation()))
      return;
    RuntimeCall read;
    read.place = place(call->getBeginLoc());
    read.whole = span(call->getSourceRange());
    read.name = name;
    read.macro = call->getBeginLoc().isMacroID() || call->getEndLoc().isMacroID();
    for (const Expr* argument : call->arguments()) {
      if (isa<CXXDefaultArgExpr>(argument))
        break;
      read.arguments.push_back(span(argument->getSourceRange()));
      read.plain.push_back(span(without_pointer_casts(argument)->getSourceRange()));
    }
    const Context context = context_of(call, parents);
    read.as_number = context == Context::number;
    read.as_truth = context == Context::truth;
    const Stmt* const parent = parents.empty() ? nullptr : parents.back();
    read.used = parent != nullptr &&
                (isa<Expr>(parent) || isa<DeclStmt>(parent) || isa<ReturnStmt>(parent));
    if (call->getNumArgs() > 0)
      read.device = device_of(call->getArg(call->getNumArgs() - 1));
    if (name.starts_with("acc_get_property") && call->getNumArgs() == 3) {
      read.property = read.device;
      read.device = device_of(call->getArg(1));
    }
    if (call->getNumArgs() > 1)
      read_bytes(call->getArg(0)->IgnoreParenImpCasts()->getType(),
                 call->getArg(1)->IgnoreParenImpCasts(), read);
    _unit.runtime_calls.push_back(std::move(read));
  }
  /// The device type by name, or the property; empty of what is only known when the program runs.
  static std::string device_of(const Expr* argument) {
    argument = argument->IgnoreParenCasts();
    if (const auto* reference = dyn_cast<DeclRefExpr>(argument);
        reference != nullptr && isa<EnumConstantDecl>(reference->getDecl()))
      return reference->getDecl()->getNameAsString();
    const auto* call = dyn_cast<CallExpr>(argument);
    const FunctionDecl* const callee = call == nullptr ? nullptr : call->getDirectCallee();
    return callee != nullptr && callee->getNameAsString() == "acc_get_device_type"
               ? "acc_device_current"
               : "";
  }
  /// `&row` of `(void**)&row`.
  static const Expr* without_pointer_casts(const Expr* argument) {
    const Expr* plain = argument->IgnoreParenImpCasts();
    while (const auto* conversion = dyn_cast<ExplicitCastExpr>(plain)) {
      if (!conversion->getType()->isPointerType())
        break;
      plain = conversion->getSubExpr()->IgnoreParenImpCasts();
    }
    return plain;
  }

  /// What a device type is converted to where it stands.
  enum class Context { device, number, truth };
  static bool is_device_type(QualType type) {
    const auto* of = type->getAs<EnumType>();
    return of != nullptr && of->getDecl()->getNameAsString() == "acc_device_t";
  }
  /// In C the names of an enumeration's values are of type int.
  static bool is_device(const Expr* expression) {
    expression = expression->IgnoreParenImpCasts();
    if (const auto* reference = dyn_cast<DeclRefExpr>(expression))
      if (const auto* value = dyn_cast<EnumConstantDecl>(reference->getDecl()))
        return value->getNameAsString().starts_with("acc_device_");
    return is_device_type(expression->getType());
  }
  static Context context_of(const Expr* expression, const Parents& parents) {
    QualType type = expression->getType();
    auto up = parents.rbegin();
    for (; up != parents.rend() &&
           (isa<ImplicitCastExpr>(*up) || isa<ParenExpr>(*up) || isa<ConstantExpr>(*up));
         ++up) {
      type = cast<Expr>(*up)->getType();
      if (const auto* conversion = dyn_cast<ImplicitCastExpr>(*up);
          conversion != nullptr && conversion->getCastKind() == CK_IntegralToBoolean)
        return Context::truth;
    }
    if (up != parents.rend()) {
      const auto* operation = dyn_cast<BinaryOperator>(*up);
      if (operation != nullptr && operation->isComparisonOp() && is_device(operation->getLHS()) &&
          is_device(operation->getRHS()))
        return Context::device;
      const auto* negation = dyn_cast<UnaryOperator>(*up);
      if ((operation != nullptr && operation->isLogicalOp()) || isa<IfStmt>(*up) ||
          (negation != nullptr && negation->getOpcode() == UO_LNot))
        return Context::truth; // in C nothing is converted
    }
    return is_device_type(type) ? Context::device : Context::number;
  }
  void note_runtime_name(const DeclRefExpr* reference, const Parents& parents) {
    if (!is_here(reference->getBeginLoc()) || is_here(reference->getDecl()->getLocation()))
      return;
    const bool is_value = isa<EnumConstantDecl>(reference->getDecl());
    const std::string name = reference->getDecl()->getNameAsString();
    if (!is_value || !(name.starts_with("acc_device_") || name.starts_with("acc_async_")))
      return;
    const Context context = context_of(reference, parents);
    RuntimeName read;
    read.place = place(reference->getBeginLoc());
    read.span = span(reference->getSourceRange());
    read.name = name;
    read.as_number = context == Context::number;
    read.stays = context == Context::truth || text(read.span) != name;
    _unit.device_names.push_back(std::move(read));
  }
  /// How many elements an address and bytes mean.
  void read_bytes(QualType address, const Expr* bytes, RuntimeCall& read) const {
    QualType element = address->isPointerType() ? address->getPointeeType() : address;
    while (const ArrayType* const array = _context.getAsArrayType(element))
      element = array->getElementType();
    if (element->isVoidType()) {
      read.element = element.isConstQualified() ? "const void" : "";
      return;
    }
    read.element = (element.isConstQualified() ? "const " : "") + type_text(element);
    const auto is_size = [&](const Expr* expression) {
      const auto* size = dyn_cast<UnaryExprOrTypeTraitExpr>(expression->IgnoreParenImpCasts());
      return size != nullptr && size->getKind() == UETT_SizeOf &&
             _context.hasSameUnqualifiedType(size->getTypeOfArgument(), element);
    };
    if (is_size(bytes)) {
      read.constant = 1;
    } else if (const auto* product = dyn_cast<BinaryOperator>(bytes);
               product != nullptr && product->getOpcode() == BO_Mul) {
      if (is_size(product->getRHS()))
        read.count = span(product->getLHS()->getSourceRange());
      else if (is_size(product->getLHS()))
        read.count = span(product->getRHS()->getSourceRange());
    }
  }

  void note_call(const CallExpr* call, const Walk& walk) {
    Call read;
    read.place = place(call->getBeginLoc());
    read.callee = span(call->getCallee()->getSourceRange());
    const std::size_t bracket = _unit.text.find('(', read.callee.end);
    read.arguments =
        static_cast<unsigned>(bracket == std::string::npos ? _unit.text.size() : bracket + 1);
    read.macro =
        call->getBeginLoc().isMacroID() && !_sources.isMacroArgExpansion(call->getBeginLoc());
    const FunctionDecl* const callee = call->getDirectCallee();
    std::string obstacle;
    bool explicit_arguments = false;
    if (callee == nullptr) {
      if (const auto* unresolved =
              dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenImpCasts())) {
        // In a template: the only function of that name, if there is only one here.
        read.name = unresolved->getName().getAsString();
        obstacle = describe_unresolved(call, unresolved, read);
        explicit_arguments = unresolved->hasExplicitTemplateArgs();
      } else if (!isa<CXXOperatorCallExpr>(call)) {
        obstacle = "an indirect call in a kernel";
      } else {
        return;
      }
    } else if (const auto* method = dyn_cast<CXXMethodDecl>(callee);
               method != nullptr && method->isTrivial()) {
      return; // an assignment as C has it
    } else if (isa<CXXMethodDecl>(callee) && !callee->isOverloadedOperator()) {
      obstacle = "a call of the member function '" + callee->getNameAsString() + "' in a kernel";
    } else if (callee->isOverloadedOperator()) {
      obstacle = "an operator of a class in a kernel";
    } else {
      read.name = callee->getNameAsString();
      describe(callee, read);
      note_casts(call, callee, read);
      const auto* named = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
      explicit_arguments = named != nullptr && named->hasExplicitTemplateArgs();
    }
    if (explicit_arguments && read.system)
      obstacle = "the call of '" + read.name + "' with template arguments in a kernel";
    std::vector<Obstacle>* obstacles = nullptr;
    std::vector<Call>* calls = nullptr;
    if (walk.kernel != none && _unit.directives[walk.kernel].is_compute()) {
      obstacles = &_unit.directives[walk.kernel].obstacles;
      calls = &_unit.directives[walk.kernel].calls;
    } else if (walk.function != none) {
      obstacles = &_unit.functions[walk.function].obstacles;
      calls = &_unit.functions[walk.function].calls;
    } else {
      return;
    }
    if (obstacle.empty())
      calls->push_back(std::move(read));
    else
      obstacles->push_back({read.place, span(call->getSourceRange()), obstacle,
                            "make it a function with `routine seq`"});
  }
  void describe(const FunctionDecl* callee, Call& read) {
    const FunctionDecl* definition = callee;
    if (const FunctionDecl* const pattern = callee->getTemplateInstantiationPattern())
      definition = pattern;
    definition = definition->getDefinition();
    read.function = none;
    if (definition != nullptr && is_here(definition->getLocation()))
      read.function = function_of(definition);
    // Who writes a function of a name that the library has means that one.
    read.system = read.function == none &&
                  (_sources.isInSystemHeader(_sources.getExpansionLoc(callee->getLocation())) ||
                   (callee->getBuiltinID() != 0 && definition == nullptr)) &&
                  (callee->isInStdNamespace() ||
                   callee->getDeclContext()->getRedeclContext()->isTranslationUnit());
    read.constant = callee->isConstexpr();
  }
  /// A call in a template, of which nobody knows yet what it calls. What speaks against it.
  std::string describe_unresolved(const CallExpr* call, const UnresolvedLookupExpr* unresolved,
                                  Call& read) {
    std::set<const FunctionDecl*> candidates;
    for (const NamedDecl* candidate : unresolved->decls()) {
      const NamedDecl* const underlying = candidate->getUnderlyingDecl();
      const auto* function = dyn_cast<FunctionDecl>(underlying);
      if (const auto* pattern = dyn_cast<FunctionTemplateDecl>(underlying))
        function = pattern->getTemplatedDecl();
      if (function == nullptr)
        continue;
      candidates.insert(function->getCanonicalDecl());
      Call one;
      describe(function, one);
      if (candidates.size() > 1 && (one.function != none || !one.system || !read.system))
        return "the call of '" + read.name +
               "' in a template, which may be one of several functions, in a kernel";
      read.function = one.function;
      read.system = one.system;
      read.constant = one.constant;
      if (read.casts.empty() && underlying == function && candidates.size() == 1)
        note_casts(call, function, read);
      else
        read.casts.clear(); // each type has a function of its own
    }
    return "";
  }
  /// The conversions of C's that decide which function of Kokkos' would be called.
  void note_casts(const CallExpr* call, const FunctionDecl* callee, Call& read) const {
    if (!read.system)
      return;
    for (unsigned i = 0; i < std::min(call->getNumArgs(), callee->getNumParams()); ++i) {
      const QualType wanted =
          callee->getParamDecl(i)->getType().getCanonicalType().getUnqualifiedType();
      const Expr* const argument = call->getArg(i)->IgnoreImpCasts();
      const QualType given = argument->getType().getCanonicalType().getUnqualifiedType();
      if (!wanted->isArithmeticType() || given == wanted ||
          (given->isIntegerType() &&
           (wanted->isSpecificBuiltinType(BuiltinType::Double) || wanted->isIntegerType())))
        continue;
      read.casts.emplace_back(span(argument->getSourceRange()), type_text(wanted));
    }
  }

  /// Notes what the expression names. Whether its children are still to be looked at.
  bool note_use(const Expr* expression, Parents& parents, const Walk& walk) {
    if (walk.kernel == none && walk.function == none)
      return true;
    const auto* member = dyn_cast<MemberExpr>(expression);
    if (!isa<DeclRefExpr>(expression) && member == nullptr)
      return true;
    const std::string key = key_of(expression);
    if (key.empty() || key == "this")
      return true;
    const VarDecl* const base = base_of(expression);
    const bool in_kernel = walk.kernel != none;
    if (base != nullptr && in_kernel && declared_in(base, walk.kernel_statement))
      return true;
    if (!in_kernel && (base == nullptr || !base->hasGlobalStorage()))
      return true;
    // Of `s.t.u` the whole is one use.
    const std::size_t variable = variable_of(expression);
    Use use = use_of(expression, parents);
    use.variable = variable;
    if (in_kernel)
      _unit.directives[walk.kernel].uses.push_back(std::move(use));
    else
      _unit.functions[walk.function].globals.push_back(std::move(use));
    return member == nullptr;
  }

  Use use_of(const Expr* reference, const Parents& parents) {
    Use use;
    use.name = span(reference->getSourceRange());
    use.whole = use.name;
    use.macro = reference->getBeginLoc().isMacroID() &&
                !_sources.isMacroArgExpansion(reference->getBeginLoc());
    const Stmt* current = reference;
    bool is_value = false;
    auto up = static_cast<int>(parents.size()) - 1;
    const auto skip = [&] {
      while (up >= 0 && (isa<ImplicitCastExpr>(parents[static_cast<std::size_t>(up)]) ||
                         isa<ParenExpr>(parents[static_cast<std::size_t>(up)]))) {
        current = parents[static_cast<std::size_t>(up)];
        if (const auto* conversion = dyn_cast<ImplicitCastExpr>(current))
          is_value = is_value || conversion->getCastKind() == CK_LValueToRValue;
        --up;
      }
    };
    skip();
    while (up >= 0) {
      const auto* subscript = dyn_cast<ArraySubscriptExpr>(parents[static_cast<std::size_t>(up)]);
      if (subscript == nullptr || subscript->getBase() != current)
        break;
      use.macro = use.macro || subscript->getBeginLoc().isMacroID() ||
                  subscript->getRBracketLoc().isMacroID();
      use.subscripts.push_back(span(subscript->getIdx()->getSourceRange()));
      use.macro = use.macro || use.subscripts.back().begin < use.name.end;
      use.whole = span(subscript->getSourceRange());
      current = subscript;
      is_value = false;
      --up;
      skip();
    }
    while (up >= 0 && isa<MemberExpr>(parents[static_cast<std::size_t>(up)])) { // of an element
      current = parents[static_cast<std::size_t>(up)];
      --up;
      skip();
      if (up >= 0 && isa<ArraySubscriptExpr>(parents[static_cast<std::size_t>(up)])) {
        current = parents[static_cast<std::size_t>(up)];
        --up;
        skip();
      }
    }
    // One of two: what is done with the choice is done with it.
    while (up >= 0 && !is_value &&
           isa<ConditionalOperator>(parents[static_cast<std::size_t>(up)]) &&
           cast<ConditionalOperator>(parents[static_cast<std::size_t>(up)])->getCond() != current) {
      current = parents[static_cast<std::size_t>(up)];
      --up;
      skip();
    }
    const Stmt* const parent = up >= 0 ? parents[static_cast<std::size_t>(up)] : nullptr;
    if (const auto* operation = dyn_cast_or_null<BinaryOperator>(parent);
        operation != nullptr && operation->isAssignmentOp() && operation->getLHS() == current) {
      use.writes = true;
      use.reads = operation->isCompoundAssignmentOp();
    } else if (const auto* one = dyn_cast_or_null<UnaryOperator>(parent);
               one != nullptr && one->isIncrementDecrementOp()) {
      use.writes = use.reads = true;
    } else {
      use.reads = true;
      // What is no value is bound to something that may write it.
      use.writes = !is_value && !cast<Expr>(current)->isTypeDependent() &&
                   cast<Expr>(current)->isLValue() &&
                   !cast<Expr>(current)->getType().isConstQualified();
    }
    return use;
  }

  // --- blocks and loops ---

  void read_pieces(std::size_t id, const Stmt* block) {
    std::vector<const Stmt*> statements;
    const bool combined = _unit.directives[id].construct.ends_with(" loop");
    _unit.directives[id].set_first = set_first_in(block, id);
    if (const auto* compound = dyn_cast<CompoundStmt>(block); compound != nullptr && !combined)
      statements.assign(compound->body_begin(), compound->body_end());
    else
      statements.push_back(block);
    for (const Stmt* statement : statements) {
      if (!isa<NullStmt>(statement))
        _unit.directives[id].pieces.push_back(piece_of(statement, id));
    }
  }
  /// A statement of the block of a directive, or of a function's body.
  Piece piece_of(const Stmt* statement, std::size_t id) {
    Piece piece;
    piece.span = statement_span(statement);
    piece.set_first = set_first_in(statement, id);
    piece.declares = isa<DeclStmt>(statement);
    read_constant(statement, piece);
    const Stmt* loop = statement;
    if (const auto found = _directives.find(statement); found != _directives.end()) {
      piece.directive = found->second;
      loop = associated(statement);
    }
    if (const auto* one = dyn_cast_or_null<ForStmt>(loop);
        one != nullptr && id != none && shares(one->getBody()))
      piece.step = step_of(one->getBody(), one->getBody(), id);
    std::size_t directive = piece.directive;
    while (const auto* one = dyn_cast_or_null<ForStmt>(loop)) {
      piece.loops.push_back(read_loop(one, id));
      piece.loops.back().directive = directive;
      directive = none;
      loop = alone(one->getBody());
      if (const auto* inner = dyn_cast<OpenACCLoopConstruct>(loop)) {
        directive = _directives.at(inner);
        loop = associated(inner);
      }
    }
    return piece;
  }

  // --- what a team would do ---

  /// A loop that says that workers or lanes share it out.
  static const ForStmt* shared_loop(const Stmt* statement) {
    const auto* construct = dyn_cast<OpenACCLoopConstruct>(statement);
    if (construct == nullptr)
      return nullptr;
    const auto is_level = [](const OpenACCClause* clause) {
      return isa<OpenACCWorkerClause>(clause) || isa<OpenACCVectorClause>(clause);
    };
    return std::any_of(construct->clauses().begin(), construct->clauses().end(), is_level)
               ? dyn_cast_or_null<ForStmt>(associated(construct))
               : nullptr;
  }
  /// Whether there is such a loop in it.
  static bool shares(const Stmt* statement) {
    if (statement == nullptr)
      return false;
    if (shared_loop(statement) != nullptr)
      return true;
    const auto children = const_cast<Stmt*>(statement)->children();
    return std::any_of(children.begin(), children.end(), shares);
  }
  static bool has_atomic(const Stmt* statement) {
    if (statement == nullptr)
      return false;
    const auto children = const_cast<Stmt*>(statement)->children();
    return isa<OpenACCAtomicConstruct>(statement) ||
           std::any_of(children.begin(), children.end(), has_atomic);
  }
  /// `sum` of `sum = 0;` and of `double sum = 0;`
  static const VarDecl* set_to_zero(const Stmt* statement) {
    const VarDecl* variable = nullptr;
    const Expr* value = nullptr;
    if (const auto* declarations = dyn_cast<DeclStmt>(statement);
        declarations != nullptr && declarations->isSingleDecl()) {
      variable = dyn_cast<VarDecl>(declarations->getSingleDecl());
      value = variable == nullptr ? nullptr : variable->getInit();
    } else if (const auto* set = dyn_cast<BinaryOperator>(statement);
               set != nullptr && set->getOpcode() == BO_Assign) {
      if (const auto* reference = dyn_cast<DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts()))
        variable = dyn_cast<VarDecl>(reference->getDecl());
      value = set->getRHS();
    }
    if (variable == nullptr || value == nullptr)
      return nullptr;
    value = value->IgnoreParenImpCasts();
    const auto* whole = dyn_cast<IntegerLiteral>(value);
    const auto* real = dyn_cast<FloatingLiteral>(value);
    const bool zero = (whole != nullptr && whole->getValue().isZero()) ||
                      (real != nullptr && real->getValue().isPosZero());
    return zero ? variable : nullptr;
  }

  /// Of a statement in the body of a loop over gangs.
  Step step_of(const Stmt* statement, const Stmt* body, std::size_t id) {
    Step step;
    step.place = place(statement->getBeginLoc());
    step.span = statement_span(statement);
    step.declares = isa<DeclStmt>(statement);
    step.atomic = has_atomic(statement);
    const auto id_of = [&](const VarDecl* variable) {
      const auto found =
          _variables.find(printed(static_cast<const void*>(variable->getCanonicalDecl())));
      return found == _variables.end() ? none : found->second;
    };
    const auto touched = [&](const Stmt* part) {
      Touched all = touched_by(part, body, _context, id_of);
      step.jumps = step.jumps || all.jumps;
      if (step.unfit.empty())
        step.unfit = all.problem;
      return std::move(all.touches);
    };
    if (const VarDecl* const variable = set_to_zero(statement))
      step.zero = printed(static_cast<const void*>(variable->getCanonicalDecl()));
    const Stmt* const applied =
        isa<OpenACCConstructStmt>(statement) ? associated(statement) : statement;
    if (applied == nullptr)
      return step; // a hint
    step.touches = touched(applied);
    if (const auto* block = dyn_cast<CompoundStmt>(statement)) {
      step.kind = Step::Kind::block;
      for (const Stmt* inner : block->body())
        if (!isa<NullStmt>(inner))
          step.steps.push_back(step_of(inner, body, id));
    } else if (const auto* branch = dyn_cast<IfStmt>(statement);
               branch != nullptr && branch->getInit() == nullptr &&
               branch->getConditionVariable() == nullptr && !branch->isConstexpr()) {
      step.kind = Step::Kind::choice;
      step.begins = touched(branch->getCond());
      for (const Stmt* inner : {branch->getThen(), branch->getElse()})
        if (inner != nullptr)
          step.steps.push_back(step_of(inner, body, id));
    } else if (const ForStmt* const loop = shared_loop(statement)) {
      step.kind = Step::Kind::share;
      step.loop = read_loop(loop, id);
      if (statement->getBeginLoc().isMacroID())
        step.unfit = "a macro writes a loop that a team would share out";
      step.loop->directive = _directives.at(statement);
      for (const Stmt* head : {loop->getInit(), static_cast<const Stmt*>(loop->getCond()),
                               static_cast<const Stmt*>(loop->getInc())})
        if (head != nullptr)
          for (const Touch& touch : touched(head))
            step.begins.push_back(touch);
      step.steps.push_back(step_of(loop->getBody(), body, id));
    } else if (shares(statement)) {
      const auto* repeated = dyn_cast<ForStmt>(applied);
      step.kind = Step::Kind::repeat;
      if (repeated == nullptr || _continues.contains(repeated) ||
          _macro_continues.contains(repeated)) {
        step.unfit = "what is around a loop that a team would share out is no plain loop";
        return step;
      }
      for (const Stmt* head : {repeated->getInit(), static_cast<const Stmt*>(repeated->getCond()),
                               static_cast<const Stmt*>(repeated->getInc())})
        if (head != nullptr)
          for (const Touch& touch : touched(head))
            step.begins.push_back(touch);
      step.steps.push_back(step_of(repeated->getBody(), body, id));
    }
    return step;
  }

  void read_constant(const Stmt* statement, Piece& piece) const {
    const auto* declarations = dyn_cast<DeclStmt>(statement);
    if (declarations == nullptr || !declarations->isSingleDecl())
      return;
    const auto* declared = dyn_cast<VarDecl>(declarations->getSingleDecl());
    if (declared == nullptr || declared->getInit() == nullptr || declared->isStaticLocal() ||
        declared->isConstexpr() || declared->getInit()->getBeginLoc().isMacroID())
      return;
    const QualType type = declared->getType();
    if (!type.isConstQualified() || !type->isArithmeticType() || type->isBooleanType())
      return;
    piece.constant = declared->getNameAsString();
    piece.type = type_text(type);
    piece.value = span(declared->getInit()->getSourceRange());
  }

  Loop read_loop(const ForStmt* statement, std::size_t construct) {
    Loop loop;
    loop.place = place(statement->getBeginLoc());
    loop.whole = statement_span(statement);
    loop.body = statement_span(statement->getBody());
    loop.braces = isa<CompoundStmt>(statement->getBody());
    if (const auto found = _continues.find(statement); found != _continues.end())
      loop.continues = found->second;
    loop.macro_continues = _macro_continues.contains(statement);
    loop.problem = read_bounds(statement, loop);
    if (statement->getBeginLoc().isMacroID())
      loop.problem = "a macro writes it";
    loop.set_first = set_first_in(statement->getBody(), construct);
    return loop;
  }
  /// The scalars of the directive's that a statement sets before it reads them.
  std::vector<std::size_t> set_first_in(const Stmt* statement, std::size_t directive) const {
    if (directive == none)
      return {};
    std::set<std::size_t> written;
    for (const Use& use : _unit.directives[directive].uses)
      if (use.writes && _declarations.contains(use.variable) &&
          _unit.variables[use.variable].shape == Shape::scalar)
        written.insert(use.variable);
    std::vector<std::size_t> found;
    for (const std::size_t id : written) {
      const First first = first_of(statement, _declarations.at(id));
      if (first == First::set || first == First::perhaps)
        found.push_back(id);
    }
    return found;
  }

  /// Reads start, end and step; what is wrong with them.
  std::string read_bounds(const ForStmt* statement, Loop& loop) {
    const VarDecl* index = nullptr;
    const Expr* start = nullptr;
    if (const auto* declared = dyn_cast_or_null<DeclStmt>(statement->getInit());
        declared != nullptr && declared->isSingleDecl()) {
      index = dyn_cast<VarDecl>(declared->getSingleDecl());
      start = index != nullptr ? index->getInit() : nullptr;
    } else if (const auto* set = dyn_cast_or_null<BinaryOperator>(statement->getInit());
               set != nullptr && set->getOpcode() == BO_Assign) {
      if (const auto* reference = dyn_cast<DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts())) {
        index = dyn_cast<VarDecl>(reference->getDecl());
        start = set->getRHS();
        if (const auto found = _variables.find(key_of(reference)); found != _variables.end())
          loop.variable = found->second;
      }
    }
    if (index == nullptr || start == nullptr)
      return "it has no plain start";
    if (!index->getType()->isIntegerType() && !index->getType()->isDependentType())
      return "its index is no whole number";
    loop.index = index->getNameAsString();
    loop.type = type_text(index->getType());
    const auto is_index = [&](const Expr* expression) {
      const auto* reference = dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
      return reference != nullptr && reference->getDecl() == index;
    };
    const auto* condition = dyn_cast_or_null<BinaryOperator>(
        statement->getCond() != nullptr ? statement->getCond()->IgnoreParenImpCasts() : nullptr);
    if (condition == nullptr || !condition->isComparisonOp() || condition->getOpcode() == BO_EQ)
      return "it has no plain end";
    auto comparison = condition->getOpcode();
    const Expr* end = condition->getRHS();
    if (!is_index(condition->getLHS())) {
      if (!is_index(condition->getRHS()))
        return "it has no plain end";
      end = condition->getLHS();
      comparison = BinaryOperator::reverseComparisonOp(comparison);
    }
    bool up = true;
    const Expr* step = nullptr;
    bool stepped = false;
    const Expr* const increment =
        statement->getInc() != nullptr ? statement->getInc()->IgnoreParenImpCasts() : nullptr;
    if (const auto* one = dyn_cast_or_null<UnaryOperator>(increment);
        one != nullptr && is_index(one->getSubExpr())) {
      stepped = one->isIncrementDecrementOp();
      up = one->isIncrementOp();
    } else if (const auto* more = dyn_cast_or_null<CompoundAssignOperator>(increment);
               more != nullptr && is_index(more->getLHS())) {
      stepped = more->getOpcode() == BO_AddAssign || more->getOpcode() == BO_SubAssign;
      up = more->getOpcode() == BO_AddAssign;
      step = more->getRHS();
    } else if (const auto* set = dyn_cast_or_null<BinaryOperator>(increment);
               set != nullptr && set->getOpcode() == BO_Assign && is_index(set->getLHS())) {
      if (const auto* sum = dyn_cast<BinaryOperator>(set->getRHS()->IgnoreParenImpCasts());
          sum != nullptr && is_index(sum->getLHS()) &&
          (sum->getOpcode() == BO_Add || sum->getOpcode() == BO_Sub)) {
        stepped = true;
        up = sum->getOpcode() == BO_Add;
        step = sum->getRHS();
      }
    }
    if (!stepped)
      return "it has no plain step";
    if (step != nullptr && value_of(step) != "1")
      loop.step = operand(step);
    if (const std::string value = step == nullptr ? "" : value_of(step);
        loop.step.starts_with("-") || value.starts_with("-") || value == "0")
      return "its step is negative, or 0";
    const std::string first = operand(start);
    const std::string last = operand(end);
    for (const Expr* bound : {start, end, step}) {
      loop.bounds_are_local = loop.bounds_are_local && is_local(bound);
      loop.wide = loop.wide || (bound != nullptr &&
                                (bound->IgnoreParenImpCasts()->isTypeDependent() ||
                                 bound->IgnoreParenImpCasts()->getType()->isUnsignedIntegerType()));
    }
    if (up &&
        (comparison == BO_LT || comparison == BO_LE || (comparison == BO_NE && loop.step == "1"))) {
      loop.low = first;
      loop.high = comparison == BO_LE ? plus_one(end, last) : last;
    } else if (!up && loop.step == "1" && (comparison == BO_GT || comparison == BO_GE)) {
      // Which iteration comes first says nothing where they are independent.
      loop.low = comparison == BO_GT ? plus_one(end, last) : last;
      loop.high = plus_one(start, first);
    } else {
      return up ? "its end and its step do not go together" : "it goes downwards by more than one";
    }
    note_names(statement->getInit(), index, loop.reads);
    note_names(statement->getCond(), index, loop.reads);
    note_names(statement->getInc(), index, loop.reads);
    return "";
  }
  std::string plus_one(const Expr* expression, const std::string& text) const {
    // n - 1 + 1 is n
    if (const auto* difference = dyn_cast<BinaryOperator>(expression->IgnoreParenImpCasts());
        difference != nullptr && difference->getOpcode() == BO_Sub &&
        value_of(difference->getRHS()) == "1")
      return this->text(difference->getLHS());
    if (const auto* difference = dyn_cast<BinaryOperator>(expression->IgnoreParenImpCasts());
        difference != nullptr && difference->getOpcode() == BO_Sub)
      if (const std::string value = value_of(difference->getRHS());
          !value.empty() && value == this->text(difference->getRHS()))
        return this->text(difference->getLHS()) + " - " + std::to_string(std::stoll(value) - 1);
    if (const std::string value = value_of(expression); !value.empty() && value == text)
      return std::to_string(std::stoll(value) + 1);
    const bool simple = isa<DeclRefExpr>(expression->IgnoreParenImpCasts()) ||
                        isa<MemberExpr>(expression->IgnoreParenImpCasts());
    return (simple ? text : "(" + text + ")") + " + 1";
  }
  void note_names(const Stmt* statement, const VarDecl* but,
                  std::vector<std::string>& names) const {
    if (statement == nullptr)
      return;
    if (const auto* reference = dyn_cast<DeclRefExpr>(statement);
        reference != nullptr && reference->getDecl() != but)
      names.push_back(reference->getDecl()->getNameAsString());
    for (const Stmt* child : const_cast<Stmt*>(statement)->children())
      note_names(child, but, names);
  }

  First first_of(const Stmt* statement, const VarDecl* variable) const {
    if (statement == nullptr)
      return First::untouched;
    if (const auto* reference = dyn_cast<DeclRefExpr>(statement))
      return reference->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl()
                 ? First::read
                 : First::untouched;
    if (const auto* set = dyn_cast<BinaryOperator>(statement);
        set != nullptr && set->getOpcode() == BO_Assign) {
      const First value = first_of(set->getRHS(), variable);
      const auto* target = dyn_cast<DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts());
      if (target == nullptr)
        return in_order({value, first_of(set->getLHS(), variable)});
      const bool is_it = target->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl();
      return in_order({value, is_it ? First::set : First::untouched});
    }
    if (const auto* branch = dyn_cast<IfStmt>(statement))
      return in_order(
          {first_of(branch->getInit(), variable), first_of(branch->getCond(), variable),
           either(first_of(branch->getThen(), variable), first_of(branch->getElse(), variable))});
    if (const auto* choice = dyn_cast<AbstractConditionalOperator>(statement))
      return in_order({first_of(choice->getCond(), variable),
                       either(first_of(choice->getTrueExpr(), variable),
                              first_of(choice->getFalseExpr(), variable))});
    if (const auto* logical = dyn_cast<BinaryOperator>(statement);
        logical != nullptr && logical->isLogicalOp())
      return in_order({first_of(logical->getLHS(), variable),
                       either(first_of(logical->getRHS(), variable), First::untouched)});
    if (const auto* choice = dyn_cast<SwitchStmt>(statement))
      return first_of_switch(choice, variable);
    if (const auto* loop = dyn_cast<ForStmt>(statement)) {
      First once = first_of(loop->getBody(), variable);
      if (_continues.contains(loop) || _macro_continues.contains(loop)) // it may leave it before
        once = either(once, First::untouched);
      const First body = in_order({once, first_of(loop->getInc(), variable)});
      return in_order({first_of(loop->getInit(), variable), first_of(loop->getCond(), variable),
                       either(body, First::untouched)});
    }
    if (const auto* loop = dyn_cast<DoStmt>(statement)) // which may be left early
      return in_order({either(first_of(loop->getBody(), variable), First::untouched),
                       first_of(loop->getCond(), variable)});
    if (const auto* loop = dyn_cast<WhileStmt>(statement))
      return in_order({first_of(loop->getCond(), variable),
                       either(first_of(loop->getBody(), variable), First::untouched)});
    std::vector<First> parts;
    for (const Stmt* child : const_cast<Stmt*>(statement)->children())
      parts.push_back(first_of(child, variable));
    const First all = in_order(parts);
    return all;
  }
  /// From each label to the next break; and a set is no certainty behind it.
  First first_of_switch(const SwitchStmt* choice, const VarDecl* variable) const {
    std::vector<First> ways{First::untouched};
    const auto* body = dyn_cast<CompoundStmt>(choice->getBody());
    if (body == nullptr)
      ways.push_back(first_of(choice->getBody(), variable));
    else
      for (auto from = body->body_begin(); from != body->body_end(); ++from)
        if (isa<SwitchCase>(*from)) {
          std::vector<First> way;
          for (auto at = from; at != body->body_end() && !isa<BreakStmt>(*at); ++at)
            way.push_back(first_of(*at, variable));
          ways.push_back(in_order(way));
        }
    First all = First::untouched;
    for (const First way : ways)
      all = either(all, way);
    return in_order({first_of(choice->getInit(), variable), first_of(choice->getCond(), variable),
                     all == First::set ? First::perhaps : all});
  }
  static First in_order(const std::vector<First>& parts) {
    bool perhaps = false;
    for (const First part : parts) {
      if (part == First::set)
        return First::set;
      if (part == First::read)
        return First::read; // also after `perhaps`: what it reads may not be set
      perhaps = perhaps || part == First::perhaps;
    }
    return perhaps ? First::perhaps : First::untouched;
  }
  static First either(First one, First other) {
    if (one == First::read || other == First::read)
      return First::read;
    if (one == other)
      return one;
    return First::perhaps;
  }

  // --- atomics ---

  static const Expr* expression_of(const Stmt* statement) {
    const auto* expression = dyn_cast_or_null<Expr>(statement);
    return expression == nullptr ? nullptr : expression->IgnoreParenImpCasts();
  }
  bool same(const Expr* one, const Expr* other) const {
    const auto squeezed = [&](const Expr* expression) {
      std::string all = text(expression->IgnoreParenImpCasts());
      std::erase_if(all, [](unsigned char c) { return std::isspace(c) != 0; });
      return all;
    };
    return squeezed(one) == squeezed(other);
  }

  struct Change { ///< of `target`
    const Expr* target = nullptr;
    std::string operation;
    std::string symbol;
    const Expr* value = nullptr;
    bool is_post = false;
    bool reversed = false; ///< the target stands right of an operator that does not commute
    std::string problem;
  };
  static std::string name_of(BinaryOperatorKind operation) {
    switch (operation) {
    case BO_Add:
      return "add";
    case BO_Sub:
      return "sub";
    case BO_Mul:
      return "mul";
    case BO_Div:
      return "div";
    case BO_And:
      return "and";
    case BO_Or:
      return "or";
    case BO_Xor:
      return "xor";
    case BO_Shl:
      return "lshift";
    case BO_Shr:
      return "rshift";
    default:
      return "";
    }
  }
  /// What an expression does to what stands on its left, if it changes it by an operator.
  Change change_of(const Expr* expression) const {
    Change change;
    if (const auto* one = dyn_cast<UnaryOperator>(expression);
        one != nullptr && one->isIncrementDecrementOp()) {
      change.target = one->getSubExpr()->IgnoreParenImpCasts();
      change.operation = one->isIncrementOp() ? "add" : "sub";
      change.is_post = one->isPostfix();
    } else if (const auto* compound = dyn_cast<CompoundAssignOperator>(expression)) {
      change.target = compound->getLHS()->IgnoreParenImpCasts();
      const auto operation = BinaryOperator::getOpForCompoundAssignment(compound->getOpcode());
      change.operation = name_of(operation);
      change.symbol = BinaryOperator::getOpcodeStr(operation).str();
      change.value = compound->getRHS()->IgnoreImpCasts();
      if (change.operation.empty())
        change.problem = "Kokkos has no atomic operation for its operator";
    } else if (const auto* set = dyn_cast<BinaryOperator>(expression);
               set != nullptr && set->getOpcode() == BO_Assign) {
      const auto* operation = dyn_cast<BinaryOperator>(set->getRHS()->IgnoreParenImpCasts());
      const Expr* const target = set->getLHS()->IgnoreParenImpCasts();
      if (operation == nullptr)
        return change;
      const bool left = same(operation->getLHS(), target);
      const bool right = same(operation->getRHS(), target);
      if (!left && !right)
        return change;
      change.target = target;
      change.operation = name_of(operation->getOpcode());
      change.symbol = operation->getOpcodeStr().str();
      change.value = (left ? operation->getRHS() : operation->getLHS())->IgnoreImpCasts();
      const bool commutes = change.operation == "add" || change.operation == "mul" ||
                            change.operation == "and" || change.operation == "or" ||
                            change.operation == "xor";
      change.reversed = !left && !commutes;
      if (change.operation.empty())
        change.problem = "Kokkos has no atomic operation for its operator";
    }
    return change;
  }

  void read_atomic(const OpenACCAtomicConstruct* construct, std::size_t id) {
    Atomic atomic;
    const Stmt* const statement = associated(construct);
    const OpenACCAtomicKind kind = construct->getAtomicKind();
    const auto apply = [&](const Change& change) {
      atomic.operation = change.operation;
      atomic.problem = change.problem;
      atomic.target = span(change.target->getSourceRange());
      if (change.value != nullptr) {
        atomic.value = span(change.value->getSourceRange());
        const QualType target = change.target->getType();
        const QualType value = change.value->getType();
        // What Kokkos has no function for: also of a whole number that a floating-point value
        // changes, which C rounds afterwards.
        if (change.reversed || (target->isIntegerType() && value->isRealFloatingType())) {
          atomic.operation = "change";
          atomic.symbol = change.symbol;
          atomic.reversed = change.reversed;
        }
        if (atomic.operation == "change" && !target->isDependentType() &&
            _context.getTypeSize(target) > 64)
          atomic.problem = "no compare-exchange of more than 8 bytes";
        atomic.rounds = target->isRealFloatingType() && value->isRealFloatingType() &&
                        _context.getTypeSize(value) > _context.getTypeSize(target);
      }
    };
    const auto unknown = [&] {
      atomic.problem = "its statement has no form that an atomic may have";
    };
    const bool of_macro = statement->getBeginLoc().isMacroID();
    if (kind == OpenACCAtomicKind::Capture && !of_macro)
      read_capture(statement, atomic, apply, unknown);
    else if (const auto* set = dyn_cast_or_null<BinaryOperator>(expression_of(statement));
             !of_macro && (kind == OpenACCAtomicKind::Read || kind == OpenACCAtomicKind::Write) &&
             set != nullptr && set->getOpcode() == BO_Assign) {
      const bool reads = kind == OpenACCAtomicKind::Read;
      (reads ? atomic.captured : atomic.target) = span(set->getLHS()->getSourceRange());
      (reads ? atomic.target : atomic.value) = span(set->getRHS()->getSourceRange());
    } else if (const Expr* const expression = expression_of(statement);
               expression != nullptr && !of_macro &&
               (kind == OpenACCAtomicKind::Update || kind == OpenACCAtomicKind::None)) {
      const Change change = change_of(expression);
      if (change.target == nullptr)
        unknown();
      else
        apply(change);
    } else {
      unknown();
    }
    _unit.directives[id].atomic = atomic;
    _unit.directives[id].construct =
        std::string("atomic ") + (kind == OpenACCAtomicKind::Read      ? "read"
                                  : kind == OpenACCAtomicKind::Write   ? "write"
                                  : kind == OpenACCAtomicKind::Capture ? "capture"
                                                                       : "update");
  }

  template <class Apply, class Unknown>
  void read_capture(const Stmt* statement, Atomic& atomic, const Apply& apply,
                    const Unknown& unknown) {
    // v = x++; v = x += e; v = x = x + e;
    if (const auto* set = dyn_cast_or_null<BinaryOperator>(expression_of(statement));
        set != nullptr && set->getOpcode() == BO_Assign) {
      const Change change = change_of(set->getRHS()->IgnoreParenImpCasts());
      if (change.target == nullptr)
        return unknown();
      apply(change);
      atomic.before = change.is_post;
      atomic.captured = span(set->getLHS()->getSourceRange());
      return;
    }
    // { v = x; x += e; } and { x += e; v = x; }, and { v = x; x = e; }
    const auto* block = dyn_cast<CompoundStmt>(statement);
    if (block == nullptr || block->size() != 2)
      return unknown();
    const Expr* const first = expression_of(block->body_front());
    const Expr* const second = expression_of(block->body_back());
    if (first == nullptr || second == nullptr)
      return unknown();
    const auto* first_set = dyn_cast<BinaryOperator>(first);
    const auto* second_set = dyn_cast<BinaryOperator>(second);
    const bool first_assigns = first_set != nullptr && first_set->getOpcode() == BO_Assign;
    const bool second_assigns = second_set != nullptr && second_set->getOpcode() == BO_Assign;
    if (const Change last = change_of(second);
        last.target != nullptr && first_assigns && same(first_set->getRHS(), last.target)) {
      apply(last);
      atomic.before = true;
      atomic.captured = span(first_set->getLHS()->getSourceRange());
    } else if (const Change change = change_of(first); change.target != nullptr && second_assigns &&
                                                       same(second_set->getRHS(), change.target)) {
      apply(change);
      atomic.captured = span(second_set->getLHS()->getSourceRange());
    } else if (first_assigns && second_assigns && same(first_set->getRHS(), second_set->getLHS())) {
      atomic.before = true;
      atomic.captured = span(first_set->getLHS()->getSourceRange());
      atomic.target = span(second_set->getLHS()->getSourceRange());
      atomic.value = span(second_set->getRHS()->getSourceRange());
    } else {
      unknown();
    }
  }

  // --- what C allows and C++ does not ---

  void note_void_cast(const Stmt* statement) {
    const auto* conversion = dyn_cast<ImplicitCastExpr>(statement);
    if (conversion == nullptr || conversion->getCastKind() != CK_BitCast ||
        conversion->getBeginLoc().isMacroID() || !is_here(conversion->getBeginLoc()))
      return;
    const QualType from = conversion->getSubExpr()->getType();
    const QualType to = conversion->getType();
    if (from->isVoidPointerType() && to->isPointerType() && !to->isVoidPointerType())
      _unit.void_casts.emplace_back(span(conversion->getSourceRange()).begin,
                                    to.getUnqualifiedType().getAsString(_print));
  }
  void find_restricts() {
    Lexer lexer(_sources.getLocForStartOfFile(_sources.getMainFileID()), _language,
                _unit.text.data(), _unit.text.data(), _unit.text.data() + _unit.text.size());
    Token token;
    while (!lexer.LexFromRawLexer(token))
      if (token.is(tok::raw_identifier) &&
          (token.getRawIdentifier() == "restrict" || token.getRawIdentifier() == "_Bool")) {
        const unsigned at = _sources.getFileOffset(token.getLocation());
        (token.getRawIdentifier() == "_Bool" ? _unit.bools : _unit.restricts)
            .push_back({at, at + token.getLength()});
      }
  }

  /// The names in the code, without its comments, and those of the runtime library.
  void find_names() {
    Lexer lexer(_sources.getLocForStartOfFile(_sources.getMainFileID()), _language,
                _unit.text.data(), _unit.text.data(), _unit.text.data() + _unit.text.size());
    Token token;
    bool is_last = false;
    unsigned after = 0;
    while (!is_last) {
      is_last = lexer.LexFromRawLexer(token);
      if (token.is(tok::hash) && token.isAtStartOfLine()) {
        // A line of the preprocessor's has no names of the code.
        const unsigned at = _sources.getFileOffset(token.getLocation());
        after = lines_from(at, at, _unit.text).end;
      }
      if (token.is(tok::raw_identifier) && _sources.getFileOffset(token.getLocation()) >= after)
        _unit.names.insert(token.getRawIdentifier().str());
      if (token.is(tok::raw_identifier) && token.getRawIdentifier().starts_with("acc_")) {
        const unsigned at = _sources.getFileOffset(token.getLocation());
        _unit.runtime_names.push_back({at, at + token.getLength()});
        if (token.getRawIdentifier() == "acc_device_t")
          _unit.device_names.push_back(
              {place(token.getLocation()), _unit.runtime_names.back(), "acc_device_t"});
      }
    }
  }
  void find_words() {
    std::string word;
    for (const char c : _unit.text + " ")
      if (is_word(c))
        word += c;
      else if (!word.empty()) {
        _unit.words.insert(word);
        word.clear();
      }
  }

  // --- what nobody saw ---

  /// Every line that begins an OpenACC directive is one of those that were read, or told as a
  /// stray.
  void find_strays() {
    std::set<unsigned> seen;
    for (const Directive& directive : _unit.directives)
      seen.insert(directive.pragma.begin);
    unsigned line = 1;
    for (unsigned at = 0; at < _unit.text.size(); ++line) {
      const std::size_t newline = _unit.text.find('\n', at);
      const unsigned end = newline == std::string::npos ? static_cast<unsigned>(_unit.text.size())
                                                        : static_cast<unsigned>(newline) + 1;
      if (is_directive(std::string_view(_unit.text).substr(at, end - at)) && !seen.contains(at))
        _unit.strays.push_back(
            {{line, 1},
             {at, end},
             "this directive was not compiled: it stands in a comment, in a branch that these "
             "flags do "
             "not take, or where none applies",
             "translate the file again with the flags that take the branch, or by hand"});
      at = end;
    }
  }

  void sort_directives() {
    std::vector<std::size_t> order(_unit.directives.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return _unit.directives[a].pragma.begin < _unit.directives[b].pragma.begin;
    });
    std::vector<std::size_t> now_at(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      now_at[order[i]] = i;
    std::vector<Directive> sorted;
    for (const std::size_t old : order)
      sorted.push_back(std::move(_unit.directives[old]));
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
    for (Function& function : _unit.functions)
      follow_all(function.pieces);
    _unit.directives = std::move(sorted);
  }
};

/// What the preprocessor sees: includes, and branches that ask for OpenACC.
class Watcher : public PPCallbacks {
public:
  Watcher(SourceManager& sources, Unit& unit) : _sources(sources), _unit(unit) {}

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
  void Endif(SourceLocation at, SourceLocation) override {
    if (_sources.getFileID(at) == _sources.getMainFileID())
      --_depth;
  }

private:
  void enter(SourceLocation at, CharSourceRange condition) {
    if (_sources.getFileID(at) != _sources.getMainFileID())
      return;
    ++_depth;
    note(at, Lexer::getSourceText(condition, _sources, {}));
  }
  void enter_named(SourceLocation at, const Token& name) {
    if (_sources.getFileID(at) != _sources.getMainFileID())
      return;
    ++_depth;
    note(at, name.getIdentifierInfo() != nullptr ? name.getIdentifierInfo()->getName() : "");
  }
  void note(SourceLocation at, StringRef condition) {
    if (_sources.getFileID(at) == _sources.getMainFileID() && condition.contains("_OPENACC"))
      _unit.branches.push_back(
          {{_sources.getSpellingLineNumber(at), 1}, {}, "a branch that asks for _OPENACC", ""});
  }
  SourceManager& _sources;
  Unit& _unit;
  int _depth = 0;
};

class Consumer : public ASTConsumer {
public:
  Consumer(Unit& unit, bool& done) : _unit(unit), _done(done) {}
  void HandleTranslationUnit(ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    Reader(context, _unit).read();
    _done = true;
  }

private:
  Unit& _unit;
  bool& _done;
};

class Action : public ASTFrontendAction {
public:
  Action(Unit& unit, bool& done) : _unit(unit), _done(done) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<Watcher>(compiler.getSourceManager(), _unit));
    return std::make_unique<Consumer>(_unit, _done);
  }

private:
  Unit& _unit;
  bool& _done;
};

class Factory : public tooling::FrontendActionFactory {
public:
  Factory(Unit& unit, bool& done) : _unit(unit), _done(done) {}
  std::unique_ptr<FrontendAction> create() override {
    return std::make_unique<Action>(_unit, _done);
  }

private:
  Unit& _unit;
  bool& _done;
};

} // namespace

std::optional<Unit> parse(const std::string& file, const std::string& directory,
                          const std::vector<std::string>& flags) {
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
  tooling::ClangTool tool(database, {std::filesystem::absolute(file).string()});
  tool.setPrintErrorMessage(false);
  tool.clearArgumentsAdjusters(); // they would add options that ask for other output
  tool.appendArgumentsAdjuster(tooling::getClangSyntaxOnlyAdjuster());
  Factory factory(unit, done);
  if (tool.run(&factory) != 0 || !done)
    return std::nullopt;
  return unit;
}

} // namespace gangway::port
