// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/emit/runtime.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace gangway::port {
namespace {

std::string name_text(const RuntimeName& name) {
  const std::string text(runtime_name(name.name));
  return name.as_number && name.name.starts_with("acc_device_") ? "static_cast<int>(" + text + ")"
                                                                : text;
}

/// Returns the table's form, adapted to the device type or property that this call asks for.
std::string form_of(const RuntimeCall& call) {
  const Routine routine = *call.routine;
  std::string form(rule_of(routine).form);
  if (routine == Routine::get_num_devices && call.device == "acc_device_host")
    form = "1";
  else if (routine == Routine::get_num_devices &&
           (call.device == "acc_device_current" || call.device == "acc_device_default"))
    form = "Kokkos::max(Kokkos::num_devices(), 1)"; // the host is one
  else if (routine == Routine::on_device && call.device == "acc_device_not_host")
    form = "!gangway::on_device(gangway::DeviceType::host)";
  else if (routine == Routine::get_property)
    form += call.property == "acc_property_memory" ? "memory" : "free_memory";
  if (rule_of(routine).gives_view && call.used)
    form += ".data()";
  return call.as_number && routine == Routine::get_device_type ? "static_cast<int>(" + form + ")"
                                                               : form;
}

bool counted(const RuntimeCall& call) {
  return call.constant > 0 || call.count.end != 0;
}

std::string device_argument(const Writer& to, const RuntimeCall& call) {
  const std::string_view named = runtime_name(call.device);
  return named.empty()
             ? fmt::format("static_cast<gangway::DeviceType>({})", to.edits.text(call.arguments[0]))
             : std::string(named);
}

std::string call_text(const Writer& to, const RuntimeCall& call) {
  const std::string form = form_of(call);
  std::string text;
  for (std::size_t at = 0; at < form.size(); ++at)
    if (form[at] != '$')
      text += form[at];
    else if (const char what = form[++at]; what == 'p')
      text += counted(call) ? to.edits.text(call.arguments[0])
                            : fmt::format("reinterpret_cast<{}char*>({})",
                                          call.element.starts_with("const ") ? "const " : "",
                                          to.edits.text(call.arguments[0]));
    else if (what == '&')
      text += to.edits.text(call.plain[0]);
    else if (what == 'd')
      text += device_argument(to, call);
    else if (what == 'n')
      text += call.constant > 0     ? std::to_string(call.constant)
              : call.count.end != 0 ? to.edits.text(call.count)
                                    : to.edits.text(call.arguments[1]);
    else
      text += to.edits.text(call.arguments[static_cast<std::size_t>(what - '0')]);
  return text;
}

} // namespace

void replace_runtime_calls(Writer& to) {
  for (std::size_t i = 0; i < to.unit.device_names.size(); ++i)
    if (to.plan.names[i])
      to.edits.replace(to.unit.device_names[i].span, name_text(to.unit.device_names[i]));
  // Inner calls come first, because their text is part of the call around them.
  for (std::size_t i = to.unit.runtime_calls.size(); i-- > 0;)
    if (to.plan.runtime[i]) {
      const RuntimeCall& call = to.unit.runtime_calls[i];
      to.edits.replace(call.whole, call_text(to, call));
    }
}

} // namespace gangway::port
