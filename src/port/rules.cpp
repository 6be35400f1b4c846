// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gangway::port {

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

const std::vector<Rule>& rules() {
  constexpr auto translated = Outcome::translated;
  constexpr auto assumed = Outcome::assumed;
  constexpr auto refused = Outcome::refused;
  using enum Kind;
  constexpr std::string_view lib = "the-runtime-library";
  static const std::vector<Rule> table{
      {"parallel loop", construct, translated,
       "`parallel_for` or `parallel_reduce` over a range, or over tiles; with loops of workers and "
       "lanes in it `gangway::gang` or `gangway::gang_worker`",
       "parallel-and-loop"},
      {"parallel", construct, translated,
       "a kernel for each `loop` in it. Numbers declared beside them stay on the host, or have a "
       "kernel; "
       "what else every gang would do is done once, under an assumption. Without a loop over "
       "gangs: "
       "a range of one iteration",
       "parallel-and-loop"},
      {"kernels loop", construct, assumed,
       "as `parallel loop`; without `independent` what makes it parallel is said, or it runs on "
       "one thread",
       "kernels-and-independent"},
      {"kernels", construct, assumed,
       "a kernel for each loop in it, and for each statement beside them; what touches scalars "
       "only stays on the host",
       "kernels-and-independent"},
      {"serial", construct, translated, "a range of one iteration", "serial-and-num_gangs1"},
      {"serial loop", construct, translated, "a range of one iteration", "serial-and-num_gangs1"},
      {"loop", construct, translated,
       "in a perfect nest a dimension of the tiles; of workers and lanes, where it can be shown "
       "that a team does the same, `loop_worker` and `loop_vector`; "
       "else a plain loop in each thread",
       "gang-worker-vector"},
      {"data", construct, translated, "a `gangway::Data` and its members of the clauses' names",
       "data-copy-copyin-copyout-create"},
      {"enter data", construct, translated, "`enter_data_copyin`, `enter_data_create`",
       "enter-data-and-exit-data"},
      {"exit data", construct, translated, "`exit_data_copyout`, `exit_data_delete`",
       "enter-data-and-exit-data"},
      {"host_data", construct, translated,
       "`Kokkos::fence`, and `gangway::device_pointer` under another name", "deviceptr"},
      {"update", construct, translated, "`update_device`, `update_self`", "update"},
      {"atomic read", construct, translated, "`Kokkos::atomic_load`", "atomic"},
      {"atomic write", construct, translated, "`Kokkos::atomic_store`", "atomic"},
      {"atomic update", construct, translated,
       "`Kokkos::atomic_add` and its like; for `x = e - x` `gangway::atomic_fetch_change`, which "
       "compares and exchanges",
       "atomic"},
      {"atomic capture", construct, translated,
       "`atomic_fetch_add`, `atomic_add_fetch` and their like, `atomic_exchange`", "atomic"},
      {"routine", construct, translated,
       "`KOKKOS_FUNCTION` before the function, which has to be in the same file; each thread does "
       "its loops in order. One of `gang`s takes the team's member, and all lanes share out its "
       "loops by `gangway::loop_gang_vector`: nothing else may be in it",
       "routine"},
      {"cache", construct, translated, "nothing: it is a hint", "cache"},
      {"wait", construct, translated,
       "`Kokkos::fence()`; with `--queues` the queue's `fence`, or `wait_async`", "async-and-wait"},
      {"init", construct, translated, "nothing: Kokkos begins with a `ScopeGuard` in `main`",
       "the-runtime-library"},
      {"shutdown", construct, translated, "nothing: Kokkos ends with the `ScopeGuard`",
       "the-runtime-library"},
      {"set", construct, translated,
       "`gangway::set_default_queue`, `gangway::select_device`; `device_type` is left out",
       "the-runtime-library"},
      {"declare", construct, translated,
       "in a function a `gangway::Data` to its end; of globals one in `main`, where that is in the "
       "same file",
       "declare"},

      {"copy", clause, translated, "`data.copy`", "data-copy-copyin-copyout-create"},
      {"copyin", clause, translated, "`data.copyin`", "data-copy-copyin-copyout-create"},
      {"copyout", clause, translated,
       "`data.copyout`; with `zero` set to zero where it was not present; other modifiers are "
       "refused",
       "data-copy-copyin-copyout-create"},
      {"create", clause, translated, "`data.create`, `zero` as for `copyout`",
       "data-copy-copyin-copyout-create"},
      {"present", clause, translated, "`data.present`", "present"},
      {"deviceptr", clause, translated,
       "nothing: the pointer is the device's; behind the kernel a `Kokkos::fence`", "deviceptr"},
      {"delete", clause, translated, "`exit_data_delete`", "enter-data-and-exit-data"},
      {"device", clause, translated, "`update_device`", "update"},
      {"self", clause, translated, "`update_self`", "update"},
      {"use_device", clause, translated, "`gangway::device_pointer`", "deviceptr"},
      {"if_present", clause, translated,
       "on `update` and `host_data` `gangway::is_present` is asked; elsewhere refused", "update"},
      {"reduction", clause, translated,
       "a reducer, and what the variable held before joins in afterwards; of an array of up to 64 "
       "elements `gangway::ElementWise`; other arrays and members are refused",
       "reduction"},
      {"private", clause, translated,
       "a variable declared in the kernel; an array of a gang's that its lanes write lies in the "
       "scratch of the team",
       "private"},
      {"firstprivate", clause, translated,
       "a captured variable; an array as `private`, filled at the beginning", "private"},
      {"collapse", clause, translated,
       "`gangway::tile`; of a reduction one range and index arithmetic", "collapse"},
      {"tile", clause, translated, "`gangway::tile` with the sizes in the order of the loops",
       "tile"},
      {"gang", clause, translated,
       "nothing on a loop without inner levels: Kokkos maps the range; else a team",
       "gang-worker-vector"},
      {"worker", clause, translated, "as `gang`", "gang-worker-vector"},
      {"vector", clause, translated, "as `gang`", "gang-worker-vector"},
      {"seq", clause, translated, "a plain loop", "seq"},
      {"auto", clause, translated, "a plain loop", "seq"},
      {"independent", clause, translated, "nothing: every `parallel_for` says so",
       "kernels-and-independent"},
      {"num_gangs", clause, translated, "nothing: Kokkos chooses for a range", "num_gangs"},
      {"num_workers", clause, translated,
       "nothing: Kokkos chooses for a range; of teams the shape, where it is a number that Kokkos "
       "has a shape for",
       "gang-worker-vector"},
      {"vector_length", clause, translated, "as `num_workers`", "vector_length-above-32"},
      {"default", clause, translated,
       "arrays that no clause names: `present`, or their device address", "present"},
      {"if", clause, translated,
       "an `if`, on compute constructs with the loop as it was behind `else`; on `data` around its "
       "arrays, which may not be scalars",
       "if"},
      {"async", clause, translated,
       "nothing: everything is on one queue, in order; with `--queues` `gangway::queue(n)` in the "
       "policy",
       "async-and-wait"},
      {"wait", clause, translated,
       "nothing, as for `async`; with `--queues` the queue's `fence`, or `wait_async`",
       "async-and-wait"},
      {"device_type", clause, assumed, "it and what follows are left out", "device_type"},
      {"self()", clause, refused, "an `if` and the host's execution space", "if"},
      {"no_create", clause, refused, "ask `gangway::is_present` before", "present"},
      {"attach", clause, refused, "a View for each array of a structure", "the-runtime-library"},
      {"detach", clause, refused, "a View for each array of a structure", "the-runtime-library"},
      {"finalize", clause, translated, "`exit_data_copyout_finalize`, `exit_data_delete_finalize`",
       "enter-data-and-exit-data"},
      {"bind", clause, refused, "call the other function", "routine"},
      {"nohost", clause, refused, "Kokkos' functions are the host's too", "routine"},
      {"link", clause, refused, "`enter_data_copyin` when it is needed", "declare"},
      {"device_resident", clause, translated, "as `create`", "declare"},
      {"device_num", clause, assumed,
       "`gangway::select_device`, an error for another device than Kokkos' own",
       "the-runtime-library"},
      {"default_async", clause, translated, "`gangway::set_default_queue`", "async-and-wait"},

      {"a macro with a `continue`", code, refused, "write the macro out", "parallel-and-loop"},
      {"private in one kernel of a construct, shared in another", code, refused,
       "a construct for each kernel", "private"},
      {"a scalar set in a kernel, and read behind it in the same construct", code, refused,
       "an array of one element, or one kernel for both", "private"},
      {"a reduction into what the device has under no name here", code, refused,
       "`present` on the construct", "scalars-in-data-clauses"},
      {"an array private to a gang, larger than its scratch", code, refused,
       "a View with a part for each gang", "private-on-a-gang-loop"},
      {"a scalar that `enter data` holds, in `kernels`", code, refused,
       "a data clause that names it", "scalars-in-data-clauses"},
      {"two sections of one array", code, refused,
       "one section that holds both, or a View for each under another name",
       "data-copy-copyin-copyout-create"},
      {"a bound that a data region holds", code, assumed,
       "it is read on the host: the same must be on the device", "scalars-in-data-clauses"},
      {"a refused construct in a data region", code, assumed,
       "`update_self` before it and `update_device` behind it, or translate it by hand", "update"},

      {"acc_copyin", routine, translated, "`enter_data_copyin`", lib},
      {"acc_create", routine, translated, "`enter_data_create`", lib},
      {"acc_copyout", routine, translated, "`exit_data_copyout`", lib},
      {"acc_delete", routine, translated, "`exit_data_delete`", lib},
      {"acc_copyout_finalize", routine, translated, "`exit_data_copyout_finalize`", lib},
      {"acc_delete_finalize", routine, translated, "`exit_data_delete_finalize`", lib},
      {"acc_update_device", routine, translated, "`update_device`", lib},
      {"acc_update_self", routine, translated, "`update_self`", lib},
      {"acc_is_present", routine, translated, "`is_present`", lib},
      {"acc_deviceptr", routine, assumed, "`device_pointer`, an error where OpenACC gives null",
       lib},
      {"acc_hostptr", routine, assumed, "`host_pointer`, an error where OpenACC gives null", lib},
      {"acc_map_data", routine, translated, "`map_data`", lib},
      {"acc_unmap_data", routine, translated, "`unmap_data`", lib},
      {"acc_malloc", routine, translated, "`Kokkos::kokkos_malloc`", lib},
      {"acc_free", routine, translated, "`Kokkos::kokkos_free`", lib},
      {"acc_memcpy_to_device", routine, translated, "`memcpy_to_device`", lib},
      {"acc_memcpy_from_device", routine, translated, "`memcpy_from_device`", lib},
      {"acc_memcpy_device", routine, translated, "`Kokkos::deep_copy` of `gangway::deviceptr`",
       lib},
      {"acc_wait", routine, translated, "`Kokkos::fence`, as all waits", lib},
      {"acc_wait_all", routine, translated, "`Kokkos::fence`", lib},
      {"acc_wait_async", routine, translated, "`Kokkos::fence`", lib},
      {"acc_wait_all_async", routine, translated, "`Kokkos::fence`", lib},
      {"acc_async_wait", routine, translated, "`Kokkos::fence`", lib},
      {"acc_async_wait_all", routine, translated, "`Kokkos::fence`", lib},
      {"acc_async_test", routine, translated, "`async_test`", lib},
      {"acc_async_test_all", routine, translated, "`Kokkos::fence`, and yes", lib},
      {"acc_init", routine, translated, "nothing: Kokkos begins in `main`", lib},
      {"acc_init_device", routine, translated, "nothing: Kokkos begins in `main`", lib},
      {"acc_shutdown", routine, translated, "nothing: Kokkos ends in `main`", lib},
      {"acc_shutdown_device", routine, translated, "nothing: Kokkos ends in `main`", lib},
      {"acc_get_num_devices", routine, translated, "`Kokkos::num_devices`", lib},
      {"acc_get_device_num", routine, translated, "`Kokkos::device_id`", lib},
      {"acc_set_device_num", routine, assumed,
       "`gangway::select_device`, an error for another device than Kokkos' own, which it takes "
       "once",
       lib},
      {"acc_get_device_type", routine, translated, "`gangway::device_type`", lib},
      {"acc_set_device_type", routine, assumed,
       "nothing: backends are chosen when Kokkos is built. `acc_device_host` is refused", lib},
      {"acc_on_device", routine, translated, "`gangway::on_device`", lib},
      {"acc_get_property", routine, translated,
       "`gangway::device_properties()`, of the two sizes of its memory", lib},
      {"acc_get_property_string", routine, refused,
       "a variable for `gangway::device_properties()`, whose strings live as long as it", lib},
      {"acc_get_default_async", routine, translated, "`gangway::default_queue`", lib},
      {"acc_set_default_async", routine, translated, "`gangway::set_default_queue`", lib},
      {"acc_attach", routine, translated, "`gangway::attach`", lib},
      {"acc_detach", routine, translated, "`gangway::detach`", lib},
      {"acc_detach_finalize", routine, translated, "`gangway::detach_finalize`", lib},
      {"acc_memcpy_d2d", routine, refused,
       "Gangway uses one device in a process; MPI between processes", lib},
      {"acc_wait_any", routine, refused, "ask `gangway::async_test` of one queue after the other",
       lib},
  };
  return table;
}

const Rule* rule_of(std::string_view word, Kind kind) {
  const auto found = std::find_if(rules().begin(), rules().end(), [&](const Rule& rule) {
    return rule.word == word && rule.kind == kind;
  });
  return found == rules().end() ? nullptr : &*found;
}

std::string rules_table() {
  std::string text;
  for (const auto& [kind, heading] :
       {std::pair{Kind::construct, "| construct | at best | becomes |"},
        std::pair{Kind::clause, "| clause | at best | becomes |"},
        std::pair{Kind::routine,
                  "| routine, also with `_async` | at best | becomes, or what to do |"},
        std::pair{Kind::code, "| in the code | at best | what to do |"}}) {
    text +=
        fmt::format("{}{} in the guide |\n|---|---|---|---|\n", text.empty() ? "" : "\n", heading);
    for (const Rule& rule : rules())
      if (rule.kind == kind)
        text += fmt::format("| {} | {} | {} | [{}](porting-guide.md#{}) |\n",
                            kind == Kind::code ? std::string(rule.word)
                                               : fmt::format("`{}`", rule.word),
                            name_of(rule.outcome), rule.becomes, rule.row, rule.row);
  }
  return text;
}

} // namespace gangway::port
