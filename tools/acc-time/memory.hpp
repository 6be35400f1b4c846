// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace gangway::acc_time {

/// Memory directly from the kernel, given back only on request. Records must be readable until the
/// last moment, also in a handler of SIGABRT, where malloc itself may be broken. Not thread-safe:
/// each thread, and the report, has its own.
class Arena {
public:
  /// Returns `bytes` zeroed bytes, aligned for any type; null if the system has no more.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (bytes > static_cast<std::size_t>(_end - _next) && !grow(bytes))
      return nullptr;
    return std::exchange(_next, _next + bytes);
  }

  template <class T>
  T* make() {
    void* memory = allocate(sizeof(T));
    return memory == nullptr ? nullptr : new (memory) T;
  }

  template <class T>
  T* make_array(std::size_t n) {
    return static_cast<T*>(allocate(n * sizeof(T)));
  }

  /// Returns a copy that ends in '\0'; an empty text if there is no memory left.
  const char* copy(const char* text, std::size_t length) {
    auto* const copied = static_cast<char*>(allocate(length + 1));
    if (copied == nullptr)
      return "";
    std::memcpy(copied, text, length);
    copied[length] = '\0';
    return copied;
  }

  /// Gives all memory back at once.
  void give_back() {
    for (Chunk* piece = std::exchange(_newest, nullptr); piece != nullptr;) {
      const Chunk gone = *piece;
      munmap(piece, gone.length);
      piece = gone.older;
    }
    _next = _end = nullptr;
  }

private:
  /// Beginning of each piece from the kernel.
  struct alignas(std::max_align_t) Chunk {
    Chunk* older;
    std::size_t length;
  };
  static constexpr std::size_t alignment = alignof(std::max_align_t);
  static constexpr std::size_t chunk =
      256UL * 1024; // touched page by page, so a large one is cheap

  bool grow(std::size_t bytes) {
    if (bytes > ~std::size_t{0} - sizeof(Chunk) - chunk)
      return false;
    const std::size_t length = (bytes + sizeof(Chunk) + chunk - 1) / chunk * chunk;
    void* memory =
        mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    _newest = new (memory) Chunk{_newest, length};
    _end = static_cast<char*>(memory) + length;
    _next = static_cast<char*>(memory) + sizeof(Chunk);
    return true;
  }

  Chunk* _newest = nullptr;
  char* _next = nullptr;
  char* _end = nullptr;
};

} // namespace gangway::acc_time
