// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "across_ranks.hpp"

#include "base/signals.hpp"
#include "gangway/device.hpp"
#include "ranks/session.hpp"

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace gangway::apps {

int across_ranks(const std::string& name, const std::string& interrupted,
                 const std::function<int()>& work) {
  const ranks::Session session(name);
  if (ranks::world().size() == 1)
    return work();
  ranks::set_time_limit(std::chrono::hours(1)); // what is begun may be a large file
  session.speak_as_one();
  if (ranks::world().rank() > 0)
    be_silent();
  try {
    return work();
  } catch (...) {
    // Others may wait for this rank: leaving in order would wait for them.
    const Ending end = ending(interrupted);
    session.end_all(end.message, end.status);
  }
}

void choose_device(Arguments& arguments) {
  if (!has_device || ranks::world().size() == 1 || arguments.has_for_kokkos("--kokkos-device-id") ||
      arguments.has_for_kokkos("--kokkos-map-device-id-by"))
    return;
  for (const char* name : {"KOKKOS_DEVICE_ID", "KOKKOS_MAP_DEVICE_ID_BY", "KOKKOS_VISIBLE_DEVICES"})
    if (std::getenv(name) != nullptr)
      return;
  arguments.add_for_kokkos(
      fmt::format("--kokkos-device-id={}",
                  ranks::device_of(ranks::world().host_rank(), Kokkos::num_devices())));
}

int signal_of_any_rank() {
  int signal = 0;
  try {
    base::stop_if_interrupted();
  } catch (const base::Interrupted& interrupted) {
    signal = interrupted.signal();
  }
  return static_cast<int>(ranks::world().largest(signal));
}

} // namespace gangway::apps
