// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "gangway/runtime.hpp"
#include "testing/sanitizer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <set>

namespace gangway::testing {

/// An array of more elements than there is memory for: zero, and every 2 MiB of it are the same
/// memory, but for the last full 2 MiB, what follows, and those of elements that were set, which
/// are their own. A loop whose index overflows 32 bits on the way does not leave the right values
/// there. All of it takes a few MiB on a host.
template <class T>
class HugeArray {
public:
  static constexpr long chunk_bytes = 2L << 20;
  static constexpr long chunk = chunk_bytes / static_cast<long>(sizeof(T));

  explicit HugeArray(long count) : _chunks(count / chunk + 1) {
    _range = mmap(nullptr, bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (_range == MAP_FAILED)
      throw std::bad_alloc();
    void* aligned = _range;
    std::size_t room = bytes();
    _data = static_cast<T*>(std::align(chunk_bytes, bytes() - chunk_bytes, aligned, room));
    const int file = memfd_create("gangway huge array", 0);
    bool mapped = file >= 0 && posix_fallocate(file, 0, chunk_bytes) == 0;
    for (long c = 0; mapped && c < _chunks; ++c) {
      mapped = map(c, MAP_SHARED, file);
#ifdef MADV_COLLAPSE // glibc 2.37
      // Most of the time would go into page faults: one for each chunk, if its memory is one page.
      if (mapped && c == 0)
        madvise(_data, chunk_bytes, MADV_COLLAPSE);
#endif
    }
    close(file);
    mapped = mapped && own(_chunks - 1) && own(std::max(_chunks - 2, 0L));
    if (!mapped) {
      release();
      throw std::bad_alloc();
    }
    // Otherwise a read brings in 16 pages at a time, a write one.
    constexpr long pages_16 = (16 * 4096) / static_cast<long>(sizeof(T));
    for (long i = 0; i < _chunks * chunk; i += pages_16)
      static_cast<void>(*static_cast<const volatile T*>(&_data[i]));
  }
  ~HugeArray() { release(); }
  HugeArray(const HugeArray&) = delete;
  HugeArray& operator=(const HugeArray&) = delete;

  [[nodiscard]] T* data() { return _data; }
  T& operator[](long i) { return _data[i]; }
  void set(long i, T value) {
    if (!own(i / chunk))
      throw std::bad_alloc();
    _data[i] = value;
  }

private:
  bool map(long c, int flags, int file) {
    return mmap(_data + c * chunk, chunk_bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file,
                0) != MAP_FAILED;
  }
  /// Whether a chunk has memory of its own, zero where it had none before.
  bool own(long c) {
    return _own.contains(c) || (map(c, MAP_PRIVATE | MAP_ANONYMOUS, -1) && _own.insert(c).second);
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>((_chunks + 1) * chunk_bytes);
  }
  void release() { munmap(_range, bytes()); }

  long _chunks;
  void* _range = nullptr;
  T* _data = nullptr;
  std::set<long> _own;
};

/// Whether a test may walk over so many bytes of huge arrays: on a host always, for there is hardly
/// any memory behind them, on a device if it has that much. Never under a sanitizer, which makes it
/// minutes.
inline bool huge_arrays_fit(double bytes) {
  return !sanitized && (!has_device || usable_memory() > 1.1 * bytes);
}

} // namespace gangway::testing
