// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/runtime.hpp"

#include <string_view>

namespace gangway::port {
namespace {

/// Returns whether the routine takes a device type.
bool names_device(Routine routine) {
  return routine == Routine::get_num_devices || routine == Routine::get_device_num ||
         routine == Routine::set_device_num || routine == Routine::set_device_type ||
         routine == Routine::get_property;
}

/// Says how to replace a call by hand if the translation keeps it; empty if it does not.
std::string_view why_stays(const RuntimeCall& call) {
  constexpr std::string_view unknown = "gangway/runtime.hpp has a table of all routines";
  if (!call.routine)
    return unknown;
  const Routine routine = *call.routine;
  const RoutineRule& rule = rule_of(routine);
  if (rule.outcome == Outcome::refused)
    return rule.becomes;
  if (rule.form.empty())
    return unknown;
  if (call.macro)
    return "write the macro out";
  if (call.as_truth && routine == Routine::get_device_type)
    return "compare it with a device type: here the host's is 0";
  if (names_device(routine) &&
      (call.device == "acc_device_none" ||
       (call.device == "acc_device_host" && routine != Routine::get_num_devices)))
    return "Kokkos knows of the devices of its own backend";
  if (routine == Routine::get_property && call.property != "acc_property_memory" &&
      call.property != "acc_property_free_memory")
    return rule_of(Routine::get_property_string).becomes;
  return "";
}

} // namespace

std::pair<bool, Message> decide_runtime_call(const RuntimeCall& call) {
  if (const std::string_view by_hand = why_stays(call); !by_hand.empty())
    return {false, say<Code::stays>(call.name).by(by_hand)};
  const RoutineRule& rule = rule_of(*call.routine);
  std::string_view check = rule.check;
  if (check.empty() && call.device.empty() && names_device(*call.routine))
    check = "the type that it is asked for has to be that of Kokkos' own device";
  return {true, check.empty() ? say<Code::becomes>(call.name, rule.becomes)
                              : say<Code::becomes_if>(call.name, rule.becomes).by(check)};
}

} // namespace gangway::port
