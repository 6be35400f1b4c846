// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/collapse/collapse.hpp"

namespace {

using gangway::collapse::np;
using gangway::collapse::points;

/// Both components of the flux of one tracer at one point of one level. Arrays as in the study's
/// header, with the indices written out.
#pragma acc routine seq
void flux_at(long element, long tracer, long level, long j, long i, long tracers, long levels,
             const double* tracer_mass, const double* wind, const double* metric,
             const double* axes, double* flux) {
  const long point = j * np + i;
  const long of_element = element * points + point;
  const long row = element * 4 * points + point;
  const long of_wind = (element * 2 * levels + level) * points + point;
  const long of_tracer = ((element * tracers + tracer) * levels + level) * points + point;
  const long of_flux = ((element * tracers + tracer) * 2 * levels + level) * points + point;
  const double q = tracer_mass[of_tracer];
  const double u = wind[of_wind] * metric[of_element] * q;
  const double v = wind[of_wind + levels * points] * metric[of_element] * q;
  flux[of_flux] = axes[row] * u + axes[row + points] * v;
  flux[of_flux + levels * points] = axes[row + 2 * points] * u + axes[row + 3 * points] * v;
}

} // namespace

extern "C" {

/// A gang takes an element and walks through it on one thread.
void gangway_collapse_gang_only(int elements, int tracers, int levels, const double* tracer_mass,
                                const double* wind, const double* metric, const double* axes,
                                double* flux) {
  const long fields = static_cast<long>(elements) * points;
  const long results = fields * tracers * levels;
#pragma acc parallel loop gang vector_length(32)                                                   \
    copyin(tracer_mass[0 : results], wind[0 : 2 * fields * levels], metric[0 : fields],            \
           axes[0 : 4 * fields]) copyout(flux[0 : 2 * results])
  for (int element = 0; element < elements; ++element) {
#pragma acc loop seq
    for (int tracer = 0; tracer < tracers; ++tracer) {
#pragma acc loop seq
      for (int level = 0; level < levels; ++level) {
#pragma acc loop seq
        for (int j = 0; j < np; ++j) {
#pragma acc loop seq
          for (int i = 0; i < np; ++i)
            flux_at(element, tracer, level, j, i, tracers, levels, tracer_mass, wind, metric, axes,
                    flux);
        }
      }
    }
  }
}

/// collapse(2): a gang takes an element and a tracer.
void gangway_collapse_collapse_2(int elements, int tracers, int levels, const double* tracer_mass,
                                 const double* wind, const double* metric, const double* axes,
                                 double* flux) {
  const long fields = static_cast<long>(elements) * points;
  const long results = fields * tracers * levels;
#pragma acc parallel loop gang collapse(2) vector_length(32)                                       \
    copyin(tracer_mass[0 : results], wind[0 : 2 * fields * levels], metric[0 : fields],            \
           axes[0 : 4 * fields]) copyout(flux[0 : 2 * results])
  for (int element = 0; element < elements; ++element)
    for (int tracer = 0; tracer < tracers; ++tracer) {
#pragma acc loop seq
      for (int level = 0; level < levels; ++level) {
#pragma acc loop seq
        for (int j = 0; j < np; ++j) {
#pragma acc loop seq
          for (int i = 0; i < np; ++i)
            flux_at(element, tracer, level, j, i, tracers, levels, tracer_mass, wind, metric, axes,
                    flux);
        }
      }
    }
}

/// collapse(2) for the gangs, collapse(3) for the vector.
void gangway_collapse_collapse_2_3(int elements, int tracers, int levels, const double* tracer_mass,
                                   const double* wind, const double* metric, const double* axes,
                                   double* flux) {
  const long fields = static_cast<long>(elements) * points;
  const long results = fields * tracers * levels;
#pragma acc parallel loop gang collapse(2) vector_length(128)                                      \
    copyin(tracer_mass[0 : results], wind[0 : 2 * fields * levels], metric[0 : fields],            \
           axes[0 : 4 * fields]) copyout(flux[0 : 2 * results])
  for (int element = 0; element < elements; ++element)
    for (int tracer = 0; tracer < tracers; ++tracer) {
#pragma acc loop vector collapse(3)
      for (int level = 0; level < levels; ++level)
        for (int j = 0; j < np; ++j)
          for (int i = 0; i < np; ++i)
            flux_at(element, tracer, level, j, i, tracers, levels, tracer_mass, wind, metric, axes,
                    flux);
    }
}

/// Computes once what wind, metric and axes contribute, which is the same for all tracers. A lane
/// works it out for its point, and then only multiplies. It multiplies in another order than the
/// document, so in general the last bit differs.
void gangway_collapse_hoisted(int elements, int tracers, int levels, const double* tracer_mass,
                              const double* wind, const double* metric, const double* axes,
                              double* flux) {
  static constexpr int tracer_block = 5;    // enough to share the work, few enough to fill a device
  static constexpr int block = 24 * points; // levels and points, three rounds of the vector
  const long of_level = static_cast<long>(levels) * points;
  const long fields = static_cast<long>(elements) * points;
  const long results = fields * tracers * levels;
#pragma acc parallel loop gang collapse(3) vector_length(128)                                      \
    copyin(tracer_mass[0 : results], wind[0 : 2 * fields * levels], metric[0 : fields],            \
           axes[0 : 4 * fields]) copyout(flux[0 : 2 * results])
  for (int element = 0; element < elements; ++element)
    for (int first_tracer = 0; first_tracer < tracers; first_tracer += tracer_block)
      for (long first = 0; first < of_level; first += block) {
        const int size = static_cast<int>(of_level - first < block ? of_level - first : block);
        const int last_tracer =
            first_tracer + tracer_block < tracers ? first_tracer + tracer_block : tracers;
        const double* const winds = wind + static_cast<long>(element) * 2 * of_level + first;
        const double* const metrics = metric + static_cast<long>(element) * points;
        const double* const turn = axes + static_cast<long>(element) * 4 * points;
#pragma acc loop vector
        for (int l = 0; l < size; ++l) {
          const int point = l % points;
          const double u = winds[l] * metrics[point];
          const double v = winds[l + of_level] * metrics[point];
          const double along_first = turn[point] * u + turn[point + points] * v;
          const double along_second = turn[point + 2 * points] * u + turn[point + 3 * points] * v;
#pragma acc loop seq
          for (int tracer = first_tracer; tracer < last_tracer; ++tracer) {
            const long of_tracer = static_cast<long>(element) * tracers + tracer;
            const double q = tracer_mass[of_tracer * of_level + first + l];
            double* const fluxes = flux + of_tracer * 2 * of_level + first;
            fluxes[l] = along_first * q;
            fluxes[l + of_level] = along_second * q;
          }
        }
      }
}

} // extern "C"
