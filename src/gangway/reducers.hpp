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

/// The elements of a short array, for `ElementWise`.
template <class T, int N>
struct Elements {
  KOKKOS_INLINE_FUNCTION T& operator[](long i) { return values[i]; }
  KOKKOS_INLINE_FUNCTION const T& operator[](long i) const { return values[i]; }
  T values[N]; // NOLINT(modernize-avoid-c-arrays): devices have no std::array
};

/// `reduction(+: bins)` of an array of N elements: `Reducer` for each of them. Every thread has all
/// N, and on a device they lie where threads of a block join: for a few hundred bytes.
template <class Reducer, int N>
struct ElementWise {
  using reducer = ElementWise;
  using value_type = Elements<typename Reducer::value_type, N>;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_INLINE_FUNCTION explicit ElementWise(value_type& value) : _one(value[0]), _value(&value) {}
  KOKKOS_INLINE_FUNCTION void join(value_type& total, const value_type& part) const {
    for (int i = 0; i < N; ++i)
      _one.join(total[i], part[i]);
  }
  KOKKOS_INLINE_FUNCTION void init(value_type& value) const {
    for (int i = 0; i < N; ++i)
      _one.init(value[i]);
  }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *_value.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return _value; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return true; }

private:
  Reducer _one;
  result_view_type _value;
};

} // namespace gangway
