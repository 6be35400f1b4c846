// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  static const std::vector<Rule> table{
      {"parallel loop", false, translated,
       "`parallel_for` or `parallel_reduce` over a range, or over tiles", "parallel-and-loop"},
      {"parallel", false, translated,
       "a kernel for each `loop` in it; other statements in it are refused", "parallel-and-loop"},
      {"kernels loop", false, assumed,
       "as `parallel loop`; without `independent` what makes it parallel is said, or it runs on "
       "one thread",
       "kernels-and-independent"},
      {"kernels", false, assumed,
       "a kernel for each loop in it; what touches scalars only stays on the host",
       "kernels-and-independent"},
      {"serial", false, translated, "a range of one iteration", "serial-and-num_gangs1"},
      {"serial loop", false, translated, "a range of one iteration", "serial-and-num_gangs1"},
      {"loop", false, translated,
       "in a perfect nest a dimension of the tiles; else a plain loop. With `gang`, `worker` or "
       "`vector` in a nest that is not perfect: refused",
       "gang-worker-vector"},
      {"data", false, translated, "a `gangway::Data` and its members of the clauses' names",
       "data-copy-copyin-copyout-create"},
      {"enter data", false, translated, "`enter_data_copyin`, `enter_data_create`",
       "enter-data-and-exit-data"},
      {"exit data", false, translated, "`exit_data_copyout`, `exit_data_delete`",
       "enter-data-and-exit-data"},
      {"host_data", false, translated, "`gangway::device_pointer` under another name", "deviceptr"},
      {"update", false, translated, "`update_device`, `update_self`", "update"},
      {"atomic read", false, translated, "`Kokkos::atomic_load`", "atomic"},
      {"atomic write", false, translated, "`Kokkos::atomic_store`", "atomic"},
      {"atomic update", false, translated,
       "`Kokkos::atomic_add` and its like; `x = e - x` is refused", "atomic"},
      {"atomic capture", false, translated,
       "`atomic_fetch_add`, `atomic_add_fetch` and their like, `atomic_exchange`", "atomic"},
      {"routine", false, translated,
       "`seq`: `KOKKOS_FUNCTION` before the function, which has to be in the same file; other "
       "levels are refused",
       "routine"},
      {"cache", false, translated, "nothing: it is a hint", "cache"},
      {"wait", false, translated, "`Kokkos::fence()`", "async-and-wait"},
      {"init", false, refused, "Kokkos begins with a `ScopeGuard` in `main`",
       "the-runtime-library"},
      {"shutdown", false, refused, "Kokkos ends with the `ScopeGuard`", "the-runtime-library"},
      {"set", false, refused, "a process has one Kokkos device", "the-runtime-library"},
      {"declare", false, refused, "`enter_data_create` when the program starts", "declare"},

      {"copy", true, translated, "`data.copy`", "data-copy-copyin-copyout-create"},
      {"copyin", true, translated, "`data.copyin`", "data-copy-copyin-copyout-create"},
      {"copyout", true, translated, "`data.copyout`", "data-copy-copyin-copyout-create"},
      {"create", true, translated, "`data.create`", "data-copy-copyin-copyout-create"},
      {"present", true, translated, "`data.present`", "present"},
      {"deviceptr", true, translated, "nothing: the pointer is the device's", "deviceptr"},
      {"delete", true, translated, "`exit_data_delete`", "enter-data-and-exit-data"},
      {"device", true, translated, "`update_device`", "update"},
      {"self", true, translated, "`update_self`", "update"},
      {"use_device", true, translated, "`gangway::device_pointer`", "deviceptr"},
      {"if_present", true, translated,
       "on `update`: `if (gangway::is_present(…))`; elsewhere refused", "update"},
      {"reduction", true, translated,
       "a reducer, and what the variable held before joins in afterwards; `^`, arrays and members "
       "are refused",
       "reduction"},
      {"private", true, translated, "a variable declared in the kernel", "private"},
      {"firstprivate", true, translated, "a captured variable; arrays are refused", "private"},
      {"collapse", true, translated,
       "`gangway::tile_policy`; of a reduction one range and index arithmetic", "collapse"},
      {"tile", true, translated, "`gangway::tile_policy` with the sizes in the order of the loops",
       "tile"},
      {"gang", true, translated, "nothing on a loop without inner levels: Kokkos maps the range",
       "gang-worker-vector"},
      {"worker", true, translated, "as `gang`", "gang-worker-vector"},
      {"vector", true, translated, "as `gang`", "gang-worker-vector"},
      {"seq", true, translated, "a plain loop", "seq"},
      {"auto", true, translated, "a plain loop", "seq"},
      {"independent", true, translated, "nothing: every `parallel_for` says so",
       "kernels-and-independent"},
      {"num_gangs", true, translated, "nothing: Kokkos chooses for a range", "num_gangs"},
      {"num_workers", true, translated, "nothing: Kokkos chooses for a range",
       "gang-worker-vector"},
      {"vector_length", true, translated, "nothing: Kokkos chooses for a range",
       "vector_length-above-32"},
      {"default", true, translated,
       "arrays that no clause names: `present`, or their device address", "present"},
      {"if", true, translated,
       "an `if`, on compute constructs with the loop as it was behind `else`; on `data` refused",
       "if"},
      {"async", true, translated, "nothing: everything is on one queue, in order",
       "async-and-wait"},
      {"wait", true, translated, "nothing: everything is on one queue, in order", "async-and-wait"},
      {"device_type", true, assumed, "it and what follows are left out", "device_type"},
      {"self()", true, refused, "an `if` and the host's execution space", "if"},
      {"no_create", true, refused, "ask `gangway::is_present` before", "present"},
      {"attach", true, refused, "a View for each array of a structure", "the-runtime-library"},
      {"detach", true, refused, "a View for each array of a structure", "the-runtime-library"},
      {"finalize", true, refused, "every `enter_data` has its `exit_data`",
       "enter-data-and-exit-data"},
      {"bind", true, refused, "call the other function", "routine"},
      {"nohost", true, refused, "Kokkos' functions are the host's too", "routine"},
      {"link", true, refused, "`enter_data_copyin` when it is needed", "declare"},
      {"device_resident", true, refused, "a View that is made after Kokkos has begun", "declare"},
      {"device_num", true, refused, "a process has one Kokkos device", "the-runtime-library"},
      {"default_async", true, refused, "name the instance in the policy", "async-and-wait"},
  };
  return table;
}

const Rule* rule_of(std::string_view word, bool clause) {
  const auto found = std::find_if(rules().begin(), rules().end(), [&](const Rule& rule) {
    return rule.word == word && rule.clause == clause;
  });
  return found == rules().end() ? nullptr : &*found;
}

std::string rules_table() {
  std::string text;
  for (const bool clause : {false, true}) {
    text += fmt::format("| {} | at best | becomes | in the guide |\n|---|---|---|---|\n",
                        clause ? "clause" : "construct");
    for (const Rule& rule : rules())
      if (rule.clause == clause)
        text += fmt::format("| `{}` | {} | {} | [{}](porting-guide.md#{}) |\n", rule.word,
                            name_of(rule.outcome), rule.becomes, rule.row, rule.row);
    if (!clause)
      text += '\n';
  }
  return text;
}

} // namespace gangway::port
