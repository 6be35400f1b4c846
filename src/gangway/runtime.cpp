// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/runtime.hpp"

#include <string>

namespace gangway {

double usable_memory() {
  std::size_t bytes = host_properties().free_memory;
  const DeviceProperties device = device_properties();
  // A device that does not say what is free says how much it has.
  if (const std::size_t most = device.free_memory > 0 ? device.free_memory : device.memory;
      most > 0)
    bytes = std::min(bytes, most);
  // A host that plays a device keeps a second copy of each array for it.
  if (!has_device && memory() != Memory::shared)
    bytes /= 2;
  return static_cast<double>(bytes);
}

Kokkos::InitializationSettings select_device(int number) {
  const std::string wanted = "select_device: number " + std::to_string(number);
  const int devices = has_device ? Kokkos::num_devices() : 1;
  if (number < 0 || number >= devices)
    throw RuntimeError(wanted +
                       (devices == 1 ? " is not there; the one device is number 0"
                                     : " is not there; devices are numbered from 0 to " +
                                           std::to_string(devices - 1)) +
                       (has_device ? "" : ", the host"));
  if (Kokkos::is_finalized())
    throw RuntimeError(wanted + ": Kokkos was finalised and does not come back");
  Kokkos::InitializationSettings settings;
  if (!has_device)
    return settings;
  if (Kokkos::is_initialized() && number != Kokkos::device_id())
    throw RuntimeError(wanted + ": Kokkos runs on number " + std::to_string(Kokkos::device_id()) +
                       " since it was initialised, and keeps it; give the number to "
                       "Kokkos::initialize, or start with --kokkos-device-id=" +
                       std::to_string(number));
  settings.set_device_id(number);
  return settings;
}

} // namespace gangway
