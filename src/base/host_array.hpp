// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"

#include <cstddef>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace gangway::base {

/// An allocator whose containers leave new elements uninitialised, so that a large array's pages
/// are first touched by the threads that fill it. Memory is aligned to a cache line (64 bytes).
template <class T>
struct UninitialisedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  UninitialisedAllocator() = default;
  template <class U>
  UninitialisedAllocator(const UninitialisedAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, alignment); }

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const UninitialisedAllocator&, const UninitialisedAllocator&) {
    return true;
  }
};

/// A large array on the host. (`gangway::Array` is a view of one on the device.)
template <class T>
using HostArray = std::vector<T, UninitialisedAllocator<T>>;

/// Sets array[i] to element(i) for all i in [0, count), by the threads of `parallel_ranges`.
template <class T, class Element>
void fill_each(T* array, long count, const Element& element) {
  parallel_ranges(count, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      array[i] = element(i);
  });
}

/// Makes an array of `count` elements, element(i) at i.
template <class T, class Element>
[[nodiscard]] HostArray<T> filled(long count, const Element& element) {
  HostArray<T> array(static_cast<std::size_t>(count));
  fill_each(array.data(), count, element);
  return array;
}

} // namespace gangway::base
