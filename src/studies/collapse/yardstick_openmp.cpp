// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/collapse/collapse.hpp"

namespace gangway::collapse {
/// Native OpenMP: threads over elements and tracers, the points of a level side by side.
static void native(int elements, int tracers, int levels, const double* tracer_mass,
                   const double* wind, const double* metric, const double* axes, double* flux) {
  const long slab = static_cast<long>(levels) * points;
#pragma omp parallel for collapse(2) schedule(static)
  for (int element = 0; element < elements; ++element)
    for (int tracer = 0; tracer < tracers; ++tracer) {
      const long mine = static_cast<long>(element) * tracers + tracer;
      const double* const m = metric + static_cast<long>(element) * points;
      const double* const a = axes + static_cast<long>(element) * 4 * points;
      for (long level = 0; level < levels; ++level) {
        const double* const q = tracer_mass + mine * slab + level * points;
        const double* const w = wind + static_cast<long>(element) * 2 * slab + level * points;
        double* const f = flux + mine * 2 * slab + level * points;
#pragma omp simd
        for (int point = 0; point < points; ++point) {
          const double u = w[point] * m[point] * q[point];
          const double v = w[slab + point] * m[point] * q[point];
          f[point] = a[point] * u + a[points + point] * v;
          f[slab + point] = a[2 * points + point] * u + a[3 * points + point] * v;
        }
      }
    }
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::collapse
