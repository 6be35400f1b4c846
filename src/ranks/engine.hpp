// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

#include <string>

/// What communicator_mpi.cpp does with MPI, and communicator_alone.cpp does without.
namespace gangway::ranks {

/// Joins the ranks that a launcher started, if it did. Errors: UsageError where several were
/// launched and this build has no MPI.
void join_launched();
/// All ranks; this process alone if it was not launched. After `join_launched`.
[[nodiscard]] Communicator launched_world();
/// Leaves the other ranks in order; all do.
void leave_launched();
/// Ends all ranks at once with this status.
[[noreturn]] void end_launched(int status);

/// Such as "Open MPI v5.0.8"; empty for a process that was not launched.
[[nodiscard]] std::string engine_name();
/// Whether MPI says that it takes pointers into the memory of CUDA devices.
[[nodiscard]] bool engine_is_cuda_aware();

} // namespace gangway::ranks
