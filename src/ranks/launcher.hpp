// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <string_view>

/// The variables by which launchers of MPI describe a run to a process, before it calls MPI.
namespace gangway::ranks {

/// Returns the value of a variable, looked up by `variable` as std::getenv does; -1 without a
/// number.
template <class Lookup>
[[nodiscard]] int number_of(const Lookup& variable, const char* name) {
  const char* const value = variable(name);
  if (value == nullptr)
    return -1;
  const std::string_view text = value;
  int number = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() ? number : -1;
}

/// Returns how many ranks were launched; 0 for a process that was started without a launcher. It
/// knows Open MPI's mpirun, MPICH's and Intel's (PMI), and launchers by PMIx, of which the number
/// is not known (1).
template <class Lookup>
[[nodiscard]] int launched_ranks(const Lookup& variable) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const int ranks = number_of(variable, name); ranks > 0)
      return ranks;
  return number_of(variable, "PMIX_RANK") >= 0 ? 1 : 0;
}

/// Returns how many of them are on this host, as far as the launcher says; 1 where it does not.
template <class Lookup>
[[nodiscard]] int launched_on_host(const Lookup& variable) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    if (const int ranks = number_of(variable, name); ranks > 0)
      return ranks;
  return 1;
}

} // namespace gangway::ranks
