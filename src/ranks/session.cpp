// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/session.hpp"

#include "base/child.hpp"
#include "base/exits.hpp"
#include "gangway/device.hpp"
#include "gangway/runtime.hpp"
#include "ranks/engine.hpp"
#include "ranks/halo_way.hpp"
#include "ranks/watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

namespace gangway::ranks {
namespace {

/// The time that a rank leaves to those before it, to report an error that all of them met.
constexpr std::chrono::milliseconds told_by_the_first{700};
/// The exit status of a rank that hangs: bad usage, as of every run that ends without results.
constexpr int hangs = 2;

Watch* watch = nullptr;
std::chrono::milliseconds limit = std::chrono::minutes(10);

} // namespace

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

Communicator& world() {
  static Communicator world;
  return world;
}

Session::Session(std::string name) : _name(std::move(name)) {
  if (Engine* const engine = launched_engine())
    world() = Communicator(engine->world());
  if (world().size() > 1) {
    _watch = std::make_unique<Watch>(who(), hangs);
    watch = _watch.get();
    base::ExitWatch::rename(who());
  }
}

Session::~Session() {
  watch = nullptr;
  _watch.reset();
  world() = Communicator();
  if (Engine* const engine = launched_engine())
    engine->leave();
}

std::string Session::who() const {
  return world().size() == 1 ? _name
                             : fmt::format("{}: rank {} of {} on {}", _name, world().rank(),
                                           world().size(), host_name());
}

void Session::speak_as_one() const {
  if (world().rank() == 0)
    return;
  std::fflush(stdout);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
}

void Session::end_all(const std::string& message, int status) const {
  if (world().rank() > 0)
    std::this_thread::sleep_for(told_by_the_first + std::chrono::milliseconds(20) * world().rank());
  if (!message.empty()) {
    const std::string said = fmt::format("{}: {}\n", world().rank() == 0 ? _name : who(), message);
    static_cast<void>(std::fputs(said.c_str(), stderr));
  }
  std::fflush(stdout);
  std::fflush(stderr);
  base::ExitWatch::stop(); // an MPI may end a process by calling exit
  if (Engine* const engine = launched_engine())
    engine->end(status);
  std::_Exit(status);
}

void begins(const std::string& what) {
  base::at_work_on(what);
  if (watch != nullptr)
    watch->begins(what, limit);
}

void set_time_limit(std::chrono::milliseconds longest) {
  limit = longest;
}

double memory_of_rank() {
  double available = usable_memory();
  if (world().size() > 1) {
    const int on_host = world().host_size();
    const int devices = std::max(Kokkos::num_devices(), 1);
    available = std::min(available / (has_device ? (on_host + devices - 1) / devices : on_host),
                         static_cast<double>(host_properties().free_memory) / on_host);
  }
  return world().smallest(available);
}

std::string processors_text(int each, int ranks_on_host, int of_host) {
  std::string told = fmt::format("{} of {} for each rank", each, of_host);
  if (each * ranks_on_host >= of_host)
    return told;
  return fmt::format(
      "{}, as its launcher has bound it; mpirun --bind-to none gives each its share, "
      "{}",
      told, std::max(of_host / ranks_on_host, 1));
}

std::vector<std::pair<std::string, std::string>> facts() {
  if (world().size() == 1)
    return {};
  const std::vector<std::string> hosts = world().gather(host_name());
  std::string device = host_properties().name;
  if (has_device)
    device = fmt::format("{}, number {} of {}", device_properties().name, Kokkos::device_id(),
                         Kokkos::num_devices());
  const std::vector<std::string> devices = world().gather(device);
  std::vector<std::string> each;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    each.push_back(fmt::format("{} on {}: {}", rank, hosts[rank], devices[rank]));
  const auto processors = static_cast<int>(world().smallest(base::processors_at_start()));
  const auto on_host = static_cast<int>(world().largest(world().host_size()));
  const auto of_host = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const auto different = std::set<std::string>(hosts.begin(), hosts.end()).size();
  return {{"ranks",
           fmt::format("{} on {} {}", hosts.size(), different, different == 1 ? "host" : "hosts")},
          {"rank devices", fmt::format("{}", fmt::join(each, "; "))},
          {"rank processors", processors_text(processors, on_host, of_host)},
          {"mpi", launched_engine()->name()},
          {"halos", text_of(halo_choice())}};
}

} // namespace gangway::ranks
