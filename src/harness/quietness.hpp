// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The disturbance of a measurement by other programs. Threads of OpenMP wait for each other: while
/// one of them has no processor, all of them stand still. Each barrier then takes milliseconds
/// instead of microseconds, so that one other program can reverse a comparison.
namespace gangway::harness {

/// The counts of the system up to a moment. Times in seconds; empty where it does not count.
struct MachineCounts {
  double wall = 0;
  double own = 0; ///< processor time of this process
  /// Processor time of all processes, on the processors that this process may use.
  std::optional<double> everybody = {};
  double stolen = 0; ///< time that a hypervisor gave those processors to other machines
  long preemptions = 0;
};

/// The use of a machine by others for a while, as means over that time.
struct Noise {
  double seconds = 0;           ///< length of that time
  int processors = 0;           ///< that this process may use
  int threads = 0;              ///< that a run keeps waiting for each other
  std::optional<double> load;   ///< the system's load of the last minute
  std::optional<double> others; ///< processors that other programs kept busy
  double stolen = 0;            ///< processors that the hypervisor gave to other machines
  /// Threads of this process that were ready to run and had no processor, while runs were on the
  /// clock.
  std::optional<double> waiting;
  long preemptions = 0; ///< times that a thread of this process had to leave its processor
};

/// A reader of the counts, from /proc and getrusage.
class Machine {
public:
  /// Reads for `threads` that a run keeps waiting for each other; on a device, the one that
  /// launches. `root`: where proc is; tests play a machine.
  explicit Machine(int threads, std::filesystem::path root = "/")
      : _threads(threads), _root(std::move(root)) {}

  [[nodiscard]] MachineCounts counts() const;
  [[nodiscard]] std::optional<double> load() const;
  /// Returns how many processors this process may use: all that any of its threads may.
  [[nodiscard]] int processors() const;
  /// Returns the noise between two counts, all but `waiting`.
  [[nodiscard]] Noise between(const MachineCounts& before, const MachineCounts& after) const;

private:
  int _threads;
  std::filesystem::path _root;
};

/// Returns how many times a thread of this process had to leave its processor so far.
[[nodiscard]] long preemptions();

/// The threads whose waiting counts. Any waiting thread delays a host's kernels. Only the thread
/// that launches a device's kernels and waits for them delays those.
enum class Threads { all, calling };

/// The time that threads of this process are ready to run without a processor, in a stretch as
/// short as one run. On a quiet machine, too, a woken thread waits for microseconds: that is not
/// counted, and as little is taken off longer waits.
class Waits {
public:
  explicit Waits(Threads threads, const std::filesystem::path& root = "/");
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;
  ~Waits();

  /// Finds the threads of the process. Takes some microseconds for each.
  void find_threads();
  /// Begins a stretch. It is short, so that threads which spin until there is work still do so.
  void start();
  /// Returns the seconds since the last start, of all those threads together; empty where the
  /// system does not count them.
  [[nodiscard]] std::optional<double> stop() const;

private:
  struct Thread {
    int id;
    int file; ///< its statistics, open
    double delay = 0;
    double times = 0; ///< that it was given a processor
  };
  Threads _which;
  std::filesystem::path _tasks;
  std::vector<Thread> _threads;
};

/// Returns the part of their time that runs have lost at most. Runs lose time while their threads
/// wait, or, if the system does not count that, while others leave fewer processors than threads. A
/// team also loses it while its processors are stolen. From 1 on the times show no result.
[[nodiscard]] double lost_share(const Noise& noise);

/// The lost share from which on a machine is called busy; below it, runs scatter as much by
/// themselves.
inline constexpr double busy_share = 0.05;
[[nodiscard]] bool was_busy(const Noise& noise);

/// Returns whether runs are likely to be disturbed, from a look before any is timed. That is so if
/// others use so much that 25 % of a processor will be missing, or if processors are stolen from a
/// team.
[[nodiscard]] bool looks_busy(const Noise& noise);

/// Looks for `seconds` without doing anything. 0.2 s suffice, as the system counts steps of 0.01 s.
[[nodiscard]] Noise look(const Machine& machine, double seconds = 0.2);

/// Describes the noise, such as "other programs kept 1.3 of 2 processors busy, load 3.4".
[[nodiscard]] std::string text_of(const Noise& noise);
/// Returns the lines at the top of an output whose machine looks busy; empty if it does not.
[[nodiscard]] std::string warning_of(const Noise& noise);

} // namespace gangway::harness
