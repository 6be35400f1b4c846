// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interface of an OpenACC library to the referee, for studies that went through `gangway port`:
// their runtime is Gangway.
#include "openacc/runtime.h"

#include "gangway/data.hpp"
#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace {

/// Returns the device's name, which lives as long as the library.
const std::string& device_name() {
  static const std::string name = gangway::device_properties().name;
  return name;
}

} // namespace

extern "C" {

/// Returns the number of devices. By this name the referee finds out whose runtime a library has;
/// GCC's, which comes with OpenMP, is in the process, too.
int acc_get_num_devices(int /*type*/) {
  return gangway::has_device ? 1 : 0; // Kokkos has the one that it was given
}

int gangway_openacc_abi(void) {
  return GANGWAY_OPENACC_ABI;
}

/// Returns 0, because the translated library has no OpenACC left.
int gangway_openacc_version(void) {
  return 0;
}

const void* gangway_openacc_runtime(void) {
  return reinterpret_cast<const void*>(&acc_get_num_devices);
}

int gangway_openacc_gpu_count(void) {
  return acc_get_num_devices(0);
}

int gangway_openacc_select(int device) {
  return device == (gangway::has_device ? Kokkos::device_id() : -1) ? 0 : 1;
}

const char* gangway_openacc_ran_on(void) {
  return gangway::name_of(gangway::device_type<>());
}

void gangway_openacc_map(void* host, void* device, std::size_t bytes) {
  gangway::map_data(host, device, bytes);
}

void gangway_openacc_unmap(void* host) {
  gangway::unmap_data(host);
}

int gangway_openacc_is_present(void* host, std::size_t bytes) {
  return gangway::detail::is_present_bytes(host, bytes) ? 1 : 0;
}

void gangway_openacc_memory(std::size_t* total, std::size_t* free) {
  const gangway::DeviceProperties properties = gangway::device_properties();
  *total = properties.memory;
  *free = properties.free_memory;
}

const char* gangway_openacc_device_name(void) {
  return device_name().c_str();
}

int gangway_openacc_get_transfers(struct gangway_openacc_transfers* transfers) {
  const gangway::Transfers counted = gangway::transfers();
  transfers->to_device = counted.to_device;
  transfers->to_host = counted.to_host;
  transfers->bytes_to_device = counted.bytes_to_device;
  transfers->bytes_to_host = counted.bytes_to_host;
  return !gangway::has_device && gangway::memory() != gangway::Memory::shared ? 2 : 1;
}

/// Returns no launches, because Kokkos' ranges have no gangs to report.
int gangway_openacc_get_launches(struct gangway_openacc_launches* /*launches*/) {
  return 0;
}

void gangway_openacc_clear_launches(void) {}

} // extern "C"
