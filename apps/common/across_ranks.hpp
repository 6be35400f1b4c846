// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command_line.hpp"

#include <functional>
#include <string>

/// What a program does to work alone and across ranks (`mpirun -n N program …`).
namespace gangway::apps {

/// `work` on all ranks that were launched together, between the beginning and the end of MPI;
/// without a launcher on this process alone, which then loads no MPI. Rank 0 speaks, and an error
/// on any rank ends all, with one message and the status that it has on one; so does what is said
/// to begin (ranks::begins) and has not ended in an hour, unless `work` sets another limit. Returns
/// the status that `work` returns. `name` and `interrupted` are those given to `run`.
int across_ranks(const std::string& name, const std::string& interrupted,
                 const std::function<int()>& work);

/// Has Kokkos take the device that is this rank's, unless the user says which.
void choose_device(Arguments& arguments);

/// The signal that asked any rank to stop, if one did (base::stop_if_interrupted); 0 otherwise. The
/// same on all. Of all ranks.
[[nodiscard]] int signal_of_any_rank();

} // namespace gangway::apps
