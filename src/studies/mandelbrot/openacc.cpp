// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/mandelbrot/mandelbrot.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::mandelbrot::Kernel gangway_mandelbrot_parallel, gangway_mandelbrot_atomic,
    gangway_mandelbrot_collapse;
}

namespace {

/// Place number `index` of `count` between `low` and `high`.
#pragma acc routine seq
inline float coordinate(double low, double high, int index, int count) {
  return static_cast<float>(low + (high - low) * index / count);
}

/// As the document has it. Which products are fused into the sums is the compiler's choice.
#pragma acc routine seq
inline int steps_of(float c_re, float c_im, int limit) {
  float re = 0;
  float im = 0;
  float length = 0;
  int k = 0;
  do {
    const float next = re * re - im * im + c_re;
    im = static_cast<float>(2.0 * re * im + c_im);
    re = next;
    length = re * re + im * im;
    ++k;
  } while (length < 4.0F && k < limit);
  return k;
}

} // namespace

extern "C" {

/// Rows over gangs and vector lanes, the points of a row one after another.
void gangway_mandelbrot_parallel(int width, int height, double re_min, double re_max, double im_min,
                                 double im_max, int limit, int* iterations, long* inside) {
  const long points = static_cast<long>(width) * height;
  long count = 0;
#pragma acc parallel loop gang vector reduction(+ : count) copyout(iterations[0 : points])
  for (int row = 0; row < height; ++row) {
    const float c_im = coordinate(im_min, im_max, row, height);
#pragma acc loop seq
    for (int column = 0; column < width; ++column) {
      const int k = steps_of(coordinate(re_min, re_max, column, width), c_im, limit);
      iterations[static_cast<long>(row) * width + column] = k;
      if (k == limit)
        ++count;
    }
  }
  *inside = count;
}

/// Rows over gangs, the points of a row over the vector.
void gangway_mandelbrot_atomic(int width, int height, double re_min, double re_max, double im_min,
                               double im_max, int limit, int* iterations, long* inside) {
  const long points = static_cast<long>(width) * height;
  *inside = 0;
#pragma acc parallel loop gang vector_length(128) copyout(iterations[0 : points])                  \
    copy(inside[0 : 1])
  for (int row = 0; row < height; ++row) {
    const float c_im = coordinate(im_min, im_max, row, height);
#pragma acc loop vector
    for (int column = 0; column < width; ++column) {
      const int k = steps_of(coordinate(re_min, re_max, column, width), c_im, limit);
      iterations[static_cast<long>(row) * width + column] = k;
      if (k == limit) {
#pragma acc atomic update
        ++inside[0];
      }
    }
  }
}

/// Rows and columns made one loop, its points over gangs and vector lanes.
void gangway_mandelbrot_collapse(int width, int height, double re_min, double re_max, double im_min,
                                 double im_max, int limit, int* iterations, long* inside) {
  const long points = static_cast<long>(width) * height;
  long count = 0;
#pragma acc parallel loop gang vector collapse(2) reduction(+ : count)                             \
    copyout(iterations[0 : points])
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const int k = steps_of(coordinate(re_min, re_max, column, width),
                             coordinate(im_min, im_max, row, height), limit);
      iterations[static_cast<long>(row) * width + column] = k;
      if (k == limit)
        ++count;
    }
  *inside = count;
}

} // extern "C"
