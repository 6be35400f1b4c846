// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/signals.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace gangway::base {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

/// The message, made beforehand since a handler cannot, and never destroyed since a signal may come
/// late.
const std::string* waiting = nullptr;

void on_signal(int signal) {
  signal_seen = signal;
  std::signal(signal, SIG_DFL); // the next one ends the process at once
  alarm(1);
}

void on_alarm(int) {
  const int before = errno;
  static_cast<void>(!write(STDERR_FILENO, waiting->data(), waiting->size()));
  errno = before;
}

} // namespace

void catch_signals(const std::string& program) {
  if (waiting == nullptr)
    waiting = new std::string((isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "") + program +
                              ": interrupted; waiting for the kernel that runs, which cannot be "
                              "stopped (a second signal ends the program at once)\n");
  std::signal(SIGALRM, on_alarm);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

void stop_if_interrupted() {
  if (const int signal = signal_seen; signal != 0) {
    alarm(0);
    throw Interrupted(signal);
  }
}

void forget_signal() {
  signal_seen = 0;
}

} // namespace gangway::base
