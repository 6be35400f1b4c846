// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/rules.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

/// Messages of the translator about a program, one row each. A code, once given, keeps its meaning
/// (tests/port/codes.txt), and has its text in docs/port-codes.
namespace gangway::port {

/// `GW2006` is 2006.
enum class Code : int {
  // The source and its directives
  directive_of_macro = 1001,
  not_compiled = 1002,
  in_another_file = 1003,
  in_this_header = 1004,
  branch = 1005,
  several_threads = 1006,
  other_pragma = 1007,
  part_of_refused = 1008,
  inside_compute = 1009,
  inside_host_data = 1010,
  orphan = 1011,
  mpi = 1012,
  no_main = 1013,
  macro_takes_name = 1014,
  no_cpp = 1015,
  no_cpp_in_header = 1016,
  after_mending = 1017,
  names_for_linker = 1018,
  ends_without_value = 1019,
  keyword = 1020,
  not_verified = 1021,
  // Clauses and data
  clause = 2001,
  modifier = 2002,
  runtime_in_clause = 2003,
  pointers_within = 2004,
  no_plain_array = 2005,
  no_length = 2006,
  unknown_extents = 2007,
  declared_length = 2008,
  device_num = 2009,
  device_type_host = 2010,
  device_type_chosen = 2011,
  device_type = 2012,
  one_queue = 2013,
  two_sections = 2014,
  zero_of_rows = 2015,
  if_on_scalars = 2016,
  conditional_region = 2017,
  declare_in_block = 2018,
  declare_without_main = 2019,
  declare_of_part = 2020,
  use_device = 2021,
  use_device_changed = 2022,
  rows_alone = 2023,
  const_stays = 2024,
  exit_without_length = 2025,
  stays_in_region = 2026,
  stays_behind_enter_data = 2027,
  not_contiguous = 2028,
  taken_contiguous = 2029,
  // Variables in kernels
  other_type = 3001,
  rows_without_clause = 3002,
  other_type_written = 3003,
  captured = 3004,
  row_pointer_written = 3005,
  rows_as_whole = 3006,
  no_length_here = 3007,
  macro_uses = 3008,
  pointer_written = 3010,
  volatile_elements = 3011,
  named_by_none = 3012,
  own_view = 3013,
  member_of_part = 3014,
  private_and_shared = 3015,
  private_memory = 3016,
  firstprivate_array = 3017,
  private_array = 3018,
  held_in_kernels = 3019,
  copied_value = 3020,
  global_written = 3021,
  private_in_kernels = 3022,
  reduction_unsaid = 3023,
  written_unsaid = 3024,
  read_behind = 3025,
  reduction = 3026,
  reduction_on_device = 3027,
  reference = 3028,
  rows_of_variable_length = 3030,
  taken_present = 3031,
  // Loops
  no_for_loop = 4001,
  declaration_stays = 4002,
  value_kernel = 4003,
  written_where_set = 4004,
  declaration_beside = 4005,
  done_once = 4006,
  written_beside = 4007,
  declaration_in_kernels = 4008,
  statement_in_kernels = 4009,
  no_range = 4010,
  taken_parallel = 4011,
  one_thread = 4012,
  loop_once = 4013,
  one_gang = 4014,
  no_loop = 4015,
  macro_continue = 4016,
  held_bound = 4017,
  tile_unknown = 4018,
  tile_smaller = 4019,
  left_to_kokkos = 4020,
  too_few_loops = 4021,
  collapse_unknown = 4022,
  bounds_inside = 4023,
  too_many_loops = 4024,
  in_order = 4025,
  loops_in_order = 4026,
  no_team = 4027,
  scratch = 4028,
  scratch_too_large = 4029,
  private_and_outside = 4030,
  gangs_in_routine = 4031,
  // Functions, calls and atomics
  c_takes_whole_numbers = 5001,
  macro_calls = 5002,
  no_device_function = 5003,
  defined_elsewhere = 5004,
  unfit_function = 5005,
  conversion_and_if = 5006,
  calls_gang_routine = 5007,
  gang_routine = 5008,
  routine_level = 5009,
  routine_elsewhere = 5010,
  private_in_routine = 5011,
  constexpr_elsewhere = 5012,
  declared_in_header = 5013,
  atomic_form = 5014,
  atomic_rounds = 5015,
  statement = 5016,
  variable = 5017,
  size = 5018,
  call = 5019,
  in_other_file = 5020,
  called_from = 5021,
  // The runtime library
  stays = 6001,
  becomes = 6002,
  becomes_if = 6003
};

struct CodeRule {
  Code code{};
  Outcome outcome = Outcome::refused; ///< `translated` is a note
  std::string_view text;              ///< with `{}` for what differs
  std::string_view by_hand = {};      ///< what a person would do; empty where it depends
  std::string_view row = {};          ///< of the guide: the anchor of its heading
};

inline constexpr std::array<CodeRule, 134> code_rules{{
    {Code::directive_of_macro, Outcome::refused, "the directive comes from a macro",
     "write it as a #pragma where the macro is used"},
    {Code::not_compiled, Outcome::refused,
     "this directive was not compiled: it stands in a comment, in a branch that these flags do not "
     "take, or where none applies",
     "translate the file again with the flags that take the branch, or by hand"},
    {Code::in_another_file, Outcome::refused, "the directive in {}:{} is not translated: {}",
     "translate that file too, or move what it holds into this one"},
    {Code::in_this_header, Outcome::refused, "the directives in this header are not translated",
     "move what they stand on into a source, or translate it by hand"},
    {Code::branch, Outcome::assumed,
     "a branch that asks for _OPENACC, which is not defined where the port is compiled: decide "
     "which side is meant",
     "KOKKOS_VERSION, or neither"},
    {Code::several_threads, Outcome::refused,
     "several threads execute it, because of '#pragma {}' in line {}",
     "take that directive out: one thread launches Kokkos' kernels"},
    {Code::other_pragma, Outcome::translated,
     "'#pragma {}' is removed, because it applies to code of the device"},
    {Code::part_of_refused, Outcome::refused, "it is part of the construct in line {}"},
    {Code::inside_compute, Outcome::refused, "'{}' inside a compute construct", "move it out"},
    {Code::inside_host_data, Outcome::refused,
     "it stands in host_data, whose pointers are the device's", "move it out"},
    {Code::orphan, Outcome::refused, "'{}' outside of a compute construct",
     "it is an orphan: translate it with the construct whose kernel calls this function",
     "routine"},
    {Code::mpi, Outcome::assumed,
     "Kokkos begins first in 'main', and ends last: with MPI it has to begin after MPI_Init and "
     "end before MPI_Finalize",
     "braces around what is between the two, with the ScopeGuard in them"},
    {Code::no_main, Outcome::translated,
     "no 'main' is among the sources: the program that calls this has to begin Kokkos",
     "`const Kokkos::ScopeGuard kokkos;` as the first line of main", "the-runtime-library"},
    {Code::macro_takes_name, Outcome::refused,
     "the macro '{}' takes a name that the translation writes",
     "another name for the macro, or #undef after its last use"},
    {Code::no_cpp, Outcome::refused, "what comes of line {} is no C++: {}",
     "write it so that C++ takes it, too"},
    {Code::no_cpp_in_header, Outcome::refused, "{}, which is included, is no C++: {}",
     "write the header so that C++ takes it, too"},
    {Code::after_mending, Outcome::assumed,
     "the file compiles once the lines are mended of which the report says that they are no C++"},
    {Code::names_for_linker, Outcome::assumed,
     "C becomes C++, and its functions have C++ names for the linker: other C sources that call "
     "them, or that they call, do not find them",
     "extern \"C\" around the headers that both sides include"},
    {Code::ends_without_value, Outcome::translated,
     "'{}' may end without a value, which C takes where nobody asks for it, and C++ does not: "
     "there it returns 0"},
    {Code::keyword, Outcome::translated,
     "'{}' is a keyword of C++: the name is '{}' here, and for other sources that know it"},
    {Code::not_verified, Outcome::translated, "the construct is not verified, because {}"},
    {Code::clause, Outcome::refused, "the clause '{}'"},
    {Code::modifier, Outcome::refused, "the modifier '{}' of '{}'",
     "an update before or after the region", "update"},
    {Code::runtime_in_clause, Outcome::refused, "'{}' in a clause",
     "a variable for it before the directive", "the-runtime-library"},
    {Code::pointers_within, Outcome::refused,
     "the elements of '{}', of type {}, have pointers in them",
     "a data clause, and a View, for each array they lead to", "the-name-that-hides"},
    {Code::no_plain_array, Outcome::refused, "'{}' {}",
     "name contiguous arrays of numbers, with their lengths", "data-copy-copyin-copyout-create"},
    {Code::no_length, Outcome::refused, "'{}' has no length", "write its section, as in a[0:n]",
     "data-copy-copyin-copyout-create"},
    {Code::unknown_extents, Outcome::refused, "the extents of '{}' are not known",
     "name them in a data clause", "data-copy-copyin-copyout-create"},
    {Code::declared_length, Outcome::assumed,
     "'{}' has the length {}, which the declaration of the parameter says. Check that callers' "
     "arrays are as long"},
    {Code::device_num, Outcome::assumed,
     "'device_num' has to be that of Kokkos' own device, or this throws RuntimeError: give it to "
     "the ScopeGuard in main, or as KOKKOS_DEVICE_ID"},
    {Code::device_type_host, Outcome::refused, "'device_type(host)'",
     "nothing: Kokkos' device is chosen when it is built", "the-runtime-library"},
    {Code::device_type_chosen, Outcome::assumed,
     "'device_type' is left out: Kokkos has the devices that it was built for"},
    {Code::device_type, Outcome::assumed,
     "device_type and the clauses after it are left out: if the shape matters, say it with the "
     "policy, as in .vector_length(DeviceType::nvidia, 256)"},
    {Code::one_queue, Outcome::translated,
     "'{}' is dropped: everything is on one queue, in the order of the source"},
    {Code::two_sections, Outcome::refused, "'{}' is named a second time, with another part of it",
     "one section that holds both, or a View for each under another name",
     "data-copy-copyin-copyout-create"},
    {Code::zero_of_rows, Outcome::refused, "'zero' of the rows '{}'", "a kernel that sets them",
     "rows-of-pointers"},
    {Code::if_on_scalars, Outcome::refused,
     "'if' on data that holds scalars, or rows that pointers lead to", "a region in each branch",
     "if"},
    {Code::conditional_region, Outcome::translated,
     "the kernels in it ask for their arrays by themselves, and find them present if it holds "
     "them"},
    {Code::declare_in_block, Outcome::refused, "'declare' in an inner block", "a data region",
     "declare"},
    {Code::declare_without_main, Outcome::refused,
     "'declare' of globals, and 'main' is in another file",
     "a Data in main, after the ScopeGuard, or enter_data_create and exit_data_delete there",
     "declare"},
    {Code::declare_of_part, Outcome::refused,
     "'declare' of '{}', which is no whole array and no number",
     "enter_data where the array is made", "declare"},
    {Code::use_device, Outcome::refused, "use_device of '{}', which is no array",
     "gangway::device_pointer of its address", "deviceptr"},
    {Code::use_device_changed, Outcome::refused,
     "'{}' is used by a macro, or assigned another address, in the block",
     "a pointer of its own from gangway::device_pointer", "deviceptr"},
    {Code::rows_alone, Outcome::refused, "'{}' is of rows that pointers lead to",
     "a LinkedData with rows, or a call for each row and gangway::attach", "rows-of-pointers"},
    {Code::const_stays, Outcome::translated, "'{}' is const: nothing is copied back into it"},
    {Code::exit_without_length, Outcome::assumed,
     "{} has no length: this is taken to mean the whole array that was entered there, not the "
     "pointer. Check that an array was entered"},
    {Code::stays_in_region, Outcome::assumed,
     "'{}' in line {} stays, and the host executes it on its own arrays: "
     "`update_self` before it and `update_device` after it, or translate it by hand",
     "", "update"},
    {Code::stays_behind_enter_data, Outcome::assumed,
     "'{}' in line {} stays, and the host executes it on its own arrays, while '{}' "
     "in line {} has {} on the device",
     "`update_self` before it, and `update_device` after it", "update"},
    {Code::not_contiguous, Outcome::refused, "'{}' is not contiguous",
     "the whole array, or a call for each contiguous part", "update"},
    {Code::taken_contiguous, Outcome::assumed,
     "'{}' is taken to be contiguous, which only the run knows: else its call ends the program. "
     "Check its bounds"},
    {Code::other_type, Outcome::refused, "'{}' of type {} in a kernel",
     "a View of each array, and copies of the numbers", "the-name-that-hides"},
    {Code::rows_without_clause, Outcome::refused,
     "'{}' of type {} in a kernel, and no clause says how long its rows are",
     "its rows in a data clause, a[0:rows][0:columns]", "rows-of-pointers"},
    {Code::other_type_written, Outcome::refused,
     "'{}' of type {} is written in a kernel, or what is in it may be", "an array of one element",
     "scalars-in-data-clauses"},
    {Code::captured, Outcome::translated, "'{}' is captured by value"},
    {Code::row_pointer_written, Outcome::refused,
     "a pointer of the rows '{}' is written in a kernel, or may be",
     "the exchange on the host, and attach", "rows-of-pointers"},
    {Code::rows_as_whole, Outcome::refused, "the rows '{}' as a whole in a kernel",
     "a local variable for the table", "rows-of-pointers"},
    {Code::no_length_here, Outcome::translated,
     "'{}' has no length here: its device address is taken, and has to be present"},
    {Code::macro_uses, Outcome::refused, "a macro uses '{}', which is {}", "write the macro out",
     "the-name-that-hides"},
    {Code::pointer_written, Outcome::refused, "a kernel assigns '{}' another address",
     "a pointer of the kernel's own", "private"},
    {Code::volatile_elements, Outcome::translated,
     "the elements of '{}' are volatile, and here they are not"},
    {Code::named_by_none, Outcome::translated, "'{}' is named by no clause here"},
    {Code::own_view, Outcome::translated, "'{}', {}, has a View of its own here"},
    {Code::member_of_part, Outcome::refused,
     "'{}' is a member of what is on the device, and not at its beginning",
     "a View, and its element", "the-name-that-hides"},
    {Code::private_and_shared, Outcome::refused,
     "'{}' is private in one kernel of the construct, and shared in another",
     "a construct for each kernel", "private"},
    {Code::private_memory, Outcome::translated,
     "'{}' has memory on the device for each of the iterations that are under way at once: where "
     "they are few, team scratch is faster (porting guide, private-on-a-gang-loop)"},
    {Code::firstprivate_array, Outcome::refused,
     "'{}' is firstprivate, and no array of one dimension that begins at 0",
     "an array of the kernel's own, set in it", "private"},
    {Code::private_array, Outcome::refused, "'{}' is private, and {}",
     "a constant length, or team scratch", "private-on-a-gang-loop"},
    {Code::held_in_kernels, Outcome::refused,
     "'{}' is a scalar that '{}' in line {} holds on the device, which 'kernels' would take",
     "a data clause that names it", "scalars-in-data-clauses"},
    {Code::copied_value, Outcome::translated, "'{}', {}, is copied for the kernel"},
    {Code::global_written, Outcome::refused, "'{}', {}, is written in a kernel",
     "reduction, private, or an array of one element", "scalars-in-data-clauses"},
    {Code::private_in_kernels, Outcome::translated,
     "'{}' is private: no iteration reads it before it sets it, and no code after the region reads "
     "it"},
    {Code::reduction_unsaid, Outcome::assumed,
     "'{}' is taken to be what the iterations join, as by 'reduction({} : {})', which no clause "
     "says. Check that, and add the clause"},
    {Code::written_unsaid, Outcome::refused,
     "'{}' is written in a kernel, and no clause says what comes of it",
     "reduction or private, or a data clause", "private"},
    {Code::read_behind, Outcome::refused,
     "'{}' is set in a kernel, and read after it in the same construct",
     "an array of one element, or one kernel for both", "private"},
    {Code::reduction, Outcome::refused, "reduction({}: {}): {}",
     "a scalar for each result, or atomics", "reduction"},
    {Code::reduction_on_device, Outcome::refused, "reduction({}: {}), while {}",
     "`present` on the construct", "scalars-in-data-clauses"},
    {Code::reference, Outcome::assumed,
     "'{}' is a reference, and what it names is taken not to be on the device. Check that no "
     "caller has it in a data region"},
    {Code::rows_of_variable_length, Outcome::refused,
     "the kernel uses more of '{}' than elements and rows, and its rows have a length that only "
     "the "
     "run knows",
     "its elements, as in a[i][j], without a macro", "data-copy-copyin-copyout-create"},
    {Code::taken_present, Outcome::assumed,
     "'{}' has no length, and no clause here says that it is present: its device address is taken. "
     "Check that a region or an 'enter data' before has it on the device; else the call ends the "
     "program"},
    {Code::no_for_loop, Outcome::refused, "'{}' on something other than a for loop (line {})",
     "a for loop with an index", "parallel-and-loop"},
    {Code::declaration_stays, Outcome::translated,
     "a declaration beside the loops stays, on the host"},
    {Code::value_kernel, Outcome::translated,
     "'{}' is worked out in a kernel of its own, which the host waits for"},
    {Code::written_where_set, Outcome::refused,
     "'{}' is written where '{}' is set beside the loops", "a kernel for each step",
     "parallel-and-loop"},
    {Code::declaration_beside, Outcome::refused,
     "a declaration beside its loops, of something else than a number that stays as it is",
     "the variable before the construct, or in the loops", "parallel-and-loop"},
    {Code::done_once, Outcome::assumed,
     "{} in line {} is done once, where every gang did it. Check that no gang needs to do it "
     "again"},
    {Code::written_beside, Outcome::refused,
     "'{}' is written beside the loops over gangs, by every gang",
     "`loop`, with a clause for it, or a kernel for each step", "parallel-and-loop"},
    {Code::declaration_in_kernels, Outcome::refused, "a declaration beside the loops {}",
     "the variable before the construct, in a data clause of it", "serial-and-num_gangs1"},
    {Code::statement_in_kernels, Outcome::translated,
     "a statement beside the loops {}: a kernel of one iteration does it"},
    {Code::no_range, Outcome::refused, "the loop in line {} is no range: {}",
     "a for loop from a first to a last index", "parallel-and-loop"},
    {Code::taken_parallel, Outcome::assumed,
     "the loop in line {} is taken to be parallel: each array that it writes has one subscript in "
     "it, with '{}'. Check that the arrays do not overlap, and that no two '{}' give the same "
     "subscript"},
    {Code::one_thread, Outcome::translated,
     "the loop in line {} runs on one thread of the device: {}"},
    {Code::loop_once, Outcome::translated,
     "the loop in line {} is done once, where each gang did it"},
    {Code::one_gang, Outcome::translated,
     "it has no loop over gangs, so that every gang would do all of it: here one does, on one "
     "thread; a loop that is to be shared out wants `loop`"},
    {Code::no_loop, Outcome::refused, "there is no loop in it", "take it out", "parallel-and-loop"},
    {Code::macro_continue, Outcome::refused, "a macro has a 'continue' of the loop in line {}",
     "write the macro out", "parallel-and-loop"},
    {Code::held_bound, Outcome::assumed,
     "'{}' bounds the loop in line {}, while a data region holds it; it is read on the host: the "
     "same must be on the device"},
    {Code::tile_unknown, Outcome::translated,
     "a tile has at most {} iterations, and a size of this one is not known here"},
    {Code::tile_smaller, Outcome::translated,
     "the tile of {} iterations, outermost first, becomes one of {}: a gang has at most {} "
     "threads"},
    {Code::left_to_kokkos, Outcome::translated, "'{}' is left to Kokkos"},
    {Code::too_few_loops, Outcome::refused,
     "collapse or tile of {} loops, of which {} are in each other without anything else",
     "loops that stand alone in each other", "collapse"},
    {Code::collapse_unknown, Outcome::refused, "collapse of a number that is not known", "a number",
     "collapse"},
    {Code::bounds_inside, Outcome::refused, "the loop in line {}: {}",
     "bounds that are known before the kernel", "collapse"},
    {Code::too_many_loops, Outcome::refused, "more than six loops in one index space",
     "collapse fewer", "collapse"},
    {Code::in_order, Outcome::translated, "each thread does it in order{}"},
    {Code::loops_in_order, Outcome::translated,
     "'{}' is dropped: each thread does the loops in order"},
    {Code::no_team, Outcome::translated,
     "no team shares out the loops of workers and lanes in line {}: {}"},
    {Code::scratch, Outcome::translated,
     "{} in the scratch of the team: level {}{}, and a gang for each iteration"},
    {Code::scratch_too_large, Outcome::refused,
     "'{}' is private to a gang, and larger than its scratch", "a View with a part for each gang",
     "private-on-a-gang-loop"},
    {Code::private_and_outside, Outcome::refused,
     "'{}' is private to an inner loop, and used outside of it", "two variables", "private"},
    {Code::gangs_in_routine, Outcome::translated,
     "the lanes of all teams share out the loops over gangs in '{}'{}"},
    {Code::c_takes_whole_numbers, Outcome::refused,
     "it calls '{}', which in C takes whole numbers only", "fabs, or a conversion, in the source",
     "routine"},
    {Code::macro_calls, Outcome::refused, "a macro calls '{}'",
     "write it so that the kernel calls functions of this file or of Kokkos", "routine"},
    {Code::no_device_function, Outcome::refused,
     "it calls '{}', of which Kokkos has no device function that is known here",
     "write it so that the kernel calls functions of this file or of Kokkos", "routine"},
    {Code::defined_elsewhere, Outcome::refused, "it calls '{}', which is defined in another file",
     "translate that file together with this one, with one command", "routine"},
    {Code::unfit_function, Outcome::refused, "'{}' {}", "write it without", "routine"},
    {Code::conversion_and_if, Outcome::refused,
     "'if', and '{}' is called with what C converts to double", "say the conversion in the source",
     "if"},
    {Code::calls_gang_routine, Outcome::refused,
     "it calls '{}', a routine gang, which is refused or no statement of its own",
     "the loop over the gangs in the caller, the function for one", "routine"},
    {Code::gang_routine, Outcome::refused, "routine gang, and {}",
     "the loop over the gangs in the caller, the function for one", "routine"},
    {Code::routine_level, Outcome::translated,
     "'{}': each thread that calls it does its loops in order; for a team it would take the "
     "member"},
    {Code::routine_elsewhere, Outcome::refused,
     "routine for a function that this file does not define",
     "translate the file that does together with this one, with one command", "routine"},
    {Code::private_in_routine, Outcome::refused, "'private({})' in a function",
     "a variable that is declared in the loop", "private"},
    {Code::constexpr_elsewhere, Outcome::assumed,
     "'{}' of another file is constexpr: nvcc takes it with --expt-relaxed-constexpr, or give it "
     "KOKKOS_FUNCTION"},
    {Code::declared_in_header, Outcome::assumed,
     "'{}' is declared in {}, too: a build for a GPU needs KOKKOS_FUNCTION there as well"},
    {Code::atomic_form, Outcome::refused, "{} (line {})",
     "a loop around Kokkos::atomic_compare_exchange", "atomic"},
    {Code::atomic_rounds, Outcome::translated,
     "the operand is rounded to the target's type before the operation, not after it"},
    {Code::statement, Outcome::refused, "{} in a kernel", "take it out of the kernel"},
    {Code::variable, Outcome::refused, "'{}', {}, in a kernel", "take it out of the kernel"},
    {Code::size, Outcome::refused, "{} the size of an array{} in a kernel",
     "a variable for it before the construct"},
    {Code::call, Outcome::refused, "{} in a kernel", "make it a function with `routine seq`"},
    {Code::in_other_file, Outcome::assumed,
     "'{}' is defined in {}: a build for a GPU has to link device code across files"},
    {Code::called_from, Outcome::translated,
     "'{}' becomes a KOKKOS_FUNCTION, because kernels of {} call it"},
    {Code::stays, Outcome::refused, "'{}' stays as it is",
     "gangway::device_type() says what Kokkos has"},
    {Code::becomes, Outcome::translated, "'{}' becomes {}"},
    {Code::becomes_if, Outcome::assumed, "'{}' becomes {}"},
}};

[[nodiscard]] constexpr const CodeRule& rule_of(Code code) {
  for (const CodeRule& rule : code_rules)
    if (rule.code == code)
      return rule;
  throw std::out_of_range("a code without a row");
}

/// `GW2006`
[[nodiscard]] std::string name_of(Code code);

/// Returns the message with dots for what differs.
[[nodiscard]] std::string title_of(Code code);

/// Message about a program.
struct Message {
  Code code{};
  std::string text;
  std::string by_hand;
  std::string row; ///< of the guide

  [[nodiscard]] Outcome outcome() const { return rule_of(code).outcome; }
  /// Returns the message with another `by_hand`, and with another row if one is given.
  [[nodiscard]] Message by(std::string_view other, std::string_view other_row = {}) && {
    by_hand = other;
    if (!other_row.empty())
      row = other_row;
    return std::move(*this);
  }
};

/// Makes the message with these in place of its `{}`; the compiler checks how many there are.
template <Code code, class... Parts>
[[nodiscard]] Message say(const Parts&... parts) {
  static constexpr CodeRule rule = rule_of(code);
  return {code, fmt::format(fmt::format_string<const Parts&...>(rule.text), parts...),
          std::string(rule.by_hand), std::string(rule.row)};
}

/// Returns a code's page as text: its meaning, why, what to do, and an example. Empty if none.
[[nodiscard]] std::string explanation(std::string_view name);
/// Returns all pages in Markdown.
[[nodiscard]] std::string explanations();

} // namespace gangway::port
