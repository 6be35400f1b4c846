// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/expressions.hpp"
#include "port/fortran/translation/kernels.hpp"
#include "port/fortran/translation/model.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {

using Statements = std::vector<Statement>;

/// Returns the clause of that name, unless it is for one kind of device.
[[nodiscard]] const Clause* find_clause(const Directive& directive, std::string_view name);

[[nodiscard]] bool is_data_clause(std::string_view name);

/// A loop that is shared out, and what its directive says.
struct Level {
  const Statement* loop;
  int line;
};

/// Branch of an `if` that the host takes, or does not, before it launches a kernel.
struct Taken {
  const Statement* branch = nullptr;
  std::size_t part = 0;
};

/// Kernel to be launched.
struct Launch {
  const Statements* body = nullptr;   ///< of the innermost loop that is shared out
  std::vector<Level> levels;          ///< outermost first; none for what one thread does
  std::vector<const Directive*> said; ///< the directives of the loops
  Statements held;                    ///< the body, where it is not one of the source's
  int line = 0;
  std::vector<Taken> taken; ///< outermost first
};

enum class Role {
  value,     ///< passed by value
  array,     ///< on the device
  device,    ///< scalar on the device
  reduction, ///< passed by reference
  local      ///< of the kernel
};

struct Used {
  Role role = Role::value;
  std::string name; ///< in C++
  bool is_written = false;
  const Clause* section = nullptr; ///< the data clause that names a part of the array
  std::size_t object = 0;
};

/// Writer of a compute construct's kernels, or of a function that kernels call. Its parts are in
/// sources of their own: `kernels` has the whole and the clauses, `kernel_plan` what is launched,
/// `kernel_reads` what statements read and set, `kernel_variables` whose the variables are,
/// `kernel_reductions`, `kernel_launches` policies and bounds, `kernel_statements`, and
/// `kernel_calls` functions and their arguments.
class Writer {
public:
  /// For a function that kernels call. `outer` are the functions that call it.
  Writer(const Surroundings& around, const Unit& function, std::vector<const Unit*> outer);
  /// The host takes the branches of `kernels` that it knows, and their loops are kernels.
  /// `one_thread`: the reason why one thread of the device takes them instead, or nothing.
  Writer(const Surroundings& around, const Statement& construct, std::string one_thread);
  /// Returns the function, and before it those that it calls.
  std::vector<DeviceFunction> write_function(const std::string& name);
  [[nodiscard]] bool takes_branches() const { return _takes_branches; }
  Kernel write();

private:
  const Surroundings& _around;
  const Statement& _construct;
  const Directive& _directive;
  std::string _one_thread;
  Expressions _expressions;
  Kernel _kernel;
  bool _is_kernels = false;
  bool _is_serial = false;
  bool _is_combined = false;
  std::vector<Launch> _launches;
  std::vector<Taken> _taken; ///< while the launches are planned
  bool _takes_branches = false;
  std::deque<Directive> _implied;     ///< reductions that no clause says
  std::map<int, Used> _used;          ///< of the whole construct
  std::map<int, std::string> _local;  ///< names of the launch's own variables
  std::map<int, std::string> _bounds; ///< names of the device's scalars in a launch's bounds
  std::set<int> _written;             ///< in the construct
  std::map<int, std::pair<const Clause*, std::size_t>> _data; ///< by entity, of its own clauses
  /// Array that a kernel has of its own.
  struct LocalArray {
    std::string name;
    std::string type;
    long count = 0; ///< elements
  };
  std::map<int, LocalArray> _firsts; ///< values of firstprivate arrays in the construct, by entity
  int _labels = 0;
  const Unit* _function = nullptr; ///< that is written in place of a construct
  std::vector<const Unit*> _outer;
  static const Statement& nothing();
  mutable std::vector<const Unit*> _walked;
  const Unit* unit_of(int procedure) const;

  // --- functions ------------------------------------------------------------------------------

  /// Finds a function of the source. Errors: Refusal if kernels cannot call it.
  const Unit& function_of(int procedure, const std::string& name, int line) const;
  std::string function_call(const Expr& call, int line);
  std::vector<DeviceFunction> function_of_kernels(const Unit& unit, const std::string& name,
                                                  int line) const;
  std::string call_of(const Unit& unit, const std::vector<Expr>& operands, int line);

  // --- arrays as arguments --------------------------------------------------------------------

  static bool is_assumed_shape(const Entity& dummy);
  static bool counts_from_one(const Entity& array);
  static std::string dummy_type(const Entity& array, bool is_written);
  /// Returns the parameter for an array: its extents come with it, if its shape is assumed.
  std::string dummy_array(int dummy, bool is_written);
  static int given_of(int dummy) { return -2 - dummy; } ///< place in `_local`
  /// Returns the declaration of the array that the function's statements have, if there is one.
  std::string bounds_of_dummy(int dummy, bool is_written);
  /// Returns what a dummy array gets: an address, and with an assumed shape the extents.
  std::string array_argument(const Expr& actual, const Unit& unit, int dummy, bool is_written,
                             int line);
  /// Returns whether the range is all of the dimension, as far as constants tell.
  static bool is_whole_range(const std::vector<Bound>& bounds, int d, const Expr& low,
                             const Expr& high);
  std::string lower_of(int index, const std::string& name, int d) const;
  std::string extent_of(int index, const std::string& name, int d) const;
  const Entity& entity(int index) const;
  [[noreturn]] static void refuse(Code code, int line, const std::string& text,
                                  const std::string& by_hand);

  // --- clauses --------------------------------------------------------------------------------

  static void check_clauses(const Directive& directive);
  void read_data_clauses();

  // --- launches -------------------------------------------------------------------------------

  void plan_launches();
  void plan(const Statements& body);
  /// Returns whether the statement begins those that a statement with a sum or the like becomes.
  bool sets_made(const Statement& one) const;
  /// Returns the first line of a loop in a branch, or 0.
  static int loop_in(const Statement& branch);
  void plan_branch(const Statement& one);
  /// Returns whether the host knows the conditions: no array is in them, and no scalar that the
  /// device has or the construct sets.
  bool is_of_host(const Statement& branch) const;
  void plan_serial(const Statements& body, int line, const Directive* said = nullptr);
  void plan_loop(const Statement& loop, const Directive& said, int line);
  static std::size_t tile_rank(const Clause& tile);
  /// Returns the loop that is all of the statements, or null; `loop` directives may stand before.
  static const Statement* only_loop(const Statements& body);
  bool is_rectangle(const Launch& launch) const;
  void require_rectangle(const Launch& launch, int line) const;
  /// Takes the next loop in if it is nested tightly, has no directive, and a range of its own.
  bool add_inner(Launch& launch) const;
  /// Takes loops in that are nested tightly, and whose directives share them out, too.
  void fold(Launch& launch, bool promises) const;
  /// Returns what the procedure sets. Its dummy arguments by `value` are variables of its own.
  std::set<int> set_by(const Unit& unit) const;
  std::set<int> written_in(const Statements& statements) const;
  /// Returns whether no iteration of the loops can see what another one stores: each array that is
  /// written has the loops' variables as subscripts, the same ones wherever it stands.
  bool is_independent(const Launch& launch) const;
  int entity_rank(int index) const { return index < 0 ? 0 : entity(index).rank; }
  /// Returns the scalars that the statements may read before they set them. `set` has those that
  /// are set for certain, before and after.
  std::set<int> exposed_reads(const Statements& statements, std::set<int>& set) const;
  /// Returns whether the subroutine sets the argument on every way through it.
  bool is_set_always(const Unit& unit, std::size_t n) const;

  // --- roles ----------------------------------------------------------------------------------

  void find_written();
  const Clause* reduction_of(const Launch& launch, int index) const;
  bool is_reduction(const Launch& launch, int index) const;
  bool is_private(const Launch& launch, int index, std::string_view name) const;
  std::string unique(const std::string& wanted) const;
  void require_fit(int index, int line) const;
  /// Returns how the construct uses it outside of its launches' own variables.
  Used& use(int index, int line);
  std::string name_in(int index, int line);

  // --- launches -------------------------------------------------------------------------------

  std::string label() const;
  /// Writes launches, and around them the branches from the `depth`th that they are in.
  std::string write_launches(std::size_t from, std::size_t to, std::size_t depth);
  static std::string indented(const std::string& text);
  std::string write_launch(Launch& launch);
  static std::string parenthesized(const std::string& text);
  /// The host computes the bounds of loops that are shared out. Returns what it does before, to
  /// have the values of scalars that are on the device.
  std::string require_host_value(const Expr& expr, int line);
  std::string bound(const Expr& expr, Type type, int line);
  std::vector<int> reductions_of(const Launch& launch) const;
  /// Returns whether the variable stands in the inner statements only.
  static bool only_reduced(const Statements& inner, const Statements& all, int index);
  static std::set<int> entities_in(const Statements& statements);
  std::string reducer(int index, const Clause& clause, int line);
  /// Adds reductions of the scalars that iterations only reduce into, and no clause names.
  void imply_reductions();
  Expr scalar(int index) const;
  /// Returns the operator by which all statements that name the variable reduce into it; else an
  /// empty text.
  static std::string joined_by(const Statements& body, int index);
  static std::string joined_by(const Expr& value, int index);
  Used& result(int index, int line);
  /// Refuses scalars that the iterations of a loop set for themselves, and another loop of the
  /// construct reads.
  void require_none_carried() const;
  /// Refuses results that an iteration sets to something that the value before is no part of.
  void require_joined(const Statements& body,
                      const std::vector<std::pair<int, const Clause*>>& results, int line) const;
  /// Scalars that one thread sets in `kernels`, and those of its reductions, are on the device,
  /// with an implicit copy.
  void hold_scalars(const Launch& launch);
  /// Decides about the scalars and private arrays that the launch's body sets, and declares them.
  void declare_locals(const Launch& launch, const Statements& body, const std::set<int>& written,
                      const std::set<int>& indices,
                      const std::vector<std::pair<int, const Clause*>>& results, std::string& head);
  /// Returns the variables of loops that stand nowhere else.
  std::set<int> loop_variables(const Statements& body) const;
  static bool is_loop_variable(const Statements& body, int index);
  static bool only_atomic(const Statements& body, int index);
  /// Each iteration's copy of the values that the host has where the construct begins.
  void declare_firstprivate_array(int index, int line, std::string& head);
  void declare_private_array(int index, int line, std::string& head);
  /// Returns an array that a kernel has of its own, without a name, or refuses.
  LocalArray local_array(int index, int line);

  // --- statements -----------------------------------------------------------------------------

  /// A loop around a statement.
  struct Frame {
    std::string name;
    bool is_lambda = false;
    std::string after; ///< label after the loop, if it is needed
    bool is_used = false;
  };
  std::string write(const Statements& statements, const std::string& indent,
                    std::vector<Frame>& frames);
  std::string write(const Statement& one, const std::string& indent, std::vector<Frame>& frames);
  void check_inner(const Clause& clause, int line) const;
  std::string assignment(const Statement& one);
  std::string write_loop(const Statement& one, const std::string& indent,
                         std::vector<Frame>& frames);
  static std::string end_of_loop(const std::string& indent, std::vector<Frame>& frames);
  static Frame* find_frame(const Statement& one, std::vector<Frame>& frames);
  std::string cycle(const Statement& one, std::vector<Frame>& frames);
  std::string leave(const Statement& one, std::vector<Frame>& frames);

  // --- atomics --------------------------------------------------------------------------------

  /// Update of a place: `x = x + e`.
  struct Update {
    std::string function; ///< of Kokkos: add
    const Expr* operand = nullptr;
  };
  static std::optional<Update> update_of(const Statement& one);
  /// Returns a function that makes the new value of the place from the old one.
  std::string change_of(const Statement& one);
  std::string write_atomic(const Statement& one, const std::string& indent);

  // --- the function ---------------------------------------------------------------------------

  /// Refuses bounds and extents of arrays of which the construct's clause names a part: the kernel
  /// knows those of the part.
  void require_whole(const Expr& one, int line) const;
  void finish(const std::string& body);
  std::string lower_bounds(int index, const Used& used, std::vector<Parameter>& more);
  /// Returns the lower bound of a section's range in its text, as a number of 64 bits.
  std::string section_lower(const std::string& section, int dimension) const;
};

} // namespace gangway::port::fortran::translation
