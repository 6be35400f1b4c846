// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lifetime.hpp"

#include "device_clock.hpp"
#include "recorder.hpp"
#include "report.hpp"
#include "writer.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace gangway::acc_time {

Settings settings;
bool recording = false;

namespace {

void warn(const std::string& text) {
  std::fprintf(stderr, "gangway-acc-time: %s\n", text.c_str());
}

void store(std::array<char, 4096>& to, const std::string& text) {
  std::strncpy(to.data(), text.c_str(), to.size() - 1);
}

/// Stores the file named after "text:" or "json:" as an absolute path, because the program may
/// change its directory. The process number replaces %p, because several processes may run.
void set_path(const std::string& name) {
  std::string path;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '%' && i + 1 < name.size() && name[i + 1] == 'p') {
      path += std::to_string(settings.process);
      ++i;
    } else {
      path += name[i];
    }
  }
  if (path[0] != '/') {
    std::array<char, 4096> directory{};
    if (getcwd(directory.data(), directory.size()) != nullptr)
      path.insert(0, std::string(directory.data()) + "/");
  }
  // A link stays a link, because the report replaces its target.
  if (std::array<char, PATH_MAX> target{}; realpath(path.c_str(), target.data()) != nullptr)
    path = target.data();
  if (path.size() >= settings.path.size()) {
    warn(
        "GANGWAY_ACC_TIME: the file's name is too long; the report will be text on standard error");
    settings.output = Settings::Output::text;
    return;
  }
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  if (access(directory.c_str(), W_OK) != 0)
    warn("GANGWAY_ACC_TIME: cannot write to " + directory + ": " + std::strerror(errno));
  store(settings.path, path);
}

void read_settings() {
  settings.process = getpid();
  settings.started = now();
  if (readlink("/proc/self/exe", settings.program.data(), settings.program.size() - 1) < 0)
    store(settings.program, "unknown");

  if (const char* value = std::getenv("GANGWAY_ACC_TIME"); value != nullptr && *value != '\0') {
    const std::string wanted = value;
    if (wanted == "off" || wanted == "0")
      settings.output = Settings::Output::none;
    else if (wanted.starts_with("json:") && wanted.size() > 5)
      settings.output = Settings::Output::json;
    else if (wanted != "text" && wanted != "1" &&
             !(wanted.starts_with("text:") && wanted.size() > 5))
      warn("GANGWAY_ACC_TIME=" + wanted +
           " is none of: text, text:FILE, json:FILE, off; taken as text");
    if (wanted.starts_with("json:") || wanted.starts_with("text:"))
      if (wanted.size() > 5)
        set_path(wanted.substr(5));
  }
  if (const char* value = std::getenv("GANGWAY_ACC_NOTIFY"); value != nullptr && *value != '\0') {
    char* end = nullptr;
    const long bits = std::strtol(value, &end, 10);
    if (*end != '\0' || bits < 0 || bits > 31)
      warn(std::string("GANGWAY_ACC_NOTIFY=") + value +
           " is not a sum of 1 (launches), 2 (transfers), 4 (regions), 8 (waits) and 16 "
           "(allocations); ignored");
    else
      settings.notify = static_cast<int>(bits);
  }
}

// --- the end of the program -----------------------------------------------------------------

void at_exit() {
  device_clock::flush();
  report("exit");
}

struct Caught {
  int number;
  const char* name;
  bool asynchronous; ///< sent from outside: not ours where the program has its own idea of it
  struct sigaction before;
};
std::array<Caught, 9> caught{{{SIGABRT, "SIGABRT", false, {}},
                              {SIGSEGV, "SIGSEGV", false, {}},
                              {SIGBUS, "SIGBUS", false, {}},
                              {SIGFPE, "SIGFPE", false, {}},
                              {SIGILL, "SIGILL", false, {}},
                              {SIGTERM, "SIGTERM", true, {}},
                              {SIGINT, "SIGINT", true, {}},
                              {SIGHUP, "SIGHUP", true, {}},
                              {SIGQUIT, "SIGQUIT", true, {}}}};

// A signal handler must not ask CUPTI for its records. If CUPTI is in use, a helper thread waits to
// do that and to write the report, and the handler waits for the helper.
sem_t wake;
std::atomic<const char*> ending{nullptr};
std::atomic<bool> ended{false};
std::atomic<bool> helper_runs{false};

void* helper(void*) {
  while (sem_wait(&wake) != 0) {
  }
  device_clock::flush();
  report(ending.load());
  ended.store(true);
  return nullptr;
}

/// Asks the helper for the report, and returns whether it was in time: it may be not, because the
/// signal may have interrupted the driver while it held a lock.
bool ask_helper(const char* name) {
  if (!helper_runs.exchange(false))
    return false;
  ending.store(name);
  sem_post(&wake);
  for (int tenths = 0; tenths < 1000 && !ended.load(); ++tenths) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  return ended.load();
}

void handle(int number, siginfo_t* info, void*) {
  const int saved = errno;
  for (Caught& signal : caught) {
    if (signal.number != number)
      continue;
    if (recording && !ask_helper(signal.name))
      report(signal.name);
    sigaction(number, &signal.before, nullptr);
    // A fault recurs by itself, with all its circumstances for a debugger; we raise other signals
    // again.
    const bool fault =
        info != nullptr && info->si_code > 0 && number != SIGABRT && !signal.asynchronous;
    if (!fault)
      raise(number);
  }
  errno = saved;
}

void install_handlers() {
  for (Caught& signal : caught) {
    struct sigaction before{};
    if (sigaction(signal.number, nullptr, &before) != 0)
      continue;
    const bool simple = (before.sa_flags & SA_SIGINFO) == 0;
    if (simple && before.sa_handler == SIG_IGN)
      continue;
    if (signal.asynchronous && !(simple && before.sa_handler == SIG_DFL))
      continue;
    signal.before = before;
    struct sigaction action{};
    action.sa_sigaction = &handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal.number, &action, nullptr);
  }
}

} // namespace

void start_helper() {
  if (!recording || helper_runs.load())
    return;
  sem_init(&wake, 0, 0);
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // the program's own threads take signals
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, &helper, nullptr) == 0) {
    pthread_detach(thread);
    helper_runs.store(true);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void start() {
  static std::once_flag once;
  std::call_once(once, [] {
    read_settings();
    if (settings.output == Settings::Output::none)
      return;
    recording = true;
    std::atexit(&at_exit);
    std::at_quick_exit(&at_exit);
    // A forked child would report its parent's events.
    pthread_atfork(nullptr, nullptr, [] { recording = false; });
    install_handlers();
    static_cast<void>(Thread::mine()); // with a stack for them
  });
}

void report(const char* how) {
  static std::atomic_flag at_it;
  if (!recording || at_it.test_and_set())
    return;
  write_report(how);
  at_it.clear();
}

} // namespace gangway::acc_time
