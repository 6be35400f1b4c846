// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gangway/gangway.hpp>

using gangway::Descriptor;
using gangway::FArray;

template <int rank>
using Nest = Kokkos::MDRangePolicy<Kokkos::Rank<rank, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                   Kokkos::IndexType<int>>;

/// do k = 1, nz; do j = 1, ny; do i = 1, nx: the cells of an array with one layer of halo, i
/// innermost.
template <class Array>
Nest<3> cells_of(const Array& a) {
  return {{1, 1, 1}, {a.ubound(1), a.ubound(2), a.ubound(3)}};
}
