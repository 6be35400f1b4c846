// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command_line.hpp"

#include <functional>
#include <string>

/// Set-up of programs that work alone and across ranks (`mpirun -n N program …`).
namespace gangway::apps {

/// Calls `work` on all ranks that were launched together, between the beginning and the end of MPI.
/// Without a launcher it works on this process alone, which then loads no MPI. Rank 0 speaks. An
/// error on any rank ends all, with one message and the status that it has on one rank. So does
/// work that was said to begin (ranks::begins) and has not ended in an hour, unless `work` sets
/// another limit. Returns the status that `work` returns. `name` and `interrupted` are those given
/// to `run`.
int across_ranks(const std::string& name, const std::string& interrupted,
                 const std::function<int()>& work);

/// Has Kokkos take this rank's device, unless the user says which.
void choose_device(Arguments& arguments);

/// Returns the signal that asked any rank to stop, if one did (base::stop_if_interrupted); 0
/// otherwise. All ranks call it and get the same.
[[nodiscard]] int signal_of_any_rank();

} // namespace gangway::apps
