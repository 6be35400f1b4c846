// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "memory.hpp"
#include "signal_stack.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>

/// Records of events, with counts. Every thread writes only its own records, without locks and with
/// relaxed atomics. Any thread can therefore make a report at any moment, even within a signal
/// handler.
namespace gangway::acc_time {

/// Returns nanoseconds of the monotonic clock.
inline std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

enum class Model : std::uint8_t { kokkos, openacc };

enum class Kind : std::uint8_t {
  region,    ///< a Kokkos profiling region (push, pop)
  section,   ///< a Kokkos profile section (start, stop)
  kernel,    ///< one launch of a kernel
  construct, ///< an OpenACC compute construct
  data,      ///< OpenACC data: region, its end, enter data, exit data, update
  transfer,  ///< a copy, by direction
  fill,      ///< deep_copy of one value into a View: no transfer
  wait       ///< a fence
};

enum class Pattern : std::uint8_t { none, parallel_for, parallel_reduce, parallel_scan };
enum class Direction : std::uint8_t { none, in, out, within_device, within_host, nowhere };
enum class DataKind : std::uint8_t { none, region, region_end, enter_data, exit_data, update };

/// Shape of a launch, if the runtime or the library said it.
struct Shape {
  enum class Form : std::uint8_t { unknown, levels, tile };
  static constexpr int most = 6;
  Form form = Form::unknown;
  std::uint8_t count = 0;
  std::array<std::int64_t, most> extent{}; ///< gangs, workers, vector, or the tile; -1: automatic
  bool is_requested = false;               ///< whether `requested` is known
  std::array<std::int64_t, 2> requested{}; ///< workers and vector; -1: automatic

  /// Reads "1000 x 4 x 32", "8 x auto x 1" or "tile 8 x 32", and after it perhaps " requested
  /// 1 x 128"; unknown if it is neither.
  static Shape parse(const char* text);
};

/// Number of events with their durations in nanoseconds. One writer at a time.
struct Timing {
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> total{0};
  std::atomic<std::uint64_t> max{0};
  std::atomic<std::uint64_t> min{~std::uint64_t{0}};

  void add(std::uint64_t value) {
    constexpr auto relaxed = std::memory_order_relaxed;
    total.store(total.load(relaxed) + value, relaxed);
    if (value > max.load(relaxed))
      max.store(value, relaxed);
    if (value < min.load(relaxed))
      min.store(value, relaxed);
    count.store(count.load(relaxed) + 1, relaxed);
  }
};

/// Work of one record as the device itself reports it.
struct DeviceWork {
  Timing kernels;
  std::array<Timing, 3> copies;                      ///< to the device, to the host, on the device
  std::array<std::atomic<std::uint64_t>, 3> bytes{}; ///< of those copies
  std::array<std::int32_t, 3> grid_min{}, grid_max{}, block_min{}, block_max{};
};

/// Key that tells records apart. Text pointers need only live during the look-up.
struct Key {
  Kind kind = Kind::region;
  Model model = Model::kokkos;
  Pattern pattern = Pattern::none;
  Direction direction = Direction::none;
  DataKind data = DataKind::none;
  bool internal = false;      ///< a kernel of Kokkos' own, such as a View's initialisation
  bool asynchronous = false;  ///< an OpenACC launch or transfer without a wait
  std::int16_t to_space = -1; ///< of a transfer or fill; see `space`
  std::int16_t from_space = -1;
  std::int16_t device = -1; ///< of a kernel or construct; see `space`
  std::int32_t line = -1;   ///< where a construct or a declared copy stands, if it is said
  const char* name = "";    ///< label; destination of a copy; OpenACC kernel, variable or function
  const char* detail = "";  ///< with a line its file; otherwise the source of a copy
  const void* site =
      nullptr; ///< where in the program a construct lies, if its compiler does not say
  Shape shape{};
};

struct Record {
  Key key;
  Record* parent = nullptr; ///< on the same thread, null outside of everything
  Record* older = nullptr;  ///< the one made before it on the same thread
  std::uint64_t hash = 0;
  std::uint64_t sequence = 0; ///< order of first appearance in the whole program
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> found_present{0}; ///< of data regions: nothing allocated or copied
  std::atomic<std::uint64_t> in_place{0}; ///< of data regions: host and device share the memory
  Timing elapsed;
  std::atomic<DeviceWork*> device_work{nullptr};
  void* node = nullptr; ///< the report's
};

/// Event that has begun on a thread and not ended.
struct Open {
  static constexpr int tools = 4; ///< how many other tools can be passed events
  Record* record = nullptr;       ///< null: only passed on
  std::uint64_t begin = 0;
  std::uint64_t id = 0;
  std::uint64_t moved = 0; ///< the thread's, when it began
  bool pushed = false;     ///< to the device's clock
  std::array<std::uint64_t, tools> chained{};
};

class Thread {
public:
  /// Returns the calling thread's object, made on first use; null only if there is no memory left.
  /// From then on the thread has a stack for signal handlers.
  static Thread* mine();

  /// Returns the record of `key` inside the innermost open record.
  Record* find(const Key& key);
  /// Returns the innermost open record: the parent of new records.
  [[nodiscard]] Record* innermost() const { return _inside; }

  /// Opens the new innermost one; null if there is no memory left. The caller sets `begin` last.
  Open* open(Record* record);
  /// Closes the innermost one with this id; false if there is none.
  bool close(std::uint64_t id, Open& closed);
  /// Closes the innermost one whose record is of this kind; false if there is none.
  bool close(Kind kind, Open& closed);

  [[nodiscard]] int number() const { return _number; }

  Shape shape; ///< declared for the next kernel
  /// Declared for the next copy: its direction for the program, its name, and the place in the
  /// program that asks for it (line -1: not said).
  Direction copy_direction = Direction::none;
  std::array<char, 128> copy_name{};
  std::array<char, 512> copy_file{};
  std::int32_t copy_line = -1;
  std::uint64_t moved = 0; ///< OpenACC allocations, releases and transfers so far
  struct Section {
    std::uint32_t id;
    std::uint64_t begin;
  };
  std::array<Section, 64> sections{}; ///< profile sections that have been started; id 0: none
  Record* launch = nullptr;           ///< an OpenACC launch whose end is the next event
  std::uint64_t launch_begin = 0;

private:
  friend struct Threads;
  bool grow_table();
  void remove(std::size_t index, Open& closed);
  void reuse();
  friend void forget();

  Arena _arena;
  Record** _table = nullptr;
  std::size_t _slots = 0;
  std::size_t _used = 0;
  Open* _stack = nullptr;
  std::size_t _depth = 0;
  std::size_t _capacity = 0;
  Record* _inside = nullptr;
  std::uint64_t _last_id = 0;
  int _number = 0;
  std::atomic<Record*> _newest{nullptr};
  Thread* _next = nullptr;
  std::atomic<bool> _taken{false};
  SignalStack _signal_stack;

public:
  [[nodiscard]] const Record* newest() const { return _newest.load(std::memory_order_acquire); }
  [[nodiscard]] const Thread* next() const { return _next; }
};

/// Returns all threads that ever recorded, newest first.
const Thread* threads();
/// Returns the number of events that were not recorded for lack of memory.
std::uint64_t lost();
/// Forgets all records and gives their memory back, while only the calling thread records: for
/// tests, whose next input must find no records.
void forget();

/// Returns the number of a memory space or device: the same small number for the same name, -1 if
/// there are too many.
std::int16_t space(const char* name);

struct Space {
  std::array<char, 64> name{};
  bool host = false;
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::uint64_t> frees{0};
  std::atomic<std::uint64_t> bytes{0}; ///< of all allocations together
  std::atomic<std::int64_t> live{0};
  std::atomic<std::int64_t> peak{0};
};
const Space& space_at(std::int16_t number);
std::int16_t space_count();
void allocated(std::int16_t number, std::uint64_t bytes);
void freed(std::int16_t number, std::uint64_t bytes);

inline void count_begun(Record& record) {
  record.begun.store(record.begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}
inline void count_bytes(Record& record, std::uint64_t bytes) {
  record.bytes.store(record.bytes.load(std::memory_order_relaxed) + bytes,
                     std::memory_order_relaxed);
}
inline void count_one(std::atomic<std::uint64_t>& number) {
  number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool same_key(const Key& a, const Key& b);
std::uint64_t hash_key(const Key& key, const void* parent);

} // namespace gangway::acc_time
