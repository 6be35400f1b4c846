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
  if (name.ends_with("_async") && name != "acc_wait_async" && name != "acc_wait_all_async" &&
      !name.ends_with("_default_async"))
    name.resize(name.size() - std::string_view("_async").size());
  for (const std::string_view prefix : {"acc_present_or_", "acc_p"})
    for (const std::string_view routine : {"copyin", "create"})
      if (name == std::string(prefix) + std::string(routine))
        return "acc_" + std::string(routine);
  return name;
}

struct Form {
  std::string_view text;
  bool gives_view = false;     ///< where OpenACC's gives an address
  std::string_view check = {}; ///< of what is assumed: how to check it
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
      {"acc_copyout_finalize", {"gangway::exit_data_copyout_finalize($p, $n)"}},
      {"acc_delete_finalize", {"gangway::exit_data_delete_finalize($p, $n)"}},
      {"acc_deviceptr", {"gangway::device_pointer($0)", false, "look whether null is asked for"}},
      {"acc_hostptr", {"gangway::host_pointer($0)", false, "look whether null is asked for"}},
      {"acc_attach", {"gangway::attach($&)"}},
      {"acc_detach", {"gangway::detach($&)"}},
      {"acc_detach_finalize", {"gangway::detach_finalize($&)"}},
      {"acc_map_data", {"gangway::map_data($0, $1, $2)"}},
      {"acc_unmap_data", {"gangway::unmap_data($0)"}},
      {"acc_malloc", {"Kokkos::kokkos_malloc<gangway::DeviceSpace>(\"acc_malloc\", $0)"}},
      {"acc_free", {"Kokkos::kokkos_free<gangway::DeviceSpace>($0)"}},
      {"acc_memcpy_to_device", {"gangway::memcpy_to_device($0, $1, $2)"}},
      {"acc_memcpy_from_device", {"gangway::memcpy_from_device($0, $1, $2)"}},
      {"acc_memcpy_device",
       {"Kokkos::deep_copy(gangway::deviceptr(reinterpret_cast<char*>($0), $2), "
        "gangway::deviceptr(reinterpret_cast<const char*>($1), $2))"}},
      {"acc_wait", {"Kokkos::fence()"}},
      {"acc_wait_all", {"Kokkos::fence()"}},
      {"acc_wait_async", {"Kokkos::fence()"}},
      {"acc_wait_all_async", {"Kokkos::fence()"}},
      {"acc_async_wait", {"Kokkos::fence()"}},
      {"acc_async_wait_all", {"Kokkos::fence()"}},
      {"acc_async_test", {"gangway::async_test(gangway::queue($0))"}},
      {"acc_async_test_all", {"(Kokkos::fence(), 1)"}},
      {"acc_get_default_async", {"gangway::default_queue()"}},
      {"acc_set_default_async", {"gangway::set_default_queue($0)"}},
      {"acc_init", {"/* Kokkos begins in main */"}},
      {"acc_init_device", {"/* Kokkos begins in main */"}},
      {"acc_shutdown", {"/* Kokkos ends in main */"}},
      {"acc_shutdown_device", {"/* Kokkos ends in main */"}},
      {"acc_get_num_devices", {"Kokkos::max(Kokkos::num_devices(), 0)"}},
      {"acc_get_device_num", {"Kokkos::max(Kokkos::device_id(), 0)"}},
      {"acc_set_device_num",
       {"static_cast<void>(gangway::select_device($0))", false,
        "the number has to be that of the device that Kokkos has, or this throws RuntimeError: "
        "give "
        "it to the ScopeGuard in main, or as KOKKOS_DEVICE_ID; of several devices each takes a "
        "process of its own"}},
      {"acc_get_device_type", {"gangway::device_type()"}},
      {"acc_set_device_type",
       {"/* Kokkos has the devices that it was built for */", false,
        "look whether the program relies on kernels that run on the host, or only names the "
        "device there is"}},
      {"acc_on_device", {"gangway::on_device($d)"}},
      {"acc_get_property", {"gangway::device_properties()."}}};
  return table;
}

/// The type of device that a routine is asked for is Kokkos' own, or the routine stays.
void choose_device(const std::string& name, const RuntimeCall& call, RuntimeText& made) {
  const bool is_count = name == "acc_get_num_devices";
  if (!is_count && name != "acc_get_device_num" && name != "acc_set_device_num" &&
      name != "acc_set_device_type" && name != "acc_get_property")
    return;
  if (call.device == "acc_device_none" || (call.device == "acc_device_host" && !is_count)) {
    made.text.clear();
    made.by_hand = "Kokkos knows of the devices of its own backend";
  } else if (name == "acc_get_property" && call.property != "acc_property_memory" &&
             call.property != "acc_property_free_memory") {
    made.text.clear();
    made.by_hand = "a variable for gangway::device_properties(), whose strings live as long as it";
  } else if (is_count && call.device == "acc_device_host") {
    made.text = "1";
  } else if (is_count &&
             (call.device == "acc_device_current" || call.device == "acc_device_default")) {
    made.text = "Kokkos::max(Kokkos::num_devices(), 1)"; // the host is one
  } else if (call.device.empty() && !made.assumed) {
    made.assumed = true;
    made.by_hand = "the type that it is asked for has to be that of Kokkos' own device";
  }
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
  if (call.as_truth && name == "acc_get_device_type") {
    made.by_hand = "compare it with a device type: here the host's is 0";
    return made;
  }
  made.text = form.text;
  made.assumed = !form.check.empty();
  if (made.assumed)
    made.by_hand = form.check;
  choose_device(name, call, made);
  if (name == "acc_on_device" && call.device == "acc_device_not_host")
    made.text = "!gangway::on_device(gangway::DeviceType::host)";
  if (name == "acc_get_property" && !made.text.empty())
    made.text += call.property == "acc_property_memory" ? "memory" : "free_memory";
  if (form.gives_view && call.used)
    made.text += ".data()";
  if (call.as_number && name == "acc_get_device_type")
    made.text = "static_cast<int>(" + made.text + ")";
  return made;
}

std::string runtime_name(const RuntimeName& name) {
  static const std::map<std::string_view, std::string_view> names{
      {"acc_device_t", "gangway::DeviceType"},
      {"acc_device_none", "gangway::DeviceType::none"},
      {"acc_device_host", "gangway::DeviceType::host"},
      {"acc_device_nvidia", "gangway::DeviceType::nvidia"},
      {"acc_device_radeon", "gangway::DeviceType::radeon"},
      {"acc_device_default", "gangway::device_type()"},
      {"acc_device_current", "gangway::device_type()"},
      {"acc_async_noval", "gangway::async_noval"},
      {"acc_async_sync", "gangway::async_sync"}};
  const auto found = names.find(name.name);
  if (name.stays || found == names.end())
    return "";
  return name.as_number && name.name.starts_with("acc_device_")
             ? "static_cast<int>(" + std::string(found->second) + ")"
             : std::string(found->second);
}

} // namespace gangway::port
