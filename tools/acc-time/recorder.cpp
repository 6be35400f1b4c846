// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recorder.hpp"

#include "names.hpp"

#include <pthread.h>

#include <cstdlib>
#include <mutex>

namespace gangway::acc_time {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

std::atomic<Thread*> newest_thread{nullptr};
std::atomic<std::uint64_t> records_made{0};
std::atomic<std::uint64_t> events_lost{0};
std::atomic<int> threads_made{0};

// The TLS model is not initial-exec, because the loader's reserve for late libraries is small, and
// libgomp, for one, uses it.
thread_local Thread* mine_now = nullptr;

constexpr int spaces_most = 64;
std::array<Space, spaces_most> spaces;
const Space no_space;
std::atomic<std::int16_t> spaces_known{0};
std::mutex spaces_mutex;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32U);
}

std::uint64_t mix(std::uint64_t hash, const char* text) {
  std::size_t length = std::strlen(text);
  hash = mix(hash, length);
  for (; length >= 8; length -= 8, text += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text, 8);
    hash = mix(hash, word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, text, length);
  return mix(hash, word);
}

} // namespace

namespace {

/// Reads at most `most` numbers with " x " between them, each perhaps "auto" (-1). Returns how many
/// there were, or 0 if there is something else, and leaves `text` after them.
std::uint8_t read_extents(const char*& text, std::int64_t* extents, int most) {
  for (std::uint8_t count = 0; count < most;) {
    std::int64_t value = -1;
    if (std::strncmp(text, "auto", 4) == 0) {
      text += 4;
    } else {
      char* end = nullptr;
      value = std::strtoll(text, &end, 10);
      if (end == text || value < 0)
        return 0;
      text = end;
    }
    extents[count++] = value;
    if (std::strncmp(text, " x ", 3) != 0)
      return count;
    text += 3;
  }
  return 0;
}

} // namespace

Shape Shape::parse(const char* text) {
  Shape shape;
  shape.form = Form::levels;
  if (std::strncmp(text, "tile ", 5) == 0) {
    shape.form = Form::tile;
    text += 5;
  }
  shape.count = read_extents(text, shape.extent.data(), most);
  constexpr const char* requested = " requested ";
  if (std::strncmp(text, requested, std::strlen(requested)) == 0) {
    text += std::strlen(requested);
    shape.is_requested = read_extents(text, shape.requested.data(), 2) == 2;
    if (!shape.is_requested)
      return {};
  }
  if (*text != '\0' || (shape.form == Form::levels ? shape.count != 3 : shape.count == 0))
    return {};
  return shape;
}

bool same_key(const Key& a, const Key& b) {
  return a.kind == b.kind && a.model == b.model && a.pattern == b.pattern &&
         a.direction == b.direction && a.data == b.data && a.asynchronous == b.asynchronous &&
         a.to_space == b.to_space && a.from_space == b.from_space && a.device == b.device &&
         a.line == b.line && a.site == b.site && a.shape.form == b.shape.form &&
         a.shape.count == b.shape.count && a.shape.extent == b.shape.extent &&
         a.shape.is_requested == b.shape.is_requested && a.shape.requested == b.shape.requested &&
         std::strcmp(a.name, b.name) == 0 && std::strcmp(a.detail, b.detail) == 0;
}

std::uint64_t hash_key(const Key& key, const void* parent) {
  std::uint64_t hash = mix(0, reinterpret_cast<std::uintptr_t>(parent));
  hash = mix(hash, static_cast<std::uint64_t>(key.kind) << 40U |
                       static_cast<std::uint64_t>(key.model) << 32U |
                       static_cast<std::uint64_t>(key.pattern) << 24U |
                       static_cast<std::uint64_t>(key.direction) << 16U |
                       static_cast<std::uint64_t>(key.data) << 8U |
                       static_cast<std::uint64_t>(key.asynchronous));
  hash =
      mix(hash, static_cast<std::uint64_t>(static_cast<std::uint16_t>(key.to_space)) << 48U |
                    static_cast<std::uint64_t>(static_cast<std::uint16_t>(key.from_space)) << 32U |
                    static_cast<std::uint64_t>(static_cast<std::uint16_t>(key.device)));
  hash = mix(hash, static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.line)));
  hash = mix(hash, reinterpret_cast<std::uintptr_t>(key.site));
  for (std::uint8_t i = 0; i < key.shape.count; ++i)
    hash = mix(hash, static_cast<std::uint64_t>(key.shape.extent[i]));
  if (key.shape.is_requested)
    for (const std::int64_t extent : key.shape.requested)
      hash = mix(hash, static_cast<std::uint64_t>(extent));
  hash = mix(hash, key.name);
  return *key.detail == '\0' ? hash : mix(hash, key.detail);
}

/// Hands threads their records, and takes them back for the next thread: a program that starts
/// thousands of threads one after the other needs memory for only as many as run at once.
struct Threads {
  static pthread_key_t& key() {
    static pthread_key_t the_key = [] {
      pthread_key_t made{};
      pthread_key_create(&made, [](void* thread) {
        mine_now = nullptr;
        static_cast<Thread*>(thread)->_signal_stack.leave();
        static_cast<Thread*>(thread)->_taken.store(false, std::memory_order_release);
      });
      return made;
    }();
    return the_key;
  }

  static Thread* take() {
    Thread* thread = newest_thread.load(std::memory_order_acquire);
    for (; thread != nullptr; thread = thread->_next) {
      bool free = false;
      if (thread->_taken.compare_exchange_strong(free, true, std::memory_order_acquire)) {
        thread->reuse();
        break;
      }
    }
    if (thread == nullptr)
      thread = add();
    if (thread != nullptr) {
      mine_now = thread;
      pthread_setspecific(key(), thread);
      thread->_signal_stack.use();
    }
    return thread;
  }

  static Thread* add() {
    Arena arena;
    auto* const thread = arena.make<Thread>();
    if (thread == nullptr)
      return nullptr;
    thread->_arena = arena; // the rest of the chunk that contains it
    thread->_taken.store(true, relaxed);
    thread->_number = threads_made.fetch_add(1, relaxed) + 1;
    thread->_next = newest_thread.load(relaxed);
    while (!newest_thread.compare_exchange_weak(thread->_next, thread, std::memory_order_release,
                                                relaxed)) {
    }
    return thread;
  }
};

Thread* Thread::mine() {
  if (mine_now != nullptr) [[likely]]
    return mine_now;
  Thread* const thread = Threads::take();
  if (thread == nullptr)
    events_lost.fetch_add(1, relaxed);
  return thread;
}

void Thread::reuse() {
  _depth = 0;
  _inside = nullptr;
  shape = {};
  copy_direction = Direction::none;
  sections = {};
  launch = nullptr;
}

bool Thread::grow_table() {
  const std::size_t slots = _slots == 0 ? 256 : 2 * _slots;
  auto* const table = _arena.make_array<Record*>(slots);
  if (table == nullptr)
    return false;
  for (std::size_t i = 0; i < _slots; ++i) {
    if (_table[i] == nullptr)
      continue;
    std::size_t slot = _table[i]->hash & (slots - 1);
    while (table[slot] != nullptr)
      slot = (slot + 1) & (slots - 1);
    table[slot] = _table[i];
  }
  _table = table;
  _slots = slots;
  return true;
}

Record* Thread::find(const Key& key) {
  const std::uint64_t hash = hash_key(key, _inside);
  if (2 * _used >= _slots && !grow_table() && _used + 1 >= _slots) {
    events_lost.fetch_add(1, relaxed);
    return nullptr;
  }
  std::size_t slot = hash & (_slots - 1);
  for (; _table[slot] != nullptr; slot = (slot + 1) & (_slots - 1)) {
    Record* const record = _table[slot];
    if (record->hash != hash || record->parent != _inside)
      continue;
    // The record's name may be a readable one, so its hash stands for the key that was asked for.
    if (record->key.kind == key.kind && record->key.model == key.model)
      return record;
  }
  auto* const record = _arena.make<Record>();
  if (record == nullptr) {
    events_lost.fetch_add(1, relaxed);
    return nullptr;
  }
  record->key = key;
  record->key.name = readable_name(key, _arena);
  record->key.detail = *key.detail == '\0' ? "" : _arena.copy(key.detail, std::strlen(key.detail));
  record->parent = _inside;
  record->hash = hash;
  record->sequence = records_made.fetch_add(1, relaxed);
  record->older = _newest.load(relaxed);
  _table[slot] = record;
  ++_used;
  _newest.store(record, std::memory_order_release);
  return record;
}

Open* Thread::open(Record* record) {
  if (_depth == _capacity) {
    const std::size_t capacity = _capacity == 0 ? 64 : 2 * _capacity;
    auto* const stack = _arena.make_array<Open>(capacity);
    if (stack == nullptr) {
      events_lost.fetch_add(1, relaxed);
      return nullptr;
    }
    if (_depth != 0)
      std::memcpy(static_cast<void*>(stack), _stack, _depth * sizeof(Open));
    _stack = stack;
    _capacity = capacity;
  }
  Open& opened = _stack[_depth++];
  opened = {};
  opened.record = record;
  opened.id = ++_last_id;
  if (record != nullptr)
    _inside = record;
  return &opened;
}

void Thread::remove(std::size_t index, Open& closed) {
  closed = _stack[index];
  for (std::size_t i = index + 1; i < _depth; ++i)
    _stack[i - 1] = _stack[i];
  --_depth;
  _inside = nullptr;
  for (std::size_t i = _depth; i > 0 && _inside == nullptr; --i)
    _inside = _stack[i - 1].record;
}

bool Thread::close(std::uint64_t id, Open& closed) {
  for (std::size_t i = _depth; i > 0; --i)
    if (_stack[i - 1].id == id) {
      remove(i - 1, closed);
      return true;
    }
  return false;
}

bool Thread::close(Kind kind, Open& closed) {
  for (std::size_t i = _depth; i > 0; --i)
    if (_stack[i - 1].record != nullptr && _stack[i - 1].record->key.kind == kind) {
      remove(i - 1, closed);
      return true;
    }
  return false;
}

const Thread* threads() {
  return newest_thread.load(std::memory_order_acquire);
}
std::uint64_t lost() {
  return events_lost.load(relaxed);
}

void forget() {
  Thread* thread = newest_thread.exchange(nullptr);
  mine_now = nullptr;
  pthread_setspecific(Threads::key(), nullptr);
  records_made.store(0);
  threads_made.store(0);
  events_lost.store(0);
  while (thread != nullptr) {
    Arena memory = thread->_arena; // which the thread's own record lies in
    thread = thread->_next;
    memory.give_back();
  }
}

std::int16_t space(const char* told) {
  // The name comes from a runtime, not from the program. Bytes that are no plain text would steer
  // the terminal.
  std::array<char, 64> plain{};
  for (std::size_t i = 0; i + 1 < plain.size() && told[i] != '\0'; ++i)
    plain[i] = told[i] >= ' ' && told[i] <= '~' ? told[i] : '?';
  const char* const name = plain.data();
  const auto search = [name](std::int16_t first, std::int16_t last) -> std::int16_t {
    for (std::int16_t i = first; i < last; ++i)
      if (std::strncmp(spaces[i].name.data(), name, 63) == 0)
        return i;
    return -1;
  };
  const std::int16_t known = spaces_known.load(std::memory_order_acquire);
  if (const std::int16_t found = search(0, known); found >= 0)
    return found;
  const std::lock_guard lock(spaces_mutex);
  const std::int16_t now_known = spaces_known.load(relaxed);
  if (const std::int16_t found = search(known, now_known); found >= 0)
    return found;
  if (now_known == spaces_most)
    return -1;
  Space& made = spaces[now_known];
  made.name = plain;
  // Host, CudaHostPinned, HIPHostPinned and SYCLHostUSM are memory of the host. All others, also
  // managed memory, count as the device's.
  made.host = std::strstr(name, "Host") != nullptr || std::strcmp(name, "OpenACC host") == 0;
  spaces_known.store(static_cast<std::int16_t>(now_known + 1), std::memory_order_release);
  return now_known;
}

const Space& space_at(std::int16_t number) {
  return number < 0 ? no_space : spaces[number];
}
std::int16_t space_count() {
  return spaces_known.load(std::memory_order_acquire);
}

void allocated(std::int16_t number, std::uint64_t bytes) {
  if (number < 0)
    return;
  Space& where = spaces[number];
  where.allocations.fetch_add(1, relaxed);
  where.bytes.fetch_add(bytes, relaxed);
  const std::int64_t live = where.live.fetch_add(static_cast<std::int64_t>(bytes), relaxed) +
                            static_cast<std::int64_t>(bytes);
  std::int64_t peak = where.peak.load(relaxed);
  while (live > peak && !where.peak.compare_exchange_weak(peak, live, relaxed)) {
  }
}

void freed(std::int16_t number, std::uint64_t bytes) {
  if (number < 0)
    return;
  spaces[number].frees.fetch_add(1, relaxed);
  spaces[number].live.fetch_sub(static_cast<std::int64_t>(bytes), relaxed);
}

} // namespace gangway::acc_time
