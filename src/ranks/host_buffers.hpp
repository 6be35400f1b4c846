// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

#include <vector>

/// The buffers and the queue for messages from device memory through the host (Way::staged).
namespace gangway::ranks {

#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
using BufferSpace = Kokkos::SharedHostPinnedSpace;
#else
using BufferSpace = Kokkos::HostSpace;
#endif

/// Makes a queue of its own on a device, whose copies wait for no kernel. On a host, kernels and
/// copies are done when they return.
[[nodiscard]] inline Kokkos::DefaultExecutionSpace own_queue() {
  if constexpr (has_device)
    return Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(),
                                                 std::vector<int>{1})[0];
  else
    return {};
}

} // namespace gangway::ranks
