// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// Which way halos go between ranks whose arrays are in device memory: chosen once, when the
/// program runs, and the same on all ranks.
namespace gangway::ranks {

enum class Way {
  arrays, ///< MPI on the arrays themselves: kernels use the host's memory
  nccl,   ///< NCCL or RCCL on pointers into device memory, which every rank has found
  aware,  ///< MPI on pointers into device memory, of an MPI that says it takes them
  staged  ///< through host buffers, pinned where there is a device
};
/// "nccl", "staged", and "mpi" for the other two, which are the same calls: as GANGWAY_HALO names
/// them.
[[nodiscard]] const char* name_of(Way way);

/// What decides.
struct WayFacts {
  bool alone = false;           ///< one rank, which exchanges nothing
  bool separate_memory = false; ///< kernels use a memory that is not the host's
  bool cuda_device = false;     ///< it is an NVIDIA device's
  bool cuda_aware = false;      ///< MPI said that it takes pointers into it
  std::string nccl = {};        ///< name and version, where all ranks can use it
  std::string why_no_nccl = {}; ///< where they cannot, or were not asked
};

struct WayChoice {
  Way way = Way::arrays;
  std::string because; ///< why not a faster one, or why this
};
/// `wanted` is a name, or empty: the fastest there is, which is taken to be NCCL, whose messages
/// need no host on their way. One rank takes any name. Errors: UsageError for another word, for
/// NCCL where it is not to be had, and for device pointers where MPI would take them for host
/// memory and crash.
[[nodiscard]] WayChoice choose_way(const WayFacts& facts, const std::string& wanted);

/// Of this run, wanted by the environment's GANGWAY_HALO: the fastest that all ranks have. Of all
/// ranks when it is asked first; the memory may not change afterwards. Errors: those of
/// `choose_way`.
[[nodiscard]] const WayChoice& halo_choice();
/// Such as "through pinned host buffers (this MPI takes no device pointers)".
[[nodiscard]] std::string text_of(const WayChoice& choice);

} // namespace gangway::ranks
