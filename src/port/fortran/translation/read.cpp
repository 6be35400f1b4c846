// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/read.hpp"

#include "port/fortran/translation/reader.hpp"
#include "port/rules.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gangway::port::fortran::translation {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Type type_of(const ev::DynamicType& type) {
  const auto base = [&] {
    switch (type.category()) {
    case Category::Integer:
      return Base::integer;
    case Category::Real:
      return Base::real;
    case Category::Logical:
      return Base::logical;
    case Category::Complex:
      return Base::complex;
    case Category::Character:
      return Base::character;
    case Category::Derived:
      return Base::derived;
    default:
      return Base::none;
    }
  }();
  return {base, base == Base::derived || base == Base::none ? 0 : type.kind()};
}

// NOLINTBEGIN(readability-identifier-naming): Flang's walk calls Pre and Post

Reader::Reader(Program& program, const pa::AllCookedSources& cooked, se::SemanticsContext& context,
               const pa::SourceFile* file)
    : _program(program), _cooked(cooked), _context(context), _file(file) {}

bool Reader::Pre(const pa::Module& node) {
  Module made;
  made.name = std::get<pa::Statement<pa::ModuleStmt>>(node.t).statement.v.ToString();
  made.end_line = lines_of(std::get<pa::Statement<pa::EndModuleStmt>>(node.t).source).first;
  made.has_procedures = std::get<std::optional<pa::ModuleSubprogramPart>>(node.t).has_value();
  for (Directive& one : declarative(std::get<pa::SpecificationPart>(node.t)))
    if (one.name == "declare")
      made.declare.push_back(std::move(one));
  _program.modules.push_back(std::move(made));
  return true;
}

bool Reader::Pre(const pa::Statement<pa::ActionStmt>& node) {
  _action = lines_of(node.source);
  _has_label = node.label.has_value();
  return true;
}

bool Reader::Pre(const pa::AllocateStmt& node) {
  for (const pa::Allocation& one : std::get<std::list<pa::Allocation>>(node.t))
    add_allocation(std::get<pa::AllocateObject>(one.t), true);
  return true;
}

bool Reader::Pre(const pa::DeallocateStmt& node) {
  for (const pa::AllocateObject& one : std::get<std::list<pa::AllocateObject>>(node.t))
    add_allocation(one, false);
  return true;
}

bool Reader::Pre(const pa::CallStmt& node) {
  if (const auto* const call = node.typedCall.get())
    add_reallocated(*call);
  return true;
}

bool Reader::Pre(const pa::AssignmentStmt& node) {
  if (const auto* const found = se::GetAssignment(node); found != nullptr && _compute == 0)
    if (const se::Symbol* const symbol = ev::UnwrapWholeSymbolDataRef(found->lhs))
      if (found->rhs.Rank() > 0 && se::IsAllocatable(symbol->GetUltimate()))
        _program.reallocated.push_back(entity(*symbol));
  return true;
}

bool Reader::Pre(const pa::OpenACCCombinedConstruct& /*node*/) {
  ++_compute;
  return true;
}

bool Reader::Pre(const pa::OpenACCBlockConstruct& node) {
  _compute += is_compute(node) ? 1 : 0;
  return true;
}

bool Reader::Pre(const pa::MainProgram& node) {
  Unit unit;
  unit.is_main = true;
  const auto& head = std::get<std::optional<pa::Statement<pa::ProgramStmt>>>(node.t);
  const auto& end = std::get<pa::Statement<pa::EndProgramStmt>>(node.t);
  if (head) {
    unit.name = lower(head->statement.v.ToString());
    set_lines(unit, head->source);
  }
  add(unit, node, end.source);
  return true;
}

bool Reader::Pre(const pa::SubroutineSubprogram& node) {
  Unit unit;
  const auto& head = std::get<pa::Statement<pa::SubroutineStmt>>(node.t);
  const auto& name = std::get<pa::Name>(head.statement.t);
  add_procedure(unit, name, node, head.source,
                std::get<pa::Statement<pa::EndSubroutineStmt>>(node.t).source);
  return true;
}

bool Reader::Pre(const pa::FunctionSubprogram& node) {
  Unit unit;
  unit.is_function = true;
  const auto& head = std::get<pa::Statement<pa::FunctionStmt>>(node.t);
  const auto& name = std::get<pa::Name>(head.statement.t);
  add_procedure(unit, name, node, head.source,
                std::get<pa::Statement<pa::EndFunctionStmt>>(node.t).source);
  return true;
}

bool Reader::Pre(const pa::SeparateModuleSubprogram& node) {
  Unit unit;
  const auto& head = std::get<pa::Statement<pa::MpSubprogramStmt>>(node.t);
  add_procedure(unit, head.statement.v, node, head.source,
                std::get<pa::Statement<pa::EndMpSubprogramStmt>>(node.t).source);
  return true;
}

Reader::Lines Reader::lines_of(pa::CharBlock block) const {
  while (!block.empty() && *(block.end() - 1) == ' ')
    block = pa::CharBlock(block.begin(), block.size() - 1);
  const auto range = _cooked.GetSourcePositionRange(block);
  if (!range)
    return {};
  const bool here = &range->first.sourceFile.get() == _file;
  int last = range->second.trueLineNumber;
  if (range->second.column == 1 && last > range->first.trueLineNumber)
    --last;
  return {range->first.trueLineNumber, last, here};
}

void Reader::set_lines(Unit& unit, pa::CharBlock head) const {
  const Lines lines = lines_of(head);
  unit.first_line = lines.first;
  unit.head_line = lines.last;
  unit.use_line = lines.last;
}

template <class Node>
void Reader::add_procedure(Unit& unit, const pa::Name& name, const Node& node, pa::CharBlock head,
                           pa::CharBlock end) {
  unit.name = name.ToString();
  set_lines(unit, head);
  const se::Symbol* const symbol = name.symbol;
  if (symbol != nullptr) {
    unit.procedure = entity(*symbol);
    unit.is_internal = symbol->owner().kind() == se::Scope::Kind::Subprogram ||
                       symbol->owner().kind() == se::Scope::Kind::MainProgram;
    unit.is_pure = fl::semantics::IsPureProcedure(*symbol);
    if (const auto* const details = symbol->detailsIf<se::SubprogramDetails>()) {
      for (const se::Symbol* const dummy : details->dummyArgs())
        unit.dummies.push_back(dummy == nullptr ? -1 : entity(*dummy));
      if (details->isFunction())
        unit.result = entity(details->result());
    }
  }
  add(unit, node, end);
}

struct Reader::Names {
  const Reader& reader;
  std::set<std::string>& names;
  Unit& unit;
  template <class T>
  bool Pre(const T& /*node*/) {
    return true;
  }
  template <class T>
  bool Pre(const pa::Statement<T>& node) {
    const Lines lines = reader.lines_of(node.source);
    if (lines.is_here && (unit.start_line == 0 || lines.first < unit.start_line))
      unit.start_line = lines.first;
    return true;
  }
  template <class T>
  void Post(const T& /*node*/) {}
  bool Pre(const pa::Name& name) {
    names.insert(name.ToString());
    const std::string text = name.ToString();
    if (text.rfind("acc_", 0) == 0 && name.symbol != nullptr &&
        reader.is_of_openacc(name.symbol->GetUltimate()) && reader.lines_of(name.source).is_here) {
      const auto range = reader._cooked.GetSourcePositionRange(name.source);
      unit.runtime_names.push_back(
          {text, range ? range->first.trueLineNumber : 0, range ? range->first.column : 0});
    }
    return true;
  }
};

template <class Node>
void Reader::add(Unit& unit, const Node& node, pa::CharBlock end) {
  const auto& specification = std::get<pa::SpecificationPart>(node.t);
  const auto& execution = std::get<pa::ExecutionPart>(node.t);
  std::set<std::string> names;
  Names collector{*this, names, unit};
  pa::Walk(specification, collector);
  pa::Walk(execution, collector);
  for (const auto& use :
       std::get<std::list<pa::Statement<fl::common::Indirection<pa::UseStmt>>>>(specification.t)) {
    const Lines lines = lines_of(use.source);
    unit.use_line = std::max(unit.use_line, lines.last);
    if (use.statement.value().moduleName.ToString() == "openacc" && lines.is_here)
      unit.openacc_uses.push_back(lines.first);
  }
  for (const auto& import :
       std::get<std::list<pa::Statement<fl::common::Indirection<pa::ImportStmt>>>>(specification.t))
    unit.use_line = std::max(unit.use_line, lines_of(import.source).last);
  for (const auto& part : std::get<pa::ImplicitPart>(specification.t).v)
    fl::common::visit(
        [&](const auto& statement) {
          using Part = std::decay_t<decltype(statement)>;
          if constexpr (std::is_same_v<Part,
                                       pa::Statement<fl::common::Indirection<pa::ImplicitStmt>>>) {
            const Lines lines = lines_of(statement.source);
            if (lines.is_here)
              unit.use_line = std::max(unit.use_line, lines.last);
          }
        },
        part.u);
  unit.declarative = declarative(specification);
  unit.body = block(execution.v);
  unit.has_body = !execution.v.empty();
  unit.end_line = lines_of(end).first;
  unit.body_line = unit.body.empty() ? unit.end_line : unit.body.front().first_line;
  unit.names.assign(names.begin(), names.end());
  _program.units.push_back(std::move(unit));
}

std::vector<Directive> Reader::declarative(const pa::SpecificationPart& specification) {
  std::vector<Directive> made;
  for (const auto& one : std::get<std::list<pa::OpenACCDeclarativeConstruct>>(specification.t))
    made.push_back(declarative(one));
  for (const auto& part : std::get<std::list<pa::DeclarationConstruct>>(specification.t))
    if (const auto* const one = std::get_if<pa::SpecificationConstruct>(&part.u))
      if (const auto* const construct =
              std::get_if<fl::common::Indirection<pa::OpenACCDeclarativeConstruct>>(&one->u))
        made.push_back(declarative(construct->value()));
  return made;
}

bool Reader::is_compute(const pa::OpenACCBlockConstruct& node) {
  const auto kind =
      std::get<pa::AccBlockDirective>(std::get<pa::AccBeginBlockDirective>(node.t).t).v;
  return kind != llvm::acc::Directive::ACCD_data && kind != llvm::acc::Directive::ACCD_host_data;
}

void Reader::add_allocation(const pa::AllocateObject& object, bool allocates) {
  const auto* const name = std::get_if<pa::Name>(&object.u);
  if (name == nullptr || name->symbol == nullptr || _program.units.empty())
    return;
  _program.allocations.push_back({entity(*name->symbol), _program.units.size() - 1, allocates,
                                  _action.is_here && !_has_label, _action.first, _action.last});
}

void Reader::add_reallocated(const ev::ProcedureRef& call) {
  const se::Symbol* const interface = call.proc().GetInterfaceSymbol();
  const auto* const details =
      interface == nullptr ? nullptr : interface->GetUltimate().detailsIf<se::SubprogramDetails>();
  const bool moves = lower(call.proc().GetName()) == "move_alloc";
  for (std::size_t n = 0; n < call.arguments().size(); ++n) {
    const auto& argument = call.arguments()[n];
    const auto* const value = argument ? argument->UnwrapExpr() : nullptr;
    const se::Symbol* const symbol =
        value == nullptr ? nullptr : ev::UnwrapWholeSymbolDataRef(*value);
    if (symbol == nullptr || !se::IsAllocatable(symbol->GetUltimate()))
      continue;
    const se::Symbol* const dummy =
        details != nullptr && n < details->dummyArgs().size() ? details->dummyArgs()[n] : nullptr;
    if (moves || (dummy != nullptr && se::IsAllocatable(*dummy)))
      _program.reallocated.push_back(entity(*symbol));
  }
}

bool Reader::is_of_openacc(const se::Symbol& symbol) const {
  if (symbol.owner().IsModule())
    return symbol.owner().GetName()->ToString().rfind("openacc", 0) == 0;
  if (symbol.has<se::ProcEntityDetails>())
    return routine_named(symbol.name().ToString()).has_value();
  return !lines_of(symbol.name()).is_here;
}

int Reader::entity(const se::Symbol& given) {
  const se::Symbol& symbol = given.GetUltimate();
  return entity(symbol, given.name().ToString(), -1, &symbol);
}

int Reader::entity(const se::Symbol& symbol, const std::string& path, int base,
                   const se::Symbol* root) {
  const auto key = std::make_pair(root, path);
  if (const auto found = _entities.find(key); found != _entities.end())
    return found->second;
  Entity made;
  made.name = path;
  made.base = base;
  made.is_component = base >= 0;
  if (const auto type = ev::DynamicType::From(symbol)) {
    made.type = type_of(*type);
    made.is_polymorphic = type->IsPolymorphic();
  }
  made.rank = symbol.Rank();
  made.is_allocatable = se::IsAllocatable(symbol);
  made.is_pointer = se::IsPointer(symbol);
  made.is_target = symbol.attrs().test(se::Attr::TARGET);
  made.is_dummy = se::IsDummy(symbol);
  made.is_in = se::IsIntentIn(symbol);
  made.is_optional = se::IsOptional(symbol);
  made.is_value = symbol.attrs().test(se::Attr::VALUE);
  made.is_volatile = symbol.attrs().test(se::Attr::VOLATILE);
  made.is_coarray = symbol.Corank() > 0;
  made.is_of_module = symbol.owner().IsModule();
  made.is_local = symbol.owner().kind() == se::Scope::Kind::Subprogram && !made.is_dummy;
  made.is_function = symbol.has<se::SubprogramDetails>() || symbol.has<se::ProcEntityDetails>();
  if (made.is_function) {
    const auto& owner = symbol.owner();
    made.key = (owner.IsModule() || owner.IsSubmodule() ? owner.GetName()->ToString() : "") +
               "::" + symbol.name().ToString();
  }
  if (made.is_of_module && !made.is_function && base < 0)
    made.key = symbol.owner().GetName()->ToString() + "::" + symbol.name().ToString();
  made.is_static = se::IsSaved(symbol) || made.is_of_module;
  if (const auto* const object = symbol.detailsIf<se::ObjectEntityDetails>()) {
    made.is_assumed_rank = object->IsAssumedRank();
    made.is_static = made.is_static || object->commonBlock() != nullptr;
    made.is_common = object->commonBlock() != nullptr;
    made.has_value = object->init().has_value();
    if (object->init())
      made.is_static = true;
    for (const se::ShapeSpec& spec : object->shape()) {
      Bound bound;
      bound.has_lower = false;
      std::optional<std::int64_t> low;
      if (spec.lbound().isExplicit()) {
        if (const auto& expression = spec.lbound().GetExplicit())
          low = ev::ToInt64(*expression);
      }
      if (low) {
        bound.has_lower = true;
        bound.lower = static_cast<long>(*low);
      }
      if (spec.ubound().isExplicit()) {
        if (const auto& expression = spec.ubound().GetExplicit())
          if (const auto high = ev::ToInt64(*expression); high && low) {
            bound.has_extent = true;
            bound.extent = static_cast<long>(std::max<std::int64_t>(0, *high - *low + 1));
          }
      } else if (spec.ubound().isStar())
        made.is_assumed_size = true;
      made.bounds.push_back(bound);
    }
  }
  const int index = static_cast<int>(_program.entities.size());
  _program.entities.push_back(made);
  _entities.emplace(key, index);
  if (made.is_dummy)
    add_bounds(symbol, index);
  return index;
}

void Reader::add_bounds(const se::Symbol& symbol, int index) {
  const auto* const object = symbol.detailsIf<se::ObjectEntityDetails>();
  if (object == nullptr)
    return;
  std::size_t d = 0;
  for (const se::ShapeSpec& spec : object->shape()) {
    const auto written = [this](const se::Bound& bound) {
      if (!bound.isExplicit() || !bound.GetExplicit())
        return Expr{};
      return expression(ev::AsGenericExpr(ev::Expr<ev::SubscriptInteger>(*bound.GetExplicit())));
    };
    Expr low = written(spec.lbound());
    Expr high = written(spec.ubound());
    Bound& bound = _program.entities[static_cast<std::size_t>(index)].bounds[d++];
    bound.low = std::move(low);
    bound.high = std::move(high);
  }
}

std::optional<std::pair<int, const se::Symbol*>> Reader::entity(const ev::DataRef& reference) {
  if (const auto* const symbol = std::get_if<ev::SymbolRef>(&reference.u)) {
    const se::Symbol& ultimate = symbol->get().GetUltimate();
    return std::make_pair(entity(symbol->get()), &ultimate);
  }
  if (const auto* const component = std::get_if<ev::Component>(&reference.u))
    return entity(*component);
  return std::nullopt;
}

std::optional<std::pair<int, const se::Symbol*>> Reader::entity(const ev::Component& component) {
  const auto base = entity(component.base());
  if (!base || _program.entities[static_cast<std::size_t>(base->first)].rank > 0)
    return std::nullopt;
  const se::Symbol& symbol = component.GetLastSymbol().GetUltimate();
  const std::string path = _program.entities[static_cast<std::size_t>(base->first)].name + "%" +
                           symbol.name().ToString();
  return std::make_pair(entity(symbol, path, base->first, base->second), base->second);
}

std::optional<int> Reader::entity(const ev::NamedEntity& named) {
  if (const auto* const symbol = named.UnwrapSymbolRef())
    return entity(symbol->get());
  if (const auto found = entity(named.GetComponent()))
    return found->first;
  return std::nullopt;
}

Program program_of(const pa::Program& tree, se::SemanticsContext& context, bool is_fixed_form) {
  Program program;
  program.is_fixed_form = is_fixed_form;
  const pa::AllSources& sources = context.allCookedSources().allSources();
  const auto first = sources.GetFirstFileProvenance();
  Reader reader(program, context.allCookedSources(), context,
                first ? sources.GetSourceFile(first->start()) : nullptr);
  reader.read(tree);
  return program;
}

// NOLINTEND(readability-identifier-naming)

} // namespace gangway::port::fortran::translation
