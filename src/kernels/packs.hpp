// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Loads of 16 bytes, which kernels of several studies share. No port needs it.
namespace gangway::kernels {

/// The elements of one 16-byte load, the widest that a device's thread can make.
template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T at[size];
};

/// Returns whether an array can be read as packs from its first element on.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool is_pack_aligned(const T* array) {
  return reinterpret_cast<std::uintptr_t>(array) % alignof(Pack<T>) == 0;
}

/// Returns how many whole packs these arrays of n elements each can be read as side by side. It is
/// 0 if one of them begins at no multiple of 16 bytes. Elements of all are of one size.
template <class First, class... Others>
[[nodiscard]] long whole_packs(long n, const First& array, const Others&... others) {
  using T = typename First::non_const_value_type;
  static_assert(((sizeof(typename Others::value_type) == sizeof(T)) && ...));
  const bool aligned = (is_pack_aligned(array.data()) && ... && is_pack_aligned(others.data()));
  return aligned ? n / Pack<T>::size : 0;
}

/// Returns a view of the first `count` packs of an array.
template <class Elements>
[[nodiscard]] auto as_packs(const Elements& array, long count) {
  using Own = Pack<typename Elements::non_const_value_type>;
  using P = std::conditional_t<std::is_const_v<typename Elements::value_type>, const Own, Own>;
  return DeviceView<P>(reinterpret_cast<P*>(array.data()), static_cast<std::size_t>(count));
}

} // namespace gangway::kernels
