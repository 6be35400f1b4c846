// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/codes.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// `gangway port`: OpenACC in, Kokkos out, in four rooms. `parse` reads a source through Clang into
/// the plain model below. `decide` says what becomes of each directive, and why; `emit` writes the
/// new text; `report` describes it. Only `parse` and `format` know Clang.
namespace gangway::port {

inline constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Place in the file; line and column count from 1.
struct Place {
  unsigned line = 0;
  unsigned column = 0;
};

/// Bytes [begin, end) of the file.
struct Span {
  unsigned begin = 0;
  unsigned end = 0;
  [[nodiscard]] bool holds(const Span& other) const {
    return begin <= other.begin && other.end <= end;
  }
};

/// Code that `parse` found and that the translator cannot handle.
struct Obstacle {
  Place place;
  Span span;
  Message message;
  bool is_return = false; ///< which only kernels may not have
};

enum class Shape {
  scalar,  ///< of an arithmetic type
  pointer, ///< to elements
  array,   ///< whose extents its type says
  other    ///< a structure, an enumeration, a pointer to pointers, …
};

/// Variable of the host that a directive or a kernel names: a local one, a parameter, a global
/// one, or a member by the path to it (`grid->u`).
struct Variable {
  std::string name;    ///< `u`
  std::string path;    ///< `grid->u`; of a member of `*this` as it is written
  std::string element; ///< the type of what it holds in the end, without const
  std::string
      type; ///< of a shape other than pointer: how a variable called `$` of that type is declared
  Shape shape = Shape::scalar;
  bool element_const = false;
  bool element_volatile = false;
  bool member = false;              ///< reached through a structure or `this`
  bool global = false;              ///< declared outside of functions, or static
  bool constant = false;            ///< known when compiling, so that kernels may name it
  bool reassigned = false;          ///< a pointer that its function makes point elsewhere
  bool reference = false;           ///< another name for what other code may hold
  bool holds_pointers = false;      ///< the elements are structures with pointers in them
  bool table = false;               ///< of shape other: a pointer to pointers to numbers, to rows
  long element_bytes = 0;           ///< of an element, where it is known
  std::string row_element;          ///< of a table: the type of its rows' elements, without const
  bool enumeration = false;         ///< the elements are of an enumeration, or of no usual number
  bool copyable = true;             ///< of shape other: may be captured by value
  std::vector<std::string> extents; ///< of an array
  bool variable_rows = false;       ///< rows of it have a length that the run knows
  /// Length that the declaration of a pointer parameter says, as in `double a[N]`.
  std::string length;
  std::string initializer; ///< of a constant outside of functions: its values, which are known when
                           ///< compiling
  bool numbers = false;    ///< of shape other: a structure that may be copied byte by byte
  /// Variable that a member is a part of, or that points to what it is a part of; `within` is the
  /// path from there (`.gain`).
  std::size_t owner = none;
  std::string within;
};

/// Place at which code names a variable.
struct Use {
  std::size_t variable = none;
  Span name;                    ///< `a`, `grid->u`
  Span whole;                   ///< with its subscripts
  std::vector<Span> subscripts; ///< the text in the brackets, outermost first
  bool reads = false;
  bool writes = false;
  bool macro = false;     ///< written by a macro's body: the text here is another
  bool row = false;       ///< an array of several dimensions, of which a pointer to a row is taken
  bool handed_on = false; ///< it is bound to a pointer or a reference that may write
  std::string joins;      ///< the statement only reduces a value into it, by this: `+`, `max`, …
  /// Statement that sets the variable, as `t = x;` in a block does, and that block.
  Span sets;
  Span block;
};

/// A `sizeof a` in a kernel, which may have something else under that name: `text` says what it is
/// the size of, or its value.
struct Size {
  Span span;
  std::string text; ///< in its place
};

/// `for` in a compute construct with an index that is declared outside of it.
struct Counter {
  Span loop;
  std::size_t variable = none;
  bool associated = false; ///< it has a directive
};

/// Call in a kernel.
struct Call {
  Place place;
  Span callee; ///< the name as it is written, with what qualifies it
  std::string name;
  std::size_t function = none; ///< of those that this file defines
  std::size_t outside = none;  ///< of those that it declares, and another file defines
  bool system = false;         ///< declared by a header of the system's, or built in
  bool constant = false;       ///< constexpr
  bool macro = false;
  bool qualified = false; ///< as in `std::sqrt`
  unsigned arguments = 0; ///< just behind the parenthesis
  /// Arguments that C converts to the function's own type: their places, and the type. It decides
  /// among Kokkos' functions of that name.
  std::vector<std::pair<Span, std::string>> casts;
};

/// Section `a[low:length]…` in a clause.
struct Section {
  std::size_t variable = none;
  std::string text;                 ///< as it is written
  std::string low;                  ///< where the first dimension begins; empty: at 0
  bool low_is_local = true;         ///< `low` is made of numbers and of local scalars
  std::vector<std::string> extents; ///< of all dimensions; empty where a bare pointer is named
  bool rows = false; ///< of a table: the extents are its rows, and what each of them leads to
  std::optional<Message> problem; ///< why no data clause can be made of it
  bool declared = false;          ///< the first extent is what a parameter's declaration says
};

struct Clause {
  ClauseKind kind = ClauseKind::unknown;
  Place place;
  std::string argument;               ///< the condition, or the number, as text
  std::vector<std::string> arguments; ///< the sizes of `tile`, the queues of `wait`
  std::vector<long> sizes;            ///< of `tile`, where they are known; else 0
  std::vector<std::string> modifiers; ///< `zero`, `readonly`, `always`, …
  std::vector<Section> sections;
  std::string operation; ///< of a reduction: `+`, `max`, …
  long number = 0;       ///< of `collapse`, `num_workers` and their like, where it is known
};

/// `for` loop as OpenACC requires it. Texts are the source's, in parentheses where `+` and `-`
/// beside them would split them.
struct Loop {
  Place place;
  Span whole;
  Span body;
  bool braces = false; ///< the body is a compound statement
  std::string index;
  std::string type;
  std::size_t variable = none; ///< of the index, where it is declared outside
  std::string low;             ///< the first index, or of a loop downwards the last
  std::string high;            ///< one past the last
  std::string step = "1";
  bool bounds_are_local = true;       ///< they are made of numbers and of local scalars
  bool low_is_constant = false;       ///< `low` is but the name of a constant that is not local
  bool high_is_constant = false;      ///< the same of `high`
  std::vector<Span> continues;        ///< that go on with this loop
  bool macro_continues = false;       ///< a macro's body has one
  std::vector<std::string> reads;     ///< names in the bounds
  std::vector<std::size_t> set_first; ///< scalars that each iteration sets before it reads them
  std::size_t directive = none;       ///< the `loop` on it
  bool wide = false;                  ///< a bound or the step is unsigned
  std::string problem;                ///< why it is no range
};

/// Operation of an atomic's statement, as its form says.
struct Atomic {
  std::string operation; ///< `add`, …; empty for read, write and exchange
  bool before = false;   ///< capture: what was there before
  std::optional<Span> target;
  std::optional<Span> value;    ///< the operand; without it 1
  std::optional<Span> captured; ///< what gets the old or the new value
  std::string symbol;           ///< of the operation `change`, by compare-exchange: `-`, …
  bool reversed = false;        ///< `x = e - x`
  bool rounds = false;          ///< the operand is rounded to the target's type before, not after
  std::string problem;
};

/// Effect of a statement on a variable declared outside of it, or on memory.
struct Touch {
  std::string object; ///< the variable, the same text at each; empty: what a pointer leads to
  std::size_t variable = none; ///< of the host's, where a directive or a kernel names it
  std::string type;            ///< of memory, as C tells one from another; empty: it may be any
  bool reads = false;
  bool writes = false;
  std::size_t pointer = none; ///< without an object: the pointer that leads there, likewise
  bool element = false;       ///< a part of it: an element, a member
  bool local = false;         ///< it is declared in the body of the loop over gangs
  bool escapes = false;       ///< its address is handed on
};

/// Statement in the body of a loop over gangs, as far as a team has to know it.
struct Step {
  enum class Kind {
    plain,  ///< without loops that a team shares out
    block,  ///< `steps` are its statements
    choice, ///< an `if`; `steps` are its branches, that of `else` last
    repeat, ///< a sequential loop around what a team shares out, which is `steps`
    share   ///< a `loop worker` or `loop vector`; `steps` is its body
  };
  Kind kind = Kind::plain;
  Place place;
  Span span; ///< of a share with its directive's lines
  /// Effects of all of it, without those on what is declared in it.
  std::vector<Touch> touches;
  std::vector<Touch> begins; ///< of a choice, a repeat and a share: what its head does
  std::vector<Step> steps;
  std::optional<Loop> loop; ///< of a share
  bool declares = false;    ///< a declaration
  bool atomic = false;      ///< it is an atomic, or contains one
  bool jumps = false;       ///< it may go on with a loop around it
  std::string unfit;        ///< why no team can do it
};

/// Statement of a block under `parallel` or `kernels`.
struct Piece {
  Span span;
  bool declares = false;   ///< it is a declaration
  bool fixed = false;      ///< of numbers that the block does not change
  std::string constant;    ///< of `const double alpha = rr / pq;` the name
  std::string type;        ///< and the type
  Span value;              ///< and what it is
  std::vector<Loop> loops; ///< the loop and those that are alone in it, outermost first
  std::size_t directive = none;
  std::vector<std::size_t> set_first; ///< scalars that it sets before it reads them
  /// Scalars that a piece of `kernels` sets, and that code after it may read.
  std::vector<std::size_t> read_behind;
  std::optional<Step> step; ///< the body of its loops over gangs, where a team may have work in it
};

struct Directive {
  Place place;
  Span pragma;      ///< whole lines
  std::string text; ///< `acc parallel loop …`
  Construct construct = Construct::parallel;
  std::vector<Clause> clauses;
  std::vector<std::string> queues; ///< of the directive `wait`
  Span statement;                  ///< what it applies to; empty for one that stands alone
  bool braces = false;
  std::size_t parent = none; ///< the directive around it
  std::size_t function = none;
  std::size_t outside = none; ///< of `routine`: the function, where another file defines it
  bool last = false; ///< nothing comes after it in its block, of a function that returns nothing
  bool in_function = false; ///< of `declare`: it is in a function's outermost block
  std::vector<Piece> pieces;
  std::vector<std::size_t> set_first; ///< scalars that `statement` sets before it reads them
  std::vector<Use> uses;         ///< in `statement`; of constructs that are in no compute construct
  std::vector<Call> calls;       ///< likewise
  std::vector<Size> sizes;       ///< likewise
  std::vector<Counter> counters; ///< likewise
  std::vector<Obstacle> obstacles; ///< likewise
  std::vector<Span> addresses;     ///< likewise: numbers that are taken for addresses
  Atomic atomic;

  [[nodiscard]] const Clause* clause(ClauseKind kind) const {
    for (const Clause& clause : clauses)
      if (clause.kind == kind)
        return &clause;
    return nullptr;
  }
  [[nodiscard]] bool is_compute() const { return port::is_compute(construct); }
};

/// Function that this file defines.
struct Function {
  std::string name;
  Place place;
  std::vector<unsigned> declarations; ///< where the file declares it, and where it defines it
  bool is_main = false;
  unsigned body = 0;        ///< just behind the brace
  std::vector<Use> globals; ///< variables outside of functions that it names
  std::vector<Call> calls;
  std::vector<Obstacle> obstacles;
  bool is_member = false;
  bool returns = false; ///< something
  bool has_parameters = false;
  std::vector<unsigned> parameters; ///< of each declaration where its parameters begin
  std::vector<Piece> pieces;        ///< the statements of its body
  std::size_t open_end = none;      ///< C only: its closing brace, where it may end without a value
  std::vector<unsigned> bare_returns; ///< C only: behind each `return` without its value
  std::string symbol;                 ///< for the linker; empty where no other file can call it
  std::string header; ///< of one that is declared elsewhere, too: the first place, `name:line`
};

/// Function that this file declares, and another one defines.
struct Outside {
  std::string name;
  std::string symbol;                 ///< for the linker
  std::vector<unsigned> declarations; ///< in this file
  std::string header;                 ///< the first place in others that declares it, `name:line`
};

/// `routine` in a header.
struct HeaderRoutine {
  std::string header;
  unsigned line = 0;
  std::size_t function = none; ///< that it names, where this file defines it
  std::size_t outside = none;  ///< the same, where another one does
  bool gang = false;
};

/// Call of OpenACC's runtime library.
struct RuntimeCall {
  Place place;
  Span whole;
  std::string name;
  std::optional<Routine> routine; ///< none that is known here
  std::vector<Span> arguments;
  std::string element;     ///< what the first one points to, with its const; empty of void
  Span count;              ///< `n` where the second one is `n * sizeof(element)`; else empty
  long constant = 0;       ///< the number of elements, where the second one is a constant's sizeof
  std::string device;      ///< the device type that it is asked for, where that is one by name;
                           ///< acc_device_current: what acc_get_device_type says
  std::string property;    ///< of acc_get_property, where it is one by name
  std::vector<Span> plain; ///< the arguments without conversions of pointers
  bool as_number = false;  ///< the context wants a whole number, not a device type
  bool as_truth = false;   ///< the context asks whether it is 0
  bool used = true;        ///< the caller uses its result
  bool macro = false;      ///< a macro writes some of it
};

/// Name of openacc.h that is no routine: a device type, or a queue with a meaning.
struct RuntimeName {
  Place place;
  Span span;
  std::string name;
  bool as_number = false; ///< the context wants a whole number, not a device type
  bool stays = false;     ///< no text can replace it
};

/// Directive of another kind than OpenACC's that concerns a loop, or threads: OpenMP's, or one of
/// a compiler's own.
struct OtherPragma {
  Place place;
  Span lines;
  std::string text; ///< `omp parallel for`
  Span applies;     ///< to this block or loop; empty where it is no OpenMP of many threads
};

/// Conditional that asks for `_OPENACC`, whose branches only include openacc.h.
struct OpenaccBranches {
  Span lines;
  std::vector<Obstacle> told; ///< remarks on its conditions, where it stays
};

/// Use of a macro that is nothing but an OpenACC directive, which `text` has as a `#pragma`
/// instead.
struct WrittenOut {
  Span lines;         ///< of the `#pragma`
  std::string source; ///< what the source has there
};

/// Macro of the source, or of a header that is not the system's.
struct Macro {
  Place place; ///< 0 where it is defined elsewhere
  bool takes_arguments = false;
};

/// One source.
struct Unit {
  std::string file;
  std::string text;
  bool is_c = false;
  bool is_fortran = false;
  bool uses_mpi = false; ///< it calls MPI_Init
  std::vector<Variable> variables;
  std::vector<Directive> directives; ///< by place; those inside another come after it
  std::vector<Function> functions;
  std::vector<Outside> outside;
  std::vector<HeaderRoutine> header_routines;
  std::optional<unsigned> first_include; ///< that is in no conditional
  std::vector<Span> openacc_headers;     ///< lines that include openacc.h
  std::vector<OpenaccBranches> openacc_branches;
  std::vector<RuntimeCall> runtime_calls;
  std::vector<Span> runtime_names; ///< everything in the code that begins with acc_
  std::vector<RuntimeName> device_names;
  std::vector<Obstacle> told; ///< what a reader should know, though no decision depends on it
  std::vector<Obstacle>
      strays; ///< directives that the compiler did not see: in branches not taken, in headers
  std::vector<std::pair<unsigned, std::string>>
      void_casts;             ///< C only: where C++ wants a cast, and to what
  std::vector<unsigned> ints; ///< C only: where what is `int` in C is none in C++
  /// C only: what is written otherwise in C++.
  std::vector<std::pair<Span, std::string>> for_cpp;
  std::vector<Span> restricts;            ///< C only: the keyword
  std::vector<Span> bools;                ///< C only: the keyword _Bool
  std::vector<OtherPragma> other_pragmas; ///< by place
  std::vector<WrittenOut> written_out;    ///< by place
  std::map<std::string, Macro> macros;
  /// Line of the first macro before all includes, or of the conditional around it.
  std::optional<unsigned> first_macro;
  std::set<std::string> words; ///< all of the text, of its comments too
  std::set<std::string> names; ///< those of the code, without comments and directives

  /// Returns the compute construct around a directive, or none.
  [[nodiscard]] std::size_t compute_around(std::size_t id) const {
    for (std::size_t up = directives[id].parent; up != none; up = directives[up].parent)
      if (directives[up].is_compute())
        return up;
    return none;
  }
  /// Returns a name that the text does not have, made from `name`.
  [[nodiscard]] std::string fresh(std::string name) const;
};

} // namespace gangway::port
