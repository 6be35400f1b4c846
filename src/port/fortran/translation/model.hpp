// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Model of a Fortran source with OpenACC: what `read.cpp` finds in Flang's tree, without any type
/// of Flang's. Names are in lower case, lines count from 1.
namespace gangway::port::fortran::translation {

enum class Base { none, integer, real, logical, complex, character, derived };

struct Type {
  Base base = Base::none;
  int kind = 0;
};
[[nodiscard]] inline bool operator==(const Type& a, const Type& b) {
  return a.base == b.base && a.kind == b.kind;
}

enum class Op {
  literal,   ///< `text` is the value, as C++ writes it without a suffix
  variable,  ///< a scalar or a whole array: `entity`
  element,   ///< of array `entity`, with a subscript for each dimension
  section,   ///< of array `entity`, with a subscript or a range for each dimension
  range,     ///< a subscript `a:b:c`: three operands, of which the first two may be `absent`
  absent,    ///< nothing
  convert,   ///< to `type`
  paren,     ///< the operand, evaluated as it stands
  negate,    ///<
  binary,    ///< `text` is + - * / < <= > >= == != && ||, or `^` for a power
  negation,  ///< .not.
  intrinsic, ///< `text` is the name
  call,      ///< of a function of the source or of another one: `text`
  lower,     ///< lower bound of `entity` in dimension `number`, which counts from 1
  extent,    ///< extent of the same
  named,     ///< a name of C++: `text`
  other      ///< anything else: `text` says what it is
};

/// Text of an `other` whose array is found by a subscript: `cells(i)%u`.
inline constexpr std::string_view component_of_element = "a component of an array's element";

/// Text of a bound or extent that an assignment to all of an array becomes.
inline constexpr std::string_view of_assignment = "of an assignment";

struct Expr {
  Op op = Op::absent;
  Type type;
  int rank = 0;
  std::string text;
  int entity = -1; ///< an index of Program::entities
  int number = 0;  ///< of a call: the entity of the procedure
  std::vector<Expr> operands;
};

struct Bound {
  bool has_lower = false; ///< it is a constant
  long lower = 1;
  bool has_extent = false; ///< likewise
  long extent = 0;
  Expr low;  ///< of a dummy argument: as it is written
  Expr high; ///< likewise; absent in `:` and `*`
};

/// A variable, or a component of one that no subscript leads to: `g%u`.
struct Entity {
  std::string name; ///< as Fortran writes it
  Type type;
  int rank = 0;
  std::vector<Bound> bounds;
  bool is_allocatable = false;
  bool is_pointer = false;
  bool is_target = false;
  bool is_dummy = false;
  bool is_in = false; ///< intent(in)
  bool is_optional = false;
  bool is_value = false;
  bool is_assumed_size = false;
  bool is_assumed_rank = false;
  bool is_polymorphic = false;
  bool is_coarray = false;
  bool is_volatile = false;
  bool is_of_module = false;
  bool is_function = false;
  bool is_component = false;
  bool is_local = false;   ///< of a function or subroutine, and no dummy argument
  bool is_made = false;    ///< by the translation
  bool is_private = false; ///< of each iteration of a do concurrent
  bool is_static = false;  ///< saved, of a module or of a common block
  bool is_common = false;  ///< of a common block
  bool has_value = false;  ///< its declaration gives it one
  int base = -1;           ///< of a component: the variable
  std::string key;         ///< of a procedure, or a module's variable: `m::f`
};

struct Clause {
  std::string name;                 ///< lower case
  std::string text;                 ///< as the source has it
  std::string word;                 ///< of a reduction: the operator; of `default`: present or none
  std::vector<Expr> objects;        ///< variables, elements and sections
  std::vector<std::string> written; ///< the same as the source has them
  std::vector<Expr> values;
  std::vector<std::string> value_texts;
  bool has_modifier = false;
};

struct Directive {
  std::string name; ///< "parallel loop", "enter data"; "" where there is none
  std::vector<Clause> clauses;
  int first_line = 0; ///< of the source
  int last_line = 0;
};

enum class Act {
  assign,     ///< operands: what is set, and its value
  branch,     ///< if: `parts`, each with its condition unless it is the last, `else`
  where_,     ///< where: `parts`, with masks; assignments only
  loop,       ///< do: `variable`, operands: lower, upper, step
  concurrent, ///< do concurrent: `variables`, operands: lower, upper and step for each, and a mask
              ///< or none; clauses of `directive`: local, local_init and reduction
  while_,     ///< do while: an operand, or none for `do`
  cycle,      ///< of the loop `name`, or the innermost one
  exit,       ///<
  call,       ///< of the subroutine `name`
  nothing,    ///< continue
  return_,    ///<
  directive,  ///< a construct or directive of OpenACC, with its `body`
  other       ///< anything else: `name` says what it is; operands are what it names
};

struct Statement {
  struct Part {
    Expr condition;
    std::vector<Statement> body;
  };
  Act act = Act::other;
  int first_line = 0;
  int last_line = 0;
  std::string name;
  bool is_pointer_assignment = false;
  std::vector<Expr> operands;
  std::vector<Part> parts;
  int procedure = -1;         ///< of a call: an entity
  int variable = -1;          ///< of a loop: an entity
  std::vector<int> variables; ///< of do concurrent
  /// Number of loops from this one on that were a do concurrent, whose reductions are in
  /// `directive`; 0 for another loop.
  std::size_t together = 0;
  Directive directive; ///< of act `directive`
  std::vector<Statement> body;
};

/// Name in the source.
struct Place {
  std::string name;
  int line = 0;
  int column = 0; ///< counts from 1
};

/// A main program, function or subroutine.
struct Unit {
  std::string name;
  bool is_main = false;
  bool is_function = false;
  bool is_internal = false; ///< inside of another one
  bool is_pure = false;
  bool is_foreign = false; ///< of another source, for kernels that call it
  int first_line = 0;      ///< of its first statement; 0 for a main program without one
  int start_line = 0;      ///< first line of its statements after that one
  int head_line = 0;       ///< last line of that statement
  int use_line = 0;        ///< last line of use, import and implicit statements
  int body_line = 0;       ///< first line of the executable part
  int end_line = 0;        ///< of its end statement, or of `contains`
  bool has_body = false;
  std::vector<int> openacc_uses;    ///< lines of `use openacc`
  std::vector<Place> runtime_names; ///< of OpenACC's runtime library
  int procedure = -1;               ///< entity of it
  std::vector<int> dummies;
  int result = -1;
  std::vector<Directive> declarative; ///< routine and declare
  std::vector<std::string> names;     ///< of all that it declares or uses
  std::vector<Statement> body;

  /// Returns whether a name in it is that of module `gangway`.
  [[nodiscard]] bool takes_name() const {
    return std::find(names.begin(), names.end(), "gangway") != names.end();
  }
};

struct Module {
  std::string name;
  bool has_procedures = false;
  int end_line = 0;               ///< of its end statement
  std::vector<Directive> declare; ///< in its declarations
};

/// Variable that an allocate or deallocate statement names.
struct Allocation {
  int entity = -1;
  std::size_t unit = 0;   ///< an index of Program::units
  bool allocates = false; ///< else it deallocates
  bool is_fit = false;    ///< the statement is in the source itself, and has no label
  int first_line = 0;
  int last_line = 0;
};

struct Program {
  std::vector<Entity> entities;
  std::vector<Unit> units;
  std::vector<Module> modules;
  std::vector<Allocation> allocations;
  std::vector<int> reallocated; ///< variables that calls or assignments of the host may allocate
  bool is_fixed_form = false;
};

} // namespace gangway::port::fortran::translation
