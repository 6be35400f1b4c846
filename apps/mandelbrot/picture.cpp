// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.hpp"

#include "gangway/gangway.hpp"
#include "studies/mandelbrot/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gangway::apps::mandelbrot {
namespace {

using Tiles = gangway::mandelbrot::Tiles;

constexpr float never = -1;

/// Steps of z² + c until it leaves, with the fraction that makes neighbouring colours run into each
/// other; `never` if it does not in `limit` steps.
KOKKOS_INLINE_FUNCTION float steps_until_escape(double c_re, double c_im, int limit) {
  // The cardioid and the disc to its left.
  const double x = c_re - 0.25;
  const double square = x * x + c_im * c_im;
  if (square * (square + x) <= 0.25 * c_im * c_im ||
      (c_re + 1) * (c_re + 1) + c_im * c_im <= 0.0625)
    return never;
  constexpr double far = 65536; // well outside, where the fraction is smooth
  double re = 0;
  double im = 0;
  double mark_re = 0; // an earlier z, as in Brent's search for cycles; c = 0 is in the cardioid
  double mark_im = 0;
  int next_mark = 8;
  for (int k = 1; k <= limit; ++k) {
    const double next = re * re - im * im + c_re;
    im = 2 * re * im + c_im;
    re = next;
    const double length = re * re + im * im;
    if (!(length < far))
      return static_cast<float>(k + 4 - Kokkos::log2(Kokkos::log2(length)));
    if (re == mark_re && im == mark_im)
      return never;
    if (k == next_mark) {
      mark_re = re;
      mark_im = im;
      next_mark = next_mark < limit / 2 ? 2 * next_mark : limit;
    }
  }
  return never;
}

struct Colour {
  float red = 0;
  float green = 0;
  float blue = 0;

  KOKKOS_FUNCTION Colour& operator+=(const Colour& other) {
    red += other.red;
    green += other.green;
    blue += other.blue;
    return *this;
  }
};

/// Black inside; outside bands that grow wider with the steps they take.
KOKKOS_INLINE_FUNCTION Colour colour_of(float steps) {
  if (steps == never)
    return {};
  const float phase = 2.2F * Kokkos::log(1 + Kokkos::max(steps, 0.0F));
  const auto wave = [&](float shift) { return 0.5F - 0.5F * Kokkos::cos(phase + shift); };
  return {wave(0.0F), wave(-0.5F), wave(-1.1F)};
}

KOKKOS_INLINE_FUNCTION std::uint8_t byte_of(float sum, int samples) {
  return static_cast<std::uint8_t>(
      Kokkos::round(255 * sum / static_cast<float>(samples * samples)));
}

KOKKOS_INLINE_FUNCTION Colour colour_of_pixel(const Picture& picture, int row, int column) {
  Colour sum;
  for (int down = 0; down < picture.samples; ++down)
    for (int across = 0; across < picture.samples; ++across) {
      const double x = (column + (across + 0.5) / picture.samples) / picture.width;
      const double y = (row + (down + 0.5) / picture.samples) / picture.height;
      sum += colour_of(steps_until_escape(picture.left + (picture.right - picture.left) * x,
                                          picture.top - (picture.top - picture.bottom) * y,
                                          picture.iterations));
    }
  return sum;
}

} // namespace

bool is_resolved(const Picture& picture) {
  const double most = std::max({std::abs(picture.left), std::abs(picture.right),
                                std::abs(picture.bottom), std::abs(picture.top), 1.0});
  const double least = std::min((picture.right - picture.left) / picture.width,
                                (picture.top - picture.bottom) / picture.height) /
                       picture.samples;
  return least >= 8 * std::numeric_limits<double>::epsilon() * most;
}

void draw(const Picture& picture, const Part& part, std::uint8_t* rgb) {
  Data data;
  const auto pixel = data.copyout(named("pixels", rgb), part.rows, part.columns, 3);
  const Tiles tiles{part.columns, part.rows};
  // A gang for each tile, because some take much longer than others.
  gangway::parallel_for(
      "mandelbrot/draw",
      gang(tiles.count())
          .num_gangs(tiles.count())
          .num_workers(1)
          .vector_length(32)
          .with(Kokkos::Schedule<Kokkos::Dynamic>()),
      KOKKOS_LAMBDA(const Gang<>& gang, long tile) {
        loop_vector(gang, 0, Tiles::points, [&](int point) {
          const int row = tiles.row(tile, point);
          const int column = tiles.column(tile, point);
          if (row >= part.rows || column >= part.columns)
            return;
          const Colour sum = colour_of_pixel(picture, part.row + row, part.column + column);
          pixel(row, column, 0) = byte_of(sum.red, picture.samples);
          pixel(row, column, 1) = byte_of(sum.green, picture.samples);
          pixel(row, column, 2) = byte_of(sum.blue, picture.samples);
        });
      });
  Kokkos::fence("mandelbrot/drawn");
}

} // namespace gangway::apps::mandelbrot
