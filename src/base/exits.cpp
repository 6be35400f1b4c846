// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/exits.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace gangway::base {
namespace {

/// A text in plain arrays, which a handler may read whenever it is called, also while statics are
/// destroyed. There are two, so that one is whole while the other is written.
template <std::size_t longest>
class Text {
public:
  void set(std::string_view text) {
    std::array<char, longest + 1>& other = _texts[1 - _current];
    const std::size_t length = std::min(text.size(), other.size() - 1);
    text.copy(other.data(), length);
    other[length] = '\0';
    _current = 1 - _current;
  }
  [[nodiscard]] const char* get() const { return _texts[_current].data(); }

private:
  std::array<std::array<char, longest + 1>, 2> _texts{};
  std::atomic<int> _current{0};
};

constinit Text<400> named;
constinit Text<400> work;
constinit Text<2000> failure;
std::atomic<bool> watching{false};
std::atomic<int> status_instead{0};

void put(const char* text) {
  static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
}

/// Writes the message, by calls that a signal's handler may make.
void say(const char* how) {
  put(isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "");
  if (*failure.get() != '\0') {
    put(named.get());
    put(": ");
    put(failure.get());
    put("\n");
  }
  put(named.get());
  put(how);
  if (*work.get() != '\0') {
    put(" while it was at work on ");
    put(work.get());
  }
  put("; why stands above, if anything does. Results that were not written before are lost, and no "
      "file was left half-written\n");
}

void on_exit_of_a_library(int status, void* /*nothing*/) {
  // Kokkos ends a program whose user asked it for help.
  const bool asked_for = status == 0 && *work.get() == '\0';
  if (asked_for || !watching.exchange(false))
    return;
  std::fflush(stdout);
  say(": a library ended the program");
  // The rest of the end would ask the lost device, and is left out; a timing report is still
  // written.
  std::quick_exit(status_instead);
}

struct sigaction before_the_watch{};

void on_abort(int signal, siginfo_t* info, void* context) {
  if (!watching.exchange(false)) { // as if there were no watch
    sigaction(SIGABRT, &before_the_watch, nullptr);
    std::raise(SIGABRT);
    return;
  }
  say(": the program was aborted");
  // A tool that was loaded before the program began, such as the timing report by ACC_PROFLIB, has
  // one. When it has raised the signal again it is back here: in its own handler a signal waits.
  if ((before_the_watch.sa_flags & SA_SIGINFO) != 0)
    before_the_watch.sa_sigaction(signal, info, context);
  else if (before_the_watch.sa_handler != SIG_DFL && before_the_watch.sa_handler != SIG_IGN)
    before_the_watch.sa_handler(signal);
  _Exit(status_instead);
}

void watch_for_abort() {
  struct sigaction now{};
  sigaction(SIGABRT, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_abort)
    return;
  before_the_watch = now;
  struct sigaction ours{};
  ours.sa_sigaction = on_abort;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGABRT, &ours, nullptr);
}

} // namespace

void at_work_on(const std::string& what) {
  work.set(what);
}

std::string at_work() {
  return work.get();
}

ExitWatch::ExitWatch(const std::string& program, int status) {
  rename(program);
  status_instead = status;
  watching = true;
  watch_for_abort();
  renew();
}

ExitWatch::~ExitWatch() {
  stop();
}

void ExitWatch::stop() {
  // The handler stays: a tool that was loaded since may have put its own before it.
  watching = false;
  work.set("");
  failure.set("");
}

void ExitWatch::rename(const std::string& program) {
  named.set(program);
}

void ExitWatch::failing(const std::string& message) {
  failure.set(message);
}

void ExitWatch::renew() {
  on_exit(on_exit_of_a_library, nullptr);
}

} // namespace gangway::base
