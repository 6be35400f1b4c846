// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/pi/pi.hpp"

namespace gangway::pi {
namespace {

/// Place of a reduction's result on the device; one into a host variable waits for it instead.
using OnDevice = Kokkos::View<double, DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The sum over all points, over gangs and vector lanes. Without clauses the shape is left to the
/// library, as `kernels` and a bare `parallel loop` leave it to the compiler.
template <class Policy, class Result>
void sum_over_points(const char* label, const Policy& policy, Result&& sum) {
  const auto count = static_cast<double>(policy.extent());
  gangway::parallel_reduce(
      label, policy,
      KOKKOS_LAMBDA(long i, double& partial) {
        const double x = (static_cast<double>(i) + 0.5) / count;
        partial += 4.0 / (1.0 + x * x);
      },
      sum);
}

/// Kokkos has no `kernels`: only the programmer says what is parallel. Hence one code for both.
void kernels(long points, double* pi) {
  double sum = 0;
  sum_over_points("pi/kernels", gang_vector(points), sum);
  *pi = sum / static_cast<double>(points);
}

void kernels_data(long points, double* pi) {
  double sum = 0;
  {
    Data data;
    const auto device_sum = data.copy(&sum, 1);
    sum_over_points("pi/kernels-data", gang_vector(points), OnDevice(device_sum.data()));
  }
  *pi = sum / static_cast<double>(points);
}

void parallel(long points, double* pi) {
  double sum = 0;
  sum_over_points("pi/parallel", gang_vector(points), sum);
  *pi = sum / static_cast<double>(points);
}

void parallel_data(long points, double* pi) {
  double sum = 0;
  {
    Data data;
    const auto device_sum = data.copy(&sum, 1);
    sum_over_points("pi/parallel-data", gang_vector(points), OnDevice(device_sum.data()));
  }
  *pi = sum / static_cast<double>(points);
}

void of_mapping(const kernels::Mapping& mapping, long points, double* pi) {
  double sum = 0;
  sum_over_points("pi/of-mapping", gang_vector(points).clauses(mapping.clauses), sum);
  *pi = sum / static_cast<double>(points);
}

/// Points that one lane adds up side by side: one on a device. On a host they fill its vectors a
/// few times over, because the sums of one vector wait for each other.
inline constexpr int side_by_side = has_device ? 1 : 32;

/// Integrates with as many gangs as the device runs at once, whose lanes stride over the points.
/// The integrand has the only division, and no index is converted.
void team(long points, double* pi) {
  constexpr int lanes = has_device ? 256 : 1;
  // On a device half of the threads that it can hold: each may then have 64 registers.
  const long gangs = has_device ? Kokkos::DefaultExecutionSpace().concurrency() / lanes / 2
                                : Kokkos::DefaultExecutionSpace().concurrency();
  const long stride = gangs * lanes * side_by_side;
  const double step = 1 / static_cast<double>(points);
  double sum = 0;
  gangway::parallel_reduce(
      "pi/team", team_policy(gangs).vector_length(256),
      KOKKOS_LAMBDA(const Member& gang, double& total) {
        double of_gang = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(gang, lanes),
            [&](int lane, double& partial) {
              const long first =
                  (static_cast<long>(gang.league_rank()) * lanes + lane) * side_by_side;
              const long whole =
                  first + side_by_side <= points ? (points - side_by_side - first) / stride + 1 : 0;
              double sums[side_by_side] = {};
              // Midpoints are exact in double up to 2^52.
              double midpoint = static_cast<double>(first) + 0.5;
              for (long strides = 0; strides < whole; ++strides) {
                for (int s = 0; s < side_by_side; ++s) {
                  const double x = (midpoint + s) * step;
                  sums[s] += 1 / (1 + x * x);
                }
                midpoint += static_cast<double>(stride);
              }
              const long rest = first + whole * stride;
              const long end = Kokkos::min(rest + side_by_side, points);
              for (long i = rest; i < end; ++i) {
                const double x = (static_cast<double>(i) + 0.5) * step;
                partial += 1 / (1 + x * x);
              }
              for (const double one : sums)
                partial += one;
            },
            of_gang);
        Kokkos::single(Kokkos::PerTeam(gang), [&] { total += of_gang; });
      },
      sum);
  *pi = 4 * sum * step;
}

const harness::Study<Problem> study({
    .stages = {{.name = "kernels", .kernel = kernels, .flag = harness::Flag::kernels},
               {.name = "kernels-data", .kernel = kernels_data, .flag = harness::Flag::kernels},
               {.name = "parallel", .kernel = parallel, .flag = harness::Flag::sum},
               {.name = "parallel-data", .kernel = parallel_data, .flag = harness::Flag::sum}},
    .beyond = {{.name = "team", .kernel = team}},
    // By default the library's shape of a reduction.
    .sweep = {.kernel = of_mapping, .own = {{1, 256}, 1}},
});

} // namespace
} // namespace gangway::pi
