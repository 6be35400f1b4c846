// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

/// Arrays of Fortran in kernels: column-major, with the lower bounds of the source. Fortran:
///
///     subroutine relax(u) bind(c)
///       import :: c_double
///       real(c_double), intent(inout) :: u(:, :)   ! of the caller: u(0:n + 1, 0:n + 1)
///     end subroutine
///
/// and its kernel, which counts as the caller does:
///
///     extern "C" void relax(const gangway::Descriptor& host_u) {
///       const gangway::FArray<double, 2> u("u", host_u, {0, 0});
///       Kokkos::parallel_for(…, KOKKOS_LAMBDA(int i, int j) { u(i, j) *= 0.5; });
///     }
namespace gangway {

/// The descriptor by which `bind(c)` passes an array of Fortran whose dummy argument is of assumed
/// shape or rank, allocatable, or a pointer: CFI_cdesc_t of ISO_Fortran_binding.h. The target
/// `gangway::fortran` reads it, by the header of the Fortran compiler, so that kernels need none.
struct Descriptor;

namespace detail {

/// The largest rank of an array in Fortran.
inline constexpr int largest_rank = 15;

#if defined(GANGWAY_CHECK_BOUNDS) || defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
constexpr bool checks_bounds = true;
#else
constexpr bool checks_bounds = false;
#endif

/// Returns the device address of an array that is present, and writes `rank` extents and lower
/// bounds, first dimension first. Lower bounds are those of the descriptor if it has them, and
/// else 1. It is defined in the target `gangway::fortran`. Errors: DataError when the array is not
/// present, allocated or contiguous, and for another rank or type of element.
void* present_fortran_array(const Descriptor& array, const Clause& clause, int rank, long* extents,
                            long* lower);

/// The name that a checked array has in kernels, and no other.
template <bool checked>
class ArrayName {
public:
  explicit ArrayName(std::string_view /*name*/) {}
};
template <>
class ArrayName<true> {
public:
  explicit ArrayName(std::string_view name) {
    std::copy_n(name.begin(), std::min(name.size(), sizeof _text - 1), _text);
  }
  [[nodiscard]] KOKKOS_FUNCTION const char* text() const { return _text; }

private:
  char _text[32] = {};
};

} // namespace detail

/// An array of Fortran on the device, which kernels capture by value and index as the source does:
/// `u(i, j)`. The first index is stride-1. `T` is the element (`const` for arrays that the kernel
/// reads only), `Rank` the number of dimensions, 1 to 15. It owns nothing: a data region, or
/// enter_data, keeps the array on the device.
///
/// In sources that are compiled with GANGWAY_CHECK_BOUNDS, or for a Kokkos that checks bounds, an
/// index outside the bounds ends the program with a message of the array, the index and the bounds.
template <class T, int Rank, bool checked = detail::checks_bounds>
class FArray : private detail::ArrayName<checked> { // an empty base takes no room, in nvcc too
  using Name = detail::ArrayName<checked>;
  static_assert(Rank >= 1 && Rank <= detail::largest_rank, "arrays have 1 to 15 dimensions");

public:
  /// One number for each dimension, first dimension first.
  using Numbers = std::array<long, Rank>;

  /// Finds `array` present. The lower bounds are those of an allocatable or pointer dummy argument,
  /// and 1 for one of assumed shape, because descriptors of those have none. `name` is for
  /// messages. Errors: DataError when the array is not present, not allocated or not contiguous,
  /// and when its rank or the type of its elements is another one.
  FArray(std::string_view name, const Descriptor& array,
         std::source_location where = std::source_location::current())
      : Name(name) {
    find(name, array, where);
    index();
  }
  /// Finds `array` present, and counts from these lower bounds. Errors: the same.
  FArray(std::string_view name, const Descriptor& array, const Numbers& lower,
         std::source_location where = std::source_location::current())
      : Name(name) {
    find(name, array, where);
    copy(lower, _lower);
    index();
  }
  /// The array of these extents that is at `device`.
  FArray(std::string_view name, T* device, const Numbers& extents, const Numbers& lower)
      : Name(name), _data(device) {
    copy(extents, _extent);
    copy(lower, _lower);
    index();
  }

  /// Returns the element of these indices, one for each dimension.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  KOKKOS_FUNCTION T& operator()(Index... indices) const {
    if constexpr (checked)
      check(indices...);
    return at(std::make_index_sequence<Rank>(), indices...);
  }

  /// Returns the lower bound of dimension `d`, which counts from 1 as in Fortran.
  [[nodiscard]] KOKKOS_FUNCTION long lbound(int d) const { return _lower[d - 1]; }
  /// Returns the upper bound of dimension `d`, which counts from 1.
  [[nodiscard]] KOKKOS_FUNCTION long ubound(int d) const {
    return _lower[d - 1] + _extent[d - 1] - 1;
  }
  /// Returns the extent of dimension `d`, which counts from 1.
  [[nodiscard]] KOKKOS_FUNCTION long size(int d) const { return _extent[d - 1]; }
  /// Returns the number of elements.
  [[nodiscard]] KOKKOS_FUNCTION long size() const {
    long product = 1;
    for (int d = 0; d < Rank; ++d)
      product *= _extent[d];
    return product;
  }
  /// Returns the device address of the first element.
  [[nodiscard]] KOKKOS_FUNCTION T* data() const { return _data; }
  /// Returns the device address of the element of these indices, which are not checked: it may be
  /// the one after the last.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank)
  [[nodiscard]] KOKKOS_FUNCTION T* address(Index... indices) const {
    return &at(std::make_index_sequence<Rank>(), indices...);
  }

  /// Returns the array as a View of Kokkos, whose indices count from 0.
  [[nodiscard]] auto view() const {
    static_assert(Rank <= 8, "Views have at most 8 dimensions");
    using View = Kokkos::View<typename detail::AddPointers<T, Rank>::type, Kokkos::LayoutLeft,
                              DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return [this]<std::size_t... d>(std::index_sequence<d...>) {
      return View(_data, static_cast<std::size_t>(_extent[d])...);
    }(std::make_index_sequence<Rank>());
  }

private:
  using Held = Kokkos::Array<long, Rank>;

  static void copy(const Numbers& from, Held& to) {
    for (int d = 0; d < Rank; ++d)
      to[d] = from[static_cast<std::size_t>(d)];
  }
  void find(std::string_view name, const Descriptor& array, const std::source_location& where) {
    const detail::Clause clause{"present", name, where, detail::layout_of<std::remove_cv_t<T>>(1)};
    Numbers extents{};
    Numbers lower{};
    _data = static_cast<T*>(
        detail::present_fortran_array(array, clause, Rank, extents.data(), lower.data()));
    copy(extents, _extent);
    copy(lower, _lower);
  }
  /// Sets what `at` computes with.
  void index() {
    long stride = 1;
    for (int d = 0; d < Rank; ++d) {
      _stride[d] = stride;
      _origin -= _lower[d] * stride;
      stride *= _extent[d];
    }
  }
  template <std::size_t... d, class... Index>
  KOKKOS_FUNCTION T& at(std::index_sequence<d...>, Index... indices) const {
    return _data[_origin +
                 ((d == 0 ? static_cast<long>(indices) : static_cast<long>(indices) * _stride[d]) +
                  ...)];
  }
  template <class... Index>
  KOKKOS_FUNCTION void check(Index... indices) const {
    int d = 0;
    (check_one(d++, static_cast<long>(indices)), ...);
  }
  KOKKOS_FUNCTION void check_one(int d, long i) const {
    if (i >= _lower[d] && i < _lower[d] + _extent[d])
      return;
    const char* const text = "gangway: %s: index %ld of dimension %d is outside %ld:%ld\n";
    const long last = _lower[d] + _extent[d] - 1;
    KOKKOS_IF_ON_HOST((std::fprintf(stderr, text, Name::text(), i, d + 1, _lower[d], last);))
    KOKKOS_IF_ON_DEVICE((Kokkos::printf(text, Name::text(), i, d + 1, _lower[d], last);))
    Kokkos::abort("gangway: an index is outside the bounds of its array");
  }

  T* _data = nullptr;
  long _origin = 0; ///< the index of element (0, 0, …), which may be outside
  Held _stride{};
  Held _lower{};
  Held _extent{};
};

} // namespace gangway
