// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/fortran_complex.hpp"

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

/// Arithmetic of Fortran in kernels, with the results of gfortran in every bit.
namespace gangway::fortran {

/// Returns the iterations of `do i = first, last, step`.
template <std::integral T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr long trips(T first, T last, T step = 1) {
  const long distance = static_cast<long>(last) - static_cast<long>(first) + step;
  const long count = distance / step;
  return count > 0 ? count : 0;
}

/// Returns the value of a loop's variable in iteration `count`, which counts from 0.
template <std::integral T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T value_at(T first, long count, T step = 1) {
  return static_cast<T>(first + count * static_cast<long>(step));
}

/// Returns `mod(a, p)`, which has the sign of a.
template <std::integral T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T mod(T a, T p) {
  return static_cast<T>(a % p);
}
template <std::floating_point T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T mod(T a, T p) {
  return Kokkos::fmod(a, p);
}

/// Returns `modulo(a, p)`, which has the sign of p.
template <std::integral T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T modulo(T a, T p) {
  const T rest = static_cast<T>(a % p);
  return rest != 0 && (rest < 0) != (p < 0) ? static_cast<T>(rest + p) : rest;
}
template <std::floating_point T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T modulo(T a, T p) {
  const T rest = Kokkos::fmod(a, p);
  if (rest == 0)
    return Kokkos::copysign(T(0), p);
  return (a < 0) != (p < 0) ? rest + p : rest;
}

/// Returns `sign(a, b)`: the size of a with the sign of b.
template <std::integral T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T sign(T a, T b) {
  return static_cast<T>((a < 0) == (b < 0) ? a : -a);
}
template <std::floating_point T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T sign(T a, T b) {
  return Kokkos::copysign(a, b);
}

/// Returns `dim(a, b)`: a - b, or 0 where that is negative.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T dim(T a, T b) {
  const T difference = static_cast<T>(a - b);
  return difference <= 0 ? T(0) : difference;
}

/// Returns `nint(x)`: the nearest whole number, halves away from zero.
template <std::integral To, std::floating_point T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION To nint(T x) {
  return static_cast<To>(Kokkos::round(x));
}

/// Returns `floor(x)`, and `ceiling(x)`.
template <std::integral To, std::floating_point T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION To floor(T x) {
  return static_cast<To>(Kokkos::floor(x));
}
template <std::integral To, std::floating_point T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION To ceiling(T x) {
  return static_cast<To>(Kokkos::ceil(x));
}

/// Returns `ishft(i, shift)`: to the left, or to the right where `shift` is negative.
template <std::integral T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T ishft(T i, int shift) {
  using Bits = std::make_unsigned_t<T>;
  constexpr int width = 8 * static_cast<int>(sizeof(T));
  if (shift >= width || shift <= -width)
    return 0;
  return static_cast<T>(shift >= 0 ? static_cast<Bits>(static_cast<Bits>(i) << shift)
                                   : static_cast<Bits>(static_cast<Bits>(i) >> -shift));
}

/// Returns `x**n` of whole numbers.
template <std::integral T, std::integral N>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T power(T x, N n) {
  if (n < 0)
    return static_cast<T>(x == 1 ? 1 : x == -1 ? (n % 2 == 0 ? 1 : -1) : x == 0 ? 1 / x : 0);
  std::make_unsigned_t<T> product = 1;
  auto square = static_cast<std::make_unsigned_t<T>>(x);
  for (; n > 0; n /= 2) {
    if (n % 2 != 0)
      product = static_cast<std::make_unsigned_t<T>>(product * square);
    square = static_cast<std::make_unsigned_t<T>>(square * square);
  }
  return static_cast<T>(product);
}

/// Returns `x**n`, multiplied as GCC's library does for an exponent of 32 bits.
template <std::floating_point T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T power(T x, int n) {
  unsigned left = n < 0 ? -static_cast<unsigned>(n) : static_cast<unsigned>(n);
  T product = left % 2 != 0 ? x : T(1);
  while ((left >>= 1U) != 0) {
    x = x * x;
    if (left % 2 != 0)
      product *= x;
  }
  return n < 0 ? T(1) / product : product;
}
/// Returns `x**n`, multiplied as gfortran's library does for an exponent of 64 bits, and for
/// complex numbers.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T power(T x, long n)
  requires(!std::integral<T>)
{
  if (n == 0)
    return T(1);
  if (n < 0)
    x = T(1) / x;
  unsigned long left = n < 0 ? -static_cast<unsigned long>(n) : static_cast<unsigned long>(n);
  T product(1);
  for (;;) {
    if (left % 2 != 0)
      product *= x;
    left >>= 1U;
    if (left == 0)
      return product;
    x *= x;
  }
}

namespace detail {
/// Factors of x**n for n from 0 on: GCC multiplies x**factor[n] by x**(n - factor[n]).
inline constexpr int factors[] = // NOLINT(modernize-avoid-c-arrays): devices have no std::array
    {0, 1, 1, 2, 2, 3, 3, 4, 4, 6, 5, 6, 6, 10, 7, 9, 8};
} // namespace detail

/// The largest exponent of `power<n>`.
inline constexpr int largest_power = static_cast<int>(sizeof detail::factors / sizeof(int)) - 1;

/// Returns `x**n` for a constant n, multiplied as GCC does.
template <int n, class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T power(T x) {
  static_assert(-largest_power <= n && n <= largest_power);
  if constexpr (n < 0) {
    if constexpr (std::integral<T>)
      return power(x, n);
    else
      return T(1) / power<-n>(x);
  } else if constexpr (n == 0) {
    return T(1);
  } else if constexpr (n == 1) {
    return x;
  } else if constexpr (n == 2 * detail::factors[n]) {
    const T half = power<detail::factors[n]>(x);
    return static_cast<T>(half * half);
  } else {
    return static_cast<T>(power<detail::factors[n]>(x) * power<n - detail::factors[n]>(x));
  }
}

/// The bounds of one dimension, known when compiling.
template <long first, long last>
struct Bounds {
  static constexpr long lower = first;                                ///< of the first element
  static constexpr long extent = last < first ? 0 : last - first + 1; ///< number of elements
};

/// A private array of Fortran, such as `real :: w(0:4)`: `LocalArray<float, Bounds<0, 4>>`.
template <class T, class... Dimensions>
class LocalArray {
  static constexpr long count = (Dimensions::extent * ... * 1L);

public:
  LocalArray() = default;
  /// Copies the values, in the order of Fortran's elements.
  explicit LocalArray(const T* values) {
    for (long n = 0; n < count; ++n)
      _values[n] = values[n];
  }
  /// Returns the element of these indices, one for each dimension.
  template <std::integral... Index>
    requires(sizeof...(Index) == sizeof...(Dimensions))
  KOKKOS_INLINE_FUNCTION T& operator()(Index... indices) {
    return *address(indices...);
  }
  /// Returns the address of that element.
  template <std::integral... Index>
    requires(sizeof...(Index) == sizeof...(Dimensions))
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T* address(Index... indices) {
    long stride = 1;
    long at = 0;
    ((at += (static_cast<long>(indices) - Dimensions::lower) * stride,
      stride *= Dimensions::extent),
     ...);
    return _values + at;
  }
  /// Returns the address of the first element.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T* data() { return _values; }

private:
  T _values[count < 1 ? 1 : count]; // NOLINT(modernize-avoid-c-arrays): devices have no std::array
};

/// Returns `lbound(array, d)` and `ubound(array, d)`: 1 and 0 where the dimension has no elements.
template <std::integral To, class Array>
[[nodiscard]] KOKKOS_INLINE_FUNCTION To lbound(const Array& array, int d) {
  return static_cast<To>(array.size(d) > 0 ? array.lbound(d) : 1);
}
template <std::integral To, class Array>
[[nodiscard]] KOKKOS_INLINE_FUNCTION To ubound(const Array& array, int d) {
  return static_cast<To>(array.size(d) > 0 ? array.lbound(d) + array.size(d) - 1 : 0);
}

/// A dummy array of a procedure that kernels call, such as `real :: a(n, 0:m)`: it refers to the
/// elements of its actual argument. `T` is `const` where the procedure only reads them.
template <class T, int Rank>
class DummyArray {
  using Numbers = Kokkos::Array<long, Rank>;

public:
  /// The array whose elements begin at `first`, with these bounds.
  KOKKOS_INLINE_FUNCTION DummyArray(T* first, const Numbers& lower, const Numbers& upper)
      : _first(first), _lower(lower) {
    for (int d = 0; d < Rank; ++d)
      _extent[d] = upper[d] < lower[d] ? 0 : upper[d] - lower[d] + 1;
  }
  /// The elements of `other`, which count from `lower`.
  KOKKOS_INLINE_FUNCTION DummyArray(const DummyArray& other, const Numbers& lower)
      : _first(other._first), _lower(lower), _extent(other._extent) {}

  /// Returns the element of these indices, one for each dimension.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  KOKKOS_INLINE_FUNCTION T& operator()(Index... indices) const {
    return *address(indices...);
  }
  /// Returns the address of that element.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T* address(Index... indices) const {
    long stride = 1;
    long at = 0;
    int d = 0;
    ((at += (static_cast<long>(indices) - _lower[d]) * stride, stride *= _extent[d], ++d), ...);
    return _first + at;
  }
  /// Returns the address of the first element.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T* data() const { return _first; }
  /// Returns the lower bound of dimension `d`, which counts from 1.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION long lbound(int d) const { return _lower[d - 1]; }
  /// Returns the extent of dimension `d`, which counts from 1.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION long size(int d) const { return _extent[d - 1]; }

private:
  T* _first;
  Numbers _lower;
  Numbers _extent{};
};

} // namespace gangway::fortran
