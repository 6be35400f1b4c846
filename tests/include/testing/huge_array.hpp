// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "gangway/runtime.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

namespace gangway::testing {

/// An array of more elements than there is memory for: every 16 MiB of it are the same memory, but
/// for the last full 16 MiB and what follows, which are their own. A loop whose index overflows 32
/// bits on the way does not leave the right values there.
template <class T>
class HugeArray {
public:
  static constexpr long chunk_bytes = 16L << 20;
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
      mapped = mmap(_data + c * chunk, chunk_bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, part * chunk_bytes) != MAP_FAILED;
    }
    close(file);
    if (!mapped) {
      release();
      throw std::bad_alloc();
    }
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

/// Whether a test may walk over so many bytes of huge arrays: on a host always, for there is hardly
/// any memory behind them, on a device if it has that much. Never under a sanitizer, which makes it
/// minutes.
inline bool huge_arrays_fit(double bytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static_cast<void>(bytes);
  return false;
#else
  return !has_device || usable_memory() > 1.1 * bytes;
#endif
}

} // namespace gangway::testing
