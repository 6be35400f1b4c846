// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/halo_way.hpp"

#include "base/errors.hpp"
#include "gangway/data.hpp"
#include "gangway/device.hpp"
#include "ranks/engine.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace gangway::ranks {

const char* name_of(Way way) {
  return way == Way::staged ? "staged" : "mpi";
}

WayChoice choose_way(const WayFacts& facts, const std::string& wanted) {
  if (!wanted.empty() && wanted != "mpi" && wanted != "staged")
    throw base::UsageError(
        fmt::format("GANGWAY_HALO={}: halos go one of two ways, mpi or staged", wanted));
  if (wanted == "staged")
    return {Way::staged, "GANGWAY_HALO says so"};
  if (!facts.separate_memory)
    return {Way::arrays, "kernels use the host's memory"};
  if (facts.cuda_device && facts.cuda_aware)
    return {Way::aware, "it says that it is CUDA-aware"};
  const std::string why_not = facts.cuda_device
                                  ? "this MPI does not say that it is CUDA-aware"
                                  : "MPI is asked whether it takes pointers of CUDA devices only";
  if (wanted == "mpi")
    throw base::UsageError(fmt::format(
        "GANGWAY_HALO=mpi: {}, and would take a device's pointer for the host's; leave the "
        "variable out, and halos go through host buffers",
        why_not));
  return {Way::staged, why_not};
}

const WayChoice& halo_choice() {
  static const WayChoice choice = [] {
    const char* const wanted = std::getenv("GANGWAY_HALO");
    const bool aware = world().size() > 1 && launched_engine()->is_cuda_aware();
    const WayFacts facts{.separate_memory = memory() != Memory::shared,
                         .cuda_device = device_type() == DeviceType::nvidia,
                         .cuda_aware = world().all(aware)};
    return choose_way(facts, wanted != nullptr ? wanted : "");
  }();
  return choice;
}

std::string text_of(const WayChoice& choice) {
  const char* how = "";
  switch (choice.way) {
  case Way::arrays:
    how = "MPI on the arrays themselves";
    break;
  case Way::aware:
    how = "MPI on device pointers";
    break;
  case Way::staged:
    how = has_device ? "through pinned host buffers" : "through host buffers";
    break;
  }
  return fmt::format("{} ({})", how, choice.because);
}

} // namespace gangway::ranks
