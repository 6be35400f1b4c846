// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "gangway/runtime.hpp"
#include "testing/sanitizer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace gangway::testing {

/// An array of more elements than there is memory for, to be written by a kernel: every 2 MiB of it
/// are the same memory, but for the last full 2 MiB and what follows, which are their own. A loop
/// whose index overflows 32 bits on the way does not leave the right values there.
template <class T>
class HugeArray {
public:
  static constexpr long chunk_bytes = 2L << 20;
  static constexpr long chunk = chunk_bytes / static_cast<long>(sizeof(T));

  explicit HugeArray(long count) : _chunks(count / chunk + 1) {
    const int file = memfd_create("gangway huge array", 0);
    if (file < 0 || ftruncate(file, 3 * chunk_bytes) != 0)
      throw std::bad_alloc();
    void* const range =
        mmap(nullptr, bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool mapped = range != MAP_FAILED;
    _data = mapped ? static_cast<T*>(range) : nullptr;
    for (long c = 0; mapped && c < _chunks; ++c) {
      const long part = c + 2 < _chunks ? 0 : c + 3 - _chunks;
      mapped = mmap(_data + c * chunk, chunk_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                    file, part * chunk_bytes) != MAP_FAILED;
    }
    close(file);
    if (!mapped) {
      release();
      throw std::bad_alloc();
    }
    for (long part = 0; part < std::min(_chunks, 3L); ++part)
      std::fill_n(&_data[(_chunks - 1 - part) * chunk], chunk, T());
    // Most of the time would go into page faults. Of pages that a file has, a read brings in 16 at
    // a time, a write one.
    constexpr long pages_16 = (16 * 4096) / static_cast<long>(sizeof(T));
    for (long i = 0; i < _chunks * chunk; i += pages_16)
      static_cast<void>(*static_cast<const volatile T*>(&_data[i]));
  }
  ~HugeArray() { release(); }
  HugeArray(const HugeArray&) = delete;
  HugeArray& operator=(const HugeArray&) = delete;

  [[nodiscard]] T* data() { return _data; }
  T& operator[](long i) { return _data[i]; }

private:
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(_chunks * chunk_bytes);
  }
  void release() {
    if (_data != nullptr)
      munmap(_data, bytes());
  }

  long _chunks;
  T* _data = nullptr;
};

/// An array of more elements than there is memory for, to be read by a kernel: zero but for the
/// elements that the test sets, and only their pages take memory. A kernel cannot write it.
template <class T>
class SparseArray {
public:
  explicit SparseArray(long count) : _bytes(static_cast<std::size_t>(count) * sizeof(T)) {
    void* const range = mmap(nullptr, _bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED)
      throw std::bad_alloc();
    _data = static_cast<T*>(range);
    // Fewer page faults, where the system has large pages; if not, it only takes longer.
    static_cast<void>(madvise(range, _bytes, MADV_HUGEPAGE));
  }
  ~SparseArray() { munmap(_data, _bytes); }
  SparseArray(const SparseArray&) = delete;
  SparseArray& operator=(const SparseArray&) = delete;

  [[nodiscard]] const T* data() const { return _data; }
  const T& operator[](long i) const { return _data[i]; }
  void set(long i, T value) {
    const long page = sysconf(_SC_PAGESIZE);
    const long before = i * static_cast<long>(sizeof(T)) / page * page;
    char* const start = reinterpret_cast<char*>(_data) + before;
    if (mprotect(start, static_cast<std::size_t>(page), PROT_READ | PROT_WRITE) != 0)
      throw std::bad_alloc();
    _data[i] = value;
  }

private:
  std::size_t _bytes;
  T* _data = nullptr;
};

/// Whether a test may walk over so many bytes of huge arrays: on a host always, for there is hardly
/// any memory behind them, on a device if it has that much. Never under a sanitizer, which makes it
/// minutes.
inline bool huge_arrays_fit(double bytes) {
  return !sanitized && (!has_device || usable_memory() > 1.1 * bytes);
}

} // namespace gangway::testing
