// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/queues.hpp"

#include <map>
#include <mutex>

namespace gangway {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

struct Queues {
  std::mutex mutex;
  std::map<long, Space> instances;
};
Queues& queues() {
  static Queues all;
  return all;
}

/// The default queue of this host thread, because OpenACC has one for each.
thread_local long default_number = 0;

} // namespace

int default_queue() {
  return static_cast<int>(default_number);
}

void set_default_queue(long number) {
  default_number = number == async_noval ? 0 : number;
}

Space queue(long number) {
  if (!Kokkos::is_initialized())
    throw RuntimeError("queue: Kokkos is not running");
  if constexpr (!detail::is_device<Space>) {
    return {};
  } else {
    Space().fence("gangway: queue");
    if (number == async_noval)
      number = default_number;
    if (number == async_sync)
      return {};
    constexpr long most = 16;
    const long place = number < 0 ? number : number % most;
    Queues& all = queues();
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.instances.find(place); found != all.instances.end())
      return found->second;
    if (all.instances.empty()) // instances do not outlive Kokkos
      Kokkos::push_finalize_hook([] { queues().instances.clear(); });
    return all.instances.emplace(place, Kokkos::Experimental::partition_space(Space(), 1)[0])
        .first->second;
  }
}

} // namespace gangway
