// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/child.hpp"

#include "base/signals.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>

namespace gangway::base {
namespace {

// --- the processors --------------------------------------------------------------------------

/// The processors that this process was allowed to use at its start. `known` is false if the kernel
/// did not tell.
struct Processors {
  cpu_set_t set;
  bool known;
};
Processors at_start;

/// Notes the processors before OpenMP's library binds the thread that loads it. That is before any
/// constructor of the program; the functions of this section run earlier.
void note_processors() {
  at_start.known = sched_getaffinity(0, sizeof at_start.set, &at_start.set) == 0;
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const note_at_start)() = note_processors;

/// A scope in which this thread may use the processors of the process's start, because a child
/// inherits those of the thread that starts it.
class ProcessorsOfStart {
public:
  ProcessorsOfStart()
      : _widened(at_start.known && sched_getaffinity(0, sizeof _before, &_before) == 0 &&
                 sched_setaffinity(0, sizeof at_start.set, &at_start.set) == 0) {}
  ~ProcessorsOfStart() {
    if (_widened)
      sched_setaffinity(0, sizeof _before, &_before);
  }
  ProcessorsOfStart(const ProcessorsOfStart&) = delete;
  ProcessorsOfStart& operator=(const ProcessorsOfStart&) = delete;

private:
  cpu_set_t _before{};
  bool _widened;
};

// --- the rest --------------------------------------------------------------------------------

/// Returns the words' addresses and a null after them, as posix_spawn takes them.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_of_children() {
  const bool by_start = std::getenv(bound_by_start) != nullptr;
  std::vector<std::string> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (!by_start || (name != bound_by_start && name != "OMP_PROC_BIND" && name != "OMP_PLACES"))
      kept.emplace_back(text);
  }
  return kept;
}

/// Returns all open descriptors but the standard streams. It is no error if one is closed
/// meanwhile.
std::vector<int> other_descriptors() {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (folder == nullptr)
    return numbers;
  while (const dirent* const entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    int number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc() &&
        number > STDERR_FILENO && number != dirfd(folder.get()))
      numbers.push_back(number);
  }
  return numbers;
}

} // namespace

Descriptor::Descriptor(const std::string& file, int flags)
    : _number(open(file.c_str(), flags | O_CLOEXEC, 0600)) {
  if (_number < 0)
    throw std::system_error(errno, std::generic_category(), file);
}

void Descriptor::close() {
  if (_number >= 0)
    ::close(_number);
  _number = -1;
}

pid_t start_child(std::vector<std::string> command, const Streams& streams) {
  std::vector<std::string> environment = environment_of_children();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, streams.input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.error, STDERR_FILENO);
  for (const int number : other_descriptors())
    posix_spawn_file_actions_addclose(&actions, number);
  sigset_t none;
  sigemptyset(&none);
  sigset_t ignored_by_start;
  sigemptyset(&ignored_by_start);
  sigaddset(&ignored_by_start, SIGXFSZ);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored_by_start);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = [&] {
    const ProcessorsOfStart processors;
    return posix_spawnp(&child, command.front().c_str(), &actions, &attributes,
                        pointers_to(command).data(), pointers_to(environment).data());
  }();
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw std::system_error(failed, std::generic_category(), command.front());
  return child;
}

int processors_at_start() {
  return at_start.known ? CPU_COUNT(&at_start.set) : 0;
}

int status_of_child(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    try {
      stop_if_interrupted();
    } catch (const Interrupted& stopped) {
      kill(child, stopped.signal());
      waitpid(child, &status, 0);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace gangway::base
