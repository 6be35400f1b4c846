// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/normalize/normalize.hpp"

#include <memory>

namespace gangway::normalize {
namespace {

using Device = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;
using Scalar = Kokkos::View<double, DeviceSpace>;

/// Iterations of a gang.
constexpr long block = has_wide_teams<Device> ? 2048 : 8192;

long gangs_for(long iterations) {
  return (iterations + block - 1) / block;
}

/// Two kernels: the first waits until the sum is on the host, the second takes it along.
void kernels(long n, double* v, double* sum) {
  Data data;
  const auto value = data.copy(v, n);
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long first = gang.league_rank() * block;
    double of_gang = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
        [&](long i, double& partial) { partial += value(i); }, of_gang);
    Kokkos::single(Kokkos::PerTeam(gang), [&] { of_all += of_gang; });
  };
  double s = 0;
  Kokkos::parallel_reduce("normalize/sum",
                          team_policy({}, gangs_for(n), add, Kokkos::ParallelReduceTag{}), add, s);
  const auto divide = KOKKOS_LAMBDA(const Member& gang) {
    const long first = gang.league_rank() * block;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
                         [&](long i) { value(i) /= s; });
  };
  Kokkos::parallel_for("normalize/divide",
                       team_policy({}, gangs_for(n), divide, Kokkos::ParallelForTag{}), divide);
  *sum = s;
}

/// The sum of value[first, last), by the whole team. On a host the team is one thread, and its
/// nested reduction one chain of additions that a compiler may not reorder: eight chains instead.
KOKKOS_INLINE_FUNCTION double sum_of_block(const Member& gang, const Array<double>& value,
                                           long first, long last) {
  double sum = 0;
  if constexpr (has_wide_teams<Device>) {
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, first, last),
        [&](long i, double& partial) { partial += value(i); }, sum);
  } else {
    constexpr int chains = 8;
    double chain[chains] = {};
    long i = first;
    for (; i + chains <= last; i += chains)
      for (int k = 0; k < chains; ++k)
        chain[k] += value(i + k);
    for (; i < last; ++i)
      sum += value(i);
    for (int k = 0; k < chains; ++k)
      sum += chain[k];
  }
  return sum;
}

/// The sum stays where it is made: nothing waits between the two kernels.
void divide_by_resident_sum(const Scalar& s, long n, double* v, double* sum) {
  Data data;
  const auto value = data.copy(v, n);
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long first = gang.league_rank() * block;
    const double of_gang = sum_of_block(gang, value, first, Kokkos::min(first + block, n));
    Kokkos::single(Kokkos::PerTeam(gang), [&] { of_all += of_gang; });
  };
  // Into a View: the call returns before the sum is there, and the next kernel finds it in its
  // place.
  Kokkos::parallel_reduce(
      "normalize/resident sum",
      team_policy({.vector = 256}, gangs_for(n), add, Kokkos::ParallelReduceTag{}), add, s);
  const auto divide = KOKKOS_LAMBDA(const Member& gang) {
    const long first = gang.league_rank() * block;
    const double divisor = s();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
                         [&](long i) { value(i) /= divisor; });
  };
  Kokkos::parallel_for("normalize/resident divide",
                       team_policy({.vector = 256}, gangs_for(n), divide, Kokkos::ParallelForTag{}),
                       divide);
  Kokkos::deep_copy(*sum, s);
}

harness::Run resident(Problem& problem) {
  return [&problem, s = Scalar("normalize/sum")] {
    problem.call([&](auto... arguments) { divide_by_resident_sum(s, arguments...); });
  };
}

const harness::Study<Problem> study({{"kernels", kernels}}, {{"resident", resident}});

} // namespace
} // namespace gangway::normalize
