// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/halo.hpp"
#include "studies/halo/cells.hpp"

#include <cstddef>

/// Standard C++ only: the OpenACC compiler reads it too.
namespace gangway::halo {

/// A rank's strip, with `wide` rows of halo on either side; all variants but `wide` and `temporal`
/// use the one next to it. Plain, so that it goes by value through the C ABI between the two
/// models. Where the plate ends, the row next to the strip is the plate's edge, and those beyond it
/// are no part of it.
struct LocalStrip {
  long rows; ///< may be 0
  long columns;
  int wide;  ///< at least 1, and no more than any rank has rows, of those that have any
  int above; ///< 1 if there is a strip above
  int below;

  [[nodiscard]] long stride() const { return columns + 2; }
  [[nodiscard]] long rows_with_halo() const { return rows + 2L * wide; }
  [[nodiscard]] long cells() const { return rows_with_halo() * stride(); }

  /// The strip and, of each side, so many rows of those that another strip has.
  [[nodiscard]] Cells own_and(long beyond) const {
    return {wide - beyond * above, wide + rows + beyond * below, 1, columns + 1};
  }
  /// Returns the strip without rows less than `depth` from another strip.
  [[nodiscard]] Cells inside(long depth) const {
    return own_and(0).without(depth * above, depth * below, 0, 0);
  }
};

/// Keeps of the halo only what is next to the strip; how many cells of a plate come before it then.
[[nodiscard]] inline long keep_nearest(LocalStrip& strip) {
  const long before = (strip.wide - 1) * strip.stride();
  strip.wide = 1;
  return before;
}

/// Returns what the strip in `plate` gives and takes: `wide` rows of each side, wherever the plate
/// is.
template <class T>
[[nodiscard]] ranks::Border border_of(T* plate, const LocalStrip& strip) {
  const long size = strip.wide * strip.stride();
  const long rows = strip.rows * strip.stride();
  return {plate + size, plate + rows, plate, plate + size + rows,
          static_cast<std::size_t>(size) * sizeof(T)};
}

} // namespace gangway::halo
