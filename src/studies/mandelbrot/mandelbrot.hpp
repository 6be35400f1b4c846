// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

#include <array>

/// The Mandelbrot set: how many steps of z² + c each point c takes to leave the circle of radius 2,
/// and how many points do not leave it in `limit` steps. z and c in float, the doubling in double.
///
///     for (int row = 0; row < height; ++row)
///       for (int column = 0; column < width; ++column) {
///         const float c_re = re_min + (re_max - re_min) * column / width;
///         const float c_im = im_min + (im_max - im_min) * row / height;
///         float z_re = 0, z_im = 0, length;
///         int k = 0;
///         do {
///           const float next = z_re * z_re - z_im * z_im + c_re;
///           z_im = 2.0 * z_re * z_im + c_im;
///           z_re = next;
///           length = z_re * z_re + z_im * z_im;
///           ++k;
///         } while (length < 4 && k < limit);
///         iterations[row * width + column] = k;
///         if (k == limit) ++inside;
///       }
///
/// gang: rows, or blocks of points; worker: none, or a small tile of points; vector: the points of
/// a row or tile. The steps of one point follow one another.
namespace gangway::mandelbrot {

/// `iterations` has height x width entries, row-major; `*inside` is written by the kernel.
using Kernel = void(int width, int height, double re_min, double re_max, double im_min,
                    double im_max, int limit, int* iterations, long* inside);

/// The part of the plane that is looked at. Row 0 lies at im_min.
struct Window {
  double re_min = -2;
  double re_max = 2;
  double im_min = -2;
  double im_max = 2;
};

/// Which product, if any, goes unrounded into a sum of two squares.
enum class Fused { neither, re, im };

/// Arithmetic that a compiler makes of the loop: re² - im² and re² + im², each with no product
/// fused into the sum or with one of the two. Contraction affects no other part of the loop,
/// because the product in double is exact. Points near the border amplify the last bit, so the nine
/// ways give different counts.
struct Arithmetic {
  Fused difference = Fused::neither;
  Fused length = Fused::neither;

  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;
  /// Returns a text such as "difference fused with re², length rounded twice".
  [[nodiscard]] std::string text() const;
  /// All nine.
  [[nodiscard]] static std::vector<Arithmetic> all();
};

/// Choice to follow an orbit to the end, or until it returns to a z it had before. In floating
/// point there are finitely many, so it then never leaves. The answer is the same.
enum class Orbits { to_the_limit, until_closed };

/// Computes `iterations` of every `stride`-th point in exactly that arithmetic, whatever this
/// compiler contracts.
[[nodiscard]] base::HostArray<int> reference(int width, int height, const Window& window, int limit,
                                             const Arithmetic& arithmetic,
                                             Orbits orbits = Orbits::until_closed, long stride = 1);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any window, for tests, within the limits of the keys.
  Problem(int width, int height, const Window& window, int limit);
  /// Passes if every point, and the count, is that of one of the nine arithmetics, the same
  /// everywhere.
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  /// Arithmetic that the last check that passed found the kernel to compute in: the first of
  /// several that agree on every point.
  [[nodiscard]] const Arithmetic& arithmetic() const { return _arithmetic; }
  [[nodiscard]] long inside() const { return _inside; }

private:
  [[nodiscard]] const base::HostArray<int>& expected(std::size_t arithmetic) const;
  /// Returns the arithmetics that agree with the result on the sample; the nearest if none does.
  [[nodiscard]] std::vector<std::size_t> candidates() const;

  int _width;
  int _height;
  Window _window;
  int _limit;
  base::HostArray<int> _iterations;
  long _stride;
  long _inside = 0;
  std::array<base::HostArray<int>, 9> _sample; ///< every `_stride`-th point, as Arithmetic::all
  mutable std::array<base::HostArray<int>, 9>
      _expected; ///< as Arithmetic::all; made when first asked for
  mutable Arithmetic _arithmetic;
  double _steps = 0; ///< of all points together, nothing fused
};

} // namespace gangway::mandelbrot
