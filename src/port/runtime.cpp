// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/runtime.hpp"

#include <map>
#include <string_view>

namespace gangway::port {
namespace {

/// The type of device that a routine is asked for is Kokkos' own, or the routine stays.
void choose_device(const RuntimeCall& call, RuntimeText& made) {
  const Routine name = *call.routine;
  const bool is_count = name == Routine::get_num_devices;
  if (!is_count && name != Routine::get_device_num && name != Routine::set_device_num &&
      name != Routine::set_device_type && name != Routine::get_property)
    return;
  if (call.device == "acc_device_none" || (call.device == "acc_device_host" && !is_count)) {
    made.text.clear();
    made.by_hand = "Kokkos knows of the devices of its own backend";
  } else if (name == Routine::get_property && call.property != "acc_property_memory" &&
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
  RuntimeText made;
  made.by_hand = "gangway/runtime.hpp has a table of all routines";
  if (!call.routine)
    return made;
  const Routine name = *call.routine;
  const RoutineRule& rule = rule_of(name);
  made.becomes = rule.becomes;
  if (rule.outcome == Outcome::refused)
    made.by_hand = rule.becomes;
  if (rule.form.empty())
    return made;
  if (call.macro) {
    made.by_hand = "write the macro out";
    return made;
  }
  if (call.as_truth && name == Routine::get_device_type) {
    made.by_hand = "compare it with a device type: here the host's is 0";
    return made;
  }
  made.text = rule.form;
  made.assumed = !rule.check.empty();
  if (made.assumed)
    made.by_hand = rule.check;
  choose_device(call, made);
  if (name == Routine::on_device && call.device == "acc_device_not_host")
    made.text = "!gangway::on_device(gangway::DeviceType::host)";
  if (name == Routine::get_property && !made.text.empty())
    made.text += call.property == "acc_property_memory" ? "memory" : "free_memory";
  if (rule.gives_view && call.used)
    made.text += ".data()";
  if (call.as_number && name == Routine::get_device_type)
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
