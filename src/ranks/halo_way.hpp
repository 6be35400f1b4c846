// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// The way that halos go between ranks whose arrays are in device memory: chosen once, when the
/// program runs, and the same on all ranks.
namespace gangway::ranks {

enum class Way {
  arrays, ///< MPI on the arrays themselves: kernels use the host's memory
  nccl,   ///< NCCL or RCCL on pointers into device memory, which every rank has found
  aware,  ///< MPI on pointers into device memory, of an MPI that says it takes them
  staged  ///< through host buffers, pinned where there is a device
};
/// Returns the way's name, as GANGWAY_HALO has it: "nccl", "staged", and "mpi" for the other two,
/// which are the same calls.
[[nodiscard]] const char* name_of(Way way);

/// The facts that decide between the ways.
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
/// Chooses the way that is `wanted`, or, if that is empty, the fastest. That is taken to be NCCL,
/// whose messages pass through no host. One rank takes any name. Errors: UsageError for another
/// word, for NCCL where it is missing, and for device pointers where MPI would take them for host
/// memory and crash.
[[nodiscard]] WayChoice choose_way(const WayFacts& facts, const std::string& wanted);

/// Returns the choice of this run, by the environment's GANGWAY_HALO: by default the fastest that
/// all ranks have. The first call is collective; the memory may not change after it. Errors: those
/// of `choose_way`.
[[nodiscard]] const WayChoice& halo_choice();
/// Describes the choice, such as "through pinned host buffers (this MPI takes no device pointers)".
[[nodiscard]] std::string text_of(const WayChoice& choice);

} // namespace gangway::ranks
