// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/mandelbrot/mandelbrot.hpp"

namespace {

/// Place number `index` of `count` between `low` and `high`.
#pragma acc routine seq
inline float coordinate(double low, double high, int index, int count) {
  return static_cast<float>(low + (high - low) * index / count);
}

/// Counts steps as the document does. The compiler chooses which products it fuses into the sums.
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

/// Counts with four steps between two looks at whether the point is still inside, because the next
/// step waits for a look. A point that has left goes on, uncounted, until then. The code says which
/// products are fused: a compiler could choose differently for each of the four.
#pragma acc routine seq
inline int steps_in_fours(float c_re, float c_im, int limit) {
  float re = 0;
  float im = 0;
  int inside = 1;
  int k = 0;
  do {
    for (int s = 0; s < 4; ++s) {
      const float next = std::fma(re, re, -(im * im)) + c_re;
      im = static_cast<float>(2.0 * re * im + c_im);
      re = next;
      k += inside;
      inside = std::fma(re, re, im * im) < 4.0F && k < limit ? inside : 0;
    }
  } while (inside != 0);
  return k;
}

// The picture is cut into tiles of 8 x 4 points, row by row: one vector of 32 whose points lie
// close together and so take about as many steps. Tiles at the right and lower edge may reach
// beyond it.
constexpr int across = 8;
constexpr int down = 4;
constexpr int points_of_tile = across * down;

long tiles_of(int width, int height) {
  return ((static_cast<long>(width) + across - 1) / across) *
         ((static_cast<long>(height) + down - 1) / down);
}

/// Draws one point of a tile; 1 if it never leaves.
#pragma acc routine seq
inline int draw(long tile, int point, int width, int height, double re_min, double re_max,
                double im_min, double im_max, int limit, int* iterations) {
  const long tiles_in_a_row = (static_cast<long>(width) + across - 1) / across;
  const int row = static_cast<int>(tile / tiles_in_a_row) * down + point / across;
  const int column = static_cast<int>(tile % tiles_in_a_row) * across + point % across;
  if (row >= height || column >= width)
    return 0;
  const int k = steps_in_fours(coordinate(re_min, re_max, column, width),
                               coordinate(im_min, im_max, row, height), limit);
  iterations[static_cast<long>(row) * width + column] = k;
  return k == limit ? 1 : 0;
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

/// A gang is a vector of 32 and draws one tile, if a launch may have so many gangs: the device
/// hands out the next as one ends.
void gangway_mandelbrot_tiles(int width, int height, double re_min, double re_max, double im_min,
                              double im_max, int limit, int* iterations, long* inside) {
  const long points = static_cast<long>(width) * height;
  const long tiles = tiles_of(width, height);
  const int gangs = static_cast<int>(std::clamp(tiles, 1L, 1L << 30));
  *inside = 0;
#pragma acc parallel loop gang num_gangs(gangs) num_workers(1) vector_length(32)                   \
    copyout(iterations[0 : points]) copy(inside[0 : 1])
  for (long tile = 0; tile < tiles; ++tile) {
    int never = 0;
#pragma acc loop vector reduction(+ : never)
    for (int point = 0; point < points_of_tile; ++point)
      never += draw(tile, point, width, height, re_min, re_max, im_min, im_max, limit, iterations);
    if (never > 0) {
#pragma acc atomic update
      inside[0] += never;
    }
  }
}

/// Each gang draws the tile of its number, and then tiles from one queue until it is empty. There
/// are about as many gangs as a large GPU holds at a time, 32 on each of 128 multiprocessors: of
/// more, the last would find the queue empty, and with fewer, lanes would idle.
void gangway_mandelbrot_balanced(int width, int height, double re_min, double re_max, double im_min,
                                 double im_max, int limit, int* iterations, long* inside) {
  static constexpr int gangs = 32 * 128;
  const long points = static_cast<long>(width) * height;
  const long tiles = tiles_of(width, height);
  long counts[2] = {0, 0}; // tiles from the queue; points that never leave
#pragma acc parallel loop gang num_gangs(gangs) num_workers(1) vector_length(32)                   \
    copyout(iterations[0 : points]) copy(counts)
  for (int gang = 0; gang < gangs; ++gang) {
    long of_gang = 0;
    long tile = gang;
    while (tile < tiles) {
      int never = 0;
#pragma acc loop vector reduction(+ : never)
      for (int point = 0; point < points_of_tile; ++point)
        never +=
            draw(tile, point, width, height, re_min, re_max, im_min, im_max, limit, iterations);
      of_gang += never;
      long next;
#pragma acc atomic capture
      next = counts[0]++;
      tile = gangs + next;
    }
    if (of_gang > 0) {
#pragma acc atomic update
      counts[1] += of_gang;
    }
  }
  *inside = counts[1];
}

} // extern "C"
