// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/quietness.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace gangway::harness {
namespace {

namespace fs = std::filesystem;

/// Returns the folders in /proc of this process' threads.
std::vector<fs::path> threads_of(const fs::path& tasks) {
  std::vector<fs::path> folders;
  // Not directory_iterator, which ends the program where it finds no memory (libstdc++ 16).
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(tasks.c_str()), closedir);
  while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr)
    if (entry->d_name[0] != '.')
      folders.push_back(tasks / static_cast<const char*>(entry->d_name));
  return folders;
}

/// Adds the numbers of a list such as "0-3,8": only those below 2^16, in case it is damaged.
void add_list(const std::string& text, std::set<int>& numbers) {
  std::istringstream list(text);
  for (std::string part; std::getline(list, part, ',');) {
    int first = -1;
    int last = -1;
    char dash = 0;
    std::istringstream range(part);
    if (!(range >> first))
      continue;
    if (!(range >> dash >> last))
      last = first;
    for (int number = std::max(first, 0); number <= std::min(last, (1 << 16) - 1); ++number)
      numbers.insert(number);
  }
}

/// Returns the processors that any thread of this process may use. OpenMP binds the first thread to
/// one place, too, so that it alone says little.
std::set<int> processors_of(const fs::path& root) {
  constexpr std::string_view name = "Cpus_allowed_list:";
  std::set<int> processors;
  for (const fs::path& thread : threads_of(root / "proc/self/task")) {
    std::ifstream status(thread / "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(name))
        add_list(line.substr(name.size()), processors);
  }
  return processors;
}

struct ProcessorTimes {
  double busy = 0;
  double stolen = 0;
  bool told = false;
};

/// Reads the times in /proc/stat, in seconds; missing where all counts are 0, as in some sandboxes.
ProcessorTimes times_of(const fs::path& root, const std::set<int>& processors) {
  const double tick = 1 / static_cast<double>(std::max(sysconf(_SC_CLK_TCK), 1L));
  ProcessorTimes times;
  std::ifstream stat(root / "proc/stat");
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    std::istringstream fields(line.substr(3));
    int number = -1;
    if (line.size() < 4 || line[3] == ' ' || !(fields >> number) || !processors.contains(number))
      continue;
    double user = 0, nice = 0, system = 0, idle = 0, waiting_for_disks = 0, interrupts = 0,
           soft_interrupts = 0, stolen = 0;
    fields >> user >> nice >> system >> idle >> waiting_for_disks >> interrupts >> soft_interrupts;
    if (!fields)
      continue;
    fields >> stolen; // kernels before 2.6.11 have none
    const double busy = user + nice + system + interrupts + soft_interrupts;
    times.busy += busy * tick;
    times.stolen += stolen * tick;
    times.told = times.told || busy + idle > 0;
  }
  return times;
}

struct Statistics {
  double delay; ///< seconds
  double times;
};

/// Reads the statistics; empty if the thread has ended.
std::optional<Statistics> read_statistics(int file) {
  char text[96];
  const ssize_t size = pread(file, text, sizeof text - 1, 0);
  if (size <= 0)
    return std::nullopt;
  text[size] = '\0';
  unsigned long long ran = 0;
  unsigned long long delay = 0; // ns
  unsigned long long times = 0;
  if (std::sscanf(text, "%llu %llu %llu", &ran, &delay, &times) != 3)
    return std::nullopt;
  return Statistics{1e-9 * static_cast<double>(delay), static_cast<double>(times)};
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

} // namespace

long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

std::optional<double> Machine::load() const {
  std::ifstream file(_root / "proc/loadavg");
  double load = 0;
  return file >> load ? std::optional(load) : std::nullopt;
}

int Machine::processors() const {
  const std::set<int> processors = processors_of(_root);
  return processors.empty() ? static_cast<int>(std::thread::hardware_concurrency())
                            : static_cast<int>(processors.size());
}

MachineCounts Machine::counts() const {
  MachineCounts counts;
  const ProcessorTimes times = times_of(_root, processors_of(_root));
  if (times.told)
    counts.everybody = times.busy;
  counts.stolen = times.stolen;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  counts.own = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  counts.preemptions = usage.ru_nivcsw;
  counts.wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return counts;
}

Noise Machine::between(const MachineCounts& before, const MachineCounts& after) const {
  Noise noise;
  noise.seconds = after.wall - before.wall;
  noise.processors = processors();
  noise.threads = _threads;
  noise.preemptions = after.preemptions - before.preemptions;
  if (!(noise.seconds > 0))
    return noise;
  // The maximum keeps these from being negative: threads end meanwhile, and own time is counted
  // finer than that of all processes.
  const auto mean = [&](double sum) { return std::max(sum, 0.0) / noise.seconds; };
  if (before.everybody && after.everybody)
    noise.others = mean((*after.everybody - *before.everybody) - (after.own - before.own));
  noise.stolen = mean(after.stolen - before.stolen);
  return noise;
}

Waits::Waits(Threads threads, const fs::path& root)
    : _which(threads), _tasks(root / "proc/self/task") {}

Waits::~Waits() {
  for (const Thread& thread : _threads)
    close(thread.file);
}

void Waits::find_threads() {
  constexpr std::size_t most = 256; // files are open for them
  const auto add = [&](const fs::path& folder) {
    const int id = std::atoi(folder.filename().c_str());
    if (_threads.size() >= most ||
        std::any_of(_threads.begin(), _threads.end(), [id](const Thread& t) { return t.id == id; }))
      return;
    if (const int file = open((folder / "schedstat").c_str(), O_RDONLY | O_CLOEXEC); file >= 0)
      _threads.push_back({id, file});
  };
  if (_which == Threads::calling)
    return add(_tasks / std::to_string(gettid()));
  for (const fs::path& folder : threads_of(_tasks))
    add(folder);
}

void Waits::start() {
  for (Thread& thread : _threads)
    if (const auto now = read_statistics(thread.file)) {
      thread.delay = now->delay;
      thread.times = now->times;
    }
}

std::optional<double> Waits::stop() const {
  constexpr double woken = 50e-6;
  std::optional<double> sum;
  for (const Thread& thread : _threads)
    if (const auto now = read_statistics(thread.file))
      sum = sum.value_or(0) +
            std::max(0.0, now->delay - thread.delay - woken * (now->times - thread.times));
  return sum;
}

namespace {

/// Returns the time stolen from a team, which stands still while one of its threads is stolen from.
/// One thread alone, as it launches a device's kernels, makes an outlier of that round, which
/// medians pass over. The time that is stolen from the machine's other processors is not its own.
double stolen_from_a_team(const Noise& noise) {
  return noise.threads > 1 ? noise.stolen : 0;
}

} // namespace

double lost_share(const Noise& noise) {
  const double others = noise.others.value_or(0);
  const double wanted_by_both = std::clamp(others + noise.threads - noise.processors, 0.0, others);
  return noise.waiting.value_or(wanted_by_both) + stolen_from_a_team(noise);
}

bool was_busy(const Noise& noise) {
  return lost_share(noise) >= busy_share;
}

bool looks_busy(const Noise& noise) {
  constexpr double quarter = 0.25; // daemons and a terminal take less
  const double others = noise.others.value_or(0);
  return stolen_from_a_team(noise) >= busy_share ||
         (others >= quarter && others + noise.threads - noise.processors >= quarter);
}

Noise look(const Machine& machine, double seconds) {
  const MachineCounts before = machine.counts();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  Noise noise = machine.between(before, machine.counts());
  noise.load = machine.load();
  return noise;
}

std::string text_of(const Noise& noise) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (noise.others)
    add(fmt::format("other programs kept {:.1f} of {} processors busy", *noise.others,
                    noise.processors));
  if (noise.waiting && *noise.waiting >= 0.005)
    add(fmt::format("{:.2f} threads of this one waited for one", *noise.waiting));
  if (noise.stolen >= 0.005)
    add(fmt::format("{:.2f} were given to other machines", noise.stolen));
  if (noise.load)
    add(fmt::format("load {:.1f}", *noise.load));
  return text;
}

std::string warning_of(const Noise& noise) {
  if (!looks_busy(noise))
    return "";
  return fmt::format(
      "the machine is busy: {}\n"
      "  Times will be too long, and faster or slower is said only where that cannot "
      "be the reason;\n"
      "  docs/command.md says what to do.\n",
      text_of(noise));
}

} // namespace gangway::harness
