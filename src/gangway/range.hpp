// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>

/// The bounds of C's loops as Kokkos' policies want them.
namespace gangway {

/// for (i = low; i < high; ++i): a flat loop on the default execution space, counted in 64 bits.
/// Where `high` is below `low` there are no iterations, as in C; Kokkos' own policy ends the
/// program over that.
[[nodiscard]] inline Kokkos::RangePolicy<Kokkos::IndexType<long>> range(long low, long high) {
  return {low, std::max(low, high)};
}

/// A flat loop on an instance of an execution space.
template <class Space>
[[nodiscard]] Kokkos::RangePolicy<Space, Kokkos::IndexType<long>> range(const Space& queue,
                                                                        long low, long high) {
  return {queue, low, std::max(low, high)};
}

/// The iterations of loops in each other, of which one with an extent below 1 has none; in kernels,
/// too.
template <std::integral... Extents>
[[nodiscard]] KOKKOS_FUNCTION constexpr long iterations(Extents... extents) {
  return (Kokkos::max(0L, static_cast<long>(extents)) * ... * 1L);
}

} // namespace gangway
