// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace gangway {

/// Loads what will not be used again: on CUDA the caches are asked to give it up first
/// (`ld.global.cs`), so that data which is used again, such as the vector of a sparse product,
/// stays. Elsewhere a plain load.
template <class T>
KOKKOS_INLINE_FUNCTION T load_once(const T& place) {
#ifdef __CUDA_ARCH__
  return __ldcs(&place);
#else
  return place;
#endif
}

/// What one load of a device's thread can bring, 16 bytes. `deviceptr` makes an array of them of an
/// address that is a multiple of 16.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T at[size];
};

/// Whether an array can be read as packs from its first element on.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_pack_aligned(const T* array) {
  return reinterpret_cast<std::uintptr_t>(array) % alignof(Pack<T>) == 0;
}

} // namespace gangway
