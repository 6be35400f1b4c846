// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace gangway::mandelbrot {

/// A picture cut into tiles of 8 x 4 points, row by row: one vector of 32 whose points lie close
/// together and so take about as many steps. Tiles at the right and lower edge may reach beyond it.
struct Tiles {
  static constexpr int across = 8; ///< points of a tile
  static constexpr int down = 4;
  static constexpr int points = across * down;

  int width;
  int height;

  [[nodiscard]] KOKKOS_FUNCTION long in_a_row() const {
    return (static_cast<long>(width) + across - 1) / across;
  }
  [[nodiscard]] KOKKOS_FUNCTION long count() const {
    return in_a_row() * ((static_cast<long>(height) + down - 1) / down);
  }
  [[nodiscard]] KOKKOS_FUNCTION int row(long tile, int point) const {
    return static_cast<int>(tile / in_a_row()) * down + point / across;
  }
  [[nodiscard]] KOKKOS_FUNCTION int column(long tile, int point) const {
    return static_cast<int>(tile % in_a_row()) * across + point % across;
  }
};

} // namespace gangway::mandelbrot
