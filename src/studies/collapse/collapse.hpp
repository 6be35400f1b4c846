// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// The tracer flux of a spectral-element atmosphere (HOMME), double: on each level and point of an
/// element, the wind times the density of a tracer, turned from the sphere to the element's own
/// axes.
///
///     for (int element = 0; element < elements; ++element)
///       for (int tracer = 0; tracer < tracers; ++tracer)
///         for (int level = 0; level < levels; ++level)
///           for (int j = 0; j < np; ++j)
///             for (int i = 0; i < np; ++i) {
///               const double q = tracer_mass[element][tracer][level][j][i];
///               const double u = wind[element][0][level][j][i] * metric[element][j][i] * q;
///               const double v = wind[element][1][level][j][i] * metric[element][j][i] * q;
///               flux[element][tracer][0][level][j][i] =
///                   axes[element][0][0][j][i] * u + axes[element][0][1][j][i] * v;
///               flux[element][tracer][1][level][j][i] =
///                   axes[element][1][0][j][i] * u + axes[element][1][1][j][i] * v;
///             }
///
/// gang: elements and tracers, collapsed; worker: none; vector: levels and points, collapsed.
/// Neither loop of a pair is long enough by itself.
namespace gangway::collapse {

/// Points along each side of an element.
inline constexpr int np = 4;
inline constexpr int points = np * np;

using Kernel = void(int elements, int tracers, int levels, const double* tracer_mass,
                    const double* wind, const double* metric, const double* axes, double* flux);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  int _elements;
  int _tracers;
  int _levels;
  base::HostArray<double> _tracer_mass; ///< [element][tracer][level][j][i]
  base::HostArray<double> _wind;        ///< [element][2][level][j][i]
  base::HostArray<double> _metric;      ///< [element][j][i]
  base::HostArray<double> _axes;        ///< [element][2][2][j][i]
  base::HostArray<double> _flux;        ///< [element][tracer][2][level][j][i]
  base::HostArray<double> _reference;   ///< the flux by the serial loop, in whole numbers
};

} // namespace gangway::collapse
