// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <source_location>

#if __has_include(<openacc.h>)
#include <openacc.h>
#endif

/// One present table for a program in which some constructs are OpenACC's still and others Kokkos'
/// already, so that a port can go construct by construct.
namespace gangway {

/// The functions of an OpenACC runtime that Gangway calls, as OpenACC specifies them.
struct OpenAccRuntime {
  void (*map_data)(void* host, void* device, std::size_t bytes); ///< acc_map_data
  void (*unmap_data)(void* host);                                ///< acc_unmap_data
  bool (*is_present)(void* host, std::size_t bytes);             ///< acc_is_present
  void* (*device_pointer)(void* host);                           ///< acc_deviceptr
  void (*wait_all)();                                            ///< acc_wait_all
  bool uses_host_memory; ///< its kernels use the host's arrays in place
};

/// Shares the present table with `runtime` from now on:
///
/// - Clauses, updates and `device_pointer` find present what OpenACC holds on the device. The array
///   stays OpenACC's, and Gangway neither copies it out nor releases it.
/// - What Gangway's clauses bring, OpenACC finds present (acc_map_data). Where OpenACC uses the
///   host's memory, so do Gangway's clauses, in `Memory::separate` too.
/// - A clause or update waits for all queues of OpenACC. The end of a region waits for Kokkos'
///   kernels. Kernels outside of every region need a `Kokkos::fence` before the next OpenACC
///   construct.
///
/// Errors: DataError when Kokkos is not running, when an array is on the device already, and when
/// one model uses the host's memory and the other a device's.
void share_with_openacc(const OpenAccRuntime& runtime,
                        std::source_location where = std::source_location::current());

namespace detail {
/// Ends the sharing, for tests.
void stop_sharing_with_openacc();
} // namespace detail

#if __has_include(<openacc.h>)
/// Makes OpenACC use Kokkos' device, and shares the present table with its runtime. The program
/// calls it after Kokkos::initialize and before its first OpenACC construct, and links the OpenACC
/// compiler's runtime. It is there where the C++ compiler finds <openacc.h>.
inline void share_with_openacc(std::source_location where = std::source_location::current()) {
  if constexpr (has_device)
    acc_set_device_num(Kokkos::device_id(),
                       device_type() == DeviceType::nvidia ? acc_device_nvidia : acc_device_radeon);
  else
    acc_set_device_type(acc_device_host);
  double probe = 0;
  acc_create(&probe, sizeof probe);
  const bool uses_host_memory = acc_deviceptr(&probe) == &probe;
  acc_delete(&probe, sizeof probe);
  share_with_openacc(
      {.map_data = [](void* host, void* device,
                      std::size_t bytes) { acc_map_data(host, device, bytes); },
       .unmap_data = [](void* host) { acc_unmap_data(host); },
       .is_present = [](void* host, std::size_t bytes) { return acc_is_present(host, bytes) != 0; },
       .device_pointer = [](void* host) { return acc_deviceptr(host); },
       .wait_all = [] { acc_wait_all(); },
       .uses_host_memory = uses_host_memory},
      where);
}
#endif

} // namespace gangway
