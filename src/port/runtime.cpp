// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/runtime.hpp"

#include "port/rules.hpp"

#include <array>
#include <map>
#include <string_view>

namespace gangway::port {
namespace {

/// `acc_copyin` for `acc_pcopyin_async`. Everything is on one queue, in the order of the source.
std::string plain_name(std::string name) {
  if (name.ends_with("_async") && name != "acc_wait_async" && name != "acc_wait_all_async")
    name.resize(name.size() - std::string_view("_async").size());
  for (const std::string_view prefix : {"acc_present_or_", "acc_p"})
    for (const std::string_view routine : {"copyin", "create"})
      if (name == std::string(prefix) + std::string(routine))
        return "acc_" + std::string(routine);
  return name;
}

struct Form {
  std::string_view text;
  bool gives_view = false; ///< where OpenACC's gives an address
};
const std::map<std::string_view, Form>& forms() {
  static const std::map<std::string_view, Form> table{
      {"acc_copyin", {"gangway::enter_data_copyin($p, $n)", true}},
      {"acc_create", {"gangway::enter_data_create($p, $n)", true}},
      {"acc_copyout", {"gangway::exit_data_copyout($p, $n)"}},
      {"acc_delete", {"gangway::exit_data_delete($p, $n)"}},
      {"acc_update_device", {"gangway::update_device($p, $n)"}},
      {"acc_update_self", {"gangway::update_self($p, $n)"}},
      {"acc_is_present", {"gangway::is_present($p, $n)"}},
      {"acc_deviceptr", {"gangway::device_pointer($0)"}},
      {"acc_hostptr", {"gangway::host_pointer($0)"}},
      {"acc_map_data", {"gangway::map_data($0, $1, $2)"}},
      {"acc_unmap_data", {"gangway::unmap_data($0)"}},
      {"acc_malloc", {"Kokkos::kokkos_malloc<gangway::DeviceSpace>(\"acc_malloc\", $0)"}},
      {"acc_free", {"Kokkos::kokkos_free<gangway::DeviceSpace>($0)"}},
      {"acc_memcpy_to_device", {"gangway::memcpy_to_device($0, $1, $2)"}},
      {"acc_memcpy_from_device", {"gangway::memcpy_from_device($0, $1, $2)"}},
      {"acc_wait", {"Kokkos::fence()"}},
      {"acc_wait_all", {"Kokkos::fence()"}},
      {"acc_wait_async", {"Kokkos::fence()"}},
      {"acc_wait_all_async", {"Kokkos::fence()"}},
      {"acc_async_wait", {"Kokkos::fence()"}},
      {"acc_async_wait_all", {"Kokkos::fence()"}},
      {"acc_async_test", {"gangway::async_test(gangway::queue($0))"}},
      {"acc_async_test_all", {"(Kokkos::fence(), 1)"}},
      {"acc_init", {"/* Kokkos begins in main */"}},
      {"acc_shutdown", {"/* Kokkos ends in main */"}},
      {"acc_get_num_devices", {"Kokkos::max(Kokkos::num_devices(), 0)"}},
      {"acc_get_device_num", {"Kokkos::max(Kokkos::device_id(), 0)"}}};
  return table;
}

} // namespace

RuntimeText runtime_text(const RuntimeCall& call) {
  const std::string name = plain_name(call.name);
  const Rule* const rule = rule_of(name, Kind::routine);
  RuntimeText made;
  made.becomes = rule == nullptr ? "" : std::string(rule->becomes);
  made.by_hand = rule == nullptr || rule->outcome != Outcome::refused
                     ? "gangway/runtime.hpp has a table of all routines"
                     : made.becomes;
  const auto found = forms().find(name);
  if (found == forms().end())
    return made;
  const Form& form = found->second;
  if (call.macro) {
    made.by_hand = "write the macro out";
    return made;
  }
  if ((name == "acc_get_num_devices" || name == "acc_get_device_num") &&
      (call.device.empty() || call.device == "acc_device_host" ||
       call.device == "acc_device_none")) {
    made.by_hand = "Kokkos knows of the devices of its own backend";
    return made;
  }
  made.text = form.text;
  if (form.gives_view && call.used)
    made.text += ".data()";
  return made;
}

} // namespace gangway::port
