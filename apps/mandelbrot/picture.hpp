// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Pictures that the program `mandelbrot` draws. The study of that name shows how to share the work
/// out. The program uses it in double precision, with two short cuts that give the same picture.
/// Points of the two largest parts of the set are inside without a step, and so is an orbit that
/// comes back to where it was.
namespace gangway::apps::mandelbrot {

struct Picture {
  int width = 1200; ///< pixels
  int height = 800;
  double left = -2.75; ///< of the complex plane; the top row of pixels lies below `top`
  double right = 1.25;
  double bottom = -4.0 / 3;
  double top = 4.0 / 3;
  int iterations = 1000; ///< steps after which a point counts as one that never escapes
  int samples = 1;       ///< points a side of a pixel, which has the mean of their colours
};

/// Returns true if neighbouring points are different numbers, and different enough for the picture
/// to show more than their rounding.
[[nodiscard]] bool is_resolved(const Picture& picture);

/// A rectangle of its pixels.
struct Part {
  int row = 0;
  int rows = 0;
  int column = 0;
  int columns = 0;
};

/// Draws it into `rgb`, which holds just this part: rows x columns x 3 bytes. On the default
/// execution space; returns when it is done.
void draw(const Picture& picture, const Part& part, std::uint8_t* rgb);

} // namespace gangway::apps::mandelbrot
