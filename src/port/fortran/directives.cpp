// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/directives.hpp"

#include "port/fortran/kernels.hpp"

#include <flang/Evaluate/check-expression.h>
#include <flang/Parser/tools.h>
#include <flang/Semantics/expression.h>
#include <flang/Semantics/tools.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gangway::port::fortran {
namespace {

namespace evaluate = Fortran::evaluate;

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

/// Text of the source, in lines.
class Text {
public:
  explicit Text(std::string text) : _text(std::move(text)) {
    for (std::size_t at = 0; at < _text.size();) {
      const std::size_t end = std::min(_text.find('\n', at), _text.size());
      _lines.push_back(std::string_view(_text).substr(at, end - at));
      at = end + 1;
    }
  }
  [[nodiscard]] const std::string& all() const { return _text; }
  /// Returns the column of the sentinel before the place, or the place's own.
  [[nodiscard]] unsigned column_of_sentinel(const Place& place) const {
    if (place.line == 0 || place.line > _lines.size())
      return place.column;
    const std::string line = lower(_lines[place.line - 1]);
    for (const std::string_view sentinel : {"!$acc", "c$acc", "*$acc"})
      if (const std::size_t at = line.rfind(sentinel, place.column); at != std::string::npos)
        return static_cast<unsigned>(at) + 1;
    return place.column;
  }
  /// Returns what is between the places, without continuations: `acc parallel loop copy(a)`.
  [[nodiscard]] std::string between(const Place& from, const Place& to) const {
    std::string text;
    for (unsigned line = from.line; line <= to.line && line <= _lines.size(); ++line) {
      std::string_view part = _lines[line - 1];
      if (line == to.line)
        part = part.substr(0, to.column);
      if (line == from.line) {
        part.remove_prefix(std::min<std::size_t>(from.column - 1, part.size()));
      }
      const std::size_t begin = lower(part).find("$acc");
      if (begin != std::string::npos)
        part.remove_prefix(std::min(begin + (line == from.line ? 1 : 5), part.size()));
      for (const char c : part)
        if (c != '&')
          text += c == '\t' || c == '\r' ? ' ' : c;
      text += ' ';
      if (!goes_on(line))
        break; // what follows is the statement that it applies to
    }
    std::string squeezed;
    for (const char c : text)
      if (c != ' ' || (!squeezed.empty() && squeezed.back() != ' '))
        squeezed += c;
    while (!squeezed.empty() && squeezed.back() == ' ')
      squeezed.pop_back();
    return squeezed;
  }

private:
  std::string _text;
  std::vector<std::string_view> _lines;

  /// Returns whether the directive's line goes on in the next one.
  [[nodiscard]] bool goes_on(unsigned line) const {
    std::string_view text = _lines[line - 1];
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
      text.remove_suffix(1);
    if (!text.empty() && text.back() == '&')
      return true;
    if (line >= _lines.size())
      return false;
    const std::string next = lower(_lines[line].substr(0, 6));
    return next.size() == 6 && next.substr(1, 4) == "$acc" && next[5] != ' ' && next[5] != '0';
  }
};

/// Returns the variables that a clause names, or null.
const parser::AccObjectList* objects_of(const parser::AccClause& clause) {
  if (const auto* const objects = parser::Unwrap<parser::AccObjectList>(clause.u))
    return objects;
  if (const auto* const modified = parser::Unwrap<parser::AccObjectListWithModifier>(clause.u))
    return &std::get<parser::AccObjectList>(modified->t);
  if (const auto* const reduced = parser::Unwrap<parser::AccObjectListWithReduction>(clause.u))
    return &std::get<parser::AccObjectList>(reduced->t);
  return nullptr;
}

/// Returns whether elements are left out between the first and the last one of the section: a range
/// after a single index, or a step.
bool leaves_out(const parser::Designator& designator) {
  const auto* const data = std::get_if<parser::DataRef>(&designator.u);
  const auto* const element =
      data == nullptr ? nullptr
                      : std::get_if<Fortran::common::Indirection<parser::ArrayElement>>(&data->u);
  if (element == nullptr)
    return false;
  bool single = false;
  for (const parser::SectionSubscript& subscript : element->value().subscripts) {
    const auto* const range = std::get_if<parser::SubscriptTriplet>(&subscript.u);
    if (range != nullptr && (single || std::get<2>(range->t)))
      return true;
    single = single || range == nullptr;
  }
  return false;
}

/// Variables in the clauses of a construct and of those in it.
class Named : public Hooks {
public:
  using Hooks::enter;
  Symbols found;
  bool enter(const parser::AccClauseList& node) override {
    for (const parser::AccClause& clause : node.v)
      if (const parser::AccObjectList* const objects = objects_of(clause))
        for (const parser::AccObject& object : objects->v)
          if (const auto* const designator = std::get_if<parser::Designator>(&object.u))
            found.insert(symbol_of(parser::GetLastName(*designator)));
    return false;
  }
};

std::string first_word(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  std::size_t end = begin;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
    ++end;
  return begin == std::string::npos ? "" : text.substr(begin, end - begin);
}

/// Builds the model from the tree.
class Builder : public Hooks {
public:
  Builder(std::string file, std::string path, semantics::SemanticsContext& context)
      : _context(context), _lines{context.allCookedSources()}, _file(std::move(file)),
        _path(std::move(path)), _text(read(_file)) {
    _source.unit.is_fortran = true;
    _source.unit.file = _file;
    _source.unit.text = _text.all();
  }
  Source source() && { return std::move(_source); }

  using Hooks::enter;
  using Hooks::leave;

  bool enter(const parser::OpenACCCombinedConstruct& node) override {
    const auto& begin = std::get<parser::AccBeginCombinedDirective>(node.t);
    const auto& clauses = std::get<parser::AccClauseList>(begin.t);
    const std::size_t id =
        open(begin.source, named(std::get<parser::AccCombinedDirective>(begin.t).v), &clauses);
    const auto& loop = std::get<std::optional<parser::DoConstruct>>(node.t);
    if (id == none || !loop)
      return true;
    Named named;
    static_cast<void>(named.enter(clauses));
    walk(*loop, named);
    Obstacles obstacles(facts(id).body, _lines);
    walk(*loop, obstacles);
    tell_extents(id, names_in(*loop), named.found);
    nest(id, *loop);
    return true;
  }
  void leave(const parser::OpenACCCombinedConstruct& /*node*/) override { close(); }

  bool enter(const parser::OpenACCBlockConstruct& node) override {
    const auto& begin = std::get<parser::AccBeginBlockDirective>(node.t);
    const auto& clauses = std::get<parser::AccClauseList>(begin.t);
    const std::size_t id =
        open(begin.source, named(std::get<parser::AccBlockDirective>(begin.t).v), &clauses);
    if (id == none || !is_compute(directive(id).construct))
      return true;
    const auto& block = std::get<parser::Block>(node.t);
    Named named;
    static_cast<void>(named.enter(clauses));
    walk(block, named);
    Obstacles obstacles(facts(id).body, _lines);
    walk(block, obstacles);
    tell_extents(id, names_in(block), named.found);
    return true;
  }
  void leave(const parser::OpenACCBlockConstruct& /*node*/) override { close(); }

  bool enter(const parser::OpenACCLoopConstruct& node) override {
    const auto& begin = std::get<parser::AccBeginLoopDirective>(node.t);
    const auto& clauses = std::get<parser::AccClauseList>(begin.t);
    const std::size_t id =
        open(begin.source, named(std::get<parser::AccLoopDirective>(begin.t).v), &clauses);
    const auto& loop = std::get<std::optional<parser::DoConstruct>>(node.t);
    if (id == none || !loop)
      return true;
    nest(id, *loop);
    return true;
  }
  void leave(const parser::OpenACCLoopConstruct& /*node*/) override { close(); }

  bool enter(const parser::OpenACCStandaloneConstruct& node) override {
    open(node.source, named(std::get<parser::AccStandaloneDirective>(node.t).v),
         &std::get<parser::AccClauseList>(node.t));
    close();
    return true;
  }
  bool enter(const parser::OpenACCStandaloneDeclarativeConstruct& node) override {
    open(node.source, Construct::declare, &std::get<parser::AccClauseList>(node.t));
    close();
    return true;
  }
  bool enter(const parser::OpenACCCacheConstruct& node) override {
    open(node.source, Construct::cache, nullptr);
    close();
    return true;
  }
  bool enter(const parser::OpenACCWaitConstruct& node) override {
    open(node.source, Construct::wait, &std::get<parser::AccClauseList>(node.t));
    close();
    return true;
  }
  bool enter(const parser::OpenACCAtomicConstruct& node) override {
    const Construct construct =
        std::holds_alternative<parser::AccAtomicRead>(node.u)      ? Construct::atomic_read
        : std::holds_alternative<parser::AccAtomicWrite>(node.u)   ? Construct::atomic_write
        : std::holds_alternative<parser::AccAtomicCapture>(node.u) ? Construct::atomic_capture
                                                                   : Construct::atomic_update;
    open(node.source, construct, nullptr);
    close();
    return true;
  }
  bool enter(const parser::OpenACCRoutineConstruct& node) override {
    const std::size_t id =
        open(node.source, Construct::routine, &std::get<parser::AccClauseList>(node.t));
    if (id != none) {
      const auto& name = std::get<std::optional<parser::Name>>(node.t);
      const semantics::Symbol* const symbol = name ? symbol_of(*name) : nullptr;
      facts(id).procedure = symbol != nullptr     ? name_of(*symbol)
                            : name                ? "::" + name->ToString()
                            : _procedures.empty() ? ""
                                                  : _procedures.back();
    }
    close();
    return true;
  }

  bool enter(const parser::SubroutineSubprogram& node) override {
    begin_procedure(std::get<parser::Name>(
        std::get<parser::Statement<parser::SubroutineStmt>>(node.t).statement.t));
    return body(std::get<parser::ExecutionPart>(node.t));
  }
  void leave(const parser::SubroutineSubprogram& /*node*/) override { end_procedure(); }
  bool enter(const parser::FunctionSubprogram& node) override {
    begin_procedure(std::get<parser::Name>(
        std::get<parser::Statement<parser::FunctionStmt>>(node.t).statement.t));
    return body(std::get<parser::ExecutionPart>(node.t));
  }
  void leave(const parser::FunctionSubprogram& /*node*/) override { end_procedure(); }
  bool enter(const parser::SeparateModuleSubprogram& node) override {
    begin_procedure(std::get<parser::Statement<parser::MpSubprogramStmt>>(node.t).statement.v);
    return body(std::get<parser::ExecutionPart>(node.t));
  }
  void leave(const parser::SeparateModuleSubprogram& /*node*/) override { end_procedure(); }
  bool enter(const parser::MainProgram& /*node*/) override {
    _procedures.emplace_back();
    _source.unit.functions.emplace_back();
    _source.unit.functions.back().is_main = true;
    return true;
  }
  void leave(const parser::MainProgram& /*node*/) override { end_procedure(); }

  bool enter(const parser::CallStmt& node) override {
    runtime_call(node.call);
    return true;
  }
  bool enter(const parser::FunctionReference& node) override {
    runtime_call(node.v);
    return true;
  }

private:
  semantics::SemanticsContext& _context;
  Lines _lines;
  std::string _file;
  std::string _path; ///< as Flang has it
  Text _text;
  Source _source;
  std::vector<std::size_t> _open; ///< constructs around; none where it is in another file
  std::vector<std::string> _procedures;
  std::map<std::size_t, Symbols> _shared; ///< variables in clauses of a construct

  static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static Construct named(llvm::acc::Directive kind) {
    return construct_named(std::string(llvm::acc::getOpenACCDirectiveName(kind)));
  }
  Directive& directive(std::size_t id) { return _source.unit.directives[id]; }
  Facts& facts(std::size_t id) { return _source.facts[id]; }

  void begin_procedure(const parser::Name& name) {
    const semantics::Symbol* const symbol = symbol_of(name);
    _procedures.push_back(symbol == nullptr ? "::" + name.ToString() : name_of(*symbol));
  }
  bool body(const parser::ExecutionPart& part) {
    Procedure procedure;
    procedure.name = _procedures.back();
    Obstacles obstacles(procedure.body, _lines);
    walk(part.v, obstacles);
    _source.procedures.push_back(std::move(procedure));
    return true;
  }
  void end_procedure() { _procedures.pop_back(); }

  [[nodiscard]] std::optional<std::pair<Place, Place>> places_of(parser::CharBlock block) const {
    const auto range = _context.allCookedSources().GetSourcePositionRange(block);
    if (!range)
      return std::nullopt;
    return std::pair(
        Place{static_cast<unsigned>(range->first.line), static_cast<unsigned>(range->first.column)},
        Place{static_cast<unsigned>(range->second.line),
              static_cast<unsigned>(range->second.column)});
  }
  /// Adds a directive, and returns its number; none if it is in another file, which the report
  /// names.
  std::size_t open(parser::CharBlock block, Construct construct,
                   const parser::AccClauseList* clauses) {
    const auto range = _context.allCookedSources().GetSourcePositionRange(block);
    const auto places = places_of(block);
    if (!range || !places || *range->first.path != _path) {
      if (range)
        _source.remarks.push_back(
            {{0, 0},
             say<Code::in_another_file>(*range->first.path, range->first.line,
                                        std::string(port::name_of(construct)))});
      _open.push_back(none);
      return none;
    }
    Directive made;
    made.construct = construct;
    made.place = places->first;
    made.place.column = _text.column_of_sentinel(places->first);
    made.text = _text.between(made.place, places->second);
    for (auto around = _open.rbegin(); around != _open.rend() && made.parent == none; ++around)
      made.parent = *around;
    Facts known;
    if (clauses != nullptr)
      for (const parser::AccClause& clause : clauses->v)
        made.clauses.push_back(clause_of(clause, construct, known));
    const std::size_t id = _source.unit.directives.size();
    if (clauses != nullptr) {
      Named named;
      static_cast<void>(named.enter(*clauses));
      _shared[id] = std::move(named.found);
    }
    _source.unit.directives.push_back(std::move(made));
    _source.facts.push_back(std::move(known));
    _open.push_back(id);
    return id;
  }
  void close() { _open.pop_back(); }

  Clause clause_of(const parser::AccClause& node, Construct construct, Facts& known) {
    Clause clause;
    std::string text = node.source.ToString();
    if (const auto places = places_of(node.source)) {
      clause.place = places->first;
      text = _text.between(places->first, places->second);
    }
    const std::string word = lower(first_word(text));
    clause.kind = word == "dtype" ? ClauseKind::device_type : clause_named(word);
    if (clause.kind == ClauseKind::self && port::is_compute(construct))
      clause.kind = ClauseKind::self_condition;
    if (clause.kind == ClauseKind::unknown)
      clause.argument = word;
    if (const auto* const modified = parser::Unwrap<parser::AccObjectListWithModifier>(node.u))
      if (const auto& modifier = std::get<std::optional<parser::AccDataModifier>>(modified->t))
        clause.modifiers.push_back(
            modifier->v == parser::AccDataModifier::Modifier::Zero ? "zero" : "readonly");
    if (const auto* const reduced = parser::Unwrap<parser::AccObjectListWithReduction>(node.u))
      clause.operation = symbol_for(std::get<parser::ReductionOperator>(reduced->t).v);
    if (const auto* const collapse = parser::Unwrap<parser::AccCollapseArg>(node.u)) {
      if (std::get<bool>(collapse->t))
        clause.modifiers.push_back("force");
      clause.number =
          semantics::GetIntValue(std::get<parser::ScalarIntConstantExpr>(collapse->t)).value_or(0);
    }
    if (const auto* const tile = parser::Unwrap<parser::AccTileExprList>(node.u))
      clause.number = static_cast<long>(tile->v.size());
    if (const auto* const types = parser::Unwrap<parser::AccDeviceTypeExprList>(node.u))
      for (const parser::AccDeviceTypeExpr& type : types->v)
        clause.arguments.push_back(
            lower(std::string(Fortran::common::EnumToString(type.v)))); // as `host`
    if (const parser::AccObjectList* const objects = objects_of(node))
      for (const parser::AccObject& object : objects->v)
        clause.sections.push_back(section_of(object, clause.kind, clause.operation, known));
    return clause;
  }

  Section section_of(const parser::AccObject& object, ClauseKind kind, const std::string& operation,
                     Facts& known) {
    Section section;
    const auto* const designator = std::get_if<parser::Designator>(&object.u);
    if (designator == nullptr) {
      section.text = "/" + std::get<parser::Name>(object.u).ToString() + "/";
      section.problem =
          say<Code::no_plain_array>(section.text, "is a common block").by("name its variables");
      return section;
    }
    section.text = designator->source.ToString();
    const parser::Name& last = parser::GetLastName(*designator);
    const semantics::Symbol* const symbol = symbol_of(last);
    if (symbol == nullptr)
      return section;
    const auto* const details = symbol->detailsIf<semantics::ObjectEntityDetails>();
    const bool bare = designator->EndsInBareName();
    if (kind == ClauseKind::reduction) {
      if (symbol->Rank() > 0)
        section.problem = say<Code::reduction>(operation, section.text, "it is an array");
      else if (symbol->owner().IsDerivedType())
        section.problem = say<Code::reduction>(operation, section.text, "it is a component");
      else if (operation == ".eqv." || operation == ".neqv.")
        section.problem =
            say<Code::reduction>(operation, section.text, "no reducer has this operator");
      return section;
    }
    const std::string_view what = unfit(*symbol);
    if (kind == ClauseKind::private_ || kind == ClauseKind::firstprivate) {
      if (!what.empty())
        section.problem = say<Code::private_array>(section.text, fmt::format("it is {}", what))
                              .by("a variable of the kernel's");
      else if (details != nullptr && details->IsArray() && !has_constant_extents(*details))
        section.problem = say<Code::private_array>(section.text, "its extents are not constants");
      return section;
    }
    if (!what.empty() && what != "a character string") {
      section.problem = say<Code::no_plain_array>(section.text, fmt::format("is {}", what))
                            .by("an array of numbers, or of a type without that");
      return section;
    }
    if (bare && details != nullptr && details->isDummy() && details->shape().CanBeAssumedSize()) {
      section.problem = say<Code::no_length>(section.text)
                            .by(fmt::format("write its section, as in {}(1:n)", section.text));
      return section;
    }
    if (bare)
      return section;
    evaluate::ExpressionAnalyzer analyzer{_context};
    const auto expression = analyzer.Analyze(*designator);
    if (!expression || expression->Rank() == 0)
      return section;
    const auto contiguous = evaluate::IsContiguous(*expression, _context.foldingContext());
    if ((contiguous && !*contiguous) || leaves_out(*designator))
      section.problem = say<Code::not_contiguous>(section.text);
    else if (!contiguous && (details == nullptr || !takes_all(*designator, *details)))
      known.told.push_back(say<Code::taken_contiguous>(section.text));
    return section;
  }
  /// Returns whether each range before the last one is all of its dimension.
  bool takes_all(const parser::Designator& designator,
                 const semantics::ObjectEntityDetails& details) {
    const auto* const data = std::get_if<parser::DataRef>(&designator.u);
    const auto* const element =
        data == nullptr ? nullptr
                        : std::get_if<Fortran::common::Indirection<parser::ArrayElement>>(&data->u);
    if (element == nullptr)
      return false;
    const auto& subscripts = element->value().subscripts;
    const semantics::ArraySpec& shape = details.shape();
    if (subscripts.size() != shape.size())
      return false;
    auto dimension = shape.begin();
    auto last = subscripts.end();
    for (auto one = subscripts.begin(); one != subscripts.end(); ++one)
      if (std::holds_alternative<parser::SubscriptTriplet>(one->u))
        last = one;
    for (auto one = subscripts.begin(); one != last && one != subscripts.end(); ++one, ++dimension)
      if (const auto* const range = std::get_if<parser::SubscriptTriplet>(&one->u))
        if (!is_bound(std::get<0>(range->t), dimension->lbound()) ||
            !is_bound(std::get<1>(range->t), dimension->ubound()))
          return false;
    return true;
  }
  bool is_bound(const std::optional<parser::Subscript>& given, const semantics::Bound& bound) {
    if (!given)
      return true;
    const semantics::SomeExpr* const expression = semantics::GetExpr(_context, *given);
    const auto& declared = bound.GetExplicit();
    if (expression == nullptr || !declared)
      return false;
    const auto number = evaluate::ToInt64(*expression);
    return number ? number == evaluate::ToInt64(*declared)
                  : expression->AsFortran() == declared->AsFortran();
  }
  static bool has_constant_extents(const semantics::ObjectEntityDetails& details) {
    for (const semantics::ShapeSpec& dimension : details.shape()) {
      const auto& low = dimension.lbound().GetExplicit();
      const auto& high = dimension.ubound().GetExplicit();
      if (!low || !high || !evaluate::ToInt64(*low) || !evaluate::ToInt64(*high))
        return false;
    }
    return true;
  }

  /// Tells of arrays whose extents nothing in the construct says.
  void tell_extents(std::size_t id, const Symbols& names, Symbols named) {
    for (std::size_t around = directive(id).parent; around != none;
         around = directive(around).parent)
      named.insert(_shared[around].begin(), _shared[around].end());
    for (const semantics::Symbol* const symbol : names) {
      const auto* const details = symbol->detailsIf<semantics::ObjectEntityDetails>();
      if (details != nullptr && details->isDummy() && details->shape().CanBeAssumedSize() &&
          !has(named, symbol)) {
        const std::string name = symbol->name().ToString();
        facts(id).refused.push_back(
            say<Code::unknown_extents>(name).by(fmt::format("{}(1:n) in a data clause", name)));
      }
    }
  }

  /// Checks the loops that a directive takes.
  void nest(std::size_t id, const parser::DoConstruct& loop) {
    const Directive& one = directive(id);
    const unsigned line = line_of(loop);
    if (one.clause(ClauseKind::seq) == nullptr && !is_serial(one.construct) &&
        index_of(loop) == nullptr && !loop.IsDoConcurrent()) {
      facts(id).refused.push_back(
          say<Code::no_range>(line, loop.IsDoWhile() ? "it is a do while" : "it has no bounds")
              .by("a do loop from a first to a last index"));
      return;
    }
    for (const ClauseKind kind : {ClauseKind::collapse, ClauseKind::tile}) {
      const Clause* const clause = one.clause(kind);
      if (clause == nullptr)
        continue;
      if (clause->number > 6)
        facts(id).refused.push_back(say<Code::too_many_loops>());
      const parser::DoConstruct* inner = &loop;
      std::vector<const semantics::Symbol*> indices{index_of(loop)};
      for (long depth = 1; depth < clause->number; ++depth) {
        inner = only_loop_in(*inner);
        if (inner == nullptr) {
          if (!loop.IsDoConcurrent())
            facts(id).refused.push_back(say<Code::too_few_loops>(clause->number, depth));
          break;
        }
        for (const semantics::Symbol* const index : indices)
          if (index != nullptr && names_in_bounds(*inner, *index)) {
            facts(id).refused.push_back(
                say<Code::bounds_inside>(line_of(*inner), fmt::format("its bounds depend on '{}'",
                                                                      index->name().ToString())));
            return;
          }
        indices.push_back(index_of(*inner));
      }
    }
  }
  [[nodiscard]] unsigned line_of(const parser::DoConstruct& loop) const {
    return _lines.of(std::get<parser::Statement<parser::NonLabelDoStmt>>(loop.t).source);
  }

  void runtime_call(const parser::Call& call) {
    const auto* const name =
        std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    if (name == nullptr || name->ToString().rfind("acc_", 0) != 0)
      return;
    const semantics::Symbol* const symbol = symbol_of(*name);
    if (symbol == nullptr)
      return;
    const std::string scope = name_of(*symbol);
    if (scope.rfind("openacc::", 0) != 0 && scope.rfind("::", 0) != 0)
      return; // of the program's own
    RuntimeCall made;
    made.name = name->ToString();
    made.routine = routine_named(made.name);
    if (scope.rfind("::", 0) == 0 && !made.routine)
      return; // an external procedure of the program's own
    const auto range = _context.allCookedSources().GetSourcePositionRange(name->source);
    if (!range || *range->first.path != _path)
      return;
    made.place = {static_cast<unsigned>(range->first.line),
                  static_cast<unsigned>(range->first.column)};
    _source.unit.runtime_calls.push_back(std::move(made));
  }
};

} // namespace

std::string_view symbol_for(parser::ReductionOperator::Operator operation) {
  using Operator = parser::ReductionOperator::Operator;
  switch (operation) {
  case Operator::Plus:
    return "+";
  case Operator::Multiply:
    return "*";
  case Operator::Max:
    return "max";
  case Operator::Min:
    return "min";
  case Operator::Iand:
    return "iand";
  case Operator::Ior:
    return "ior";
  case Operator::Ieor:
    return "ieor";
  case Operator::And:
    return ".and.";
  case Operator::Or:
    return ".or.";
  case Operator::Eqv:
    return ".eqv.";
  case Operator::Neqv:
    return ".neqv.";
  }
  return "";
}

Source source_of(const std::string& file, const std::string& path, const parser::Program& program,
                 semantics::SemanticsContext& context) {
  Builder builder(file, path, context);
  walk(program, builder);
  return std::move(builder).source();
}

} // namespace gangway::port::fortran
