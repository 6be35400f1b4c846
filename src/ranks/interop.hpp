// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"

#include <optional>
#include <string>

/// The handles that a library without Kokkos, such as NCCL, needs to work beside it on the same
/// device: which device that is, and a queue's stream in the vendor's runtime.
namespace gangway::ranks {

/// Returns the place of the default execution space's device on its host's bus, such as
/// "0000:1B:00.0". Two processes of a host that get the same have the same device. Empty for hosts,
/// and for devices that are neither NVIDIA's nor AMD's. Errors: as `device_properties`.
[[nodiscard]] std::string bus_id();

/// Returns the cudaStream_t or hipStream_t of a queue; null on other devices and on hosts.
[[nodiscard]] void* stream_of(const Kokkos::DefaultExecutionSpace& queue);

/// A queue whose kernels start on the device before those of others that wait for room too. It is
/// for messages, whose small kernels would otherwise start when a large one ends. On devices that
/// are neither NVIDIA's nor AMD's, and on hosts, it is the default queue. It has to end before
/// Kokkos.
class UrgentQueue {
public:
  /// Errors: RuntimeError with the runtime's words.
  UrgentQueue();
  ~UrgentQueue();
  UrgentQueue(const UrgentQueue&) = delete;
  UrgentQueue& operator=(const UrgentQueue&) = delete;

  [[nodiscard]] const Kokkos::DefaultExecutionSpace& queue() const { return *_queue; }

private:
  void* _stream = nullptr;
  std::optional<Kokkos::DefaultExecutionSpace> _queue;
};

} // namespace gangway::ranks
