// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/watch.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gangway::ranks {

static std::atomic<int> waits_for_others{0};

Watch::Waiting::Waiting() {
  ++waits_for_others;
}
Watch::Waiting::~Waiting() {
  --waits_for_others;
}

Watch::Watch(std::string who, int status)
    : _who(std::move(who)), _status(status), _thread([this] { watch(); }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(_mutex);
    _over = true;
  }
  _changed.notify_all();
  _thread.join();
}

void Watch::begins(const std::string& what, std::chrono::milliseconds limit) {
  {
    const std::lock_guard lock(_mutex);
    _what = what;
    _limit = limit;
    _began = std::chrono::steady_clock::now();
    _armed = true;
  }
  _changed.notify_all();
}

void Watch::watch() {
  std::unique_lock lock(_mutex);
  while (!_over) {
    if (!_armed) {
      _changed.wait(lock);
      continue;
    }
    const auto began = _began;
    const bool waits = waits_for_others > 0;
    const auto end = began + _limit + (waits ? grace : std::chrono::milliseconds{0});
    if (std::chrono::steady_clock::now() < end) {
      _changed.wait_until(lock, end);
      continue;
    }
    // Write it as one text, without locks that another thread may hold: this process ends here.
    const std::string said = fmt::format(
        "{}: {} has not come to an end in {:.3g} s{}; all ranks are ended\n", _who, _what,
        std::chrono::duration<double>(_limit).count(), waits ? ", it waits for other ranks" : "");
    static_cast<void>(std::fputs(said.c_str(), stderr));
    std::_Exit(_status);
  }
}

} // namespace gangway::ranks
