// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/signals.hpp"

#include <csignal>

namespace gangway::base {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

void on_signal(int signal) {
  signal_seen = signal;
  std::signal(signal, SIG_DFL); // the next one ends the process at once
}

} // namespace

void catch_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

void stop_if_interrupted() {
  if (const int signal = signal_seen; signal != 0)
    throw Interrupted(signal);
}

} // namespace gangway::base
