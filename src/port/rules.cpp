// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace gangway::port {
namespace {

constexpr auto translated = Outcome::translated;
constexpr auto assumed = Outcome::assumed;
constexpr auto refused = Outcome::refused;

/// Returns whether each row's index is the number of its kind.
template <class Table>
constexpr bool in_order(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].kind) != i)
      return false;
  return true;
}
constexpr std::array<Rule<Construct>, 23> constructs{{
    {Construct::parallel_loop, "parallel loop", translated,
     "`parallel_for` or `parallel_reduce` over a range, or over tiles; with loops of workers and "
     "lanes in it `gangway::gang` or `gangway::gang_worker`",
     "parallel-and-loop"},
    {Construct::parallel, "parallel", translated,
     "a kernel for each `loop` in it. Numbers declared beside them stay on the host, or have a "
     "kernel; what else every gang would do is done once, under an assumption. Without a loop over "
     "gangs: a range of one iteration",
     "parallel-and-loop"},
    {Construct::kernels_loop, "kernels loop", assumed,
     "as `parallel loop`; without `independent` what makes it parallel is said, or it runs on one "
     "thread",
     "kernels-and-independent"},
    {Construct::kernels, "kernels", assumed,
     "a kernel for each loop in it, and for each statement beside them; what touches scalars only "
     "stays on the host",
     "kernels-and-independent"},
    {Construct::serial, "serial", translated, "a range of one iteration", "serial-and-num_gangs1"},
    {Construct::serial_loop, "serial loop", translated, "a range of one iteration",
     "serial-and-num_gangs1"},
    {Construct::loop, "loop", translated,
     "in a perfect nest a dimension of the tiles; of workers and lanes, where it can be shown that "
     "a team does the same, `loop_worker` and `loop_vector`; else a plain loop in each thread",
     "gang-worker-vector"},
    {Construct::data, "data", translated, "a `gangway::Data` and its members of the clauses' names",
     "data-copy-copyin-copyout-create"},
    {Construct::enter_data, "enter data", translated, "`enter_data_copyin`, `enter_data_create`",
     "enter-data-and-exit-data"},
    {Construct::exit_data, "exit data", translated, "`exit_data_copyout`, `exit_data_delete`",
     "enter-data-and-exit-data"},
    {Construct::host_data, "host_data", translated,
     "`Kokkos::fence`, and `gangway::device_pointer` under another name", "deviceptr"},
    {Construct::update, "update", translated, "`update_device`, `update_self`", "update"},
    {Construct::atomic_read, "atomic read", translated, "`Kokkos::atomic_load`", "atomic"},
    {Construct::atomic_write, "atomic write", translated, "`Kokkos::atomic_store`", "atomic"},
    {Construct::atomic_update, "atomic update", translated,
     "`Kokkos::atomic_add` and its like; for `x = e - x` `gangway::atomic_fetch_change`, which "
     "compares and exchanges",
     "atomic"},
    {Construct::atomic_capture, "atomic capture", translated,
     "`atomic_fetch_add`, `atomic_add_fetch` and their like, `atomic_exchange`", "atomic"},
    {Construct::routine, "routine", translated,
     "`KOKKOS_FUNCTION` before the function, which has to be in a source that the same "
     "command translates; each thread does its loops in order. One of `gang`s takes the team's "
     "member, and all lanes share out its "
     "loops by `gangway::loop_gang_vector`: nothing else may be in it",
     "routine"},
    {Construct::cache, "cache", translated, "nothing: it is a hint", "cache"},
    {Construct::wait, "wait", translated,
     "`Kokkos::fence()`; with `--queues` the queue's `fence`, or `wait_async`", "async-and-wait"},
    {Construct::init, "init", translated, "nothing: Kokkos begins with a `ScopeGuard` in `main`",
     "the-runtime-library"},
    {Construct::shutdown, "shutdown", translated, "nothing: Kokkos ends with the `ScopeGuard`",
     "the-runtime-library"},
    {Construct::set, "set", translated,
     "`gangway::set_default_queue`, `gangway::select_device`; `device_type` is left out",
     "the-runtime-library"},
    {Construct::declare, "declare", translated,
     "in a function a `gangway::Data` to its end; of globals one in `main`, where that is in the "
     "same file",
     "declare"},
}};
static_assert(in_order(constructs));

constexpr std::array<ClauseRule, 42> clauses{{
    {{ClauseKind::copy, "copy", translated, "`data.copy`", "data-copy-copyin-copyout-create"},
     "pcopy present_or_copy",
     true},
    {{ClauseKind::copyin, "copyin", translated, "`data.copyin`", "data-copy-copyin-copyout-create"},
     "pcopyin present_or_copyin",
     true,
     "enter_data_copyin"},
    {{ClauseKind::copyout, "copyout", translated,
      "`data.copyout`; with `zero` set to zero where it was not present; other modifiers are "
      "refused",
      "data-copy-copyin-copyout-create"},
     "pcopyout present_or_copyout",
     true,
     "exit_data_copyout"},
    {{ClauseKind::create, "create", translated, "`data.create`, `zero` as for `copyout`",
      "data-copy-copyin-copyout-create"},
     "pcreate present_or_create",
     true,
     "enter_data_create"},
    {{ClauseKind::present, "present", translated, "`data.present`", "present"}, "", true},
    {{ClauseKind::deviceptr, "deviceptr", translated,
      "nothing: the pointer is the device's; after the kernel a `Kokkos::fence`", "deviceptr"},
     "",
     true},
    {{ClauseKind::delete_, "delete", translated, "`exit_data_delete`", "enter-data-and-exit-data"},
     "",
     false,
     "exit_data_delete"},
    {{ClauseKind::device, "device", translated, "`update_device`", "update"},
     "",
     false,
     "update_device"},
    {{ClauseKind::self, "self", translated, "`update_self`", "update"},
     "host",
     false,
     "update_self"},
    {{ClauseKind::use_device, "use_device", translated, "`gangway::device_pointer`", "deviceptr"}},
    {{ClauseKind::if_present, "if_present", translated,
      "on `update` and `host_data` `gangway::is_present` is asked; elsewhere refused", "update"}},
    {{ClauseKind::reduction, "reduction", translated,
      "a reducer, and what the variable held before joins in afterwards; of an array of up to 64 "
      "elements, `gangway::Elements`; other arrays and members are refused",
      "reduction"}},
    {{ClauseKind::private_, "private", translated,
      "a variable declared in the kernel; an array of a gang's that its lanes write lies in the "
      "scratch of the team",
      "private"}},
    {{ClauseKind::firstprivate, "firstprivate", translated,
      "a captured variable; an array as `private`, filled at the beginning", "private"}},
    {{ClauseKind::collapse, "collapse", translated,
      "`gangway::tile`; of a reduction one range and index arithmetic", "collapse"}},
    {{ClauseKind::tile, "tile", translated,
      "`gangway::tile` with the sizes in the order of the loops", "tile"}},
    {{ClauseKind::gang, "gang", translated,
      "nothing on a loop without inner levels: Kokkos maps the range; else a team",
      "gang-worker-vector"}},
    {{ClauseKind::worker, "worker", translated, "as `gang`", "gang-worker-vector"}},
    {{ClauseKind::vector, "vector", translated, "as `gang`", "gang-worker-vector"}},
    {{ClauseKind::seq, "seq", translated, "a plain loop", "seq"}},
    {{ClauseKind::auto_, "auto", translated, "a plain loop", "seq"}},
    {{ClauseKind::independent, "independent", translated, "nothing: every `parallel_for` says so",
      "kernels-and-independent"}},
    {{ClauseKind::num_gangs, "num_gangs", translated, "nothing: Kokkos chooses for a range",
      "num_gangs"}},
    {{ClauseKind::num_workers, "num_workers", translated,
      "nothing: Kokkos chooses for a range; of teams the shape, where it is a number that Kokkos "
      "has a shape for",
      "gang-worker-vector"}},
    {{ClauseKind::vector_length, "vector_length", translated, "as `num_workers`",
      "vector_length-above-32"}},
    {{ClauseKind::default_, "default", translated,
      "arrays that no clause names: `present`, or their device address", "present"}},
    {{ClauseKind::if_, "if", translated,
      "an `if`, on compute constructs with the loop as it was after `else`; on `data` around its "
      "arrays, which may not be scalars",
      "if"}},
    {{ClauseKind::async, "async", translated,
      "nothing: everything is on one queue, in order; with `--queues` `gangway::queue(n)` in the "
      "policy",
      "async-and-wait"}},
    {{ClauseKind::wait, "wait", translated,
      "nothing, as for `async`; with `--queues` the queue's `fence`, or `wait_async`",
      "async-and-wait"}},
    {{ClauseKind::device_type, "device_type", assumed, "it and what follows are left out",
      "device_type"},
     "dtype"},
    {{ClauseKind::self_condition, "self()", refused, "an `if` and the host's execution space",
      "if"}},
    {{ClauseKind::no_create, "no_create", refused, "ask `gangway::is_present` before", "present"}},
    {{ClauseKind::attach, "attach", refused, "a View for each array of a structure",
      "the-runtime-library"}},
    {{ClauseKind::detach, "detach", refused, "a View for each array of a structure",
      "the-runtime-library"}},
    {{ClauseKind::finalize, "finalize", translated,
      "`exit_data_copyout_finalize`, `exit_data_delete_finalize`", "enter-data-and-exit-data"}},
    {{ClauseKind::bind, "bind", refused, "call the other function", "routine"}},
    {{ClauseKind::nohost, "nohost", translated, "nothing: Kokkos' functions are the host's too",
      "routine"}},
    {{ClauseKind::link, "link", refused, "`enter_data_copyin` when it is needed", "declare"}},
    {{ClauseKind::device_resident, "device_resident", translated, "as `create`", "declare"},
     "",
     true},
    {{ClauseKind::device_num, "device_num", assumed,
      "`gangway::select_device`, an error for another device than Kokkos' own",
      "the-runtime-library"}},
    {{ClauseKind::default_async, "default_async", translated, "`gangway::set_default_queue`",
      "async-and-wait"}},
    {{ClauseKind::unknown, "", refused, "there is no rule for it", ""}},
}};
static_assert(in_order(clauses));

constexpr std::string_view lib = "the-runtime-library";
constexpr std::array<RoutineRule, 45> routines{{
    {{Routine::copyin, "acc_copyin", translated, "`enter_data_copyin`", lib},
     "gangway::enter_data_copyin($p, $n)",
     true},
    {{Routine::create, "acc_create", translated, "`enter_data_create`", lib},
     "gangway::enter_data_create($p, $n)",
     true},
    {{Routine::copyout, "acc_copyout", translated, "`exit_data_copyout`", lib},
     "gangway::exit_data_copyout($p, $n)"},
    {{Routine::delete_, "acc_delete", translated, "`exit_data_delete`", lib},
     "gangway::exit_data_delete($p, $n)"},
    {{Routine::copyout_finalize, "acc_copyout_finalize", translated, "`exit_data_copyout_finalize`",
      lib},
     "gangway::exit_data_copyout_finalize($p, $n)"},
    {{Routine::delete_finalize, "acc_delete_finalize", translated, "`exit_data_delete_finalize`",
      lib},
     "gangway::exit_data_delete_finalize($p, $n)"},
    {{Routine::update_device, "acc_update_device", translated, "`update_device`", lib},
     "gangway::update_device($p, $n)"},
    {{Routine::update_self, "acc_update_self", translated, "`update_self`", lib},
     "gangway::update_self($p, $n)"},
    {{Routine::is_present, "acc_is_present", translated, "`is_present`", lib},
     "gangway::is_present($p, $n)"},
    {{Routine::deviceptr, "acc_deviceptr", assumed,
      "`device_pointer`, an error where OpenACC gives null", lib},
     "gangway::device_pointer($0)",
     false,
     "look whether null is asked for"},
    {{Routine::hostptr, "acc_hostptr", assumed, "`host_pointer`, an error where OpenACC gives null",
      lib},
     "gangway::host_pointer($0)",
     false,
     "look whether null is asked for"},
    {{Routine::map_data, "acc_map_data", translated, "`map_data`", lib},
     "gangway::map_data($0, $1, $2)"},
    {{Routine::unmap_data, "acc_unmap_data", translated, "`unmap_data`", lib},
     "gangway::unmap_data($0)"},
    {{Routine::malloc, "acc_malloc", translated, "`Kokkos::kokkos_malloc`", lib},
     "Kokkos::kokkos_malloc<gangway::DeviceSpace>(\"acc_malloc\", $0)"},
    {{Routine::free, "acc_free", translated, "`Kokkos::kokkos_free`", lib},
     "Kokkos::kokkos_free<gangway::DeviceSpace>($0)"},
    {{Routine::memcpy_to_device, "acc_memcpy_to_device", translated, "`memcpy_to_device`", lib},
     "gangway::memcpy_to_device($0, $1, $2)"},
    {{Routine::memcpy_from_device, "acc_memcpy_from_device", translated, "`memcpy_from_device`",
      lib},
     "gangway::memcpy_from_device($0, $1, $2)"},
    {{Routine::memcpy_device, "acc_memcpy_device", translated,
      "`Kokkos::deep_copy` of `gangway::deviceptr`", lib},
     "Kokkos::deep_copy(gangway::deviceptr(reinterpret_cast<char*>($0), $2), "
     "gangway::deviceptr(reinterpret_cast<const char*>($1), $2))"},
    {{Routine::wait, "acc_wait", translated, "`Kokkos::fence`, as all waits", lib},
     "Kokkos::fence()"},
    {{Routine::wait_all, "acc_wait_all", translated, "`Kokkos::fence`", lib}, "Kokkos::fence()"},
    {{Routine::wait_async, "acc_wait_async", translated, "`Kokkos::fence`", lib},
     "Kokkos::fence()"},
    {{Routine::wait_all_async, "acc_wait_all_async", translated, "`Kokkos::fence`", lib},
     "Kokkos::fence()"},
    {{Routine::async_wait, "acc_async_wait", translated, "`Kokkos::fence`", lib},
     "Kokkos::fence()"},
    {{Routine::async_wait_all, "acc_async_wait_all", translated, "`Kokkos::fence`", lib},
     "Kokkos::fence()"},
    {{Routine::async_test, "acc_async_test", translated, "`async_test`", lib},
     "gangway::async_test(gangway::queue($0))"},
    {{Routine::async_test_all, "acc_async_test_all", translated, "`Kokkos::fence`, and yes", lib},
     "(Kokkos::fence(), 1)"},
    {{Routine::init, "acc_init", translated, "nothing: Kokkos begins in `main`", lib},
     "/* Kokkos begins in main */"},
    {{Routine::init_device, "acc_init_device", translated, "nothing: Kokkos begins in `main`", lib},
     "/* Kokkos begins in main */"},
    {{Routine::shutdown, "acc_shutdown", translated, "nothing: Kokkos ends in `main`", lib},
     "/* Kokkos ends in main */"},
    {{Routine::shutdown_device, "acc_shutdown_device", translated, "nothing: Kokkos ends in `main`",
      lib},
     "/* Kokkos ends in main */"},
    {{Routine::get_num_devices, "acc_get_num_devices", translated, "`Kokkos::num_devices`", lib},
     "Kokkos::max(Kokkos::num_devices(), 0)"},
    {{Routine::get_device_num, "acc_get_device_num", translated, "`Kokkos::device_id`", lib},
     "Kokkos::max(Kokkos::device_id(), 0)"},
    {{Routine::set_device_num, "acc_set_device_num", assumed,
      "`gangway::select_device`, an error for another device than Kokkos' own, which it takes once",
      lib},
     "static_cast<void>(gangway::select_device($0))",
     false,
     "the number has to be that of the device that Kokkos has, or this throws RuntimeError: "
     "give "
     "it to the ScopeGuard in main, or as KOKKOS_DEVICE_ID; of several devices each takes a "
     "process of its own"},
    {{Routine::get_device_type, "acc_get_device_type", translated, "`gangway::device_type`", lib},
     "gangway::device_type()"},
    {{Routine::set_device_type, "acc_set_device_type", assumed,
      "nothing: backends are chosen when Kokkos is built. `acc_device_host` is refused", lib},
     "/* Kokkos has the devices that it was built for */",
     false,
     "look whether the program relies on kernels that run on the host, or only names the "
     "device there is"},
    {{Routine::on_device, "acc_on_device", translated, "`gangway::on_device`", lib},
     "gangway::on_device($d)"},
    {{Routine::get_property, "acc_get_property", translated,
      "`gangway::device_properties()`, of the two sizes of its memory", lib},
     "gangway::device_properties()."},
    {{Routine::get_property_string, "acc_get_property_string", refused,
      "a variable for `gangway::device_properties()`, whose strings live as long as it", lib}},
    {{Routine::get_default_async, "acc_get_default_async", translated, "`gangway::default_queue`",
      lib},
     "gangway::default_queue()"},
    {{Routine::set_default_async, "acc_set_default_async", translated,
      "`gangway::set_default_queue`", lib},
     "gangway::set_default_queue($0)"},
    {{Routine::attach, "acc_attach", translated, "`gangway::attach`", lib}, "gangway::attach($&)"},
    {{Routine::detach, "acc_detach", translated, "`gangway::detach`", lib}, "gangway::detach($&)"},
    {{Routine::detach_finalize, "acc_detach_finalize", translated, "`gangway::detach_finalize`",
      lib},
     "gangway::detach_finalize($&)"},
    {{Routine::memcpy_d2d, "acc_memcpy_d2d", refused,
      "Gangway uses one device in a process; MPI between processes", lib}},
    {{Routine::wait_any, "acc_wait_any", refused,
      "ask `gangway::async_test` of one queue after the other", lib}},
}};
static_assert(in_order(routines));

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> runtime_names{
    {{"acc_device_t", "gangway::DeviceType"},
     {"acc_device_none", "gangway::DeviceType::none"},
     {"acc_device_host", "gangway::DeviceType::host"},
     {"acc_device_nvidia", "gangway::DeviceType::nvidia"},
     {"acc_device_radeon", "gangway::DeviceType::radeon"},
     {"acc_device_default", "gangway::device_type()"},
     {"acc_device_current", "gangway::device_type()"},
     {"acc_async_noval", "gangway::async_noval"},
     {"acc_async_sync", "gangway::async_sync"}}};

constexpr std::array<Operator, 9> operators{{{"+", "sum"},
                                             {"*", "product"},
                                             {"max", "max"},
                                             {"min", "min"},
                                             {"&", "bit_and"},
                                             {"|", "bit_or"},
                                             {"^", "bit_xor"},
                                             {"&&", "logical_and"},
                                             {"||", "logical_or"}}};

/// Page of the guide, and the rows in it that directives and messages name, between spaces.
struct GuidePage {
  std::string_view file;
  std::string_view rows;
};
constexpr std::array<GuidePage, 6> guide_pages{
    {{"data.md",
      " async-and-wait data-copy-copyin-copyout-create deviceptr enter-data-and-exit-data present "
      "rows-of-pointers scalars-in-data-clauses structs-with-pointers update "},
     {"globals.md", " declare strict-memory the-name-that-hides "},
     {"levels.md",
      " cache gang-worker-vector num_gangs private-on-a-gang-loop routine vector_length-above-32 "},
     {"loops.md", " collapse device_type if kernels-and-independent parallel-and-loop private seq "
                  "serial-and-num_gangs1 tile "},
     {"reductions.md", " atomic reduction "},
     {"tools.md", " the-runtime-library "}}};

template <class Table>
auto found(const Table& table, std::string_view word) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& entry) { return entry.word == word; });
}

template <class Table>
std::string rows_of(const Table& table, std::string_view heading) {
  std::string text = fmt::format("| {} in the guide |\n|---|---|---|---|\n", heading);
  for (const auto& rule : table)
    if (!rule.word.empty())
      text += fmt::format("| `{}` | {} | {} | [{}](../guide/{}) |\n", rule.word,
                          name_of(rule.outcome), rule.becomes, rule.row, place_of(rule.row));
  return text;
}

} // namespace

std::string place_of(std::string_view row) {
  const auto* const page =
      std::find_if(guide_pages.begin(), guide_pages.end(), [&](const GuidePage& one) {
        return one.rows.find(fmt::format(" {} ", row)) != std::string_view::npos;
      });
  return page == guide_pages.end() ? "index.md" : fmt::format("{}#{}", page->file, row);
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::translated:
    return "translated";
  case Outcome::assumed:
    return "assumed";
  case Outcome::refused:
    return "refused";
  }
  return "";
}

bool is_kernels(Construct construct) {
  return construct == Construct::kernels || construct == Construct::kernels_loop;
}
bool is_serial(Construct construct) {
  return construct == Construct::serial || construct == Construct::serial_loop;
}
bool is_compute(Construct construct) {
  return construct == Construct::parallel || construct == Construct::parallel_loop ||
         is_kernels(construct) || is_serial(construct);
}
bool is_combined(Construct construct) {
  return construct == Construct::parallel_loop || construct == Construct::kernels_loop ||
         construct == Construct::serial_loop;
}
bool is_atomic(Construct construct) {
  return construct == Construct::atomic_read || construct == Construct::atomic_write ||
         construct == Construct::atomic_update || construct == Construct::atomic_capture;
}

const Rule<Construct>& rule_of(Construct construct) {
  return constructs.at(static_cast<std::size_t>(construct));
}
const ClauseRule& rule_of(ClauseKind clause) {
  return clauses.at(static_cast<std::size_t>(clause));
}
const RoutineRule& rule_of(Routine routine) {
  return routines.at(static_cast<std::size_t>(routine));
}

std::string_view name_of(Construct construct) {
  return rule_of(construct).word;
}
std::string_view name_of(ClauseKind clause) {
  return rule_of(clause).word;
}

Construct construct_named(std::string_view word) {
  const auto entry = found(constructs, word);
  if (entry == constructs.end())
    throw std::out_of_range(fmt::format("no construct '{}'", word));
  return entry->kind;
}

ClauseKind clause_named(std::string_view word) {
  const auto entry = std::find_if(clauses.begin(), clauses.end(), [&](const auto& one) {
    return one.word == word ||
           fmt::format(" {} ", one.synonyms).find(fmt::format(" {} ", word)) != std::string::npos;
  });
  return entry == clauses.end() ? ClauseKind::unknown : entry->kind;
}

std::optional<Routine> routine_named(std::string_view word) {
  for (const std::string_view older : {"acc_present_or_", "acc_p"})
    for (const Routine made : {Routine::copyin, Routine::create})
      if (const std::string name = std::string(older) + std::string(rule_of(made).word.substr(4));
          word == name || word == name + "_async")
        return made;
  auto entry = found(routines, word);
  if (entry == routines.end() && word.ends_with("_async"))
    entry = found(routines, word.substr(0, word.size() - std::string_view("_async").size()));
  return entry == routines.end() ? std::nullopt : std::optional(entry->kind);
}

std::string_view runtime_name(std::string_view name) {
  for (const auto& [word, becomes] : runtime_names)
    if (word == name)
      return becomes;
  return "";
}

const Operator* operator_of(std::string_view symbol) {
  const auto* const entry = std::find_if(operators.begin(), operators.end(),
                                         [&](const Operator& one) { return one.symbol == symbol; });
  return entry == operators.end() ? nullptr : entry;
}

std::string rules_table() {
  return rows_of(constructs, "construct | at best | becomes |") + "\n" +
         rows_of(clauses, "clause | at best | becomes |") + "\n" +
         rows_of(routines, "routine, also with `_async` | at best | becomes, or what to do |");
}

} // namespace gangway::port
