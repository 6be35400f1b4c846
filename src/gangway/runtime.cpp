// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/runtime.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace gangway {
namespace {

/// A field of /proc/cpuinfo, of the first processor.
std::string processor_field(const std::string& name) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with(name))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return {};
}

std::size_t pages(int which) {
  const long number = sysconf(which);
  const long size = sysconf(_SC_PAGESIZE);
  return number > 0 && size > 0 ? static_cast<std::size_t>(number) * static_cast<std::size_t>(size)
                                : 0;
}

/// What the kernel thinks programs can have without swapping: more than what lies idle.
std::size_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  std::size_t kib = 0;
  std::string unit;
  while (meminfo >> name >> kib && std::getline(meminfo, unit))
    if (name == "MemAvailable:")
      return kib * 1024;
  return pages(_SC_AVPHYS_PAGES);
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
/// 13000 is 13.0: CUDA counts so.
[[maybe_unused]] std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}
#endif

} // namespace

double usable_memory() {
  std::size_t bytes = host_properties().free_memory;
  if (const std::size_t device = device_properties().free_memory; device > 0)
    bytes = std::min(bytes, device);
  // A host that plays a device keeps a second copy of each array for it.
  if (!DefaultDevice::has_own_memory && memory() == Memory::separate)
    bytes /= 2;
  return static_cast<double>(bytes);
}

const char* name_of(DeviceType type) {
  switch (type) {
  case DeviceType::host:
    return "host";
  case DeviceType::nvidia:
    return "nvidia";
  case DeviceType::radeon:
    return "radeon";
  case DeviceType::other:
    return "other";
  }
  return "";
}

void detail::require_success(int error, const char* what, const char* words) {
  if (error != 0)
    throw RuntimeError(std::string(what) + ": " + words);
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

DeviceProperties host_properties() {
  utsname system{};
  uname(&system);
  DeviceProperties host;
  host.name = processor_field("model name");
  if (host.name.empty())
    host.name = system.machine;
  host.vendor = processor_field("vendor_id");
  host.driver = std::string(system.sysname) + " " + system.release;
  host.memory = pages(_SC_PHYS_PAGES);
  host.free_memory = available_memory();
  return host;
}

DeviceProperties device_properties() {
  if (!Kokkos::is_initialized() || Kokkos::is_finalized())
    throw RuntimeError("device_properties: Kokkos is not running, and has no device; initialise it "
                       "first");
  if (!has_device)
    return host_properties();
  DeviceProperties device;
  device.type = device_type<>();
#if defined(KOKKOS_ENABLE_CUDA)
  const auto require = [](cudaError_t state) {
    detail::require_success(state, "device_properties", cudaGetErrorString(state));
  };
  int driver = 0;
  require(cudaDriverGetVersion(&driver));
  require(cudaMemGetInfo(&device.free_memory, &device.memory));
  device.name = Kokkos::Cuda().cuda_device_prop().name;
  device.vendor = "NVIDIA";
  device.driver = version_text(driver);
#elif defined(KOKKOS_ENABLE_HIP)
  const auto require = [](hipError_t state) {
    detail::require_success(state, "device_properties", hipGetErrorString(state));
  };
  int driver = 0;
  require(hipDriverGetVersion(&driver));
  require(hipMemGetInfo(&device.free_memory, &device.memory));
  device.name = Kokkos::HIP().hip_device_prop().name;
  device.vendor = "AMD";
  device.driver = std::to_string(driver);
#else
  device.name = Kokkos::DefaultExecutionSpace::name();
#endif
  return device;
}

} // namespace gangway
