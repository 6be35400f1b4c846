// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <complex>
#include <concepts>
#include <type_traits>

namespace gangway::fortran {

/// A complex number of Fortran in kernels: `complex(8)` is `Complex<double>`. It is computed with
/// as gfortran does, whose rules for division are not Kokkos'. It is aligned as gfortran aligns it,
/// while `Kokkos::complex` asks for the double of that. Both convert into each other.
template <std::floating_point T>
class Complex {
public:
  using value_type = T; ///< of its parts
  Complex() = default;  ///< not set, as a variable of Fortran
  /// The number real + imag i.
  KOKKOS_INLINE_FUNCTION constexpr Complex(T real, T imag) : _real(real), _imag(imag) {}
  /// The number without an imaginary part.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  KOKKOS_INLINE_FUNCTION constexpr explicit Complex(Number real)
      : _real(static_cast<T>(real)), _imag(0) {}
  /// Converts the parts to another kind.
  template <std::floating_point Other>
  KOKKOS_INLINE_FUNCTION constexpr explicit Complex(const Complex<Other>& other)
      : _real(static_cast<T>(other.real())), _imag(static_cast<T>(other.imag())) {}
  /// Takes both parts as they are.
  KOKKOS_INLINE_FUNCTION constexpr explicit Complex(const Kokkos::complex<T>& other)
      : _real(other.real()), _imag(other.imag()) {}

  /// Returns the real part.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T real() const { return _real; }
  /// Returns the imaginary part.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr T imag() const { return _imag; }
  /// Returns the same number.
  KOKKOS_INLINE_FUNCTION constexpr explicit operator Kokkos::complex<T>() const {
    return {_real, _imag};
  }
  /// Returns its real part, as an assignment to a real or whole number takes it.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  KOKKOS_INLINE_FUNCTION constexpr explicit operator Number() const {
    return static_cast<Number>(_real);
  }

  /// Returns -a.
  friend KOKKOS_INLINE_FUNCTION constexpr Complex operator-(const Complex& a) {
    return {-a._real, -a._imag};
  }
  /// Returns the sum.
  friend KOKKOS_INLINE_FUNCTION constexpr Complex operator+(const Complex& a, const Complex& b) {
    return {a._real + b._real, a._imag + b._imag};
  }
  /// Returns the difference.
  friend KOKKOS_INLINE_FUNCTION constexpr Complex operator-(const Complex& a, const Complex& b) {
    return {a._real - b._real, a._imag - b._imag};
  }
  /// Returns the product, without regard to infinite parts.
  friend KOKKOS_INLINE_FUNCTION constexpr Complex operator*(const Complex& a, const Complex& b) {
    return {a._real * b._real - a._imag * b._imag, a._real * b._imag + a._imag * b._real};
  }
  /// Divides by Smith's method.
  friend KOKKOS_INLINE_FUNCTION constexpr Complex operator/(const Complex& a, const Complex& b) {
    if (size(b._real) < size(b._imag)) {
      const T ratio = b._real / b._imag;
      const T divisor = b._real * ratio + b._imag;
      return {(a._real * ratio + a._imag) / divisor, (a._imag * ratio - a._real) / divisor};
    }
    const T ratio = b._imag / b._real;
    const T divisor = b._imag * ratio + b._real;
    return {(a._imag * ratio + a._real) / divisor, (a._imag - a._real * ratio) / divisor};
  }
  /// Returns whether both parts are equal.
  friend KOKKOS_INLINE_FUNCTION constexpr bool operator==(const Complex& a, const Complex& b) {
    return a._real == b._real && a._imag == b._imag;
  }
  KOKKOS_INLINE_FUNCTION constexpr Complex& operator+=(const Complex& other) {
    return *this = *this + other;
  } ///< for sums
  KOKKOS_INLINE_FUNCTION constexpr Complex& operator*=(const Complex& other) {
    return *this = *this * other;
  } ///< for products

private:
  static KOKKOS_INLINE_FUNCTION constexpr T size(T x) { return x < 0 ? -x : x; }

  T _real;
  T _imag;
};

/// Returns `conjg(z)`.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr Complex<T> conjg(const Complex<T>& z) {
  return {z.real(), -z.imag()};
}
/// Returns `abs(z)`.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T abs(const Complex<T>& z) {
  return Kokkos::hypot(z.real(), z.imag());
}
/// Returns `exp(z)`: on a host by the function of C that gfortran calls, too.
template <class T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION Complex<T> exp(const Complex<T>& z) {
  KOKKOS_IF_ON_HOST((const std::complex<T> made = std::exp(std::complex<T>(z.real(), z.imag()));
                     return Complex<T>(made.real(), made.imag());))
  KOKKOS_IF_ON_DEVICE((const T size = Kokkos::exp(z.real());
                       return Complex<T>(size * Kokkos::cos(z.imag()),
                                         z.imag() == 0 ? z.imag() : size * Kokkos::sin(z.imag()));))
}

} // namespace gangway::fortran

/// @cond
/// Identities of sums and products of complex numbers.
template <class T>
struct Kokkos::reduction_identity<gangway::fortran::Complex<T>> {
  using Number = gangway::fortran::Complex<T>;
  KOKKOS_FORCEINLINE_FUNCTION constexpr static Number sum() { return Number(0); }
  KOKKOS_FORCEINLINE_FUNCTION constexpr static Number prod() { return Number(1); }
};
/// @endcond
