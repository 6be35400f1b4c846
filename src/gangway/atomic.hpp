// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// What OpenACC's `atomic` may do to a variable and Kokkos has no function for.
namespace gangway {

namespace detail {
/// Returns whether two values have the same bits, as a compare-exchange compares them: -0 is not 0,
/// and a NaN equals itself.
template <class T>
KOKKOS_INLINE_FUNCTION bool same_bits(const T& one, const T& other) {
  static_assert(sizeof(T) <= 8, "no compare-exchange of more than 8 bytes");
  using Bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  return Kokkos::bit_cast<Bits>(one) == Kokkos::bit_cast<Bits>(other);
}
} // namespace detail

/// Sets `*target` to what `change` makes of it, as one step, and gives what was there before:
///
///     gangway::atomic_fetch_change(&x, [=](double before) { return e - before; }); // x = e - x
///
/// `change` is called again each time another thread came in between. T is an arithmetic type of 1,
/// 2, 4 or 8 bytes. On a device Kokkos takes a lock for 1 and 2 bytes, so that many threads at one
/// such variable are slow.
template <class T, class Change>
KOKKOS_INLINE_FUNCTION T atomic_fetch_change(T* target, const Change& change) {
  T before = Kokkos::atomic_load(target);
  while (true) {
    const T found = Kokkos::atomic_compare_exchange(target, before, static_cast<T>(change(before)));
    if (detail::same_bits(found, before))
      return before;
    before = found;
  }
}

/// The same, and gives what is there then.
template <class T, class Change>
KOKKOS_INLINE_FUNCTION T atomic_change_fetch(T* target, const Change& change) {
  return static_cast<T>(change(atomic_fetch_change(target, change)));
}

} // namespace gangway
