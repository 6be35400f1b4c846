// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cmath>

namespace gangway::mandelbrot {

#ifdef FP_FAST_FMAF
inline constexpr bool host_fuses = true;
#else
inline constexpr bool host_fuses = false; // nor will the compiler
#endif

/// square² + addend, rounded once wherever the hardware can: a compiler that chose for itself could
/// choose differently for the lanes of one vector, or for steps side by side.
KOKKOS_INLINE_FUNCTION float fused(float square, float addend) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::fma(square, square, addend);))
  KOKKOS_IF_ON_HOST((if constexpr (host_fuses) return std::fma(square, square, addend);
                     else return square * square + addend;))
}

/// Steps that the point takes to leave, at most `limit`, which is positive. Four steps to each
/// question whether it has left, for the next step waits for an answer; and the square of im, which
/// a step and the question before it share, is kept.
KOKKOS_INLINE_FUNCTION int steps_in_fours(float c_re, float c_im, int limit) {
  float re = 0;
  float im = 0;
  float im_squared = 0;
  const auto length_after_step = [&] {
    const float next = fused(re, -im_squared) + c_re;
    im = static_cast<float>(2.0 * re * im + c_im);
    re = next;
    im_squared = im * im;
    return fused(re, im_squared);
  };
  int k = 0;
  for (; limit - k >= 4; k += 4) {
    const float first = length_after_step();
    const float second = length_after_step();
    const float third = length_after_step();
    const float fourth = length_after_step();
    // What is no number any more belongs to a point that has left, and no maximum takes it.
    const float longest = Kokkos::fmax(Kokkos::fmax(first, second), Kokkos::fmax(third, fourth));
    if (longest >= 4.0F)
      return k + (first >= 4.0F ? 1 : second >= 4.0F ? 2 : third >= 4.0F ? 3 : 4);
  }
  float length = 0;
  while (k < limit && length < 4.0F) {
    length = length_after_step();
    ++k;
  }
  return k;
}

} // namespace gangway::mandelbrot
