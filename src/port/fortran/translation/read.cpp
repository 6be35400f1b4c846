// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/read.hpp"

#include "port/rules.hpp"

#include "flang/Evaluate/expression.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/expression.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gangway::port::fortran::translation {
namespace {

namespace fl = Fortran;
namespace ev = Fortran::evaluate;
namespace pa = Fortran::parser;
namespace se = Fortran::semantics;

using Category = fl::common::TypeCategory;

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

template <class One>
constexpr bool is_conversion = false;
template <class T, Category from>
constexpr bool is_conversion<ev::Convert<T, from>> = true;

template <class T>
constexpr bool is_indirection = false;
template <class T>
constexpr bool is_indirection<fl::common::Indirection<T>> = true;

// NOLINTBEGIN(readability-identifier-naming): Flang's walk calls Pre and Post

/// The reader's way from Flang's expressions and statements to the model.
class Reader {
public:
  Reader(Program& program, const pa::AllCookedSources& cooked, se::SemanticsContext& context,
         const pa::SourceFile* file)
      : _program(program), _cooked(cooked), _context(context), _file(file) {}

  void read(const pa::Program& tree) { pa::Walk(tree, *this); }

  // What `Walk` calls.
  template <class T>
  bool Pre(const T& /*node*/) {
    return true;
  }
  template <class T>
  void Post(const T& /*node*/) {}
  bool Pre(const pa::Module& node) {
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
  bool Pre(const pa::Statement<pa::ActionStmt>& node) {
    _action = lines_of(node.source);
    _has_label = node.label.has_value();
    return true;
  }
  bool Pre(const pa::AllocateStmt& node) {
    for (const pa::Allocation& one : std::get<std::list<pa::Allocation>>(node.t))
      add_allocation(std::get<pa::AllocateObject>(one.t), true);
    return true;
  }
  bool Pre(const pa::DeallocateStmt& node) {
    for (const pa::AllocateObject& one : std::get<std::list<pa::AllocateObject>>(node.t))
      add_allocation(one, false);
    return true;
  }
  bool Pre(const pa::CallStmt& node) {
    if (const auto* const call = node.typedCall.get())
      add_reallocated(*call);
    return true;
  }
  bool Pre(const pa::AssignmentStmt& node) {
    if (const auto* const found = se::GetAssignment(node); found != nullptr && _compute == 0)
      if (const se::Symbol* const symbol = ev::UnwrapWholeSymbolDataRef(found->lhs))
        if (found->rhs.Rank() > 0 && se::IsAllocatable(symbol->GetUltimate()))
          _program.reallocated.push_back(entity(*symbol));
    return true;
  }
  bool Pre(const pa::OpenACCCombinedConstruct& /*node*/) {
    ++_compute;
    return true;
  }
  void Post(const pa::OpenACCCombinedConstruct& /*node*/) { --_compute; }
  bool Pre(const pa::OpenACCBlockConstruct& node) {
    _compute += is_compute(node) ? 1 : 0;
    return true;
  }
  void Post(const pa::OpenACCBlockConstruct& node) { _compute -= is_compute(node) ? 1 : 0; }
  bool Pre(const pa::MainProgram& node) {
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
  bool Pre(const pa::SubroutineSubprogram& node) {
    Unit unit;
    const auto& head = std::get<pa::Statement<pa::SubroutineStmt>>(node.t);
    const auto& name = std::get<pa::Name>(head.statement.t);
    add_procedure(unit, name, node, head.source,
                  std::get<pa::Statement<pa::EndSubroutineStmt>>(node.t).source);
    return true;
  }
  bool Pre(const pa::FunctionSubprogram& node) {
    Unit unit;
    unit.is_function = true;
    const auto& head = std::get<pa::Statement<pa::FunctionStmt>>(node.t);
    const auto& name = std::get<pa::Name>(head.statement.t);
    add_procedure(unit, name, node, head.source,
                  std::get<pa::Statement<pa::EndFunctionStmt>>(node.t).source);
    return true;
  }
  bool Pre(const pa::SeparateModuleSubprogram& node) {
    Unit unit;
    const auto& head = std::get<pa::Statement<pa::MpSubprogramStmt>>(node.t);
    add_procedure(unit, head.statement.v, node, head.source,
                  std::get<pa::Statement<pa::EndMpSubprogramStmt>>(node.t).source);
    return true;
  }

private:
  Program& _program;
  const pa::AllCookedSources& _cooked;
  se::SemanticsContext& _context;
  const pa::SourceFile* _file;
  std::map<std::pair<const se::Symbol*, std::string>, int> _entities;
  int _compute = 0; ///< compute constructs around what is walked

  // --- places ---------------------------------------------------------------------------------

  struct Lines {
    int first = 0;
    int last = 0;
    bool is_here = false; ///< in the source itself, not in a file that it includes
  };
  Lines lines_of(pa::CharBlock block) const {
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
  Lines _action; ///< of the statement that is walked
  bool _has_label = false;
  void set_lines(Unit& unit, pa::CharBlock head) const {
    const Lines lines = lines_of(head);
    unit.first_line = lines.first;
    unit.head_line = lines.last;
    unit.use_line = lines.last;
  }

  // --- units ----------------------------------------------------------------------------------

  template <class Node>
  void add_procedure(Unit& unit, const pa::Name& name, const Node& node, pa::CharBlock head,
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

  template <class Node>
  void add(Unit& unit, const Node& node, pa::CharBlock end) {
    const auto& specification = std::get<pa::SpecificationPart>(node.t);
    const auto& execution = std::get<pa::ExecutionPart>(node.t);
    std::set<std::string> names;
    Names collector{*this, names, unit};
    pa::Walk(specification, collector);
    pa::Walk(execution, collector);
    for (const auto& use : std::get<std::list<pa::Statement<fl::common::Indirection<pa::UseStmt>>>>(
             specification.t)) {
      const Lines lines = lines_of(use.source);
      unit.use_line = std::max(unit.use_line, lines.last);
      if (use.statement.value().moduleName.ToString() == "openacc" && lines.is_here)
        unit.openacc_uses.push_back(lines.first);
    }
    for (const auto& import :
         std::get<std::list<pa::Statement<fl::common::Indirection<pa::ImportStmt>>>>(
             specification.t))
      unit.use_line = std::max(unit.use_line, lines_of(import.source).last);
    for (const auto& part : std::get<pa::ImplicitPart>(specification.t).v)
      fl::common::visit(
          [&](const auto& statement) {
            using Part = std::decay_t<decltype(statement)>;
            if constexpr (std::is_same_v<
                              Part, pa::Statement<fl::common::Indirection<pa::ImplicitStmt>>>) {
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

  std::vector<Directive> declarative(const pa::SpecificationPart& specification) {
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

  // --- allocations ----------------------------------------------------------------------------

  static bool is_compute(const pa::OpenACCBlockConstruct& node) {
    const auto kind =
        std::get<pa::AccBlockDirective>(std::get<pa::AccBeginBlockDirective>(node.t).t).v;
    return kind != llvm::acc::Directive::ACCD_data && kind != llvm::acc::Directive::ACCD_host_data;
  }
  void add_allocation(const pa::AllocateObject& object, bool allocates) {
    const auto* const name = std::get_if<pa::Name>(&object.u);
    if (name == nullptr || name->symbol == nullptr || _program.units.empty())
      return;
    _program.allocations.push_back({entity(*name->symbol), _program.units.size() - 1, allocates,
                                    _action.is_here && !_has_label, _action.first, _action.last});
  }
  /// Adds the allocatable variables that the procedure may allocate or deallocate.
  void add_reallocated(const ev::ProcedureRef& call) {
    const se::Symbol* const interface = call.proc().GetInterfaceSymbol();
    const auto* const details = interface == nullptr
                                    ? nullptr
                                    : interface->GetUltimate().detailsIf<se::SubprogramDetails>();
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

  struct Names {
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
          reader.is_of_openacc(name.symbol->GetUltimate()) &&
          reader.lines_of(name.source).is_here) {
        const auto range = reader._cooked.GetSourcePositionRange(name.source);
        unit.runtime_names.push_back(
            {text, range ? range->first.trueLineNumber : 0, range ? range->first.column : 0});
      }
      return true;
    }
  };

  /// Returns whether module openacc or openacc_lib.h has it, or it is an external procedure with a
  /// name of theirs.
  bool is_of_openacc(const se::Symbol& symbol) const {
    if (symbol.owner().IsModule())
      return symbol.owner().GetName()->ToString().rfind("openacc", 0) == 0;
    if (symbol.has<se::ProcEntityDetails>())
      return routine_named(symbol.name().ToString()).has_value();
    return !lines_of(symbol.name()).is_here;
  }

  // --- entities -------------------------------------------------------------------------------

  int entity(const se::Symbol& given) {
    const se::Symbol& symbol = given.GetUltimate();
    return entity(symbol, given.name().ToString(), -1, &symbol);
  }
  /// `path` is the whole name; `root` the variable that it begins with.
  int entity(const se::Symbol& symbol, const std::string& path, int base, const se::Symbol* root) {
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

  void add_bounds(const se::Symbol& symbol, int index) {
    const auto* const object = symbol.detailsIf<se::ObjectEntityDetails>();
    if (object == nullptr)
      return;
    std::size_t d = 0;
    for (const se::ShapeSpec& spec : object->shape()) {
      Expr low;
      Expr high;
      if (spec.lbound().isExplicit() && spec.lbound().GetExplicit())
        low = convert(*spec.lbound().GetExplicit());
      if (spec.ubound().isExplicit() && spec.ubound().GetExplicit())
        high = convert(*spec.ubound().GetExplicit());
      Bound& bound = _program.entities[static_cast<std::size_t>(index)].bounds[d++];
      bound.low = std::move(low);
      bound.high = std::move(high);
    }
  }

  /// Finds the entity of a component, if no subscript leads to it.
  std::optional<std::pair<int, const se::Symbol*>> entity(const ev::DataRef& reference) {
    if (const auto* const symbol = std::get_if<ev::SymbolRef>(&reference.u)) {
      const se::Symbol& ultimate = symbol->get().GetUltimate();
      return std::make_pair(entity(symbol->get()), &ultimate);
    }
    if (const auto* const component = std::get_if<ev::Component>(&reference.u))
      return entity(*component);
    return std::nullopt;
  }
  std::optional<std::pair<int, const se::Symbol*>> entity(const ev::Component& component) {
    const auto base = entity(component.base());
    if (!base || _program.entities[static_cast<std::size_t>(base->first)].rank > 0)
      return std::nullopt;
    const se::Symbol& symbol = component.GetLastSymbol().GetUltimate();
    const std::string path = _program.entities[static_cast<std::size_t>(base->first)].name + "%" +
                             symbol.name().ToString();
    return std::make_pair(entity(symbol, path, base->first, base->second), base->second);
  }
  std::optional<int> entity(const ev::NamedEntity& named) {
    if (const auto* const symbol = named.UnwrapSymbolRef())
      return entity(symbol->get());
    if (const auto found = entity(named.GetComponent()))
      return found->first;
    return std::nullopt;
  }

  // --- expressions ----------------------------------------------------------------------------

  static Expr other(std::string what, Type type = {}, int rank = 0) {
    Expr made;
    made.op = Op::other;
    made.text = std::move(what);
    made.type = type;
    made.rank = rank;
    return made;
  }
  static Expr node(Op op, Type type, int rank, std::vector<Expr> operands, std::string text = {}) {
    Expr made;
    made.op = op;
    made.type = type;
    made.rank = rank;
    made.operands = std::move(operands);
    made.text = std::move(text);
    return made;
  }
  template <class T>
  static Type static_type() {
    return type_of(ev::DynamicType{T::category, T::kind});
  }

public:
  Expr expression(const ev::Expr<ev::SomeType>& given) {
    return fl::common::visit([&](const auto& one) { return convert(one); }, given.u);
  }

private:
  template <Category category>
  Expr convert(const ev::Expr<ev::SomeKind<category>>& given) {
    if constexpr (category == Category::Derived)
      return fl::common::visit(
          [&](const auto& one) {
            using One = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<One, ev::Designator<ev::SomeDerived>>)
              return designator(one, Type{Base::derived, 0});
            else
              return other("a value of a derived type", {Base::derived, 0});
          },
          given.u);
    else
      return fl::common::visit([&](const auto& one) { return convert(one); }, given.u);
  }
  template <class T>
  Expr convert(const ev::Expr<T>& given) {
    if constexpr (T::category == Category::Character)
      return fl::common::visit(
          [&](const auto& one) {
            using One = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<One, ev::Designator<T>>)
              return designator(one, Type{Base::character, 0});
            else
              return other("characters", {Base::character, 0});
          },
          given.u);
    else if constexpr (T::category == Category::Unsigned)
      return other("an unsigned value");
    else
      return fl::common::visit([&](const auto& one) { return convert_one<T>(one); }, given.u);
  }
  Expr convert(const ev::BOZLiteralConstant& /*given*/) { return other("a BOZ literal"); }
  Expr convert(const ev::NullPointer& /*given*/) { return other("null()"); }
  Expr convert(const ev::ProcedureDesignator& /*given*/) { return other("a procedure"); }
  Expr convert(const ev::ProcedureRef& given) { return reference(given, {}, given.Rank()); }

  template <class T, class One>
  Expr convert_one(const One& one) {
    const Type type = static_type<T>();
    if constexpr (std::is_same_v<One, ev::Constant<T>>) {
      return constant(one, type);
    } else if constexpr (std::is_same_v<One, ev::Designator<T>>) {
      return designator(one, type);
    } else if constexpr (std::is_same_v<One, ev::FunctionRef<T>>) {
      return reference(one, type, one.Rank());
    } else if constexpr (std::is_same_v<One, ev::Parentheses<T>>) {
      return node(Op::paren, type, one.Rank(), {convert(one.left())});
    } else if constexpr (std::is_same_v<One, ev::Negate<T>>) {
      return node(Op::negate, type, one.Rank(), {convert(one.left())});
    } else if constexpr (std::is_same_v<One, ev::Add<T>>) {
      return binary("+", type, one);
    } else if constexpr (std::is_same_v<One, ev::Subtract<T>>) {
      return binary("-", type, one);
    } else if constexpr (std::is_same_v<One, ev::Multiply<T>>) {
      return binary("*", type, one);
    } else if constexpr (std::is_same_v<One, ev::Divide<T>>) {
      return binary("/", type, one);
    } else if constexpr (std::is_same_v<One, ev::Power<T>> ||
                         std::is_same_v<One, ev::RealToIntPower<T>>) {
      return binary("^", type, one);
    } else if constexpr (std::is_same_v<One, ev::Extremum<T>>) {
      return node(Op::intrinsic, type, one.Rank(), {convert(one.left()), convert(one.right())},
                  one.ordering == ev::Ordering::Greater ? "max" : "min");
    } else if constexpr (is_conversion<One>) {
      return node(Op::convert, type, one.Rank(), {convert(one.left())});
    } else if constexpr (std::is_same_v<One, ev::Relational<ev::SomeType>>) {
      return fl::common::visit([&](const auto& relation) { return compare(relation); }, one.u);
    } else if constexpr (T::category == Category::Logical) {
      if constexpr (std::is_same_v<One, ev::Not<T::kind>>)
        return node(Op::negation, type, one.Rank(), {convert(one.left())});
      else if constexpr (std::is_same_v<One, ev::LogicalOperation<T::kind>>)
        return binary(one.logicalOperator == ev::LogicalOperator::And   ? "&&"
                      : one.logicalOperator == ev::LogicalOperator::Or  ? "||"
                      : one.logicalOperator == ev::LogicalOperator::Eqv ? "=="
                                                                        : "!=",
                      type, one);
      else
        return other("an array constructor", type, 1);
    } else if constexpr (T::category == Category::Real &&
                         std::is_same_v<One, ev::ComplexComponent<T::kind>>) {
      return node(Op::intrinsic, type, one.Rank(), {convert(one.left())},
                  one.isImaginaryPart ? "aimag" : "real");
    } else if constexpr (T::category == Category::Complex &&
                         std::is_same_v<One, ev::ComplexConstructor<T::kind>>) {
      return node(Op::intrinsic, type, one.Rank(), {convert(one.left()), convert(one.right())},
                  "cmplx");
    } else if constexpr (std::is_same_v<One, ev::DescriptorInquiry>) {
      const auto found = entity(one.base());
      if (!found)
        return other("a bound of an element's component", type);
      Expr made = node(Op::lower, type, 0, {});
      made.entity = *found;
      made.number = one.dimension() + 1;
      switch (one.field()) {
      case ev::DescriptorInquiry::Field::LowerBound:
        return made;
      case ev::DescriptorInquiry::Field::Extent:
        made.op = Op::extent;
        return made;
      default:
        return other("a property of an array's descriptor", type);
      }
    } else if constexpr (std::is_same_v<One, ev::ArrayConstructor<T>>) {
      return other("an array constructor", type, 1);
    } else {
      return other("an expression of this kind", type);
    }
  }
  template <class One>
  Expr binary(std::string op, Type type, const One& one) {
    return node(Op::binary, type, one.Rank(), {convert(one.left()), convert(one.right())},
                std::move(op));
  }
  template <class T>
  Expr compare(const ev::Relational<T>& one) {
    const Type type = static_type<ev::LogicalResult>();
    if constexpr (T::category == Category::Integer || T::category == Category::Real ||
                  T::category == Category::Complex) {
      const char* const op = one.opr == fl::common::RelationalOperator::LT   ? "<"
                             : one.opr == fl::common::RelationalOperator::LE ? "<="
                             : one.opr == fl::common::RelationalOperator::EQ ? "=="
                             : one.opr == fl::common::RelationalOperator::NE ? "!="
                             : one.opr == fl::common::RelationalOperator::GE ? ">="
                                                                             : ">";
      return binary(op, type, one);
    } else {
      return other("a comparison of these types", type, one.Rank());
    }
  }

  template <class T>
  static Expr constant(const ev::Constant<T>& one, Type type) {
    const auto value = one.GetScalarValue();
    if (!value)
      return other("a constant array", type, one.Rank());
    if constexpr (T::category == Category::Integer) {
      return node(Op::literal, type, 0, {}, value->SignedDecimal());
    } else if constexpr (T::category == Category::Logical) {
      return node(Op::literal, type, 0, {}, value->IsTrue() ? "true" : "false");
    } else if constexpr (T::category == Category::Real) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      value->AsFortran(stream, type.kind);
      stream.flush();
      text = text.substr(0, text.rfind('_'));
      return node(Op::literal, type, 0, {}, text);
    } else {
      using Part = ev::Type<Category::Real, T::kind>;
      const Type part{Base::real, type.kind};
      return node(Op::intrinsic, type, 0,
                  {constant(ev::Constant<Part>(value->REAL()), part),
                   constant(ev::Constant<Part>(value->AIMAG()), part)},
                  "cmplx");
    }
  }

  template <class T>
  Expr designator(const ev::Designator<T>& one, Type type) {
    return reference_of(one.u, type);
  }
  template <class Parts>
  Expr reference_of(const Parts& parts, Type type) {
    return fl::common::visit(
        [&](const auto& part) -> Expr {
          using Part = std::decay_t<decltype(part)>;
          if constexpr (std::is_same_v<Part, ev::SymbolRef>) {
            Expr made = node(Op::variable, type, part->Rank(), {});
            made.entity = entity(part.get());
            return made;
          } else if constexpr (std::is_same_v<Part, ev::Component>) {
            const auto found = entity(part);
            if (!found)
              return other(std::string(component_of_element), type, part.Rank());
            Expr made = node(Op::variable, type, part.Rank(), {});
            made.entity = found->first;
            return made;
          } else if constexpr (std::is_same_v<Part, ev::ArrayRef>) {
            return element(part, type);
          } else if constexpr (std::is_same_v<Part, ev::CoarrayRef>) {
            return other("a coarray", type);
          } else if constexpr (std::is_same_v<Part, ev::ComplexPart>) {
            return node(Op::intrinsic, type, part.Rank(),
                        {reference_of(part.complex().u, {Base::complex, type.kind})},
                        part.part() == ev::ComplexPart::Part::RE ? "real" : "aimag");
          } else {
            return other("a part of characters", type);
          }
        },
        parts);
  }
  Expr element(const ev::ArrayRef& part, Type type) {
    const auto found = entity(part.base());
    if (!found)
      return other(std::string(component_of_element), type, part.Rank());
    Expr made = node(part.Rank() == 0 ? Op::element : Op::section, type, part.Rank(), {});
    made.entity = *found;
    for (const ev::Subscript& subscript : part.subscript())
      made.operands.push_back(fl::common::visit(
          [&](const auto& one) -> Expr {
            using One = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<One, ev::Triplet>) {
              const auto* const low = one.GetLower();
              const auto* const high = one.GetUpper();
              return node(Op::range, {}, 1,
                          {low != nullptr ? convert(*low) : Expr{},
                           high != nullptr ? convert(*high) : Expr{}, convert(one.GetStride())});
            } else {
              return convert(one.value());
            }
          },
          subscript.u));
    return made;
  }

  Expr reference(const ev::ProcedureRef& one, Type type, int rank) {
    const auto* const intrinsic = one.proc().GetSpecificIntrinsic();
    Expr made = node(intrinsic != nullptr ? Op::intrinsic : Op::call, type, rank, {},
                     lower(one.proc().GetName()));
    if (const se::Symbol* const symbol = one.proc().GetSymbol())
      made.number = entity(*symbol);
    add_reallocated(one);
    for (const auto& argument : one.arguments()) {
      if (!argument) {
        made.operands.emplace_back();
        continue;
      }
      const auto* const value = argument->UnwrapExpr();
      made.operands.push_back(value != nullptr ? expression(*value)
                                               : other("an argument without a value"));
    }
    return made;
  }

  template <class Node>
  Expr typed(const Node& parsed) {
    if (const auto* const found = se::GetExpr(_context, parsed))
      return expression(*found);
    return other("an expression that Flang does not understand");
  }

  // --- directives -----------------------------------------------------------------------------

  struct Parts {
    Reader& reader;
    Clause& clause;
    template <class T>
    bool Pre(const T& /*node*/) {
      return true;
    }
    template <class T>
    void Post(const T& /*node*/) {}
    bool Pre(const pa::AccObject& object) {
      fl::common::visit(
          [&](const auto& one) {
            using One = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<One, pa::Designator>) {
              ev::ExpressionAnalyzer analyzer(reader._context);
              const auto found = analyzer.Analyze(one);
              clause.objects.push_back(found ? reader.expression(*found)
                                             : other("an object that Flang does not understand"));
              clause.written.push_back(one.source.ToString());
            } else {
              clause.objects.push_back(other("a common block"));
              clause.written.push_back(one.ToString());
            }
          },
          object.u);
      return false;
    }
    bool Pre(const pa::Expr& value) {
      clause.values.push_back(reader.typed(value));
      clause.value_texts.push_back(value.source.ToString());
      return false;
    }
    bool Pre(const pa::AccDataModifier& /*modifier*/) {
      clause.has_modifier = true;
      return false;
    }
    bool Pre(const pa::ReductionOperator& op) {
      using Operator = pa::ReductionOperator::Operator;
      switch (op.v) {
      case Operator::Plus:
        clause.word = "+";
        break;
      case Operator::Multiply:
        clause.word = "*";
        break;
      case Operator::Max:
        clause.word = "max";
        break;
      case Operator::Min:
        clause.word = "min";
        break;
      case Operator::Iand:
        clause.word = "iand";
        break;
      case Operator::Ior:
        clause.word = "ior";
        break;
      case Operator::Ieor:
        clause.word = "ieor";
        break;
      case Operator::And:
        clause.word = "and";
        break;
      case Operator::Or:
        clause.word = "or";
        break;
      case Operator::Eqv:
        clause.word = "eqv";
        break;
      case Operator::Neqv:
        clause.word = "neqv";
        break;
      }
      return false;
    }
    bool Pre(const pa::AccDefaultClause& one) {
      clause.word = one.v == llvm::acc::DefaultValue::ACC_Default_none ? "none" : "present";
      return false;
    }
    bool Pre(const pa::Name& name) {
      clause.written.push_back(name.ToString());
      return false;
    }
  };

  void add_clauses(Directive& directive, const pa::AccClauseList& clauses) {
    for (const pa::AccClause& one : clauses.v) {
      Clause clause;
      clause.text = one.source.ToString();
      for (const char c : clause.text) {
        if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '_')
          break;
        clause.name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
      Parts parts{*this, clause};
      pa::Walk(one, parts);
      directive.clauses.push_back(std::move(clause));
      directive.last_line = std::max(directive.last_line, lines_of(one.source).last);
    }
  }
  Directive directive(pa::CharBlock source, std::string name) {
    const Lines lines = lines_of(source);
    Directive made;
    made.name = lower(std::move(name));
    made.first_line = lines.first;
    made.last_line = lines.last;
    if (!lines.is_here)
      made.first_line = made.last_line = 0;
    return made;
  }
  static std::string words(pa::CharBlock source) {
    std::string text = lower(source.ToString());
    while (!text.empty() && text.back() == ' ')
      text.pop_back();
    return text;
  }
  Directive declarative(const pa::OpenACCDeclarativeConstruct& one) {
    return fl::common::visit(
        [&](const auto& construct) {
          using Construct = std::decay_t<decltype(construct)>;
          if constexpr (std::is_same_v<Construct, pa::OpenACCRoutineConstruct>) {
            Directive made = directive(construct.source, "routine");
            if (const auto& name = std::get<std::optional<pa::Name>>(construct.t)) {
              Clause clause;
              clause.name = "name";
              clause.word = name->ToString();
              made.clauses.push_back(std::move(clause));
            }
            add_clauses(made, std::get<pa::AccClauseList>(construct.t));
            return made;
          } else {
            Directive made = directive(construct.source, "declare");
            add_clauses(made, std::get<pa::AccClauseList>(construct.t));
            return made;
          }
        },
        one.u);
  }

  // --- statements -----------------------------------------------------------------------------

  std::vector<Statement> block(const pa::Block& parsed) {
    std::vector<Statement> made;
    for (const pa::ExecutionPartConstruct& one : parsed)
      add(one, made);
    return made;
  }
  Statement statement(Act act, pa::CharBlock source) const {
    Statement made;
    made.act = act;
    const Lines lines = lines_of(source);
    made.first_line = lines.first;
    made.last_line = lines.last;
    return made;
  }
  void add(const pa::ExecutionPartConstruct& one, std::vector<Statement>& made) {
    fl::common::visit(
        [&](const auto& part) {
          using Part = std::decay_t<decltype(part)>;
          if constexpr (std::is_same_v<Part, pa::ExecutableConstruct>)
            add(part, made);
          else if constexpr (!std::is_same_v<Part, pa::ErrorRecovery>)
            made.push_back(statement_of(part.source, "a statement that is not executable", part));
        },
        one.u);
  }
  void add(const pa::ExecutableConstruct& one, std::vector<Statement>& made) {
    fl::common::visit(
        [&](const auto& part) {
          using Part = std::decay_t<decltype(part)>;
          if constexpr (std::is_same_v<Part, pa::Statement<pa::ActionStmt>>)
            made.push_back(action(part.statement, part.source));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::DoConstruct>>)
            made.push_back(loop(part.value()));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::IfConstruct>>)
            made.push_back(branch(part.value()));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::OpenACCConstruct>>)
            add(part.value(), made);
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::BlockConstruct>>)
            made.push_back(nested(part.value(), "block"));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::AssociateConstruct>>)
            made.push_back(nested(part.value(), "associate"));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CaseConstruct>>)
            made.push_back(select(part.value()));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::WhereConstruct>>)
            made.push_back(where(part.value()));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::ForallConstruct>>)
            made.push_back(nested(part.value(), "forall"));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::SelectTypeConstruct>>)
            made.push_back(nested(part.value(), "select type"));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::SelectRankConstruct>>)
            made.push_back(nested(part.value(), "select rank"));
          else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CriticalConstruct>>)
            made.push_back(nested(part.value(), "critical"));
          else
            made.push_back(named("another statement"));
        },
        one.u);
  }
  static Statement named(std::string name) {
    Statement made;
    made.act = Act::other;
    made.name = std::move(name);
    return made;
  }

  /// Finds what a statement of any kind names, the constructs of OpenACC in it, and its lines.
  struct Inner {
    Reader& reader;
    Statement& made;
    template <class T>
    bool Pre(const T& /*node*/) {
      return true;
    }
    template <class T>
    void Post(const T& /*node*/) {}
    template <class T>
    bool Pre(const pa::Statement<T>& one) {
      const Lines lines = reader.lines_of(one.source);
      if (made.first_line == 0)
        made.first_line = lines.first;
      made.last_line = std::max(made.last_line, lines.last);
      return true;
    }
    bool Pre(const pa::OpenACCConstruct& one) {
      reader.add(one, made.body);
      return false;
    }
    bool Pre(const pa::Name& name) {
      if (name.symbol != nullptr) {
        Expr use = node(Op::variable, {}, 0, {});
        use.entity = reader.entity(*name.symbol);
        made.operands.push_back(std::move(use));
      }
      return true;
    }
  };
  template <class Node>
  Statement nested(const Node& parsed, std::string what) {
    Statement made = named(std::move(what));
    Inner inner{*this, made};
    pa::Walk(parsed, inner);
    return made;
  }
  template <class Node>
  Statement statement_of(pa::CharBlock source, std::string what, const Node& parsed) {
    Statement made = statement(Act::other, source);
    made.name = std::move(what);
    Inner inner{*this, made};
    pa::Walk(parsed, inner);
    return made;
  }

  Statement action(const pa::ActionStmt& parsed, pa::CharBlock source) {
    return fl::common::visit(
        [&](const auto& part) -> Statement {
          using Part = std::decay_t<decltype(part)>;
          if constexpr (std::is_same_v<Part, pa::ContinueStmt>) {
            return statement(Act::nothing, source);
          } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::AssignmentStmt>>) {
            return assignment(part.value(), source);
          } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::IfStmt>>) {
            Statement made = statement(Act::branch, source);
            const auto& inner = std::get<pa::UnlabeledStatement<pa::ActionStmt>>(part.value().t);
            Statement::Part one;
            one.condition = typed(std::get<pa::ScalarLogicalExpr>(part.value().t));
            one.body.push_back(action(inner.statement, source));
            made.parts.push_back(std::move(one));
            return made;
          } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::WhereStmt>>) {
            Statement made = statement(Act::where_, source);
            Statement::Part one;
            one.condition = typed(std::get<pa::LogicalExpr>(part.value().t));
            one.body.push_back(assignment(std::get<pa::AssignmentStmt>(part.value().t), source));
            made.parts.push_back(std::move(one));
            return made;
          } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CycleStmt>>) {
            Statement made = statement(Act::cycle, source);
            if (part.value().v)
              made.name = part.value().v->ToString();
            return made;
          } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::ExitStmt>>) {
            Statement made = statement(Act::exit, source);
            if (part.value().v)
              made.name = part.value().v->ToString();
            return made;
          } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::ReturnStmt>>) {
            return statement(Act::return_, source);
          } else if constexpr (std::is_same_v<Part, fl::common::Indirection<pa::CallStmt>>) {
            Statement made = statement_of(source, "call", part.value());
            if (const auto* const call = part.value().typedCall.get()) {
              const std::string name = lower(call->proc().GetName());
              made.operands.clear();
              made.act = Act::call;
              made.name = name;
              if (const se::Symbol* const symbol = call->proc().GetSymbol())
                made.procedure = entity(*symbol);
              for (const auto& argument : call->arguments()) {
                const auto* const value = argument ? argument->UnwrapExpr() : nullptr;
                made.operands.push_back(value != nullptr ? expression(*value) : Expr{});
              }
            }
            return made;
          } else if constexpr (is_indirection<Part>) {
            Statement made = statement_of(source, first_word(source), part.value());
            made.is_pointer_assignment =
                std::is_same_v<Part, fl::common::Indirection<pa::PointerAssignmentStmt>>;
            return made;
          } else {
            Statement made = statement(Act::other, source);
            made.name = first_word(source);
            return made;
          }
        },
        parsed.u);
  }
  static std::string first_word(pa::CharBlock source) {
    const std::string text = lower(source.ToString());
    return text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
  }
  Statement assignment(const pa::AssignmentStmt& parsed, pa::CharBlock source) {
    Statement made = statement(Act::assign, source);
    if (const auto* const found = se::GetAssignment(parsed)) {
      made.operands.push_back(expression(found->lhs));
      made.operands.push_back(expression(found->rhs));
      if (std::holds_alternative<ev::ProcedureRef>(found->u)) {
        made.act = Act::other;
        made.name = "a defined assignment";
      }
    } else {
      made.act = Act::other;
      made.name = "an assignment that Flang does not understand";
    }
    return made;
  }

  Statement branch(const pa::IfConstruct& parsed) {
    const auto& head = std::get<pa::Statement<pa::IfThenStmt>>(parsed.t);
    Statement made = statement(Act::branch, head.source);
    if (const auto& name = std::get<std::optional<pa::Name>>(head.statement.t))
      made.name = name->ToString();
    Statement::Part first;
    first.condition = typed(std::get<pa::ScalarLogicalExpr>(head.statement.t));
    first.body = block(std::get<pa::Block>(parsed.t));
    made.parts.push_back(std::move(first));
    for (const auto& one : std::get<std::list<pa::IfConstruct::ElseIfBlock>>(parsed.t)) {
      Statement::Part part;
      part.condition = typed(std::get<pa::ScalarLogicalExpr>(
          std::get<pa::Statement<pa::ElseIfStmt>>(one.t).statement.t));
      part.body = block(std::get<pa::Block>(one.t));
      made.parts.push_back(std::move(part));
    }
    if (const auto& last = std::get<std::optional<pa::IfConstruct::ElseBlock>>(parsed.t)) {
      Statement::Part part;
      part.body = block(std::get<pa::Block>(last->t));
      made.parts.push_back(std::move(part));
    }
    made.last_line = lines_of(std::get<pa::Statement<pa::EndIfStmt>>(parsed.t).source).last;
    return made;
  }

  /// `select case` of whole numbers or logical values is an if.
  Statement select(const pa::CaseConstruct& parsed) {
    Statement other_kind = nested(parsed, "select case");
    const auto& head = std::get<pa::Statement<pa::SelectCaseStmt>>(parsed.t);
    const Expr value = typed(std::get<pa::Scalar<pa::Expr>>(head.statement.t));
    if (value.type.base != Base::integer || value.op == Op::other || !other_kind.body.empty())
      return other_kind;
    Statement made = statement(Act::branch, head.source);
    std::optional<Statement::Part> rest;
    for (const auto& one : std::get<std::list<pa::CaseConstruct::Case>>(parsed.t)) {
      Statement::Part part;
      part.body = block(std::get<pa::Block>(one.t));
      const auto& selector =
          std::get<pa::CaseSelector>(std::get<pa::Statement<pa::CaseStmt>>(one.t).statement.t);
      const auto* const ranges = std::get_if<std::list<pa::CaseValueRange>>(&selector.u);
      if (ranges == nullptr) {
        rest = std::move(part);
        continue;
      }
      const Type logical{Base::logical, 4};
      const auto join = [&](const char* op, Expr& all, Expr more) {
        all = all.op == Op::absent
                  ? std::move(more)
                  : node(Op::binary, logical, 0, {std::move(all), std::move(more)}, op);
      };
      for (const pa::CaseValueRange& range : *ranges)
        if (const auto* const single = std::get_if<pa::CaseValue>(&range.u)) {
          join("||", part.condition, node(Op::binary, logical, 0, {value, typed(*single)}, "=="));
        } else {
          const auto& both = std::get<pa::CaseValueRange::Range>(range.u).t;
          Expr between;
          if (const auto& low = std::get<0>(both))
            join("&&", between, node(Op::binary, logical, 0, {value, typed(*low)}, ">="));
          if (const auto& high = std::get<1>(both))
            join("&&", between, node(Op::binary, logical, 0, {value, typed(*high)}, "<="));
          join("||", part.condition, std::move(between));
        }
      made.parts.push_back(std::move(part));
    }
    if (made.parts.empty())
      return other_kind;
    if (rest)
      made.parts.push_back(std::move(*rest));
    made.last_line = other_kind.last_line;
    return made;
  }

  Statement where(const pa::WhereConstruct& parsed) {
    Statement other_kind = nested(parsed, "where");
    const auto& head = std::get<pa::Statement<pa::WhereConstructStmt>>(parsed.t);
    Statement made = statement(Act::where_, head.source);
    made.last_line = other_kind.last_line;
    bool is_plain = true;
    const auto body = [&](const std::list<pa::WhereBodyConstruct>& all) {
      std::vector<Statement> statements;
      for (const pa::WhereBodyConstruct& one : all)
        if (const auto* const assigned = std::get_if<pa::Statement<pa::AssignmentStmt>>(&one.u))
          statements.push_back(assignment(assigned->statement, assigned->source));
        else
          is_plain = false;
      return statements;
    };
    Statement::Part first;
    first.condition = typed(std::get<pa::LogicalExpr>(head.statement.t));
    first.body = body(std::get<std::list<pa::WhereBodyConstruct>>(parsed.t));
    made.parts.push_back(std::move(first));
    for (const auto& one : std::get<std::list<pa::WhereConstruct::MaskedElsewhere>>(parsed.t)) {
      Statement::Part part;
      part.condition = typed(std::get<pa::LogicalExpr>(
          std::get<pa::Statement<pa::MaskedElsewhereStmt>>(one.t).statement.t));
      part.body = body(std::get<std::list<pa::WhereBodyConstruct>>(one.t));
      made.parts.push_back(std::move(part));
    }
    if (const auto& last = std::get<std::optional<pa::WhereConstruct::Elsewhere>>(parsed.t)) {
      Statement::Part part;
      part.body = body(std::get<std::list<pa::WhereBodyConstruct>>(last->t));
      made.parts.push_back(std::move(part));
    }
    return is_plain ? made : other_kind;
  }

  Statement loop(const pa::DoConstruct& parsed) {
    const auto& head = std::get<pa::Statement<pa::NonLabelDoStmt>>(parsed.t);
    Statement made = statement(Act::while_, head.source);
    if (const auto& name = std::get<std::optional<pa::Name>>(head.statement.t))
      made.name = name->ToString();
    if (const auto& control = parsed.GetLoopControl())
      fl::common::visit(
          [&](const auto& one) {
            using One = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<One, pa::LoopControl::Bounds>) {
              made.act = Act::loop;
              if (one.name.thing.symbol != nullptr)
                made.variable = entity(*one.name.thing.symbol);
              made.operands.push_back(typed(one.lower));
              made.operands.push_back(typed(one.upper));
              if (one.step)
                made.operands.push_back(typed(*one.step));
            } else if constexpr (std::is_same_v<One, pa::ScalarLogicalExpr>) {
              made.operands.push_back(typed(one));
            } else {
              concurrent(one, made);
            }
          },
          control->u);
    made.body = block(std::get<pa::Block>(parsed.t));
    made.last_line = lines_of(std::get<pa::Statement<pa::EndDoStmt>>(parsed.t).source).last;
    return made;
  }

  void concurrent(const pa::LoopControl::Concurrent& control, Statement& made) {
    made.act = Act::concurrent;
    const auto& header = std::get<pa::ConcurrentHeader>(control.t);
    for (const pa::ConcurrentControl& one : std::get<std::list<pa::ConcurrentControl>>(header.t)) {
      const auto& name = std::get<0>(one.t);
      made.variables.push_back(name.symbol == nullptr ? -1 : entity(*name.symbol));
      if (name.symbol != nullptr)
        _program.entities[static_cast<std::size_t>(made.variables.back())].is_local = true;
      made.operands.push_back(typed(std::get<1>(one.t)));
      made.operands.push_back(typed(std::get<2>(one.t)));
      const auto& step = std::get<3>(one.t);
      made.operands.push_back(step ? typed(*step) : Expr{});
    }
    const auto& mask = std::get<std::optional<pa::ScalarLogicalExpr>>(header.t);
    made.operands.push_back(mask ? typed(*mask) : Expr{});
    for (const pa::LocalitySpec& spec : std::get<std::list<pa::LocalitySpec>>(control.t))
      fl::common::visit(
          [&](const auto& one) {
            using One = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<One, pa::LocalitySpec::Local>)
              add_locality("local", one.v, made);
            else if constexpr (std::is_same_v<One, pa::LocalitySpec::LocalInit>)
              add_locality("local_init", one.v, made);
            else if constexpr (std::is_same_v<One, pa::LocalitySpec::Reduce>)
              Parts{*this, add_locality("reduction", std::get<std::list<pa::Name>>(one.t), made)}
                  .Pre(std::get<pa::ReductionOperator>(one.t));
          },
          spec.u);
  }
  Clause& add_locality(const std::string& name, const std::list<pa::Name>& names, Statement& made) {
    Clause clause;
    clause.name = clause.text = name;
    for (const pa::Name& one : names) {
      Expr object = other("an object that Flang does not understand");
      if (one.symbol != nullptr) {
        const int index = entity(*one.symbol);
        const Entity& known = _program.entities[static_cast<std::size_t>(index)];
        object = node(Op::variable, known.type, known.rank, {});
        object.entity = index;
      }
      clause.objects.push_back(std::move(object));
      clause.written.push_back(one.ToString());
    }
    made.directive.clauses.push_back(std::move(clause));
    return made.directive.clauses.back();
  }

  void add(const pa::OpenACCConstruct& one, std::vector<Statement>& made) {
    fl::common::visit(
        [&](const auto& construct) {
          using Construct = std::decay_t<decltype(construct)>;
          Statement now;
          now.act = Act::directive;
          if constexpr (std::is_same_v<Construct, pa::OpenACCBlockConstruct>) {
            const auto& begin = std::get<pa::AccBeginBlockDirective>(construct.t);
            now.directive =
                directive(begin.source, words(std::get<pa::AccBlockDirective>(begin.t).source));
            add_clauses(now.directive, std::get<pa::AccClauseList>(begin.t));
            now.body = block(std::get<pa::Block>(construct.t));
            now.last_line = lines_of(std::get<pa::AccEndBlockDirective>(construct.t).v.source).last;
          } else if constexpr (std::is_same_v<Construct, pa::OpenACCCombinedConstruct>) {
            const auto& begin = std::get<pa::AccBeginCombinedDirective>(construct.t);
            now.directive =
                directive(begin.source, words(std::get<pa::AccCombinedDirective>(begin.t).source));
            add_clauses(now.directive, std::get<pa::AccClauseList>(begin.t));
            if (const auto& nest = std::get<std::optional<pa::DoConstruct>>(construct.t)) {
              now.body.push_back(loop(*nest));
              now.last_line = now.body.back().last_line;
            }
            if (const auto& end = std::get<std::optional<pa::AccEndCombinedDirective>>(construct.t))
              now.last_line = std::max(now.last_line, lines_of(end->source).last);
          } else if constexpr (std::is_same_v<Construct, pa::OpenACCLoopConstruct>) {
            const auto& begin = std::get<pa::AccBeginLoopDirective>(construct.t);
            now.directive = directive(begin.source, "loop");
            add_clauses(now.directive, std::get<pa::AccClauseList>(begin.t));
            if (const auto& nest = std::get<std::optional<pa::DoConstruct>>(construct.t)) {
              now.body.push_back(loop(*nest));
              now.last_line = now.body.back().last_line;
            }
          } else if constexpr (std::is_same_v<Construct, pa::OpenACCStandaloneConstruct>) {
            now.directive = directive(
                construct.source, words(std::get<pa::AccStandaloneDirective>(construct.t).source));
            add_clauses(now.directive, std::get<pa::AccClauseList>(construct.t));
          } else if constexpr (std::is_same_v<Construct, pa::OpenACCCacheConstruct>) {
            now.directive = directive(construct.source, "cache");
          } else if constexpr (std::is_same_v<Construct, pa::OpenACCWaitConstruct>) {
            now.directive = directive(construct.source, "wait");
            Clause queues;
            queues.name = "queues";
            Parts parts{*this, queues};
            if (const auto& argument = std::get<std::optional<pa::AccWaitArgument>>(construct.t))
              pa::Walk(*argument, parts);
            now.directive.clauses.push_back(std::move(queues));
            add_clauses(now.directive, std::get<pa::AccClauseList>(construct.t));
          } else if constexpr (std::is_same_v<Construct, pa::OpenACCAtomicConstruct>) {
            atomic(construct, now);
          } else {
            now.directive = directive(construct.source, "end");
          }
          now.first_line = now.directive.first_line;
          now.last_line = std::max(now.last_line, now.directive.last_line);
          made.push_back(std::move(now));
        },
        one.u);
  }
  void atomic(const pa::OpenACCAtomicConstruct& construct, Statement& now) {
    now.directive = directive(construct.source, "atomic");
    fl::common::visit(
        [&](const auto& kind) {
          using Kind = std::decay_t<decltype(kind)>;
          now.name = std::is_same_v<Kind, pa::AccAtomicRead>      ? "read"
                     : std::is_same_v<Kind, pa::AccAtomicWrite>   ? "write"
                     : std::is_same_v<Kind, pa::AccAtomicCapture> ? "capture"
                                                                  : "update";
          const auto take = [&](const pa::Statement<pa::AssignmentStmt>& one) {
            now.body.push_back(assignment(one.statement, one.source));
            now.last_line = std::max(now.last_line, now.body.back().last_line);
          };
          if constexpr (std::is_same_v<Kind, pa::AccAtomicCapture>) {
            take(std::get<pa::AccAtomicCapture::Stmt1>(kind.t).v);
            take(std::get<pa::AccAtomicCapture::Stmt2>(kind.t).v);
          } else {
            take(std::get<pa::Statement<pa::AssignmentStmt>>(kind.t));
          }
        },
        construct.u);
  }
};

} // namespace

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
