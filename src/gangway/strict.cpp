// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/strict.hpp"

#include "gangway/data.hpp"

#include <Kokkos_Core.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

// AddressSanitizer's interface; null in programs that were built without it.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): its interface
__attribute__((weak)) void __asan_poison_memory_region(const volatile void* begin,
                                                       std::size_t bytes);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* begin,
                                                         std::size_t bytes);
__attribute__((weak)) void __asan_set_error_report_callback(void (*callback)(const char* report));
__attribute__((weak)) void* __asan_get_report_address();
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace gangway::detail {
namespace {

namespace tools = Kokkos::Tools::Experimental;

/// The poison that replaces memory's contents, a word at each address that 8 divides. A double of
/// it is a signalling NaN, which arithmetic changes, so that writing back what was read shows; a
/// float is one or the other NaN. Their digits are found again in what is computed (`is_mark`). An
/// int is above two thousand million, and a long above 9e18: as an index they lead out of all there
/// is. A pointer leads nowhere, and no byte is zero.
constexpr std::uint64_t poison = 0x7ff5'a3c9'7fa3'c5e9U;

/// Calls part(at, poison for there, bytes) for all parts of begin[0:bytes].
template <class Part>
void for_poison(std::byte* begin, std::size_t bytes, const Part& part) {
  static const auto block = [] {
    std::array<std::uint64_t, 1025> words{};
    words.fill(poison);
    return words;
  }();
  const std::size_t skipped = reinterpret_cast<std::uintptr_t>(begin) % sizeof poison;
  const auto* const source = reinterpret_cast<const std::byte*>(block.data()) + skipped;
  constexpr std::size_t most = 1024 * sizeof poison;
  for (std::size_t done = 0; done < bytes; done += most)
    part(begin + done, source, std::min(most, bytes - done));
}

/// Returns whether the word is what arithmetic makes of the poison: a double, or two floats, whose
/// digits are the poison's but for sign and quietness. One float is too little to be sure of, in
/// memory that may hold anything.
bool is_mark(std::uint64_t word) {
  constexpr std::uint64_t free_of_double = 0x8008'0000'0000'0000U;
  constexpr std::uint32_t free_of_float = 0x8040'0000U;
  const auto is_float = [](std::uint64_t half) {
    const auto is = [half](std::uint64_t mark) {
      return ((static_cast<std::uint32_t>(half) ^ static_cast<std::uint32_t>(mark)) &
              ~free_of_float) == 0;
    };
    return is(poison) || is(poison >> 32);
  };
  return ((word ^ poison) & ~free_of_double) == 0 || (is_float(word) && is_float(word >> 32));
}

/// The first such word in begin[0:bytes], at an address that 8 divides, or null.
const std::byte* find_mark(const std::byte* begin, std::size_t bytes) {
  constexpr std::size_t size = sizeof poison;
  for (std::size_t at = -reinterpret_cast<std::uintptr_t>(begin) % size; at + size <= bytes;
       at += size) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + at, size);
    if (is_mark(word))
      return begin + at;
  }
  return nullptr;
}

/// Part of an array that shares its page with something else.
struct Edge {
  std::byte* begin = nullptr;
  std::vector<std::byte> kept; ///< what the kernel must not see
};

/// An array while a kernel runs.
struct Hidden {
  Watched array;
  std::byte* first_page = nullptr; ///< the whole pages in it
  std::size_t page_bytes = 0;
  bool is_protected = false;
  bool is_overwritten = false; ///< part of it
  std::array<Edge, 2> edges;
};

/// The state that the signal handler reads. The one thread that launches kernels writes it, between
/// kernels.
struct Watch {
  std::vector<Watched> (*arrays)() = nullptr;
  tools::EventSet next{}; ///< what listened before
  struct sigaction next_action{};
  std::vector<Hidden> hidden;
  std::array<char, 256> kernel{}; ///< the label of the one that runs
  std::atomic<const void*> thread{nullptr};
};

Watch& watch() {
  static auto* const the_watch = new Watch; // a handler may ask after every static is gone
  return *the_watch;
}
std::atomic<bool> watching{false};

/// An entry for each kernel begun on this thread and not ended, outermost first: true if watched.
thread_local std::vector<bool> begun;
/// The number of running Kokkos::deep_copy and living HostKernels, whose kernels are not the
/// device's.
thread_local int exempt = 0;

const void* this_thread() {
  return &exempt; // each has its own
}

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// The message, with nothing but what a signal handler may call.

class Message {
public:
  Message& operator<<(const char* text) {
    const std::size_t length = std::min(std::strlen(text), _text.size() - _length);
    std::memcpy(_text.data() + _length, text, length);
    _length += length;
    return *this;
  }
  Message& operator<<(std::size_t number) { return digits(number, 10); }
  Message& operator<<(const void* address) {
    *this << "0x";
    return digits(reinterpret_cast<std::uintptr_t>(address), 16);
  }
  ~Message() {
    for (std::size_t done = 0; done < _length;) {
      const ssize_t written = write(STDERR_FILENO, _text.data() + done, _length - done);
      if (written <= 0)
        return;
      done += static_cast<std::size_t>(written);
    }
  }
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

private:
  Message& digits(std::size_t number, std::size_t base) {
    std::array<char, 24> text{};
    std::size_t at = text.size() - 1;
    do {
      text[--at] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    return *this << text.data() + at;
  }
  std::array<char, 2048> _text{};
  std::size_t _length = 0;
};

constexpr const char* advice =
    "Kernels may use the view that the clause gave, and no array, global or pointer of the host "
    "(GANGWAY_MEMORY=strict).\n";

/// The clauses of the arrays that are overwritten.
void list_overwritten(Message& message) {
  int told = 0;
  for (const Hidden& hidden : watch().hidden) {
    if (!hidden.is_overwritten)
      continue;
    if (++told > 8) {
      message << " and more";
      break;
    }
    message << (told == 1 ? " " : ", ") << hidden.array.held_by;
  }
  message << ". " << advice;
}

/// Tells of a kernel's use of a watched array. Whether the address is in one.
bool tell_of_use(const std::byte* address) {
  const Watch& now = watch();
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (const Hidden& hidden : now.hidden) {
    const Watched& array = hidden.array;
    const auto begin = reinterpret_cast<std::uintptr_t>(array.begin);
    if (wanted < begin || wanted - begin >= array.bytes)
      continue;
    Message() << "gangway: kernel " << now.kernel.data() << " used byte " << wanted - begin
              << " of the " << array.bytes << " at " << static_cast<const void*>(array.begin)
              << ", a host array that is on the device: " << array.held_by << ". " << advice;
    return true;
  }
  return false;
}

/// Tells of a fault within a kernel.
void tell_of_fault(const std::byte* address) {
  if (tell_of_use(address))
    return;
  Message message;
  message << "gangway: kernel " << watch().kernel.data() << " used the address "
          << static_cast<const void*>(address)
          << ", which is none of its arrays'. Perhaps it read an index or a pointer from a host "
             "array that is on the device, and overwritten while kernels run:";
  list_overwritten(message);
}

extern "C" void gangway_strict_fault(int signal, siginfo_t* info, void* /*context*/) {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  if (told.test_and_set())
    for (;;) // another thread tells, and the program ends
      pause();
  if (watch().thread.load() != nullptr)
    tell_of_fault(static_cast<const std::byte*>(info->si_addr));
  // The access is made again, and is what whoever listened before, a debugger or the system sees.
  sigaction(signal, &watch().next_action, nullptr);
}

/// So that the handler does not need the stack of the thread that works on the kernel.
void use_signal_stack() {
  static std::array<std::byte, std::size_t{64} * 1024> memory;
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0)
    return;
  stack_t ours{};
  ours.ss_sp = memory.data();
  ours.ss_size = memory.size();
  sigaltstack(&ours, nullptr);
}

// AddressSanitizer, where it is in the program: it knows of each byte whether it may be used.

void forbid(const Edge& edge) {
  if (__asan_poison_memory_region != nullptr)
    __asan_poison_memory_region(edge.begin, edge.kept.size());
}
void allow(const Edge& edge) {
  if (__asan_unpoison_memory_region != nullptr)
    __asan_unpoison_memory_region(edge.begin, edge.kept.size());
}

/// Its report, once it is written, is followed by the message.
void tell_of_report(const char* /*report*/) {
  if (watch().thread.load() != nullptr)
    static_cast<void>(tell_of_use(static_cast<const std::byte*>(__asan_get_report_address())));
}

// Out of reach, and back

/// The pages that hold begin[0:bytes] may be written while this lives.
class Writable {
public:
  Writable(std::byte* begin, std::size_t bytes, bool already) : _already(already) {
    if (_already)
      return;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::size_t within = address % page_size();
    _begin = begin - within;
    _bytes = within + bytes;
    _good = mprotect(_begin, _bytes, PROT_READ | PROT_WRITE) == 0;
  }
  ~Writable() {
    if (!_already && _good)
      mprotect(_begin, _bytes, PROT_READ);
  }
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;
  explicit operator bool() const { return _good; }

private:
  std::byte* _begin = nullptr;
  std::size_t _bytes = 0;
  bool _already;
  bool _good = true;
};

void overwrite(Edge& edge, std::byte* begin, std::size_t bytes, bool writable) {
  if (bytes == 0)
    return;
  const Writable access(begin, bytes, writable);
  if (!access)
    return; // such as a file that is mapped for reading
  edge.begin = begin;
  edge.kept.assign(begin, begin + bytes);
  for_poison(begin, bytes, [](std::byte* at, const std::byte* from, std::size_t size) {
    std::memcpy(at, from, size);
  });
  forbid(edge);
}

/// Restores an edge. Whether nobody has written to it.
bool restore(Edge& edge, bool writable) {
  if (edge.kept.empty())
    return true;
  allow(edge);
  const Writable access(edge.begin, edge.kept.size(), writable);
  bool untouched = true;
  for_poison(edge.begin, edge.kept.size(),
             [&](const std::byte* at, const std::byte* as, std::size_t size) {
               untouched = untouched && std::memcmp(at, as, size) == 0;
             });
  std::copy(edge.kept.begin(), edge.kept.end(), edge.begin);
  edge.kept.clear();
  return untouched;
}

void hide(Hidden& hidden) {
  const Watched& array = hidden.array;
  const std::size_t page = page_size();
  const std::size_t within = reinterpret_cast<std::uintptr_t>(array.begin) % page;
  const std::size_t before = std::min(within == 0 ? 0 : page - within, array.bytes);
  hidden.first_page = array.begin + before;
  hidden.page_bytes = (array.bytes - before) / page * page;
  // Overwritten where it cannot be protected: a process has only so many mappings.
  if (hidden.page_bytes != 0)
    hidden.is_protected = mprotect(hidden.first_page, hidden.page_bytes, PROT_NONE) == 0;
  overwrite(hidden.edges[0], array.begin, before, array.writable);
  const std::size_t skipped = hidden.is_protected ? hidden.page_bytes : 0;
  overwrite(hidden.edges[1], hidden.first_page + skipped, array.bytes - before - skipped,
            array.writable);
  hidden.is_overwritten = !hidden.edges[0].kept.empty() || !hidden.edges[1].kept.empty();
}

/// Ends the program if the kernel has left what it read from overwritten bytes on the device. Of
/// each array so many bytes are looked through at both ends: what came from a small array, or from
/// the ends of a large one, is seldom elsewhere, and large arrays take no time.
void require_no_mark() {
  constexpr std::size_t looked_through = std::size_t{64} * 1024;
  const Watch& now = watch();
  if (std::none_of(now.hidden.begin(), now.hidden.end(),
                   [](const Hidden& hidden) { return hidden.is_overwritten; }))
    return;
  for (const Hidden& hidden : now.hidden) {
    const auto& [begin, bytes, writable, device, held_by] = hidden.array;
    const std::size_t part = std::min(bytes, looked_through);
    const std::byte* mark = find_mark(device, part);
    if (mark == nullptr)
      mark = find_mark(device + (bytes - part), part);
    if (mark == nullptr)
      continue;
    {
      Message message;
      message << "gangway: kernel " << now.kernel.data() << " left in " << held_by << ", at byte "
              << static_cast<std::size_t>(mark - device)
              << ", what stands in host arrays while kernels run. It has read one that is on the "
                 "device:";
      list_overwritten(message);
    } // is written
    std::abort();
  }
}

void lift() {
  Watch& now = watch();
  const Hidden* written = nullptr;
  for (Hidden& hidden : now.hidden) {
    if (hidden.is_protected)
      mprotect(hidden.first_page, hidden.page_bytes,
               hidden.array.writable ? PROT_READ | PROT_WRITE : PROT_READ);
    hidden.is_protected = false;
    for (Edge& edge : hidden.edges)
      if (!restore(edge, hidden.array.writable))
        written = &hidden;
  }
  if (written != nullptr) {
    Message() << "gangway: kernel " << now.kernel.data() << " wrote to the " << written->array.bytes
              << " bytes at " << static_cast<const void*>(written->array.begin)
              << ", a host array that is on the device: " << written->array.held_by << ". "
              << advice;
    std::abort();
  }
  require_no_mark();
  now.hidden.clear();
  now.thread.store(nullptr); // last: from here on another thread's kernel may begin
}

/// Returns whether the kernel may not use host arrays: it runs on the default execution space, and
/// is neither a copy nor the host's own work.
bool is_watched(std::uint32_t device) {
  return exempt == 0 && tools::identifier_from_devid(device).type ==
                            tools::DeviceTypeTraits<Kokkos::DefaultExecutionSpace>::id;
}

void begin_kernel(const char* label, std::uint32_t device) {
  const bool watched = is_watched(device) && kernel_runs() != Runs::this_thread;
  if (!watched) {
    begun.push_back(false);
    return;
  }
  Watch& now = watch();
  const std::vector<Watched> arrays = now.arrays();
  const void* nobody = nullptr;
  if (!now.thread.compare_exchange_strong(nobody, this_thread()))
    throw DataError(std::string("kernel ") + label + ": that of another thread (" +
                        now.kernel.data() +
                        ") runs; strict memory watches the kernels of one thread at a time, "
                        "so use GANGWAY_MEMORY=separate",
                    {});
  now.kernel.fill('\0');
  std::strncpy(now.kernel.data(), label, now.kernel.size() - 1);
  try {
    for (const Watched& array : arrays)
      now.hidden.emplace_back().array = array;
    for (Hidden& hidden : now.hidden)
      hide(hidden);
    begun.push_back(true);
  } catch (...) { // the kernel does not run, and what was hidden is the program's again
    lift();
    throw;
  }
}

void end_kernel() {
  if (begun.empty())
    return; // it began before the watch
  const bool watched = begun.back();
  begun.pop_back();
  if (watched)
    lift();
}

// The callbacks of Kokkos' tool interface. Others' come first at the beginning and last at the end,
// while arrays are in reach: a tool may read what it likes.

template <auto begin>
void begin_hook(const char* label, std::uint32_t device, std::uint64_t* id) {
  if (const auto next = watch().next.*begin)
    next(label, device, id);
  begin_kernel(label, device);
}
template <auto end>
void end_hook(std::uint64_t id) {
  end_kernel();
  if (const auto next = watch().next.*end)
    next(id);
}

void begin_copy_hook(Kokkos_Profiling_SpaceHandle to, const char* to_label, const void* to_address,
                     Kokkos_Profiling_SpaceHandle from, const char* from_label,
                     const void* from_address, std::uint64_t bytes) {
  if (const auto next = watch().next.begin_deep_copy)
    next(to, to_label, to_address, from, from_label, from_address, bytes);
  ++exempt;
}
void end_copy_hook() {
  exempt = std::max(exempt - 1, 0);
  if (const auto next = watch().next.end_deep_copy)
    next();
}

/// Puts our callbacks in the place of `next`'s, or `next`'s back in place of ours.
void exchange_callbacks(bool ours) {
  tools::EventSet set = tools::get_callbacks();
  using Set = tools::EventSet;
  const Set& next = watch().next;
  const auto place = [&](auto member, auto hook) {
    if (ours)
      set.*member = hook;
    else if (set.*member == hook) // otherwise somebody came after us, and stays
      set.*member = next.*member;
  };
  place(&Set::begin_parallel_for, begin_hook<&Set::begin_parallel_for>);
  place(&Set::end_parallel_for, end_hook<&Set::end_parallel_for>);
  place(&Set::begin_parallel_reduce, begin_hook<&Set::begin_parallel_reduce>);
  place(&Set::end_parallel_reduce, end_hook<&Set::end_parallel_reduce>);
  place(&Set::begin_parallel_scan, begin_hook<&Set::begin_parallel_scan>);
  place(&Set::end_parallel_scan, end_hook<&Set::end_parallel_scan>);
  place(&Set::begin_deep_copy, begin_copy_hook);
  place(&Set::end_deep_copy, end_copy_hook);
  tools::set_callbacks(set);
}

} // namespace

void start_watching(std::vector<Watched> (*arrays)()) {
  if (watching.exchange(true))
    return;
  Watch& now = watch();
  now.arrays = arrays;
  now.next = tools::get_callbacks();
  exchange_callbacks(true);
  use_signal_stack();
  if (__asan_set_error_report_callback != nullptr)
    __asan_set_error_report_callback(tell_of_report);
  struct sigaction action{};
  action.sa_sigaction = gangway_strict_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &now.next_action);
}

void stop_watching() {
  if (!watching.exchange(false))
    return;
  exchange_callbacks(false);
  if (__asan_set_error_report_callback != nullptr)
    __asan_set_error_report_callback(nullptr);
  sigaction(SIGSEGV, &watch().next_action, nullptr);
}

bool is_watching() {
  return watching.load();
}

Runs kernel_runs() {
  if (!watching.load())
    return Runs::nobody;
  const void* const thread = watch().thread.load();
  return thread == nullptr         ? Runs::nobody
         : thread == this_thread() ? Runs::this_thread
                                   : Runs::another_thread;
}

void kernel_was_left() {
  begun.clear();
  exempt = 0;
  lift();
}

bool is_writable(const std::byte* begin, std::size_t bytes) {
  // A line of each mapping: "7f0000000000-7f0000021000 rw-p …".
  std::ifstream maps("/proc/self/maps");
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  for (std::string line; std::getline(maps, line);) {
    char* after = nullptr;
    const std::uintptr_t from = std::strtoull(line.c_str(), &after, 16);
    const std::uintptr_t to = std::strtoull(after + 1, &after, 16);
    if (from < first + bytes && first < to && (std::strlen(after) < 3 || after[2] != 'w'))
      return false;
  }
  return true;
}

} // namespace gangway::detail

namespace gangway {

HostKernels::HostKernels() {
  ++detail::exempt;
}
HostKernels::~HostKernels() {
  detail::exempt = std::max(detail::exempt - 1, 0);
}

} // namespace gangway
