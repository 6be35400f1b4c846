// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <limits>

/// Reducers that `reduction` needs beside Kokkos' own.
namespace gangway {

/// `reduction(^)`. Its identity is that of `|`.
template <class T>
struct BXor : Kokkos::BOr<T> {
  using reducer = BXor;
  using Kokkos::BOr<T>::BOr;
  KOKKOS_INLINE_FUNCTION void join(T& total, const T& part) const { total ^= part; }
};

/// `reduction(max)`, `reduction(min)`: begin with the infinities, where the type has them. Kokkos'
/// begin with the lowest and the largest finite value, which is what is left of no iterations, or
/// of infinities.
template <class T>
struct Max : Kokkos::Max<T> {
  using reducer = Max;
  using Kokkos::Max<T>::Max;
  KOKKOS_INLINE_FUNCTION void init(T& value) const { value = least; }

private:
  static constexpr T least = std::numeric_limits<T>::has_infinity
                                 ? -std::numeric_limits<T>::infinity()
                                 : std::numeric_limits<T>::lowest();
};
template <class T>
struct Min : Kokkos::Min<T> {
  using reducer = Min;
  using Kokkos::Min<T>::Min;
  KOKKOS_INLINE_FUNCTION void init(T& value) const { value = largest; }

private:
  static constexpr T largest = std::numeric_limits<T>::has_infinity
                                   ? std::numeric_limits<T>::infinity()
                                   : std::numeric_limits<T>::max();
};

} // namespace gangway
