// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "child.hpp"

#include "base/signals.hpp"

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace gangway::apps {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int status_of_child(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    try {
      base::stop_if_interrupted();
    } catch (const base::Interrupted& stopped) {
      kill(child, stopped.signal());
      waitpid(child, &status, 0);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace gangway::apps
