// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gangway::port::fortran {
namespace {

constexpr auto assumed = Outcome::assumed;
constexpr auto refused = Outcome::refused;

template <class Kind>
using Row = std::pair<Kind, FortranRule>;

constexpr std::string_view kernel =
    "`call NAME(…)`, and its kernel in `FILE_kernels.cpp`: a range, or tiles";

/// In the order of their kinds, as in src/port/rules.cpp.
constexpr std::array<Row<Construct>, 23> constructs{{
    {Construct::parallel_loop, {Outcome::translated, kernel}},
    {Construct::parallel,
     {Outcome::translated,
      "a call for each `loop` in it, with a kernel each in `FILE_kernels.cpp`"}},
    {Construct::kernels_loop, {Outcome::translated, kernel}},
    {Construct::kernels,
     {Outcome::translated,
      "a call for each loop and each statement in it, with a kernel each in `FILE_kernels.cpp`"}},
    {Construct::serial,
     {Outcome::translated, "`call NAME(…)`, and a kernel of one iteration in `FILE_kernels.cpp`"}},
    {Construct::serial_loop,
     {Outcome::translated, "`call NAME(…)`, and a kernel of one iteration in `FILE_kernels.cpp`"}},
    {Construct::loop, {Outcome::translated, "a dimension of the kernel, or a loop in it"}},
    {Construct::data, {Outcome::translated, "a `type(gangway_data)` and calls of its members"}},
    {Construct::enter_data,
     {Outcome::translated, "`gangway_enter_data_copyin`, `gangway_enter_data_create`"}},
    {Construct::exit_data,
     {Outcome::translated, "`gangway_exit_data_copyout`, `gangway_exit_data_delete`"}},
    {Construct::host_data,
     {Outcome::translated, "`gangway_device_pointer`, and `c_f_pointer` to make an array of it"}},
    {Construct::update, {Outcome::translated, "`gangway_update_device`, `gangway_update_self`"}},
    {Construct::atomic_read, {Outcome::translated, "`Kokkos::atomic_load` in the kernel"}},
    {Construct::atomic_write, {Outcome::translated, "`Kokkos::atomic_store` in the kernel"}},
    {Construct::atomic_update,
     {Outcome::translated, "`Kokkos::atomic_add` and its like in the kernel"}},
    {Construct::atomic_capture,
     {Outcome::translated, "`Kokkos::atomic_fetch_add` and its like in the kernel"}},
    {Construct::routine,
     {Outcome::translated,
      "a C++ function beside the kernels; the Fortran one stays for the host"}},
    {Construct::cache, {Outcome::translated, "nothing: it is a hint"}},
    {Construct::wait, {Outcome::translated, "`gangway_wait`"}},
    {Construct::init, {Outcome::translated, "`gangway_initialize`, once in the program"}},
    {Construct::shutdown, {Outcome::translated, "`gangway_finalize`, once in the program"}},
    {Construct::set, {Outcome::translated, "`gangway_initialize(device=…)`, once in the program"}},
    {Construct::declare,
     {Outcome::translated, "`gangway_enter_data_create` where the program begins, or after "
                           "`allocate`; of local variables it is refused"}},
}};

constexpr std::array<Row<ClauseKind>, 42> clauses{{
    {ClauseKind::copy, {Outcome::translated, "`data%copy`"}},
    {ClauseKind::copyin,
     {Outcome::translated, "`data%copyin`; of `enter data` `gangway_enter_data_copyin`"}},
    {ClauseKind::copyout,
     {Outcome::translated, "`data%copyout`; of `exit data` `gangway_exit_data_copyout`"}},
    {ClauseKind::create,
     {Outcome::translated, "`data%create`; of `enter data` `gangway_enter_data_create`"}},
    {ClauseKind::present, {Outcome::translated, "`data%present`"}},
    {ClauseKind::deviceptr, {refused, "an array of the host that the device has, too"}},
    {ClauseKind::delete_, {Outcome::translated, "`gangway_exit_data_delete`"}},
    {ClauseKind::device, {Outcome::translated, "`gangway_update_device`"}},
    {ClauseKind::self, {Outcome::translated, "`gangway_update_self`"}},
    {ClauseKind::use_device, {Outcome::translated, "`gangway_device_pointer`"}},
    {ClauseKind::if_present, {Outcome::translated, "`gangway_is_present` is asked"}},
    {ClauseKind::reduction,
     {Outcome::translated, "a reducer of a scalar; of arrays and components it is refused"}},
    {ClauseKind::private_,
     {Outcome::translated, "a variable of the kernel; an array has to have constant extents"}},
    {ClauseKind::firstprivate,
     {Outcome::translated, "an argument by `value`, or an array of up to 128 elements"}},
    {ClauseKind::collapse, {Outcome::translated, "tiles, the first index the fastest"}},
    {ClauseKind::tile, {Outcome::translated, "tiles of these sizes"}},
    {ClauseKind::gang, {Outcome::translated, "the kernel's range, or its teams"}},
    {ClauseKind::worker, {Outcome::translated, "as `gang`"}},
    {ClauseKind::vector, {Outcome::translated, "as `gang`"}},
    {ClauseKind::seq, {Outcome::translated, "a plain loop in the kernel"}},
    {ClauseKind::auto_, {Outcome::translated, "a plain loop in the kernel"}},
    {ClauseKind::independent, {Outcome::translated, "nothing: every `parallel_for` says so"}},
    {ClauseKind::num_gangs, {Outcome::translated, "nothing: Kokkos chooses"}},
    {ClauseKind::num_workers, {Outcome::translated, "nothing on a range; of teams their shape"}},
    {ClauseKind::vector_length, {Outcome::translated, "nothing on a range; of teams their shape"}},
    {ClauseKind::default_,
     {Outcome::translated, "arrays that no clause names have to be present, or are entered"}},
    {ClauseKind::if_,
     {Outcome::translated, "an `if`, on compute constructs with the loop after "
                           "`else`"}},
    {ClauseKind::async,
     {Outcome::translated, "nothing: everything is on one queue, in order; of "
                           "`update` the argument `async=`"}},
    {ClauseKind::wait, {Outcome::translated, "nothing, as for `async`"}},
    {ClauseKind::device_type, {assumed, "it and what follows are left out"}},
    {ClauseKind::self_condition, {refused, "an `if`, and the loop as it is"}},
    {ClauseKind::no_create, {refused, "ask `gangway_is_present` before"}},
    {ClauseKind::attach, {refused, "each component as an array of its own, as `t%c`"}},
    {ClauseKind::detach, {refused, "each component as an array of its own, as `t%c`"}},
    {ClauseKind::finalize, {Outcome::translated, "`…_copyout_finalize`, `…_delete_finalize`"}},
    {ClauseKind::bind, {refused, "call the other procedure"}},
    {ClauseKind::nohost, {Outcome::translated, "nothing: the host has the Fortran procedure"}},
    {ClauseKind::link, {Outcome::translated, "nothing: data clauses enter it"}},
    {ClauseKind::device_resident, {Outcome::translated, "as `create`"}},
    {ClauseKind::device_num, {assumed, "`gangway_initialize(device=…)`, once in the program"}},
    {ClauseKind::default_async, {refused, "`async` at each directive"}},
    {ClauseKind::unknown, {refused, "there is no rule for it"}},
}};

constexpr std::array<Row<Routine>, 45> routines{{
    {Routine::copyin, {Outcome::translated, "`gangway_enter_data_copyin`"}},
    {Routine::create, {Outcome::translated, "`gangway_enter_data_create`"}},
    {Routine::copyout, {Outcome::translated, "`gangway_exit_data_copyout`"}},
    {Routine::delete_, {Outcome::translated, "`gangway_exit_data_delete`"}},
    {Routine::copyout_finalize, {Outcome::translated, "`gangway_exit_data_copyout_finalize`"}},
    {Routine::delete_finalize, {Outcome::translated, "`gangway_exit_data_delete_finalize`"}},
    {Routine::update_device, {Outcome::translated, "`gangway_update_device`"}},
    {Routine::update_self, {Outcome::translated, "`gangway_update_self`"}},
    {Routine::is_present, {Outcome::translated, "`gangway_is_present`"}},
    {Routine::deviceptr, {refused, "`gangway_device_pointer`, an error where OpenACC gives null"}},
    {Routine::hostptr, {refused, "`gangway_host_pointer`, an error where OpenACC gives null"}},
    {Routine::map_data, {refused, "`gangway_map_data`"}},
    {Routine::unmap_data, {refused, "`gangway_unmap_data`"}},
    {Routine::malloc, {refused, "`gangway_malloc`"}},
    {Routine::free, {refused, "`gangway_free`"}},
    {Routine::memcpy_to_device, {refused, "`gangway_memcpy_to_device`"}},
    {Routine::memcpy_from_device, {refused, "`gangway_memcpy_from_device`"}},
    {Routine::memcpy_device, {refused, "a kernel that copies"}},
    {Routine::wait, {Outcome::translated, "`gangway_wait`"}},
    {Routine::wait_all, {Outcome::translated, "`gangway_wait`"}},
    {Routine::wait_async, {refused, "`gangway_wait`"}},
    {Routine::wait_all_async, {refused, "`gangway_wait`"}},
    {Routine::async_wait, {Outcome::translated, "`gangway_wait`"}},
    {Routine::async_wait_all, {Outcome::translated, "`gangway_wait`"}},
    {Routine::async_test, {Outcome::translated, "`gangway_async_test`"}},
    {Routine::async_test_all, {refused, "`gangway_wait`, and yes"}},
    {Routine::init, {refused, "`gangway_initialize`, once in the program"}},
    {Routine::init_device, {refused, "`gangway_initialize(device=…)`"}},
    {Routine::shutdown, {refused, "`gangway_finalize`, once in the program"}},
    {Routine::shutdown_device, {refused, "`gangway_finalize`, once in the program"}},
    {Routine::get_num_devices, {Outcome::translated, "`gangway_device_count`"}},
    {Routine::get_device_num, {Outcome::translated, "`gangway_device_number`"}},
    {Routine::set_device_num, {refused, "`gangway_initialize(device=…)`, once in the program"}},
    {Routine::get_device_type, {refused, "`gangway_device_type`, which is a text"}},
    {Routine::set_device_type, {refused, "nothing: backends are chosen when Kokkos is built"}},
    {Routine::on_device, {refused, "one side of the branch"}},
    {Routine::get_property, {refused, "C++'s `gangway::device_properties`"}},
    {Routine::get_property_string, {refused, "C++'s `gangway::device_properties`"}},
    {Routine::get_default_async, {refused, "the number of a queue"}},
    {Routine::set_default_async, {refused, "`async` at each directive"}},
    {Routine::attach, {refused, "each component as an array of its own, as `t%c`"}},
    {Routine::detach, {refused, "each component as an array of its own, as `t%c`"}},
    {Routine::detach_finalize, {refused, "each component as an array of its own, as `t%c`"}},
    {Routine::memcpy_d2d, {refused, "MPI between processes: each uses one device"}},
    {Routine::wait_any, {refused, "ask `gangway_async_test` of one queue after the other"}},
}};

template <class Table>
constexpr bool in_order(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].first) != i)
      return false;
  return true;
}
static_assert(in_order(constructs) && in_order(clauses) && in_order(routines));

template <class Table>
std::string rows_of(const Table& table, std::string_view heading) {
  std::string text = fmt::format("| {} |\n|---|---|---|\n", heading);
  for (const auto& [kind, rule] : table)
    if (!port::rule_of(kind).word.empty())
      text += fmt::format("| `{}` | {} | {} |\n", port::rule_of(kind).word, name_of(rule.outcome),
                          rule.becomes);
  return text;
}

} // namespace

FortranRule fortran_rule_of(Construct construct) {
  return constructs.at(static_cast<std::size_t>(construct)).second;
}
FortranRule fortran_rule_of(ClauseKind clause) {
  return clauses.at(static_cast<std::size_t>(clause)).second;
}
FortranRule fortran_rule_of(Routine routine) {
  return routines.at(static_cast<std::size_t>(routine)).second;
}

std::string rules_table() {
  return rows_of(constructs, "construct | at best | becomes") + "\n" +
         rows_of(clauses, "clause | at best | becomes, or what to do") + "\n" +
         rows_of(routines, "routine, also with `_async` | at best | becomes, or what to do");
}

} // namespace gangway::port::fortran
