// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

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

class Problem : public harness::Problem {
public:
  using Kernel = collapse::Kernel;
  static constexpr const char* id = "collapse";
  static constexpr const char* title =
      "tracer flux of an atmosphere model: gangs and vectors from collapsed loops";
  static constexpr const char* source =
      "OpenACC Programming and Best Practices Guide, chapter 6 (Collapse Clause; from HOMME)";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_elements, _tracers, _levels, _tracer_mass.data(), _wind.data(), _metric.data(),
           _axes.data(), _flux.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

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
