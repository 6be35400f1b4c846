// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// Which way halos go between ranks whose arrays are in device memory: chosen once, when the
/// program runs, and the same on all ranks.
namespace gangway::ranks {

enum class Way {
  arrays, ///< MPI on the arrays themselves: kernels use the host's memory
  aware,  ///< MPI on pointers into device memory, of an MPI that says it takes them
  staged  ///< through host buffers, pinned where there is a device
};
/// "mpi" for the first two, which are the same calls, and "staged": as GANGWAY_HALO names them.
[[nodiscard]] const char* name_of(Way way);

/// What decides.
struct WayFacts {
  bool separate_memory = false; ///< kernels use a memory that is not the host's
  bool cuda_device = false;     ///< it is an NVIDIA device's
  bool cuda_aware = false;      ///< MPI said that it takes pointers into it
};

struct WayChoice {
  Way way = Way::arrays;
  std::string because; ///< why not a faster one, or why this
};
/// `wanted` is a name, or empty: the fastest there is. Errors: UsageError for another word, and for
/// device pointers where MPI would take them for host memory and crash.
[[nodiscard]] WayChoice choose_way(const WayFacts& facts, const std::string& wanted);

/// Of this run, wanted by the environment's GANGWAY_HALO: the fastest that all ranks have. Of all
/// ranks when it is asked first; the memory may not change afterwards. Errors: those of
/// `choose_way`.
[[nodiscard]] const WayChoice& halo_choice();
/// Such as "through pinned host buffers (this MPI takes no device pointers)".
[[nodiscard]] std::string text_of(const WayChoice& choice);

} // namespace gangway::ranks
