// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What OpenACC has, and what becomes of it: a row for each construct, each clause and each routine
/// of the runtime library. Decisions, the writer, the report and docs/port/rules.md share these
/// tables.
namespace gangway::port {

enum class Outcome { translated, assumed, refused };
[[nodiscard]] std::string_view name_of(Outcome outcome);
/// The page and heading of a row in docs/guide: `loops.md#seq`; of a row without a page the guide's
/// first page.
[[nodiscard]] std::string place_of(std::string_view row);

/// A directive's kind.
enum class Construct {
  parallel_loop,
  parallel,
  kernels_loop,
  kernels,
  serial,
  serial_loop,
  loop,
  data,
  enter_data,
  exit_data,
  host_data,
  update,
  atomic_read,
  atomic_write,
  atomic_update,
  atomic_capture,
  routine,
  cache,
  wait,
  init,
  shutdown,
  set,
  declare
};

[[nodiscard]] bool is_compute(Construct construct);
[[nodiscard]] bool is_kernels(Construct construct);
[[nodiscard]] bool is_serial(Construct construct);
/// Returns whether it combines a compute construct and a `loop`.
[[nodiscard]] bool is_combined(Construct construct);
[[nodiscard]] bool is_atomic(Construct construct);

/// Clause by its canonical name: `pcopyin` and `present_or_copyin` are `copyin`, `host` is
/// `self`. `self_condition` is `self` with a condition.
enum class ClauseKind {
  copy,
  copyin,
  copyout,
  create,
  present,
  deviceptr,
  delete_,
  device,
  self,
  use_device,
  if_present,
  reduction,
  private_,
  firstprivate,
  collapse,
  tile,
  gang,
  worker,
  vector,
  seq,
  auto_,
  independent,
  num_gangs,
  num_workers,
  vector_length,
  default_,
  if_,
  async,
  wait,
  device_type,
  self_condition,
  no_create,
  attach,
  detach,
  finalize,
  bind,
  nohost,
  link,
  device_resident,
  device_num,
  default_async,
  unknown ///< a later OpenACC's
};

/// Routine of the runtime library, without `_async`.
enum class Routine {
  copyin,
  create,
  copyout,
  delete_,
  copyout_finalize,
  delete_finalize,
  update_device,
  update_self,
  is_present,
  deviceptr,
  hostptr,
  map_data,
  unmap_data,
  malloc,
  free,
  memcpy_to_device,
  memcpy_from_device,
  memcpy_device,
  wait,
  wait_all,
  wait_async,
  wait_all_async,
  async_wait,
  async_wait_all,
  async_test,
  async_test_all,
  init,
  init_device,
  shutdown,
  shutdown_device,
  get_num_devices,
  get_device_num,
  set_device_num,
  get_device_type,
  set_device_type,
  on_device,
  get_property,
  get_property_string,
  get_default_async,
  set_default_async,
  attach,
  detach,
  detach_finalize,
  memcpy_d2d,
  wait_any
};

/// Row of a table: the translation of a directive, clause or routine, for the report and
/// docs/port/rules.md.
template <class Kind>
struct Rule {
  Kind kind{};
  std::string_view word;                 ///< `parallel loop`, `copyin`, `acc_copyin`
  Outcome outcome = Outcome::translated; ///< what it can be at best
  std::string_view becomes;
  std::string_view row; ///< of the guide: the anchor of its heading
};

struct ClauseRule : Rule<ClauseKind> {
  std::string_view synonyms = {}; ///< older words for it, between spaces
  bool holds = false;             ///< it says what the device has, and where that comes from
  /// Gangway's function that does what the clause says in a directive that stands alone.
  std::string_view function = {};
};

/// Rule of a routine. `form` replaces the call: `$0`, `$1`, … are its arguments, `$&` the first one
/// without conversions of pointers, `$d` the device type. If the routine takes an address and
/// bytes, `$p` and `$n` are the array and its number of elements.
struct RoutineRule : Rule<Routine> {
  std::string_view form = {};  ///< empty: the call stays
  bool gives_view = false;     ///< where OpenACC's gives an address
  std::string_view check = {}; ///< of what is assumed: how to check it
};

[[nodiscard]] const Rule<Construct>& rule_of(Construct construct);
[[nodiscard]] const ClauseRule& rule_of(ClauseKind clause);
[[nodiscard]] const RoutineRule& rule_of(Routine routine);

[[nodiscard]] std::string_view name_of(Construct construct);
[[nodiscard]] std::string_view name_of(ClauseKind clause);

/// Returns the construct of that name. Errors: std::out_of_range if OpenACC has none such.
[[nodiscard]] Construct construct_named(std::string_view word);
[[nodiscard]] ClauseKind clause_named(std::string_view word);
/// Returns the routine of that name, also for an older word, or with `_async`.
[[nodiscard]] std::optional<Routine> routine_named(std::string_view word);

/// Returns the name for messages.
[[nodiscard]] inline std::string_view format_as(Construct construct) {
  return name_of(construct);
}
[[nodiscard]] inline std::string_view format_as(ClauseKind clause) {
  return name_of(clause);
}

/// Returns the text for another name of openacc.h, a device type or a queue with a meaning; empty
/// if it stays.
[[nodiscard]] std::string_view runtime_name(std::string_view name);

/// Operator of `reduction`.
struct Operator {
  std::string_view symbol;
  std::string_view gangway; ///< in `gangway::reduction`
};
/// Returns the operator, or null.
[[nodiscard]] const Operator* operator_of(std::string_view symbol);

/// Returns the tables in Markdown.
[[nodiscard]] std::string rules_table();

} // namespace gangway::port
