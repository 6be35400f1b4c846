// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/collapse/collapse.hpp"

namespace gangway::collapse {
namespace {

/// The arrays of a problem on the device. Levels and the points of a level are one index `l`, as
/// they lie in memory; the points alone are `l % points`. Elements are counted in 64 bits: a view
/// computes an offset as wide as the widest of its indices.
struct Fields {
  DeviceView<const double, 3> tracer_mass; ///< element, tracer, l
  DeviceView<const double, 3> wind;        ///< element, component, l
  DeviceView<const double, 2> metric;      ///< element, point
  DeviceView<const double, 3> axes;        ///< element, 2 x component + direction, point
  DeviceView<double, 4> flux;              ///< element, tracer, component, l

  KOKKOS_INLINE_FUNCTION void at(long element, int tracer, int l) const {
    const int point = l % points;
    const double q = tracer_mass(element, tracer, l);
    const double u = wind(element, 0, l) * metric(element, point) * q;
    const double v = wind(element, 1, l) * metric(element, point) * q;
    flux(element, tracer, 0, l) = axes(element, 0, point) * u + axes(element, 1, point) * v;
    flux(element, tracer, 1, l) = axes(element, 2, point) * u + axes(element, 3, point) * v;
  }

  /// Computes all points of a level on one thread, some of them before it stores the first. For all
  /// a compiler knows, a store changes what the next point reads; then a host has no vector
  /// registers and a device no loads in flight. It uses pointers because nvcc makes twice as many
  /// instructions of five Views' offsets as of the arithmetic. On a device it takes only four
  /// points: the more registers a gang needs, the fewer gangs have room on a multiprocessor.
  KOKKOS_INLINE_FUNCTION void at_level(long element, int tracer, int level) const {
    constexpr int together = has_device ? 4 : points;
    const int l = level * points;
    const double* const q = &tracer_mass(element, tracer, l);
    const double* const first_wind = &wind(element, 0, l);
    const double* const second_wind = &wind(element, 1, l);
    const double* const m = &metric(element, 0);
    const double* const axis = &axes(element, 0, 0);
    double* const first_flux = &flux(element, tracer, 0, l);
    double* const second_flux = &flux(element, tracer, 1, l);
    for (int begin = 0; begin < points; begin += together) {
      double first[together];
      double second[together];
      for (int k = 0; k < together; ++k) {
        const int p = begin + k;
        const double u = first_wind[p] * m[p] * q[p];
        const double v = second_wind[p] * m[p] * q[p];
        first[k] = axis[p] * u + axis[points + p] * v;
        second[k] = axis[2 * points + p] * u + axis[3 * points + p] * v;
      }
      for (int k = 0; k < together; ++k) {
        first_flux[begin + k] = first[k];
        second_flux[begin + k] = second[k];
      }
    }
  }
};

Fields enter(Data& data, int elements, int tracers, int levels, const double* tracer_mass,
             const double* wind, const double* metric, const double* axes, double* flux) {
  return {data.copyin(tracer_mass, elements, tracers, levels * points),
          data.copyin(wind, elements, 2, levels * points), data.copyin(metric, elements, points),
          data.copyin(axes, elements, 4, points),
          data.copyout(flux, elements, tracers, 2, levels * points)};
}

/// A gang takes an element and walks through it on one thread.
void gang_only(int elements, int tracers, int levels, const double* tracer_mass, const double* wind,
               const double* metric, const double* axes, double* flux) {
  Data data;
  const Fields fields =
      enter(data, elements, tracers, levels, tracer_mass, wind, metric, axes, flux);
  gangway::parallel_for(
      "collapse/gang-only", gang(elements).num_workers(1).vector_length(1),
      KOKKOS_LAMBDA(const Gang<>&, int element) {
        for (int tracer = 0; tracer < tracers; ++tracer)
          for (int level = 0; level < levels; ++level)
            fields.at_level(element, tracer, level);
      });
}

/// collapse(2): a gang takes an element and a tracer.
void collapse_2(int elements, int tracers, int levels, const double* tracer_mass,
                const double* wind, const double* metric, const double* axes, double* flux) {
  Data data;
  const Fields fields =
      enter(data, elements, tracers, levels, tracer_mass, wind, metric, axes, flux);
  const long pairs = static_cast<long>(elements) * tracers;
  gangway::parallel_for(
      "collapse/collapse-2", gang(pairs).num_workers(1).vector_length(1),
      KOKKOS_LAMBDA(const Gang<>&, long pair) {
        const auto tracer = static_cast<int>(pair % tracers);
        for (int level = 0; level < levels; ++level)
          fields.at_level(pair / tracers, tracer, level);
      });
}

/// collapse(2) for the gangs, collapse(3) for the vector: levels and points are one range.
void vector_of_three(const char* label, const Clauses& clauses, int elements, int tracers,
                     int levels, const double* tracer_mass, const double* wind,
                     const double* metric, const double* axes, double* flux) {
  Data data;
  const Fields fields =
      enter(data, elements, tracers, levels, tracer_mass, wind, metric, axes, flux);
  const long pairs = static_cast<long>(elements) * tracers;
  gangway::parallel_for(
      label, gang(pairs).clauses(clauses), KOKKOS_LAMBDA(const Gang<>& gang, long pair) {
        const long element = pair / tracers;
        const auto tracer = static_cast<int>(pair % tracers);
        loop_vector(gang, 0, levels * points, [&](int l) { fields.at(element, tracer, l); });
      });
}

void collapse_2_3(int elements, int tracers, int levels, const double* tracer_mass,
                  const double* wind, const double* metric, const double* axes, double* flux) {
  vector_of_three("collapse/collapse-2-3", {.workers = 1, .vector = 128}, elements, tracers, levels,
                  tracer_mass, wind, metric, axes, flux);
}

void of_mapping(const kernels::Mapping& mapping, int elements, int tracers, int levels,
                const double* tracer_mass, const double* wind, const double* metric,
                const double* axes, double* flux) {
  vector_of_three("collapse/of-mapping", mapping.clauses, elements, tracers, levels, tracer_mass,
                  wind, metric, axes, flux);
}

/// Computes once what wind, metric and axes contribute, which is the same for all tracers. A gang
/// works it out for a block of levels, into its scratch, and then only multiplies. It multiplies in
/// another order than the document, so in general the last bit differs.
void hoisted(int elements, int tracers, int levels, const double* tracer_mass, const double* wind,
             const double* metric, const double* axes, double* flux) {
  using Scratch = Kokkos::View<double* [2], Kokkos::LayoutLeft,
                               Kokkos::DefaultExecutionSpace::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr int level_block = 24; // 3 rounds of a vector of 128, 6 kB of scratch
  // On a device enough to share the work, few enough to fill it; a host has work for all threads.
  constexpr int tracer_block = has_device ? 5 : 1024;
  const int level_blocks = (levels + level_block - 1) / level_block;
  const int tracer_blocks = (tracers + tracer_block - 1) / tracer_block;
  Data data;
  const Fields fields =
      enter(data, elements, tracers, levels, tracer_mass, wind, metric, axes, flux);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int block = gang.league_rank() % (level_blocks * tracer_blocks);
    const long element = gang.league_rank() / (level_blocks * tracer_blocks);
    const int first_tracer = block / level_blocks * tracer_block;
    const int last_tracer = Kokkos::min(first_tracer + tracer_block, tracers);
    const int first = block % level_blocks * level_block * points;
    const int size = Kokkos::min(level_block * points, levels * points - first);
    const Scratch factor(gang.team_scratch(0), level_block * points);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, size), [&](int l) {
      const int point = l % points;
      const double u = fields.wind(element, 0, first + l) * fields.metric(element, point);
      const double v = fields.wind(element, 1, first + l) * fields.metric(element, point);
      factor(l, 0) = fields.axes(element, 0, point) * u + fields.axes(element, 1, point) * v;
      factor(l, 1) = fields.axes(element, 2, point) * u + fields.axes(element, 3, point) * v;
    });
    gang.team_barrier();
    for (int tracer = first_tracer; tracer < last_tracer; ++tracer)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, size), [&](int l) {
        const double q = fields.tracer_mass(element, tracer, first + l);
        fields.flux(element, tracer, 0, first + l) = factor(l, 0) * q;
        fields.flux(element, tracer, 1, first + l) = factor(l, 1) * q;
      });
  };
  const long gangs = static_cast<long>(elements) * level_blocks * tracer_blocks;
  gangway::parallel_for("collapse/hoisted",
                        team_policy(gangs).num_workers(1).vector_length(128).scratch(
                            0, Scratch::shmem_size(level_block * points)),
                        body);
}

const harness::Study<Problem> study({
    .stages = {{"gang-only", gang_only},
               {"collapse-2", collapse_2},
               {"collapse-2-3", collapse_2_3}},
    .beyond = {{"hoisted", hoisted}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::collapse
