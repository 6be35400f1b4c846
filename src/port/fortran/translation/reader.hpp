// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/model.hpp"

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

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {

namespace fl = Fortran;
namespace ev = Fortran::evaluate;
namespace pa = Fortran::parser;
namespace se = Fortran::semantics;

using Category = fl::common::TypeCategory;

[[nodiscard]] std::string lower(std::string text);
[[nodiscard]] Type type_of(const ev::DynamicType& type);

// NOLINTBEGIN(readability-identifier-naming): Flang's walk calls Pre and Post

/// The reader's way from Flang's expressions and statements to the model. Its parts are in sources
/// of their own: `read` has procedures and their variables, then `read_expressions`,
/// `read_directives` and `read_statements`.
class Reader {
public:
  Reader(Program& program, const pa::AllCookedSources& cooked, se::SemanticsContext& context,
         const pa::SourceFile* file);
  void read(const pa::Program& tree) { pa::Walk(tree, *this); }
  // What `Walk` calls.
  template <class T>
  bool Pre(const T& /*node*/) {
    return true;
  }
  template <class T>
  void Post(const T& /*node*/) {}
  bool Pre(const pa::Module& node);
  bool Pre(const pa::Statement<pa::ActionStmt>& node);
  bool Pre(const pa::AllocateStmt& node);
  bool Pre(const pa::DeallocateStmt& node);
  bool Pre(const pa::CallStmt& node);
  bool Pre(const pa::AssignmentStmt& node);
  bool Pre(const pa::OpenACCCombinedConstruct& /*node*/);
  void Post(const pa::OpenACCCombinedConstruct& /*node*/) { --_compute; }
  bool Pre(const pa::OpenACCBlockConstruct& node);
  void Post(const pa::OpenACCBlockConstruct& node) { _compute -= is_compute(node) ? 1 : 0; }
  bool Pre(const pa::MainProgram& node);
  bool Pre(const pa::SubroutineSubprogram& node);
  bool Pre(const pa::FunctionSubprogram& node);
  bool Pre(const pa::SeparateModuleSubprogram& node);

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
  Lines lines_of(pa::CharBlock block) const;
  Lines _action; ///< of the statement that is walked
  bool _has_label = false;
  void set_lines(Unit& unit, pa::CharBlock head) const;

  // --- units ----------------------------------------------------------------------------------

  template <class Node>
  void add_procedure(Unit& unit, const pa::Name& name, const Node& node, pa::CharBlock head,
                     pa::CharBlock end);
  template <class Node>
  void add(Unit& unit, const Node& node, pa::CharBlock end);
  std::vector<Directive> declarative(const pa::SpecificationPart& specification);

  // --- allocations ----------------------------------------------------------------------------

  static bool is_compute(const pa::OpenACCBlockConstruct& node);
  void add_allocation(const pa::AllocateObject& object, bool allocates);
  /// Adds the allocatable variables that the procedure may allocate or deallocate.
  void add_reallocated(const ev::ProcedureRef& call);
  struct Names;
  /// Returns whether module openacc or openacc_lib.h has it, or it is an external procedure with a
  /// name of theirs.
  bool is_of_openacc(const se::Symbol& symbol) const;

  // --- entities -------------------------------------------------------------------------------

  int entity(const se::Symbol& given);
  /// `path` is the whole name; `root` the variable that it begins with.
  int entity(const se::Symbol& symbol, const std::string& path, int base, const se::Symbol* root);
  void add_bounds(const se::Symbol& symbol, int index);
  /// Finds the entity of a component, if no subscript leads to it.
  std::optional<std::pair<int, const se::Symbol*>> entity(const ev::DataRef& reference);
  std::optional<std::pair<int, const se::Symbol*>> entity(const ev::Component& component);
  std::optional<int> entity(const ev::NamedEntity& named);

  // --- expressions ----------------------------------------------------------------------------

  static Expr other(std::string what, Type type = {}, int rank = 0);
  static Expr node(Op op, Type type, int rank, std::vector<Expr> operands, std::string text = {});
  template <class T>
  static Type static_type() {
    return type_of(ev::DynamicType{T::category, T::kind});
  }

public:
  Expr expression(const ev::Expr<ev::SomeType>& given);

private:
  template <Category category>
  Expr convert(const ev::Expr<ev::SomeKind<category>>& given);
  template <class T>
  Expr convert(const ev::Expr<T>& given);
  Expr convert(const ev::BOZLiteralConstant& /*given*/) { return other("a BOZ literal"); }
  Expr convert(const ev::NullPointer& /*given*/) { return other("null()"); }
  Expr convert(const ev::ProcedureDesignator& /*given*/) { return other("a procedure"); }
  Expr convert(const ev::ProcedureRef& given) { return reference(given, {}, given.Rank()); }
  template <class T, class One>
  Expr convert_one(const One& one);
  template <class One>
  Expr binary(std::string op, Type type, const One& one);
  template <class T>
  Expr compare(const ev::Relational<T>& one);
  template <class T>
  static Expr constant(const ev::Constant<T>& one, Type type);
  template <class T>
  Expr designator(const ev::Designator<T>& one, Type type);
  template <class Variant>
  Expr reference_of(const Variant& parts, Type type);
  Expr element(const ev::ArrayRef& part, Type type);
  Expr reference(const ev::ProcedureRef& one, Type type, int rank);
  template <class Node>
  Expr typed(const Node& parsed) {
    if (const auto* const found = se::GetExpr(_context, parsed))
      return expression(*found);
    return other("an expression that Flang does not understand");
  }

  // --- directives -----------------------------------------------------------------------------

  struct Parts;
  /// Returns the operator of a reduction, without dots.
  static std::string operator_of(const pa::ReductionOperator& op);
  void add_clauses(Directive& directive, const pa::AccClauseList& clauses);
  Directive directive(pa::CharBlock source, std::string name);
  static std::string words(pa::CharBlock source);
  Directive declarative(const pa::OpenACCDeclarativeConstruct& one);
  void add(const pa::OpenACCConstruct& one, std::vector<Statement>& made);
  void atomic(const pa::OpenACCAtomicConstruct& construct, Statement& now);

  // --- statements -----------------------------------------------------------------------------

  std::vector<Statement> block(const pa::Block& parsed);
  Statement statement(Act act, pa::CharBlock source) const;
  void add(const pa::ExecutionPartConstruct& one, std::vector<Statement>& made);
  void add(const pa::ExecutableConstruct& one, std::vector<Statement>& made);
  static Statement named(std::string name);
  struct Inner;
  template <class Node>
  Statement nested(const Node& parsed, std::string what);
  template <class Node>
  Statement statement_of(pa::CharBlock source, std::string what, const Node& parsed);
  Statement action(const pa::ActionStmt& parsed, pa::CharBlock source);
  static std::string first_word(pa::CharBlock source);
  Statement assignment(const pa::AssignmentStmt& parsed, pa::CharBlock source);
  Statement branch(const pa::IfConstruct& parsed);
  /// `select case` of whole numbers or logical values is an if.
  Statement select(const pa::CaseConstruct& parsed);
  Statement where(const pa::WhereConstruct& parsed);
  Statement loop(const pa::DoConstruct& parsed);
  void concurrent(const pa::LoopControl::Concurrent& control, Statement& made);
  Clause& add_locality(const std::string& name, const std::list<pa::Name>& names, Statement& made);
};

// NOLINTEND(readability-identifier-naming)

} // namespace gangway::port::fortran::translation
