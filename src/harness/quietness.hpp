// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What other programs took from a measurement. Threads of OpenMP wait for each other: while one of
/// them has no processor, all of them stand still, and each barrier then takes milliseconds instead
/// of microseconds. One other program can so turn a comparison round.
namespace gangway::harness {

/// What the system has counted up to a moment. Times in seconds; nothing where it does not tell.
struct MachineCounts {
  double wall = 0;
  double own = 0; ///< processor time of this process
  /// Processor time of everybody, on the processors that this process may use.
  std::optional<double> everybody = {};
  double stolen = 0; ///< time that a hypervisor gave those processors to other machines
  long preemptions = 0;
};

/// How far a machine was somebody else's for a while. Means over that time.
struct Noise {
  double seconds = 0;           ///< how long that was
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

/// Reads the counts, from /proc and getrusage.
class Machine {
public:
  /// `threads`: that a run keeps waiting for each other; of a device, the one that launches.
  /// `root`: where proc is; tests play a machine.
  explicit Machine(int threads, std::filesystem::path root = "/")
      : _threads(threads), _root(std::move(root)) {}

  [[nodiscard]] MachineCounts counts() const;
  [[nodiscard]] std::optional<double> load() const;
  /// How many processors this process may use: all that any of its threads may.
  [[nodiscard]] int processors() const;
  /// All but `waiting`.
  [[nodiscard]] Noise between(const MachineCounts& before, const MachineCounts& after) const;

private:
  int _threads;
  std::filesystem::path _root;
};

/// Times that a thread of this process had to leave its processor, so far.
[[nodiscard]] long preemptions();

/// Whose waiting counts. Kernels of a host are held up by any thread that waits; those of a device
/// only by the thread that launches them and waits for them, whatever the host's other threads do.
enum class Threads { all, calling };

/// How long threads of this process are ready to run and have no processor, in a stretch of time as
/// short as one run. A thread that is woken waits, too, on a quiet machine for microseconds: that
/// is not counted, and from longer waits as little is taken off.
class Waits {
public:
  explicit Waits(Threads threads, const std::filesystem::path& root = "/");
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;
  ~Waits();

  /// Finds the threads there are. Takes some microseconds for each.
  void find_threads();
  /// Begins a stretch. Short, so that threads which spin until there is work still do so.
  void start();
  /// Seconds since the last start, of all those threads together; nothing where the system does not
  /// tell.
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

/// The part of their time that runs have lost at most: while their threads waited, or where the
/// system does not tell that, had fewer processors than threads for others' sake; and while
/// processors were stolen from a team. From 1 on nothing can be said of their times.
[[nodiscard]] double lost_share(const Noise& noise);

/// A machine is called busy from this lost share on; below it, runs scatter as much by themselves.
inline constexpr double busy_share = 0.05;
[[nodiscard]] bool was_busy(const Noise& noise);

/// Whether runs are likely to be disturbed, of a look before any is timed: where others use so much
/// that a quarter of a processor will be missing, or where some are stolen from a team.
[[nodiscard]] bool looks_busy(const Noise& noise);

/// Looks for `seconds` without doing anything. A fifth of one is enough: the system counts in
/// hundredths.
[[nodiscard]] Noise look(const Machine& machine, double seconds = 0.2);

/// For people, such as "other programs kept 1.3 of 2 processors busy, load 3.4".
[[nodiscard]] std::string text_of(const Noise& noise);
/// The lines at the top of an output whose machine looks busy; empty if it does not.
[[nodiscard]] std::string warning_of(const Noise& noise);

} // namespace gangway::harness
