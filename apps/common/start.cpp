// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start.hpp"

#include "base/child.hpp"
#include "base/contains.hpp"
#include "base/places.hpp"
#include "base/signals.hpp"
#include "ranks/launcher.hpp"

#include <Kokkos_Core.hpp>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <thread>

namespace gangway::apps {
namespace {

constexpr const char* threads_option = "--kokkos-num-threads";
constexpr const char* device_option = "--kokkos-device-id";
/// Kokkos keeps so many threads of OpenMP; with one more it hangs.
constexpr long most_threads = 512;

std::optional<long> number_in(std::string_view text) {
  long number = 0;
  const std::string digits(text);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc{} || stop != end)
    return std::nullopt;
  return number;
}

/// The value of an option, written with an equals sign; nothing if it is not there.
std::optional<std::string> value_of(std::string_view option,
                                    const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments)
    if (argument.size() > option.size() && argument.starts_with(option) &&
        argument[option.size()] == '=')
      return argument.substr(option.size() + 1);
  return std::nullopt;
}

/// The number of threads that was asked for: by the option, or else by the variables.
std::optional<long> threads_asked_for(const Lookup& variable,
                                      const std::vector<std::string>& arguments) {
  if (const auto value = value_of(threads_option, arguments))
    return number_in(*value);
  for (const char* name : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT"})
    if (const char* const value = variable(name); value != nullptr) {
      const std::string_view text = value; // OpenMP's may be a list, one number a level
      return number_in(text.substr(0, text.find(',')));
    }
  return std::nullopt;
}

int processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

void require_number(const std::string& name, const std::string& value, long least) {
  const auto number = number_in(value);
  if (!number || *number < least || *number > 2147483647)
    throw base::UsageError(fmt::format("{}={}: give a whole number from {} up, such as {}={}", name,
                                       value, least, name, 2));
}

/// Keeps the numbers 0, 1 and 2 for standard input, output and error. A file that took the number
/// of a closed one would receive its output. The placeholder refuses that output (or input), so
/// that the program still notices what is lost.
void hold_standard_streams() {
  for (const int stream : {0, 1, 2})
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY));
}

/// Starts the same program once more, as the same process. Returns if that cannot be: if the user
/// started it by naming the dynamic linker (there is no other below it), /proc/self/exe is the
/// linker.
void start_again(char** argv) {
  if (getauxval(AT_BASE) == 0)
    return;
  if (const auto self = base::program_file(); !self.empty())
    execv(self.c_str(), argv);
}

/// Adds to a message about exhausted memory what the program was at work on.
std::string with_work(const std::string& said) {
  const std::string work = base::at_work();
  return work.empty() ? said : fmt::format("{} (at work on {})", said, work);
}

bool silent = false;

} // namespace

void be_silent() {
  silent = true;
}
bool is_silent() {
  return silent;
}

Variables binding(const Lookup& variable, int processors,
                  const std::vector<std::string>& arguments) {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (variable(name) != nullptr)
      return {};
  if (const auto threads = threads_asked_for(variable, arguments); threads && *threads < processors)
    return {{"OMP_PROC_BIND", "false"}};
  return {{"OMP_PROC_BIND", "spread"}, {"OMP_PLACES", "cores"}};
}

Variables share_of_threads(const Lookup& variable, int processors, int of_machine,
                           const std::vector<std::string>& arguments) {
  const int ranks = ranks::launched_on_host(variable);
  const bool apart = processors * ranks <= of_machine; // bound, each to processors of its own
  if (ranks == 1 || apart || value_of(threads_option, arguments))
    return {};
  for (const char* name : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT"})
    if (variable(name) != nullptr)
      return {};
  return {{"KOKKOS_NUM_THREADS",
           std::to_string(std::max(std::min(processors, of_machine / ranks), 1))}};
}

void require_kokkos_settings(const Lookup& variable, const std::vector<std::string>& arguments) {
  for (const auto& [name, least] :
       {std::pair<std::string, long>{threads_option, 1}, {device_option, 0}}) {
    if (base::contains(arguments, name))
      throw base::UsageError(
          fmt::format("{} has no value; write it with an equals sign, such as {}=2", name, name));
    if (const auto value = value_of(name, arguments))
      require_number(name, *value, least);
  }
  for (const auto& [name, least] :
       {std::pair<std::string, long>{"KOKKOS_NUM_THREADS", 1}, {"KOKKOS_DEVICE_ID", 0}})
    if (const char* const value = variable(name.c_str()); value != nullptr)
      require_number(name, value, least);
  for (const char* name :
       {"KOKKOS_DISABLE_WARNINGS", "KOKKOS_PRINT_CONFIGURATION", "KOKKOS_TUNE_INTERNALS"})
    if (const char* const value = variable(name); value != nullptr) {
      std::string word = value;
      std::transform(word.begin(), word.end(), word.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const std::vector<std::string> words{"true", "false", "yes", "no", "1", "0"};
      if (!base::contains(words, word))
        throw base::UsageError(
            fmt::format("{}={}: it is one of {}", name, value, fmt::join(words, ", ")));
    }
  if (const char* const value = variable("KOKKOS_MAP_DEVICE_ID_BY"); value != nullptr)
    if (std::string_view(value) != "random" && std::string_view(value) != "mpi_rank")
      throw base::UsageError(
          fmt::format("KOKKOS_MAP_DEVICE_ID_BY={}: it is one of random, mpi_rank", value));
  if (const char* const value = variable("KOKKOS_VISIBLE_DEVICES"); value != nullptr) {
    std::string_view rest = value;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      if (const auto number = number_in(rest.substr(0, comma)); !number || *number < 0)
        throw base::UsageError(fmt::format("KOKKOS_VISIBLE_DEVICES={}: give numbers of devices "
                                           "with commas between them, such as 0,1",
                                           value));
      more = comma != std::string_view::npos;
      rest.remove_prefix(more ? comma + 1 : rest.size());
    }
  }
#ifdef KOKKOS_ENABLE_OPENMP
  const auto asked_for = threads_asked_for(variable, arguments);
  if (const long threads = asked_for.value_or(processors()); threads > most_threads)
    throw base::UsageError(fmt::format("{} threads are more than Kokkos can have of OpenMP's, {}; "
                                       "ask for fewer with {}={}",
                                       threads, most_threads, threads_option, most_threads));
#endif
}

Ending ending(const std::string& interrupted) {
  try {
    throw;
  } catch (const base::Interrupted& signal) {
    return {128 + signal.signal(), interrupted};
  } catch (const std::bad_alloc&) {
    return {bad_usage, with_work("not enough memory")};
  } catch (const std::exception& error) {
    // Kokkos' own exception for it has a name from 5.2 on only, but from 4.5 on the same words.
    const std::string said = error.what();
    return {bad_usage,
            said.find("memory space failed to allocate") != said.npos ? with_work(said) : said};
  }
}

int while_kokkos_runs(int& count, char** arguments, const std::function<int()>& work) {
  const Kokkos::ScopeGuard kokkos(count, arguments);
  try {
    return work();
  } catch (...) {
    base::ExitWatch::failing(ending("").message);
    throw;
  }
}

void start(int argc, char** argv) {
  hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN); // writing fails, and what was begun is removed
#ifdef KOKKOS_ENABLE_OPENMP
  const Lookup environment = [](const char* name) { return std::getenv(name); };
  const std::vector<std::string> arguments(argv, argv + argc);
  const auto of_machine = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  for (const auto& [name, value] :
       share_of_threads(environment, processors(), of_machine, arguments))
    setenv(name.c_str(), value.c_str(), 1);
  const Variables wanted = binding(environment, processors(), arguments);
  for (const auto& [name, value] : wanted)
    setenv(name.c_str(), value.c_str(), 1);
  if (wanted.size() < 2) // nothing, or what OpenMP does anyway: the word is for Kokkos
    return;
  setenv(base::bound_by_start, "this program", 1);
  start_again(argv);
  for (const auto& [name, value] : wanted)
    unsetenv(name.c_str());
  unsetenv(base::bound_by_start);
#else
  static_cast<void>(argc);
  static_cast<void>(argv);
#endif
}

} // namespace gangway::apps
