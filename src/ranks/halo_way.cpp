// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/halo_way.hpp"

#include "base/errors.hpp"
#include "gangway/data.hpp"
#include "gangway/device.hpp"
#include "ranks/engine.hpp"
#include "ranks/nccl.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace gangway::ranks {

const char* name_of(Way way) {
  return way == Way::staged ? "staged" : way == Way::nccl ? "nccl" : "mpi";
}

WayChoice choose_way(const WayFacts& facts, const std::string& wanted) {
  const bool wants_nccl = wanted == "nccl" && !facts.alone;
  const bool wants_mpi = wanted == "mpi" && !facts.alone;
  if (!wanted.empty() && wanted != "nccl" && wanted != "mpi" && wanted != "staged")
    throw base::UsageError(
        fmt::format("GANGWAY_HALO={}: halos go one of three ways, nccl, mpi or staged", wanted));
  if (wanted == "staged")
    return {Way::staged, "GANGWAY_HALO says so"};
  if (wants_nccl && facts.nccl.empty())
    throw base::UsageError(
        fmt::format("GANGWAY_HALO=nccl: {}; leave the variable out, and halos go another way",
                    facts.why_no_nccl));
  if (wants_nccl)
    return {Way::nccl, facts.nccl + ", GANGWAY_HALO says so"};
  if (!facts.separate_memory)
    return {Way::arrays, "kernels use the host's memory"};
  if (!wants_mpi && !facts.nccl.empty())
    return {Way::nccl, facts.nccl};
  const std::string without_nccl = facts.why_no_nccl.empty() ? "" : "; " + facts.why_no_nccl;
  if (facts.cuda_device && facts.cuda_aware)
    return {Way::aware, "it says that it is CUDA-aware" + without_nccl};
  const std::string why_not = facts.cuda_device
                                  ? "this MPI does not say that it is CUDA-aware"
                                  : "MPI is asked whether it takes pointers of CUDA devices only";
  if (wants_mpi)
    throw base::UsageError(fmt::format(
        "GANGWAY_HALO=mpi: {}, and would take a device's pointer for the host's; leave the "
        "variable out, and halos go another way",
        why_not));
  return {Way::staged, why_not + without_nccl};
}

const WayChoice& halo_choice() {
  static const WayChoice choice = [] {
    const char* const named = std::getenv("GANGWAY_HALO");
    const std::string wanted = named != nullptr ? named : "";
    const bool alone = world().size() == 1;
    const bool aware = !alone && launched_engine()->is_cuda_aware();
    WayFacts facts{.alone = alone,
                   .separate_memory = memory() != Memory::shared,
                   .cuda_device = device_type() == DeviceType::nvidia,
                   .cuda_aware = world().all(aware)};
    // Load NCCL only where it would be chosen.
    if (!alone && (wanted == "nccl" || (wanted.empty() && has_device))) {
      facts.why_no_nccl = why_no_nccl();
      if (facts.why_no_nccl.empty())
        facts.nccl = nccl_name();
    }
    return choose_way(facts, wanted);
  }();
  return choice;
}

std::string text_of(const WayChoice& choice) {
  const char* how = "";
  switch (choice.way) {
  case Way::arrays:
    how = "MPI on the arrays themselves";
    break;
  case Way::nccl:
    how = "NCCL on device pointers";
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
