// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/mandelbrot/mandelbrot.hpp"

namespace gangway::mandelbrot {
/// Native OpenMP, as a programmer would write it.
static void native(int width, int height, double re_min, double re_max, double im_min,
                   double im_max, int limit, int* iterations, long* inside) {
  long count = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : count)
  for (int row = 0; row < height; ++row) {
    const auto c_im = static_cast<float>(im_min + (im_max - im_min) * row / height);
    for (int column = 0; column < width; ++column) {
      const auto c_re = static_cast<float>(re_min + (re_max - re_min) * column / width);
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
      iterations[static_cast<long>(row) * width + column] = k;
      if (k == limit)
        ++count;
    }
  }
  *inside = count;
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::mandelbrot
